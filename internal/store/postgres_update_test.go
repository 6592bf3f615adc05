//go:build unix

package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"roshambo/internal/store/pgtest"
)

// TestPostgresRetryBudgetExhausted: an Update that would have to run again, and has no time left,
// does not say that it has stored anything, whatever the reason. A server that stays away is
// ErrUnavailable.
func TestPostgresRetryBudgetExhausted(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, pgtest.Fast)
	var opened []*DB
	for name, f := range map[string]*Faults{
		"runs twice": {Twice: func() bool { return true }},
		"not stored": {Commit: func() Fault { return NotStored }},
	} {
		d, err := Open(t.Context(), Config{URL: pgtest.URL("postgres", server), Faults: f})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
		opened = append(opened, d)
		e := d.engine.(*postgresEngine)
		if err := e.writes.slots.wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		u := &postgresUpdate{engine: e, begin: beginSerial, budget: retryBudget{deadline: time.Now()}, fn: func(tx *Tx) error {
			_, err := tx.ExecContext(context.Background(), "CREATE TABLE n (id BIGINT PRIMARY KEY)")
			return err
		}}
		if _, err := u.run(t.Context()); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: %v, want that nobody knows", name, err)
		}
		if server.QueryBool(t, "SELECT EXISTS (SELECT FROM pg_tables WHERE tablename = 'n')") {
			t.Errorf("%s: it was stored", name)
		}
	}
	server.Stop(t)
	d, e := opened[0], opened[0].engine.(*postgresEngine)
	e.reads.generation.Add(1) // so that no connection from before counts as standing
	if s, err := e.reads.acquire(t.Context(), &retryBudget{deadline: time.Now()}); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a session without a server: %v, %v, want ErrUnavailable", s, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.View(ctx, func(context.Context, *Tx) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a View whose caller is gone: %v, want that it tries no longer", err)
	}
}
