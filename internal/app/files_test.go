//go:build unix

package app

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFolderOfAnotherUser: root writes no files into the data folder of a service that runs as another user. Only root
// can try: for other users the calls have other errors, or none.
func TestFolderOfAnotherUser(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, databaseFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	root := os.Geteuid() == 0
	if root {
		if err := os.Chown(data, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	for name, err := range map[string]error{
		"restore": func() error {
			_, err := Restore(t.Context(), RestoreConfig{Backup: filepath.Join(data, "none"), Data: data})
			return err
		}(),
		"mark-restored": MarkRestored(t.Context(), Store{Data: data}, ""),
		"accept-rollback": func() error {
			_, err := AcceptRollback(t.Context(), Store{Data: data}, 1, nil, "")
			return err
		}(),
		"accept-pages": func() error {
			_, _, err := AcceptPages(data)
			return err
		}(),
		"move": Move(t.Context(), MoveOptions{From: data, To: "postgres:///none", Out: io.Discard}),
	} {
		if refused := err != nil && strings.Contains(err.Error(), "sudo -u"); refused != root {
			t.Errorf("%s: error %v, user %d", name, err, os.Geteuid())
		}
	}
	if _, err := os.Stat(filepath.Join(data, restoredFile)); (err != nil) != root {
		t.Errorf("the mark: %v, user %d", err, os.Geteuid())
	}
}
