package main

import "testing"

// TestEstimated checks medians and intervals: with the coverage of the sign test, whatever the order.
func TestEstimated(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		want   estimate
	}{
		{[]float64{3}, estimate{3, 3, 3, false}},
		{[]float64{5, 1, 3, 2}, estimate{2.5, 1, 5, false}},
		{[]float64{6, 5, 4, 3, 2, 1}, estimate{3.5, 1, 6, true}},          // 96.9 %
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8}, estimate{4.5, 1, 8, true}},    // 99.2 %; without the ends 93.0
		{[]float64{9, 8, 7, 6, 5, 4, 3, 2, 1}, estimate{5, 2, 8, true}},   // 96.1 %
		{[]float64{1, 1, 1, 1, 1, 1, 1, 1, 100}, estimate{1, 1, 1, true}}, // one outlier
	} {
		if got := estimated(c.values); got != c.want {
			t.Errorf("%v: got %+v, want %+v", c.values, got, c.want)
		}
	}
}

// TestDoubt checks that few rounds and a busy machine decide nothing.
func TestDoubt(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		rounds int
		loads  []float64
	}{
		"":                        {8, []float64{0, 0, 0, 0, 0, 0, 3.9, 4}},
		" (undecided: load 1.0)":  {8, []float64{1, 1}},
		" (undecided: 7 rounds)":  {7, make([]float64, 14)},
		" (undecided: load 12.5)": {9, []float64{12.5}},
	} {
		if got := doubt(c.rounds, c.loads); got != want {
			t.Errorf("%+v: got %q, want %q", c, got, want)
		}
	}
}

// TestRatios checks that servers are compared round by round.
func TestRatios(t *testing.T) {
	t.Parallel()
	got := estimated(ratios([]result{{Value: 2}, {Value: 30}, {Value: 4}}, []result{{Value: 1}, {Value: 10}, {Value: 2}}))
	if want := (estimate{2, 2, 3, false}); got != want || got.format("%.1f ms") != "2.0 ms" {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := (estimate{1.25, 1, 1.5, true}).format("%.2f/s"), "1.25/s [1.00–1.50]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
