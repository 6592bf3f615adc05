package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// readState decodes the file of a stopped program into v and reports whether it exists. With an empty
// path there is no file.
func readState(path string, v any) (bool, error) {
	if path == "" {
		return false, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("client: state: %w", err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		return false, fmt.Errorf("client: state: %s: %w", path, err)
	}
	return true, nil
}

// writeState stores v in the file, atomically and synced, before the request that depends on it is
// sent: after a crash in between the program finds it and sends the same request again. A crash
// before the rename leaves the previous file; nothing has been sent then.
func writeState(path string, v any) error {
	if path == "" {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("client: state: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return fmt.Errorf("client: state: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("client: state: %w", errors.Join(err, os.Remove(f.Name())))
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("client: state: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}
