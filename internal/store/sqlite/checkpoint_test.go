package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/sqlite"
	"roshambo/internal/store/storetest"
)

// TestLogStaysShort checks that under continuous writes and reads the log is moved into the
// file repeatedly, restarts and stays short, and that no acknowledged write is lost.
func TestLogStaysShort(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	d := sqlite.With(store.Config{Path: path}).WithCheckpoints(time.Millisecond, 40).Open(t)
	storetest.Exec(t, d, "CREATE TABLE n (id INTEGER PRIMARY KEY, body BLOB) STRICT")
	const (
		writers, enough = 4, 10
		pages           = 3       // of one update
		most            = 100_000 // reached only by a log that never gets short
	)
	// A log that never restarts holds all writes. Its length before a restart depends on the
	// scheduling of the processors.
	var written atomic.Int64 // updates of all writers
	short := func() bool {
		log, err := os.Stat(path + "-wal")
		return err == nil && log.Size() <= written.Load()*pages*4096/2
	}
	var wait sync.WaitGroup
	for range writers {
		wait.Go(func() {
			for written.Load() < most && (d.Stats().Checkpoints < enough || !short()) {
				body := make([]byte, 10_000)
				err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
					_, err := tx.ExecContext(ctx, "INSERT INTO n (body) VALUES ($1)", body)
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
				err = d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
					var n int
					return tx.QueryRowContext(ctx, "SELECT count(*) FROM n WHERE id = $1", written.Load()).Scan(&n)
				})
				if err != nil {
					t.Error(err)
					return
				}
				written.Add(1)
			}
		})
	}
	wait.Wait()
	want := written.Load()
	if s := d.Stats(); s.Checkpoints < enough || !short() {
		t.Fatalf("%d complete checkpoints in %d updates of %d pages, files of %d bytes; want %d and a short log",
			s.Checkpoints, want, pages, s.Bytes, enough)
	}
	got := int64(0)
	err := d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT count(*) FROM n").Scan(&got)
	})
	if err != nil || got != want {
		t.Errorf("%d rows, %v; want %d", got, err, want)
	}
}
