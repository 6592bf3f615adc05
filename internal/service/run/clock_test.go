package run_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/game"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestThrowIsDatedByTheDatabase shifts this node's clock ahead before a throw that posts nothing: the run
// stores the database's time of the throw.
func TestThrowIsDatedByTheDatabase(t *testing.T) {
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
	h := newFixture(t, ledgertest.Options{DB: store.Config{HostClock: host}})
	for _, off := range []time.Duration{90 * time.Second, 2 * time.Hour} {
		ann := h.join(t)
		id := h.begin(t, ann, run.StartOptions{})
		shift.Store(int64(off))
		thrown, err := h.throw(t, ann, id, game.Win)
		if err != nil {
			t.Fatal(err)
		}
		if at := thrown.Run.ThrownAt; at.Sub(thrown.Run.StartedAt) > time.Minute {
			t.Errorf("%v ahead: thrown at %v, started at %v", off, at, thrown.Run.StartedAt)
		}
		shift.Store(0)
		if err := h.Ledger.DB.MeasureClock(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestThrowsOfTwoNodes ends a run on one node by a throw, and starts the next one on the node that started the
// first: that node does not remember when the account threw last.
func TestThrowsOfTwoNodes(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	ann := h.join(t)
	id := h.begin(t, ann, run.StartOptions{})
	began := h.Service
	h.restart(t)
	if _, err := h.throw(t, ann, id, game.Loss); err != nil {
		t.Fatal(err)
	}
	h.Service = began
	_, err := h.throw(t, ann, h.begin(t, ann, run.StartOptions{}), game.Win)
	if _, fast := errors.AsType[*run.TooFastError](err); !fast {
		t.Errorf("the second throw: error %v", err)
	}
}
