package arena

// Woken says whether the matcher was woken since it was last asked.
func (s *Service) Woken() bool {
	select {
	case <-s.wake:
		return true
	default:
		return false
	}
}
