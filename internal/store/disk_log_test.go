package store

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// TestDiskAtItsLimit alternates between a full disk and free space, as a disk at its limit does:
// the log gets one line for each state, not one for each change.
func TestDiskAtItsLimit(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	d := diskSpace{log: slog.New(slog.NewTextHandler(&log, nil)), probed: true}
	for range 100 {
		d.markFull(ErrFull)
		if !d.full() {
			t.Fatal("full returned false after markFull")
		}
		d.markFree()
		if d.full() {
			t.Fatal("full returned true after markFree")
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 2 {
		t.Errorf("%d lines, want 2:\n%s", n, &log)
	}
}
