package run

import (
	"testing"
	"time"
)

// TestMillis checks that stored times are read back, the zero time and the first ones included.
func TestMillis(t *testing.T) {
	t.Parallel()
	for at, want := range map[time.Time]int64{
		{}: 0, time.UnixMilli(1).UTC(): 1, time.UnixMilli(1_800_000_000_000).UTC(): 1_800_000_000_000,
	} {
		if got := millis(at); got != want || !fromMillis(got).Equal(at) {
			t.Errorf("%v is stored as %d and read as %v, want %d", at, got, fromMillis(got), want)
		}
	}
}
