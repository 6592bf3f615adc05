//go:build unix

package program

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestGroup requires that the children of a program end with it: the child has a file open for as long as it lives.
func TestGroup(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "held")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		f, err := os.Open(path) // waits for the child
		if err == nil {
			_, err = io.Copy(io.Discard, f) // until its end
		}
		ended <- err
	}()
	if _, err := play(t, "fork "+path).Move(Turn{Round: 1}); err == nil {
		t.Error("no error")
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
