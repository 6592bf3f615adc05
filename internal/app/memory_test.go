package app

import "testing"

// TestTrimmer: memory is released once after each period of load, and not during it.
func TestTrimmer(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	var trim trimmer
	for i, step := range []struct {
		allocated uint64
		want      bool
	}{
		{100 * mb, false}, // starting
		{101 * mb, true},
		{102 * mb, false}, // still idle, little to release
		{120 * mb, false},
		{121 * mb, false}, // idle again, after too little work
		{190 * mb, false}, // under load
		{250 * mb, false},
		{252 * mb, true},
		{252 * mb, false},
	} {
		if got := trim.due(step.allocated); got != step.want {
			t.Errorf("look %d, %d bytes allocated: %t, want %t", i, step.allocated, got, step.want)
		}
	}
}
