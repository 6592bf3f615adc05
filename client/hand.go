package client

// hand is a bot's move for one round with the salt that hides it until the reveal. Its
// JSON form is the state file of a bot.
type hand struct {
	Duel  string `json:"duel"`
	Round int64  `json:"round"`
	Move  string `json:"move"`
	Salt  string `json:"salt"`
}

// readHand reads the hand of a stopped bot. It returns nil if path is empty or the file
// does not exist.
func readHand(path string) (*hand, error) {
	h := &hand{}
	if found, err := readState(path, h); err != nil || !found {
		return nil, err
	}
	return h, nil
}
