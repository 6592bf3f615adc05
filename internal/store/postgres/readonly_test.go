//go:build unix

package postgres_test

import (
	"context"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/pgtest"
	"roshambo/internal/store/storetest"
)

// postgresViewsDoNotWrite checks that a query that writes, for example through a function,
// fails in a View with or without a transaction and succeeds in an Update, for every
// target_session_attrs.
func postgresViewsDoNotWrite(t *testing.T, server *pgtest.Cluster) {
	server.Exec(t, "postgres", "CREATE DATABASE views")
	for _, want := range []string{"", "&target_session_attrs=read-write", "&target_session_attrs=any"} {
		d := storetest.Open(t, store.Config{URL: pgtest.URL("views", server) + want})
		storetest.Exec(t, d, "CREATE SEQUENCE IF NOT EXISTS s")
		write := func(ctx context.Context, tx *store.Tx) (err error) {
			var n int64
			return tx.QueryRowContext(ctx, "SELECT nextval('s')").Scan(&n)
		}
		views := map[string]func(context.Context, func(context.Context, *store.Tx) error) error{
			"View": d.View, "ViewOnce": d.ViewOnce,
		}
		for name, view := range views {
			ctx, stop := context.WithCancel(t.Context())
			runs := 0
			err := view(ctx, func(ctx context.Context, tx *store.Tx) error {
				if runs++; runs > 1 { // for ten seconds it would look for a primary
					stop()
				}
				return write(ctx, tx)
			})
			if stop(); err == nil || runs == 0 {
				t.Errorf("%q: a %s has written in %d runs, want an error", want, name, runs)
			}
		}
		if err := d.Update(t.Context(), write); err != nil {
			t.Errorf("%q: %v", want, err)
		}
	}
}
