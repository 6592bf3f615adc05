//go:build nightly

package glicko_test

import "testing"

// TestStableForYears plays 2,000,000 games with five seeds for each setting of TestStable: some
// years of the house's bots.
func TestStableForYears(t *testing.T) {
	t.Parallel()
	stable(t, 5, 2_000_000)
}
