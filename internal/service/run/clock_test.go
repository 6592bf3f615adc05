package run_test

import (
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
		if storetest.Postgres() { // as on a machine that was suspended: only the server knows better
			return time.Now().Round(0).Add(off), time.Since(begin) + off
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
