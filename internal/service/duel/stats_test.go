package duel_test

import (
	"context"
	"testing"

	"roshambo/chain"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// stats reads the figures for operators.
func (h *fixture) stats(t *testing.T) (st duel.Stats) {
	t.Helper()
	if err := h.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		st, err = h.Stats(ctx, tx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return st
}

// TestStats counts unfinished duels, and finds the earliest of their deadlines.
func TestStats(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	if st := h.stats(t); st != (duel.Stats{}) {
		t.Errorf("before the first duel: %+v", st)
	}
	ann, bob := h.join(t, "ann", chain.Full), h.join(t, "bob", chain.Full)
	first := h.must(t)(h.create(t, ann, 0))
	if st := h.stats(t); st.UnderWay != 1 || !st.Deadline.Equal(first.Deadline) {
		t.Errorf("an open duel until %v: %+v", first.Deadline, st)
	}
	h.finishedDuel(t, bob, ann)
	if st := h.stats(t); st.UnderWay != 1 || !st.Deadline.Equal(first.Deadline) {
		t.Errorf("a finished duel beside it: %+v", st)
	}
}

// TestDayWithoutStake checks that no coins wait for a day.
func TestDayWithoutStake(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann := h.join(t, "ann", chain.Full)
	defer func() {
		if recover() == nil {
			t.Error("a stake of one coin was accepted for a day")
		}
	}()
	_ = h.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := h.Create(ctx, tx, ann, duel.Terms{Unlisted: true, Day: true, Stake: 1})
		return err
	})
}
