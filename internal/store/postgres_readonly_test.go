//go:build unix

package store_test

import (
	"context"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/pgtest"
	"roshambo/internal/store/storetest"
)

// postgresViewsDoNotWrite: a query that writes, as one that calls a function may, fails in
// a View, also in one without a transaction around it, and works in an Update. So it is
// whether or not the URL says what server it wants, and saying so hides no primary.
func postgresViewsDoNotWrite(t *testing.T, server *pgtest.Cluster) {
	server.Exec(t, "postgres", "CREATE DATABASE views")
	for _, want := range []string{"", "&target_session_attrs=read-write", "&target_session_attrs=any"} {
		d := storetest.Open(t, store.Config{URL: pgtest.URL("views", server) + want})
		exec(t, d, "CREATE SEQUENCE IF NOT EXISTS s")
		write := func(ctx context.Context, tx *store.Tx) (err error) {
			var n int64
			return tx.QueryRowContext(ctx, "SELECT nextval('s')").Scan(&n)
		}
		for name, view := range map[string]func(context.Context, func(context.Context, *store.Tx) error) error{"View": d.View, "ViewOnce": d.ViewOnce} {
			if err := view(t.Context(), write); err == nil {
				t.Errorf("%q: a %s has written", want, name)
			}
		}
		if err := d.Update(t.Context(), write); err != nil {
			t.Errorf("%q: %v", want, err)
		}
	}
}
