package duel_test

import (
	"sync/atomic"
	"testing"
	"time"

	"roshambo/game"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestDeadlineByTheDatabase shifts this node's clock ahead while a player of a duel has time left: the node
// stores no end of the duel, and dates the steps that post nothing by the database.
func TestDeadlineByTheDatabase(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	var shift atomic.Int64
	host := func() (wall time.Time, elapsed time.Duration) {
		off := time.Duration(shift.Load())
		if storetest.Postgres() { // whose clock goes on
			return time.Now().Round(0).Add(off), time.Since(begin)
		}
		return begin.Round(0).Add(off), 0
	}
	h := newFixtureOn(t, store.Config{HostClock: host})
	a, b := h.join(t, "ann", "account"), h.join(t, "bob", "account")
	for _, off := range []time.Duration{10 * time.Minute, 2 * time.Hour} {
		d := h.must(t)(h.create(t, a, 10))
		h.must(t)(h.enter(t, b, d.Code))
		hands := []duel.Hand{{Move: game.Rock, Salt: "0123456789abcdef"}, {Move: game.Paper, Salt: "fedcba9876543210"}}
		h.must(t)(h.commit(t, a, d.Code, hands[0]))
		shift.Store(int64(off))
		if err := h.ApplyDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := h.read(t, d.Code); got.Status != duel.Active || len(h.finished) > 0 {
			t.Fatalf("%v ahead: the duel is %s", off, got.Status)
		}
		got := h.must(t)(h.commit(t, b, d.Code, hands[1]))
		if late := got.Deadline.Sub(d.CreatedAt); late > 5*time.Minute {
			t.Errorf("%v ahead: the deadline of the next step is %v after the creation", off, late)
		}
		shift.Store(0)
		if err := h.DB.MeasureClock(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.must(t)(h.resign(t, a, d.Code))
		clear(h.finished)
	}
}
