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

// begun returns a duel of a random kind that has just begun.
func begun(t *rapid.T, drawHand handSource) *Duel {
	d := &Duel{Code: "ABCDEFGH", Kind: ByCode, A: ann, CreatedAt: noon, drawHand: drawHand}
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

// copied returns a deep copy of a duel.
func copied(d *Duel) *Duel {
	c := *d
	c.Rounds = slices.Clone(d.Rounds)
	return &c
}

// same reports whether two duels are equal. It is faster than the options equal.
func same(a, b *Duel) bool {
	x, y := *a, *b
	x.drawHand, y.drawHand = nil, nil
	return reflect.DeepEqual(x, y)
}

// TestElapseIsPathIndependent applies the same random steps to two duels, one of which also
// applies deadlines at random times in between. The clock jumps ahead and back. Both always
// have the same state, and no round is decided twice.
func TestElapseIsPathIndependent(t *testing.T) {
	t.Parallel()
	drawHand, err := newHandSource([]byte("secret"), func() int64 { return 0 })
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		lazy := begun(t, drawHand)
		eager, now := copied(lazy), noon
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			next := now.Add(time.Duration(rapid.SampledFrom([]int{0, 1, 4, 9, 15, 31, 60, 700, -3, -40, -5000}).Draw(t,
				"seconds")) * time.Second)
			for at := now; next.After(at); {
				at = at.Add(time.Duration(rapid.IntRange(1, 20).Draw(t, "read")) * time.Second)
				if at.After(next) {
					break
				}
				eager.elapse(at)
			}
			now = next
			before := copied(lazy)
			lazy.elapse(now)
			eager.elapse(now)
			do := randomStep(t, now)
			one, other := do(lazy), do(eager)
			if !errors.Is(one, other) {
				t.Fatalf("error %v, but %v after earlier reads", one, other)
			}
			if !same(lazy, eager) {
				t.Fatalf("at %v, with (+) and without (-) earlier reads:\n%s", now, cmp.Diff(lazy, eager, equal))
			}
			if n := len(before.Rounds); n > len(lazy.Rounds) || !slices.Equal(before.Rounds, lazy.Rounds[:n]) {
				t.Fatalf("a decided round changed: %+v, then %+v", before.Rounds, lazy.Rounds)
			}
			if before.Status.Over() && !same(before, lazy) {
				t.Fatalf("an ended duel changed: %+v, then %+v", before, lazy)
			}
		}
		lazy.elapse(now.Add(100 * time.Hour))
		if lazy.Status != Finished || lazy.Winner != lazy.Score().Winner() || !lazy.Score().Decided() {
			t.Fatalf("without further steps it ends as %+v", lazy)
		}
	})
}

// randomStep returns a step of a random side with one of a few hands, so that some steps are
// valid.
func randomStep(t *rapid.T, now time.Time) func(*Duel) error {
	side := rapid.SampledFrom([]game.Side{game.A, game.B, game.NoSide}).Draw(t, "side")
	kind := rapid.SampledFrom([]string{"commit", "commit", "reveal", "reveal", "reveal", "copy", "lie"}).Draw(t, "kind")
	n := rapid.SampledFrom([]int{0, 0, 0, 1, 2, 9}).Draw(t, "round")
	return func(d *Duel) error {
		// The hand depends on the side and the round only, so a commitment can be revealed.
		hand := func(s game.Side) Hand {
			return Hand{Move: game.Move((d.round() + int(s)*(d.round()%4)) % 3),
				Salt: s.String() + time.Duration(d.round()).String()}
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
