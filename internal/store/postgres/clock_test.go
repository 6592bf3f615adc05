//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/pgtest"
	"roshambo/internal/store/storetest"
)

// postgresDates checks that the times of an Update are near the server's clock when it commits, whatever
// the node's clock says, and that a View's need not be.
func postgresDates(t *testing.T, server *pgtest.Cluster) {
	server.Exec(t, "postgres", "CREATE DATABASE dates")
	var shift atomic.Int64
	start := time.Now()
	d := storetest.Open(t, store.Config{URL: pgtest.URL("dates", server), HostClock: func() (time.Time, time.Duration) {
		off := time.Duration(shift.Load())
		return time.Now().Round(0).Add(off), time.Since(start) + off
	}})
	update := func(level store.Isolation, dated func(tx *store.Tx)) (runs int, at time.Time, err error) {
		err = d.UpdateAt(t.Context(), level, func(_ context.Context, tx *store.Tx) error {
			runs++
			dated(tx)
			at = tx.Now()
			_, err := tx.ExecContext(t.Context(), "CREATE TABLE IF NOT EXISTS dates (id BIGINT)")
			return err
		})
		return runs, at, err
	}
	for _, level := range []store.Isolation{store.Serializable, store.Snapshot} {
		shift.Store(0)
		if _, _, err := update(level, func(*store.Tx) {}); err != nil {
			t.Error(err)
		}
		for _, off := range []time.Duration{-2 * time.Hour, 2 * time.Hour} { // the server's clock is not believed
			shift.Store(int64(off))
			runs, _, err := update(level, func(*store.Tx) {})
			if runs != 1 || !errors.Is(err, store.ErrNotStored) || !errors.Is(err, store.ErrTime) || !d.ClockDoubted() {
				t.Errorf("%v off: error %v, %d runs", off, err, runs)
			}
		}
		for _, off := range []time.Duration{-10 * time.Second, 10 * time.Second} {
			shift.Store(int64(off))
			runs, at, err := update(level, func(*store.Tx) {})
			if err != nil || runs != 2 || time.Since(at).Abs() > store.ClockTolerance {
				t.Errorf("%v off: error %v, %d runs, dated %v", off, err, runs, at)
			}
			if got := d.ClockOffset() - off; got.Abs() > store.ClockTolerance {
				t.Errorf("%v off: the offset is %v", off, d.ClockOffset())
			}
		}
	}
	for name, dated := range map[string]func(*store.Tx){
		"early": func(tx *store.Tx) { tx.Dated(time.Now().Add(-time.Minute)) },
		"ahead": func(tx *store.Tx) { tx.NotAhead(time.Now().Add(time.Minute)) },
	} {
		runs := 0
		err := d.Update(t.Context(), func(_ context.Context, tx *store.Tx) error {
			if runs++; runs > 1 {
				return errEnough
			}
			dated(tx)
			_, err := tx.ExecContext(t.Context(), "CREATE TABLE IF NOT EXISTS dates (id BIGINT)")
			return err
		})
		if !errors.Is(err, errEnough) {
			t.Errorf("%s: error %v, %d runs", name, err, runs)
		}
	}
	if _, _, err := update(store.Snapshot, func(tx *store.Tx) { tx.NotAhead(time.Now().Add(-time.Hour)) }); err != nil {
		t.Errorf("a time that may be early: %v", err)
	}
}

// errEnough ends an Update that would be retried until its budget is exhausted.
var errEnough = errors.New("enough")
