//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/pgtest"
	"roshambo/internal/store/storetest"
)

// Bounds of round trips: to a server that is frozen already, and where it answers at first.
const (
	frozenBound = 100 * time.Millisecond
	thawedBound = 2 * time.Second
)

// postgresFrozen freezes the server at each point of a View and of an Update. Both end, and run once: with
// ErrNotStored before COMMIT was sent, and with an unknown outcome after it. Once the server answers again,
// writes that were not stored are not there, and the same database goes on.
func postgresFrozen(t *testing.T, server *pgtest.Cluster) {
	server.Exec(t, "postgres", "CREATE DATABASE frozen")
	w := pgtest.NewProxy(t, server.Path(""), func(_ bool, message []byte) ([]byte, bool) { return message, true }, nil)
	d := storetest.Open(t, store.Config{URL: w.URL("frozen") + "&connect_timeout=1"})
	storetest.Exec(t, d, "CREATE TABLE entry (n BIGINT NOT NULL)")
	count := func(ctx context.Context, tx *store.Tx) error {
		var n int64
		return tx.QueryRowContext(ctx, "SELECT count(*) FROM entry").Scan(&n)
	}
	short, long := store.Within(t.Context(), frozenBound), store.Within(t.Context(), thawedBound)
	expect := func(what string, err error, stored bool) {
		t.Helper()
		if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrNotStored) == stored {
			t.Errorf("%s: error %v, want an unknown outcome: %v", what, err, stored)
		}
	}
	if err := d.View(t.Context(), count); err != nil { // leaves a connection
		t.Fatal(err)
	}
	w.Freeze()
	expect("a View", d.View(short, count), false)
	expect("a View that connects", d.View(short, count), false)
	w.Thaw()
	for n, atCommit := range []bool{false, true} {
		runs := 0
		insert := func(n int, freeze func()) func(context.Context, *store.Tx) error {
			return func(ctx context.Context, tx *store.Tx) error {
				runs++
				if err := count(ctx, tx); err != nil {
					return err
				}
				_, err := tx.Deferred().ExecContext(ctx, "INSERT INTO entry (n) VALUES ($1)", n)
				if freeze(); err != nil || atCommit {
					return err
				}
				return count(ctx, tx)
			}
		}
		// The first one leaves a connection with the statements prepared.
		if err := d.Update(t.Context(), insert(0, func() {})); err != nil {
			t.Fatal(err)
		}
		expect("an Update", d.Update(long, insert(n+1, w.Freeze)), atCommit)
		w.Thaw()
		if runs != 2 {
			t.Errorf("the closures have run %d times, want 2", runs)
		}
	}
	if n := storetest.Number(t, d, "SELECT count(*) FROM entry WHERE n = 1"); n != 0 {
		t.Errorf("%d entries are stored that were reported as not stored", n)
	}
}
