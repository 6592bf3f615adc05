package event

import (
	"slices"
	"testing"
	"time"
)

// TestNextPause checks the pauses between attempts to connect.
func TestNextPause(t *testing.T) {
	t.Parallel()
	var got []time.Duration
	for pause := firstRetry; len(got) < 8; pause = nextPause(pause) {
		got = append(got, pause/time.Millisecond)
	}
	if want := []time.Duration{50, 100, 200, 400, 800, 1600, 2000, 2000}; !slices.Equal(got, want) {
		t.Errorf("pauses of %v ms, want %v", got, want)
	}
}

// TestNewBatch checks that the numbers of batches are positive and differ.
func TestNewBatch(t *testing.T) {
	t.Parallel()
	seen := map[int64]bool{}
	for range 100 {
		n, err := newBatch()
		if err != nil || n < 1<<62 || seen[n] {
			t.Fatalf("batch %d, seen %v, error %v", n, seen[n], err)
		}
		seen[n] = true
	}
}
