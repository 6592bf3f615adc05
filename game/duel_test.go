package game

import (
	"slices"
	"testing"
)

// TestJudge compares every pair of hands with a table written by hand. Each letter is
// a hand: '-' did not commit, 'x' committed and did not reveal.
func TestJudge(t *testing.T) {
	t.Parallel()
	hands := map[byte]Hand{
		'-': {}, 'x': {Committed: true},
		'r': {true, true, Rock}, 'p': {true, true, Paper}, 's': {true, true, Scissors},
	}
	type verdict struct{ outcome, forfeit Side }
	want := map[string]verdict{
		"--": {Void, Both}, "xx": {Void, Both}, "x-": {A, B}, "-x": {B, A},
		"rx": {A, B}, "px": {A, B}, "sx": {A, B}, "xr": {B, A}, "xp": {B, A}, "xs": {B, A},
		"rs": {A, NoSide}, "pr": {A, NoSide}, "sp": {A, NoSide},
		"sr": {B, NoSide}, "rp": {B, NoSide}, "ps": {B, NoSide},
		"rr": {Tied, NoSide}, "pp": {Tied, NoSide}, "ss": {Tied, NoSide},
	}
	for actions, w := range want {
		outcome, forfeit := Judge(hands[actions[0]], hands[actions[1]])
		if got := (verdict{outcome, forfeit}); got != w {
			t.Errorf("%s: got %v, want %v", actions, got, w)
		}
	}
}

func TestBestOfFive(t *testing.T) {
	t.Parallel()
	const equal = Side(77) // a void round that neither side forfeited
	repeat := func(s Side, n int) []Side { return slices.Repeat([]Side{s}, n) }
	for _, c := range []struct {
		name    string
		rounds  []Side
		decided bool
		winner  Side
	}{
		{"nothing played", nil, false, NoSide},
		{"two each", []Side{A, B, B, A}, false, NoSide},
		{"a wins", []Side{A, B, Tied, A, Void, A}, true, A},
		{"b wins in three", repeat(B, 3), true, B},
		{"one void round", []Side{A, Void}, false, NoSide},
		{"void rounds apart", []Side{Void, Tied, Void, A, Void}, false, NoSide},
		{"two void rounds running", []Side{A, A, Void, Void}, true, NoSide},
		{"void rounds that neither side forfeited", []Side{Void, equal, Void, equal, equal, equal}, false, NoSide},
		{"60 void rounds that neither side forfeited", repeat(equal, 60), true, NoSide},
		{"59 ties", repeat(Tied, 59), false, NoSide},
		{"60 ties", repeat(Tied, 60), true, NoSide},
		{"won in the last round", append(append(repeat(Tied, 57), A, A), A), true, A},
	} {
		var d BestOfFive
		for _, r := range c.rounds {
			switch r {
			case equal:
				d.Add(Void, NoSide)
			case Void:
				d.Add(Void, Both)
			default:
				d.Add(r, NoSide)
			}
		}
		if d.Decided() != c.decided || d.Winner() != c.winner || d.Rounds != len(c.rounds) {
			t.Errorf("%s: got %+v, decided %v, winner %v, want %v, %v",
				c.name, d, d.Decided(), d.Winner(), c.decided, c.winner)
		}
	}
}

func TestBestOfFivePanics(t *testing.T) {
	t.Parallel()
	for name, add := range map[string]func(){
		"after the end": func() { (&BestOfFive{WinsA: 3}).Add(Tied, NoSide) },
		"no outcome":    func() { new(BestOfFive).Add(Both, NoSide) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			add()
		}()
	}
}

func TestSides(t *testing.T) {
	t.Parallel()
	if A.Other() != B || B.Other() != A || A.Index() != 0 || B.Index() != 1 {
		t.Errorf("the sides are %v, %v, %d, %d", A.Other(), B.Other(), A.Index(), B.Index())
	}
	if got := Side(77).String(); got != "none" {
		t.Errorf("Side(77): got %q", got)
	}
}
