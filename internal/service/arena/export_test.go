package arena

// Woken reports whether the matcher was woken since the last call.
func (s *Service) Woken() bool {
	select {
	case <-s.wake:
		return true
	default:
		return false
	}
}
