//go:build unix

package event

import (
	"fmt"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/pgtest"
	"roshambo/internal/store/storetest"
)

// TestRelayReconnects checks on PostgreSQL that a node reports missed messages when it connects,
// and that it makes the others report them after its sending connection alone was cut: one topic
// reveals the cut, and no further one is needed.
func TestRelayReconnects(t *testing.T) {
	t.Parallel()
	place := store.Config{URL: pgtest.URL("postgres", pgtest.Start(t, pgtest.Fast))}
	a, b := newStation(t, place), newStation(t, place)
	for _, s := range []*station{a, b} {
		until(t, "the connection counts as a gap", func() bool { return s.missed.Load() > 0 })
	}
	until(t, "a sends", func() bool {
		a.relay.Publish("word:first")
		return len(b.words) > 0
	})
	admin := storetest.Raw(t, place)
	for n := range 2 {
		seen := b.missed.Load()
		_, err := admin.ExecContext(t.Context(), "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "+
			"WHERE query LIKE 'SELECT pg_notify($1, m)%'")
		if err != nil {
			t.Fatal(err)
		}
		a.relay.Publish(fmt.Sprint("word:lost ", n))
		until(t, "the other node reports a gap", func() bool { return b.missed.Load() > seen })
		until(t, "the other node is up", b.relay.Up)
	}
}
