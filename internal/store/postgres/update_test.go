//go:build unix

package postgres

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/pgtest"
)

// TestPostgresRetryBudgetExhausted checks that an Update without time for another run returns
// ErrUnavailable and has stored nothing, whatever the reason for the rerun; so does a session
// without a server.
func TestPostgresRetryBudgetExhausted(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, pgtest.Fast)
	var opened []*serverDB
	for name, f := range map[string]*store.Faults{
		"runs twice": {Twice: func() bool { return true }},
		"not stored": {Commit: func() store.Fault { return store.NotStored }},
	} {
		c := store.Config{URL: pgtest.URL("postgres", server), Faults: f, Logger: slog.New(slog.DiscardHandler)}
		d, err := openEngine(t.Context(), c, idleAfter)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
		opened = append(opened, d)
		if err := d.writes.slots.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		create := func(tx *store.Tx) error {
			_, err := tx.ExecContext(context.Background(), "CREATE TABLE n (id BIGINT PRIMARY KEY)")
			return err
		}
		u := &update{db: d, begin: beginSerial, budget: retryBudget{deadline: time.Now()}, fn: create}
		if err := u.run(t.Context()); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: error %v, want ErrUnavailable", name, err)
		}
		if server.QueryBool(t, "SELECT EXISTS (SELECT FROM pg_tables WHERE tablename = 'n')") {
			t.Errorf("%s: the effect was stored", name)
		}
	}
	server.Stop(t)
	d := opened[0]
	d.reads.generation.Add(1) // makes all open connections suspect
	if s, err := d.reads.acquire(t.Context(), &retryBudget{deadline: time.Now()}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a session without a server: %v, %v, want ErrUnavailable", s, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	nothing := func(context.Context, *store.Tx) error { return nil }
	if err := store.New(store.Config{}, d).View(ctx, nothing); !errors.Is(err, context.Canceled) {
		t.Errorf("a View with a cancelled context: error %v, want context.Canceled", err)
	}
}
