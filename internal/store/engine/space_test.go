package engine

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"roshambo/internal/store"
)

// TestDiskAtItsLimit alternates between a full disk and free space, as a disk at its limit does:
// the log gets one line for each state, not one for each change.
func TestDiskAtItsLimit(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	d := NewSpace(slog.New(slog.NewTextHandler(&log, nil)), true)
	for range 100 {
		d.MarkFull(store.ErrFull)
		if !d.Full() {
			t.Fatal("Full returned false after MarkFull")
		}
		d.MarkFree()
		if d.Full() {
			t.Fatal("Full returned true after MarkFree")
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 2 {
		t.Errorf("%d lines, want 2:\n%s", n, &log)
	}
}
