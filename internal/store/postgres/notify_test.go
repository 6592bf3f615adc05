//go:build unix

package postgres

import (
	"errors"
	"log/slog"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/pgtest"
)

// TestListenSuspects checks that a listener ends, although its server answers, once another connection was
// lost.
func TestListenSuspects(t *testing.T) {
	t.Parallel()
	c := store.Config{URL: pgtest.URL("postgres", pgtest.Start(t, pgtest.Fast)), Logger: slog.New(slog.DiscardHandler)}
	d, err := openEngine(t.Context(), c, idleAfter)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	lose := func() { d.reads.generation.Add(1) }
	if err := d.Listen(t.Context(), "news", lose, func(string) {}); !errors.Is(err, errSuspect) {
		t.Errorf("ended with %v, want %v", err, errSuspect)
	}
}
