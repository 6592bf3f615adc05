package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// hand is what a bot plays in a round, hidden until it is revealed.
type hand struct {
	Duel  string `json:"duel"`
	Round int64  `json:"round"`
	Move  string `json:"move"`
	Salt  string `json:"salt"`
}

// readHand reads what a bot held when it was stopped; nil for nothing.
func readHand(path string) (*hand, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("client: the bot's state: %w", err)
	}
	h := &hand{}
	if err := json.Unmarshal(text, h); err != nil {
		return nil, fmt.Errorf("client: the bot's state: %s: %w", path, err)
	}
	return h, nil
}

// write puts a hand on disk, whole or not at all. It is there before the service is told
// of its commitment: who was killed in between finds it, and can reveal.
func (h *hand) write(path string) error {
	if path == "" {
		return nil
	}
	text, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("client: the bot's state: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return fmt.Errorf("client: the bot's state: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("client: the bot's state: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}
