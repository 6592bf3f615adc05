//go:build unix

package store_test

import (
	"testing"

	"roshambo/internal/store/pgtest"
)

// TestPostgres runs the tests that need a server which is only PostgreSQL's, and share one:
// each has databases of its own, and none touches the server or the others' databases.
func TestPostgres(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, pgtest.Fast)
	for name, test := range map[string]func(*testing.T, *pgtest.Cluster){
		"cut": postgresCut, "terminated": postgresTerminated, "views do not write": postgresViewsDoNotWrite, "harm": postgresHarm,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, server)
		})
	}
}
