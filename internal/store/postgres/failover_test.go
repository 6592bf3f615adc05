//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/pgtest"
	"roshambo/internal/store/storetest"
)

// load inserts entries from several goroutines until it is stopped, and records those that were
// acknowledged.
type load struct {
	d       *store.DB
	stop    context.CancelFunc
	workers sync.WaitGroup
	next    atomic.Int64
	stored  atomic.Int64

	mu       sync.Mutex // guards answered
	answered []int64
}

func startLoad(t *testing.T, d *store.DB, callers int) *load {
	t.Helper()
	storetest.Exec(t, d, "CREATE TABLE entry (n BIGINT PRIMARY KEY)")
	ctx, stop := context.WithCancel(t.Context())
	l := &load{d: d, stop: stop}
	for range callers {
		l.workers.Go(func() {
			for ctx.Err() == nil {
				l.insert(t)
			}
		})
	}
	return l
}

func (l *load) insert(t *testing.T) {
	n := l.next.Add(1)
	err := l.d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO entry (n) VALUES ($1)", n)
		return err
	})
	switch {
	case err == nil:
		l.stored.Add(1)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.answered = append(l.answered, n)
	case !errors.Is(err, store.ErrUnavailable):
		t.Errorf("entry %d: %v", n, err)
	}
}

// await waits for a number of further entries.
func (l *load) await(t *testing.T, more int64) {
	t.Helper()
	for want := l.stored.Load() + more; l.stored.Load() < want; {
		if err := l.d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, "SELECT 1")
			return err
		}); err != nil && !errors.Is(err, store.ErrUnavailable) {
			t.Fatal(err)
		}
	}
}

// check stops the load and checks that all acknowledged entries are stored.
func (l *load) check(t *testing.T) {
	t.Helper()
	l.stop()
	l.workers.Wait()
	actual := map[int64]bool{}
	err := l.d.View(t.Context(), func(_ context.Context, tx *store.Tx) error {
		return tx.Scan("SELECT n FROM entry", nil, func(r store.Row) { actual[r.Int(0)] = true })
	})
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	for _, n := range l.answered {
		if !actual[n] {
			lost++
		}
	}
	if lost > 0 || len(l.answered) == 0 {
		t.Errorf("%d of %d acknowledged entries are lost", lost, len(l.answered))
	}
}

// TestPostgresDemoted promotes a standby while the old primary still answers reads but refuses
// writes: an Update that detects this switches Views to the new primary as well.
func TestPostgresDemoted(t *testing.T) {
	t.Parallel()
	primary := pgtest.Start(t, pgtest.Fast)
	standby := primary.Standby(t)
	d := storetest.Open(t, store.Config{URL: pgtest.URL("postgres", primary, standby)})
	storetest.Exec(t, d, "CREATE TABLE entry (n BIGINT PRIMARY KEY)")
	entries := func() (n int64) {
		t.Helper()
		err := d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			return tx.QueryRowContext(ctx, "SELECT count(*) FROM entry").Scan(&n)
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := entries(); n != 0 { // on a connection that stays open
		t.Fatalf("%d entries before the first", n)
	}
	primary.Set(t, map[string]string{"default_transaction_read_only": "on"})
	primary.Reload(t)
	for !primary.QueryBool(t, "SELECT current_setting('default_transaction_read_only')::boolean") {
		runtime.Gosched() // the server reads its settings asynchronously
	}
	standby.Promote(t)
	storetest.Exec(t, d, "INSERT INTO entry (n) VALUES (1)")
	if n := entries(); n != 1 {
		t.Errorf("a View after the Update sees %d entries, want 1", n)
	}
}

// TestPostgresRestarts kills the only server under load and starts it again.
func TestPostgresRestarts(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, pgtest.Fast)
	d := storetest.Open(t, store.Config{URL: pgtest.URL("postgres", server)})
	restart(t, server, d, 1)
}

// restart kills a server under load several times and starts it again: acknowledged entries
// survive, and the open database continues without intervention.
func restart(t *testing.T, server *pgtest.Cluster, d *store.DB, times int) {
	t.Helper()
	l := startLoad(t, d, 8)
	for range times {
		l.await(t, 100)
		server.Kill(t)
		server.Run(t)
	}
	l.await(t, 100)
	l.check(t)
}
