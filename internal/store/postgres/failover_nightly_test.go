//go:build nightly && unix

package postgres_test

import (
	"context"
	"errors"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/pgtest"
	"roshambo/internal/store/storetest"
)

// TestPostgresFailover kills a primary under load and promotes its standby: acknowledged
// entries survive, and the open database continues without intervention.
func TestPostgresFailover(t *testing.T) {
	t.Parallel()
	primary := pgtest.Start(t, nil)
	standby := primary.Standby(t)
	d := storetest.Open(t, store.Config{URL: pgtest.URL("postgres", primary, standby)})
	l := startLoad(t, d, 8)
	l.await(t, 100)
	primary.Kill(t)
	standby.Promote(t)
	l.await(t, 100)
	l.check(t)
}

// TestPostgresRestartsOften is TestPostgresRestarts on a server that syncs to disk, many times.
// Then the server stays away: a View exhausts its retry budget.
func TestPostgresRestartsOften(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, nil)
	d := storetest.Open(t, store.Config{URL: pgtest.URL("postgres", server)})
	restart(t, server, d, 5)
	server.Stop(t)
	err := d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "SELECT 1")
		return err
	})
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a View without a server: %v, want ErrUnavailable", err)
	}
}
