package app

import "testing"

// TestTrimmer: memory is released once after each period of load, and not during it.
func TestTrimmer(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	var trim trimmer
	for i, step := range []struct {
		allocated, goroutines uint64
		want                  bool
	}{
		{100 * mb, 50, false}, // starting
		{101 * mb, 50, true},
		{102 * mb, 50, false}, // still idle, little to release
		{120 * mb, 50, false},
		{121 * mb, 50, false}, // idle again, after too little work
		{190 * mb, 50, false}, // under load
		{250 * mb, 50, false},
		{252 * mb, 50, true},
		{252 * mb, 50, false},
		{302 * mb, 4050, false}, // streams open
		{303 * mb, 4050, true},
		{304 * mb, 4050, false},
		{310 * mb, 2050, false}, // and close
		{311 * mb, 60, true},
		{311 * mb, 60, false},
		{312 * mb, 250, false}, // a few more and less
		{313 * mb, 50, false},
	} {
		if got := trim.due(step.allocated, step.goroutines); got != step.want {
			t.Errorf("check %d, %d bytes allocated, %d goroutines: %t, want %t",
				i, step.allocated, step.goroutines, got, step.want)
		}
	}
}
