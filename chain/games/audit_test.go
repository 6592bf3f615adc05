package games_test

import (
	"math"
	"testing"

	"roshambo/chain/games"
)

// TestInterval checks properties that small values in vectors/values.json cannot: for many trials the
// interval agrees with the normal distribution, and it is symmetric.
func TestInterval(t *testing.T) {
	t.Parallel()
	const z = 2.5758293035489004 // the 0.995 quantile of the normal distribution
	for _, n := range []int64{10_000, 1_000_000, 100_000_000} {
		for _, k := range []int64{n / 3, n / 2, n - n/10} {
			low, high := games.Interval(k, n)
			p := float64(k) / float64(n)
			width := 2 * z * math.Sqrt(p*(1-p)/float64(n))
			if low >= p || high <= p || math.Abs((high-low)/width-1) > 0.01 {
				t.Errorf("%d of %d: %v to %v, want a width of %v around %v", k, n, low, high, width, p)
			}
			otherLow, otherHigh := games.Interval(n-k, n)
			if math.Abs(1-otherHigh-low) > 1e-9 || math.Abs(1-otherLow-high) > 1e-9 {
				t.Errorf("%d of %d: %v to %v, and %v to %v of the others", k, n, low, high, otherLow, otherHigh)
			}
		}
	}
}

func TestAudit(t *testing.T) {
	t.Parallel()
	empty := games.Record{}
	if a := empty.Audit(); a.PaidBack != nil || len(a.Shares) != 0 || len(a.Tests) != 0 {
		t.Errorf("without games: %+v", a)
	}
	fair := games.Record{Throws: 300, House: [3]int64{100, 100, 100}, Wins: 100, Ties: 100, Losses: 100}
	if a := fair.Audit(); a.Tests[0].P != 1_000_000 || a.Tests[0].ChiSquare != 0 {
		t.Errorf("equal thirds: %+v", a.Tests)
	}
	// A house that shows rock twice as often as each other hand: chi-square 37.5, p = 7.2e-9.
	biased := games.Record{Throws: 300, House: [3]int64{150, 75, 75}, Wins: 100, Ties: 100, Losses: 100, Staked: 50,
		Won: 1 << 52}
	a := biased.Audit()
	if a.Tests[0].ChiSquare != 37_500 || a.Tests[0].P != 0 || a.Shares[0].Low <= 333_334 {
		t.Errorf("a biased house: %+v, %+v", a.Tests[0], a.Shares[0])
	}
	if *a.PaidBack != 1<<53-1 {
		t.Errorf("paid back %d, want the bound of an integer", *a.PaidBack)
	}
}
