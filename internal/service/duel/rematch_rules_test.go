package duel_test

import (
	"context"
	"errors"
	"testing"

	"roshambo/chain"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// finishedDuel returns a duel by code that a has resigned.
func (h *fixture) finishedDuel(t *testing.T, a, b duel.Player) *duel.Duel {
	t.Helper()
	d := h.must(t)(h.enter(t, b, h.must(t)(h.create(t, a, 0)).Code))
	return h.must(t)(h.resign(t, a, d.Code))
}

// TestWithdrawAtOtherTimes withdraws an offer that was never made, one that stands, and one from which the
// rematch has begun: only the one that stands changes the duel.
func TestWithdrawAtOtherTimes(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full)
	over := h.finishedDuel(t, ann, bob)
	if over = h.read(t, over.Code); over.Rematch != (duel.Rematch{}) {
		t.Errorf("finished with %+v", over.Rematch)
	}
	if d := h.must(t)(h.withdraw(t, bob, over.Code)); d.Version != over.Version || d.Rematch != (duel.Rematch{}) {
		t.Errorf("nothing was offered: version %d after %d, %+v", d.Version, over.Version, d.Rematch)
	}
	offered := h.must(t)(h.rematch(t, ann, over.Code))
	h.must(t)(h.withdraw(t, ann, over.Code))
	if d := h.read(t, over.Code); d.Version != offered.Version+1 || d.Rematch != (duel.Rematch{}) {
		t.Errorf("withdrawn: version %d after %d, %+v", d.Version, offered.Version, d.Rematch)
	}
	h.must(t)(h.rematch(t, ann, over.Code))
	h.must(t)(h.rematch(t, bob, over.Code))
	began := h.read(t, over.Code)
	d := h.must(t)(h.withdraw(t, ann, over.Code))
	if again := h.read(t, over.Code); began.Rematch.Code == "" || d.Rematch != began.Rematch ||
		again.Rematch != began.Rematch || again.Version != began.Version {
		t.Errorf("after the rematch began: %+v, then %+v and %+v", began.Rematch, d.Rematch, again.Rematch)
	}
}

// TestRematchNames: the side that accepts plays the rematch under its present name, and the other one under
// its name of the duel before.
func TestRematchNames(t *testing.T) {
	t.Parallel()
	for name, accepts := range map[string]int{"a accepts": 0, "b accepts": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t)
			sides := [2]duel.Player{h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full)}
			over := h.finishedDuel(t, sides[0], sides[1])
			h.must(t)(h.rematch(t, sides[1-accepts], over.Code))
			sides[accepts].Username = "renamed"
			next := h.read(t, h.must(t)(h.rematch(t, sides[accepts], over.Code)).Rematch.Code)
			if next.A != sides[1] || next.B != sides[0] {
				t.Errorf("%+v against %+v, want %+v against %+v", next.A, next.B, sides[1], sides[0])
			}
		})
	}
}

// TestNoRematchOfPairedDuels: after the duels that the arena or a cup begins, no side offers a rematch;
// after one that the service paired, either may.
func TestNoRematchOfPairedDuels(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full)
	cup := func(t testing.TB, a, b duel.Player) (*duel.Duel, error) {
		t.Helper()
		return h.do(t, func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
			return h.StartCup(ctx, tx, [2]duel.Player{a, b}, 0, true)
		})
	}
	for name, c := range map[string]struct {
		start func(t testing.TB, a, b duel.Player) (*duel.Duel, error)
		want  error
	}{"ranked": {h.ranked, duel.ErrNoRematch}, "cup": {cup, duel.ErrNoRematch}, "quick": {h.quick, nil}} {
		d := h.must(t)(c.start(t, ann, bob))
		h.must(t)(h.resign(t, ann, d.Code))
		for _, p := range []duel.Player{ann, bob} {
			if _, err := h.withdraw(t, p, d.Code); !errors.Is(err, c.want) {
				t.Errorf("%s, withdrawn: error %v, want %v", name, err, c.want)
			}
			if _, err := h.rematch(t, p, d.Code); !errors.Is(err, c.want) {
				t.Errorf("%s: error %v, want %v", name, err, c.want)
			}
		}
	}
}

// TestLeastUnlistedStake: the balance is read for an unlisted duel with any stake.
func TestLeastUnlistedStake(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann := h.join(t, "ann", chain.Full)
	if d := h.must(t)(h.unlisted(t, ann, 1)); d.Stake != 1 {
		t.Errorf("created %+v", d)
	}
}
