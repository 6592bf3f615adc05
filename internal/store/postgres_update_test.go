//go:build unix

package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"roshambo/internal/store/pgtest"
)

// TestPostgresRetryBudgetExhausted checks that an Update without time for another run returns
// ErrUnavailable and has stored nothing, whatever the reason for the rerun; so does a session
// without a server.
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
		create := func(tx *Tx) error {
			_, err := tx.ExecContext(context.Background(), "CREATE TABLE n (id BIGINT PRIMARY KEY)")
			return err
		}
		u := &postgresUpdate{engine: e, begin: beginSerial, budget: retryBudget{deadline: time.Now()}, fn: create}
		if _, err := u.run(t.Context()); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: error %v, want ErrUnavailable", name, err)
		}
		if server.QueryBool(t, "SELECT EXISTS (SELECT FROM pg_tables WHERE tablename = 'n')") {
			t.Errorf("%s: the effect was stored", name)
		}
	}
	server.Stop(t)
	d, e := opened[0], opened[0].engine.(*postgresEngine)
	e.reads.generation.Add(1) // makes all open connections suspect
	if s, err := e.reads.acquire(t.Context(), &retryBudget{deadline: time.Now()}); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a session without a server: %v, %v, want ErrUnavailable", s, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.View(ctx, func(context.Context, *Tx) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a View with a cancelled context: error %v, want context.Canceled", err)
	}
}
