package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

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
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("client: bot state: %w", err)
	}
	h := &hand{}
	if err := json.Unmarshal(text, h); err != nil {
		return nil, fmt.Errorf("client: bot state: %s: %w", path, err)
	}
	return h, nil
}

// write stores a hand in the file, atomically and synced. The bot writes it before it
// sends the commitment: after a crash in between it finds the hand and can reveal. A
// crash before the rename leaves the previous hand; the commitment has not been sent
// then.
func (h *hand) write(path string) error {
	if path == "" {
		return nil
	}
	text, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("client: bot state: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return fmt.Errorf("client: bot state: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("client: bot state: %w", errors.Join(err, os.Remove(f.Name())))
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("client: bot state: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}
