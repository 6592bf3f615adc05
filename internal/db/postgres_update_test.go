//go:build unix

package db

import (
	"context"
	"errors"
	"testing"
	"time"

	"roshambo/internal/db/pgtest"
)

// TestPostgresPatienceIsOver: an Update that would have to run again, and has no time left,
// does not say that it has stored anything, whyever it would.
func TestPostgresPatienceIsOver(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, map[string]string{"fsync": "off"})
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
		e := d.engine.(*postgresEngine)
		if err := e.writes.slots.wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		u := &postgresUpdate{engine: e, begin: beginSerial, patience: patience{until: time.Now()}, fn: func(tx *Tx) error {
			_, err := tx.ExecContext(context.Background(), "CREATE TABLE n (id BIGINT PRIMARY KEY)")
			return err
		}}
		if _, err := u.run(t.Context()); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: %v, want that nobody knows", name, err)
		}
		if server.Is(t, "SELECT EXISTS (SELECT FROM pg_tables WHERE tablename = 'n')") {
			t.Errorf("%s: it was stored", name)
		}
	}
}
