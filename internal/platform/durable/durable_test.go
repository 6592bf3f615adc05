package durable_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"roshambo/internal/platform/durable"
)

// TestReplace checks the content and the mode of a file that is replaced, and that a failure leaves the file and
// no temporary one.
func TestReplace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path, taken := filepath.Join(folder, "state.json"), filepath.Join(folder, "folder")
	if err := os.Mkdir(taken, 0o700); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	for _, c := range []struct {
		name  string
		write func() error
		fails bool
	}{
		{"new", func() error { return durable.WriteJSON(path, 0o600, map[string]int{"old": 1}) }, false},
		{"replaced", func() error { return durable.WriteJSON(path, 0o644, map[string]int{"a": 1}) }, false},
		{"no JSON", func() error { return durable.WriteJSON(path, 0o600, func() {}) }, true},
		{"broken", func() error {
			return durable.Replace(path, 0o600, func(w io.Writer) error {
				_, err := io.WriteString(w, "half")
				return errors.Join(err, broken)
			})
		}, true},
		{"a folder in its place", func() error { return durable.WriteJSON(taken, 0o600, 1) }, true},
		{"no folder", func() error { return durable.WriteJSON(filepath.Join(folder, "none", "x"), 0o600, 1) }, true},
	} {
		if err := c.write(); (err != nil) != c.fails || c.name == "broken" && !errors.Is(err, broken) {
			t.Errorf("%s: error %v", c.name, err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		want := fs.FileMode(0o644)
		if c.name == "new" {
			want = 0o600
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, want %v", c.name, info.Mode(), want)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "{\n  \"a\": 1\n}\n" {
		t.Errorf("the file holds %q, error %v", text, err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 2 {
		t.Errorf("left are %v, error %v", files, err)
	}
	if durable.SyncFolder(filepath.Join(folder, "none")) == nil {
		t.Error("a folder that does not exist was synced")
	}
}
