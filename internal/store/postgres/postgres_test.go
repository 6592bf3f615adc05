//go:build unix

package postgres_test

import (
	"testing"

	"roshambo/internal/store/pgtest"
)

// TestPostgres runs the tests of PostgreSQL alone that share a server: each uses its own
// databases, and none changes the server.
func TestPostgres(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, pgtest.Fast)
	for name, test := range map[string]func(*testing.T, *pgtest.Cluster){
		"cut": postgresCut, "terminated": postgresTerminated, "idle": postgresIdle,
		"views do not write": postgresViewsDoNotWrite, "faults": postgresFaults, "dates": postgresDates,
		"frozen": postgresFrozen,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, server)
		})
	}
}
