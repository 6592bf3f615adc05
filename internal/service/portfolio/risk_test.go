package portfolio

import (
	"math"
	"testing"
	"time"
)

// The returns and results of empyrical's own tests (tests/test_stats.py). Its year has 252
// days, ours 365: annual numbers are scaled by the square root of the ratio.
var (
	mixed    = percent(1, 10, -4, 2, 3, 2, 1, -10)
	positive = percent(1, 2, 1, 1, 1, 1, 1, 1, 1)
	negative = percent(0, -6, -7, -1, -9, -2, -6, -8, -5)

	scale = math.Sqrt(daysPerYear / 252.)
)

func percent(list ...float64) []float64 {
	for i := range list {
		list[i] /= 100
	}
	return list
}

func TestAgainstEmpyrical(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		f       func([]float64) float64
		returns []float64
		want    float64
	}{
		{"volatility of mixed", volatility, mixed, 0.9136465399704637 * scale},
		{"Sharpe of mixed", sharpe, mixed, 1.7238613961706866 * scale},
		{"Sharpe of positive", sharpe, positive, 52.915026221291804 * scale},
		{"Sharpe of negative", sharpe, negative, -24.406808633910085 * scale},
		{"Sharpe of equal", sharpe, percent(1, 1, 1, 1, 1), math.NaN()},
		{"Sortino of mixed", sortino, mixed, 2.605531251673693 * scale},
		{"Sortino of positive", sortino, positive, math.NaN()},
		{"drawdown of mixed", depth, mixed, -0.1},
		{"drawdown of positive", depth, positive, 0},
		{"drawdown of negative", depth, negative, -0.36590730349873601},
		{"drawdown of up, down, up", depth, percent(10, -10, 10), -0.1},
		{"drawdown to nothing", depth, percent(10, -100, 10), -1},
		// value_at_risk is numpy.percentile(returns, 5), which is linear between the
		// sorted values at 0.05·(n−1): of 21 at 1, of 20 at 0.95.
		{"VaR of 21", valueAtRisk, ladder(21), -0.09},
		{"VaR of 20", valueAtRisk, ladder(20), -0.10 + 0.95*0.01},
		{"VaR of 41", valueAtRisk, ladder(41), -0.08},
		// conditional_value_at_risk is the mean of those up to ⌊0.05·(n−1)⌋.
		{"CVaR of 21", conditionalValueAtRisk, ladder(21), -0.095},
		{"CVaR of 20", conditionalValueAtRisk, ladder(20), -0.10},
		{"CVaR of 41", conditionalValueAtRisk, ladder(41), -0.09},
	} {
		got := c.f(c.returns)
		if math.Abs(got-c.want) > 1e-12 || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("%s: got %.16f, want %.16f", c.name, got, c.want)
		}
	}
}

func depth(returns []float64) float64 { return drawdown(returns).depth }

// ladder returns n returns from −10 % upwards, one percent apart, the largest first.
func ladder(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[n-1-i] = float64(i-10) / 100
	}
	return list
}

// TestQuantile7 uses the common textbook example: the first quartile of 1, 2, 3, 4 is 1.75 by
// type 7, and 1, 1.25 or 1.5 by other types.
func TestQuantile7(t *testing.T) {
	t.Parallel()
	sorted := []float64{1, 2, 3, 4}
	for p, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 2.5, 0.9: 3.7, 1: 4} {
		if got := quantile7(p, sorted); math.Abs(got-want) > 1e-12 {
			t.Errorf("quantile %v: got %v, want %v", p, got, want)
		}
	}
}

// history returns points with the given totals and cumulative inflows.
func history(totals, inflows []int64) []Point {
	list := make([]Point, len(totals))
	for i := range list {
		list[i] = Point{Day: time.Date(2026, 5, 1+i, 0, 0, 0, 0, time.UTC), Balance: totals[i], inflow: inflows[i]}
	}
	return list
}

// TestReturnsWithoutInflows checks that inflows do not count as returns.
func TestReturnsWithoutInflows(t *testing.T) {
	t.Parallel()
	// Opened with 1000; +10 %; 200 given and nothing earned; half lost.
	r := risk(history([]int64{0, 1000, 1100, 1300, 650}, []int64{0, 1000, 1000, 1200, 1200}))
	want := []float64{0, 0.1, 0, -0.5}
	if len(r.Returns) != len(want) {
		t.Fatalf("returns %v, want %v", r.Returns, want)
	}
	for i := range want {
		if math.Abs(r.Returns[i]-want[i]) > 1e-12 {
			t.Errorf("returns %v, want %v", r.Returns, want)
		}
	}
	d := r.MaxDrawdown
	if *d.Value != -0.5 || d.Peak.Day() != 4 || d.Trough.Day() != 5 || d.Recovered != nil {
		t.Errorf("drawdown %v from %v to %v, recovered %v, want -0.5 from the 4th to the 5th", *d.Value, d.Peak,
			d.Trough, d.Recovered)
	}
	if r.Volatility.Value != nil || r.Volatility.N != 4 || r.VaR95.Value != nil {
		t.Errorf("of 4 returns: volatility %v of %d, VaR %v, want none", r.Volatility.Value, r.Volatility.N,
			r.VaR95.Value)
	}
}

// TestLeastReturns checks from how many returns on each statistic has a value, and that it is the
// value of its own function.
func TestLeastReturns(t *testing.T) {
	t.Parallel()
	for n := range 25 {
		totals, inflows := []int64{1_000_000}, []int64{0}
		for i := range n {
			totals, inflows = append(totals, totals[i]/100*[]int64{103, 98, 101, 95, 102}[i%5]), append(inflows, 0)
		}
		r := risk(history(totals, inflows))
		for _, c := range []struct {
			name  string
			got   Estimate
			least int
			f     func([]float64) float64
		}{
			{"volatility", r.Volatility, 5, volatility},
			{"Sharpe", r.Sharpe, 5, sharpe},
			{"Sortino", r.Sortino, 5, sortino},
			{"VaR", r.VaR95, 20, valueAtRisk},
			{"CVaR", r.CVaR95, 20, conditionalValueAtRisk},
			{"drawdown", r.MaxDrawdown.Estimate, 2, depth},
		} {
			if c.got.N != int64(n) || (c.got.Value != nil) != (n >= c.least) {
				t.Errorf("%s of %d returns: %v of %d", c.name, n, c.got.Value, c.got.N)
			} else if n >= c.least && *c.got.Value != c.f(r.Returns) {
				t.Errorf("%s of %d returns: %v, want %v", c.name, n, *c.got.Value, c.f(r.Returns))
			}
		}
	}
}

// TestNothingLeft checks that a day that begins with nothing has no return, so that the first
// inflow is no infinite gain.
func TestNothingLeft(t *testing.T) {
	t.Parallel()
	r := risk(history([]int64{0, 1000, 0, 0, 200, 100}, []int64{0, 1000, 1000, 1000, 1200, 1200}))
	want := []float64{0, -1, 0, -0.5}
	if len(r.Returns) != len(want) || r.Returns[1] != -1 || r.Returns[3] != -0.5 {
		t.Errorf("returns %v, want %v", r.Returns, want)
	}
	if r := risk(history([]int64{1, 3}, []int64{0, 0})); len(r.Returns) != 1 || r.Returns[0] != 2 {
		t.Errorf("returns %v of a day that begins with the least value, want 2", r.Returns)
	}
}

func TestDrawdownDates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		returns []float64
		want    decline
	}{
		{percent(-50, 100), decline{-0.5, 0, 1, 2}},
		{percent(10, -50, 50, 50), decline{-0.5, 1, 2, 4}},
		{percent(10, -10, 50, -50, 10), decline{-0.5, 3, 4, -1}},
		{percent(10, -50, 200, -20), decline{-0.5, 1, 2, 3}},
		{percent(1, 2, 3), decline{0, 0, 0, -1}},
	} {
		got := drawdown(c.returns)
		if math.Abs(got.depth-c.want.depth) > 1e-12 || got.peak != c.want.peak || got.trough != c.want.trough ||
			got.recovered != c.want.recovered {
			t.Errorf("%v: got %+v, want %+v", c.returns, got, c.want)
		}
	}
}

func TestConcentration(t *testing.T) {
	t.Parallel()
	position := func(tier, count, price int64) Position {
		return Position{Tier: tier, Count: count, Prices: [Bases]*int64{Reference: &price}}
	}
	// Shares of 0.5, 0.3 and 0.2: 0.25 + 0.09 + 0.04.
	c := concentration([]Position{position(1, 3, 100), position(2, 1, 500), position(4, 2, 100), position(5, 0, 9)})
	if c.N != 3 || math.Abs(*c.HHI-0.38) > 1e-12 || math.Abs(*c.Effective-1/0.38) > 1e-12 || *c.TopShare != 0.5 ||
		c.TopTier != 2 {
		t.Errorf("got %+v, HHI %v", c, *c.HHI)
	}
	c = concentration([]Position{position(3, 1, 1)})
	if c.N != 1 || c.TopTier != 3 || c.HHI == nil || *c.HHI != 1 {
		t.Errorf("of the least value: %+v", c)
	}
	c = concentration([]Position{position(2, 1, 100), position(5, 2, 50)})
	if c.N != 2 || c.TopTier != 2 || *c.TopShare != 0.5 {
		t.Errorf("of two tiers of one value: %+v, want the lower one at the top", c)
	}
	if c := concentration(nil); c.HHI != nil || c.Effective != nil || c.TopShare != nil || c.N != 0 {
		t.Errorf("of nothing: %+v", c)
	}
}

// TestDatesOfDecline checks the days of a decline that begins before the first return.
func TestDatesOfDecline(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, time.May, n, 0, 0, 0, 0, time.UTC) }
	var d Drawdown
	d.setDates(decline{depth: -0.5, peak: 0, trough: 1, recovered: 3}, []time.Time{day(2), day(3), day(4)})
	for name, tt := range map[string]struct {
		got  *time.Time
		want time.Time
	}{"peak": {d.Peak, day(1)}, "trough": {d.Trough, day(2)}, "recovered": {d.Recovered, day(4)}} {
		if tt.got == nil || !tt.got.Equal(tt.want) {
			t.Errorf("%s %v, want %v", name, tt.got, tt.want)
		}
	}
}

// TestUndefined checks that a statistic without a value has none, however many returns there are.
func TestUndefined(t *testing.T) {
	t.Parallel()
	totals, inflows := make([]int64, 8), make([]int64, 8)
	for i := range totals {
		totals[i] = 1 << i // each return is exactly 1
	}
	r := risk(history(totals, inflows))
	if r.Sharpe.Value != nil || r.Sortino.Value != nil || r.Sharpe.N != 7 {
		t.Errorf("of equal returns: Sharpe %+v, Sortino %+v", r.Sharpe, r.Sortino)
	}
	if r.Volatility.Value == nil || *r.Volatility.Value != 0 {
		t.Errorf("of equal returns: volatility %+v, want 0", r.Volatility)
	}
}

// TestAddressText checks the text of damaged addresses.
func TestAddressText(t *testing.T) {
	t.Parallel()
	if got := addressText([]byte{1, 0xfe}); got != "01fe" {
		t.Errorf("got %q", got)
	}
}
