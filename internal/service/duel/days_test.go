package duel

import (
	"testing"
	"time"

	"roshambo/chain"
)

// TestDayOf checks where the days of UTC begin.
func TestDayOf(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, time.May, 2, 0, 0, 0, 0, time.UTC)
	for at, want := range map[time.Time]int64{
		midnight.Add(-time.Second):           20574,
		midnight:                             20575,
		midnight.Add(24*time.Hour - 1):       20575,
		midnight.Add(24 * time.Hour):         20576,
		midnight.Add(24 * time.Hour).Local(): 20576,
	} {
		if got := dayOf(at); got != want {
			t.Errorf("%v is of day %d, want %d", at, got, want)
		}
	}
}

// TestOrdered checks that a pair has one order, in either order of calls.
func TestOrdered(t *testing.T) {
	t.Parallel()
	first, second := chain.Address{1}, chain.Address{2}
	for _, pair := range [][2]chain.Address{{first, second}, {second, first}} {
		if low, high := ordered(pair[0], pair[1]); low != first || high != second {
			t.Errorf("%v and %v: %v before %v", pair[0], pair[1], low, high)
		}
	}
}

// TestDealsNothingAnew checks that a recovery leaves a duel as it is that has not begun, or whose hands are bound.
func TestDealsNothingAnew(t *testing.T) {
	t.Parallel()
	house := func(Player) bool { return true }
	for name, d := range map[string]*Duel{
		"open": opened(in()), "nothing committed": playing(in(), "--"), "both committed": playing(in(), "cc"),
	} {
		if d.dealAnew(house) {
			t.Errorf("%s: hands were dealt anew", name)
		}
	}
	if d := playing(in(), "c-"); !d.dealAnew(house) || d.Hands[0].Committed {
		t.Error("a hand of the house that is not bound was kept")
	}
}
