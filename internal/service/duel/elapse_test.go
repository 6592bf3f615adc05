package duel

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"roshambo/chain"
	"roshambo/game"
)

// begun is a duel of a kind of its own, between sides of any kind.
func begun(t *rapid.T, deal dealer) *Duel {
	d := &Duel{Code: "ABCDEFGH", Kind: ByCode, A: ann, CreatedAt: noon, deal: deal}
	b := bob
	switch rapid.SampledFrom([]string{"people", "bots", "sparring"}).Draw(t, "kind") {
	case "bots":
		d.Kind, d.A.Kind, b.Kind = Ranked, chain.Bot, chain.Bot
	case "sparring":
		d.Kind, b = Sparring, sparringBot
	}
	d.start(b, false, noon)
	return d
}

// copied returns a duel with what it holds.
func copied(d *Duel) *Duel {
	c := *d
	c.Rounds = slices.Clone(d.Rounds)
	return &c
}

// same compares duels, faster than equal does.
func same(a, b *Duel) bool {
	x, y := *a, *b
	x.deal, y.deal = nil, nil
	return reflect.DeepEqual(x, y)
}

// TestElapseComesToTheSame lets the same happen to two duels, one of which is looked at
// all the time by everybody, and the other never but when something happens. Clocks jump,
// ahead and back. Whatever happens, both come to the same; no round is decided twice.
func TestElapseComesToTheSame(t *testing.T) {
	t.Parallel()
	deal, err := newDealer([]byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		calm := begun(t, deal)
		busy, now := copied(calm), noon
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			next := now.Add(time.Duration(rapid.SampledFrom([]int{0, 1, 4, 9, 15, 31, 60, 700, -3, -40, -5000}).Draw(t, "seconds")) * time.Second)
			for at := now; next.After(at); {
				at = at.Add(time.Duration(rapid.IntRange(1, 20).Draw(t, "look")) * time.Second)
				if at.After(next) {
					break
				}
				busy.elapse(at)
			}
			now = next
			before := copied(calm)
			calm.elapse(now)
			busy.elapse(now)
			do := happening(t, now)
			one, other := do(calm), do(busy)
			if !errors.Is(one, other) {
				t.Fatalf("refused with %v, and with %v when it was looked at before", one, other)
			}
			if !same(calm, busy) {
				t.Fatalf("at %v, looked at (+) or not (-):\n%s", now, cmp.Diff(calm, busy, equal))
			}
			if n := len(before.Rounds); n > len(calm.Rounds) || !slices.Equal(before.Rounds, calm.Rounds[:n]) {
				t.Fatalf("a decided round changed: %+v, then %+v", before.Rounds, calm.Rounds)
			}
			if before.Status.Over() && !same(before, calm) {
				t.Fatalf("over, and changed: %+v, then %+v", before, calm)
			}
		}
		calm.elapse(now.Add(100 * time.Hour))
		if calm.Status != Finished || calm.Winner != calm.Score().Winner() || !calm.Score().Decided() {
			t.Fatalf("left alone it ends as %+v", calm)
		}
	})
}

// happening returns something that may happen: a step of either side, with one of a few
// hands, so that steps fit at times.
func happening(t *rapid.T, now time.Time) func(*Duel) error {
	side := rapid.SampledFrom([]game.Side{game.A, game.B, game.NoSide}).Draw(t, "side")
	kind := rapid.SampledFrom([]string{"commit", "commit", "reveal", "reveal", "reveal", "copy", "lie"}).Draw(t, "kind")
	n := rapid.SampledFrom([]int{0, 0, 0, 1, 2, 9}).Draw(t, "round")
	return func(d *Duel) error {
		// A side's hand of a round follows from the round, so that it can be shown again.
		hand := func(s game.Side) Hand {
			return Hand{Move: game.Move((d.round() + int(s)*(d.round()%4)) % 3), Salt: s.String() + time.Duration(d.round()).String()}
		}
		switch kind {
		case "commit":
			return d.commit(side, n, hand(side).commitment(), now)
		case "copy":
			return d.commit(side, n, hand(side.Other()).commitment(), now)
		case "lie":
			return d.reveal(side, n, Hand{game.Rock, "a lie"}, now)
		}
		return d.reveal(side, n, hand(side), now)
	}
}
