package db_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"roshambo/internal/db"
)

// TestLogStaysShort: while several write without a pause, and others read, the log is
// moved into the file again and again, starts from its beginning, and stays short;
// nothing of what was written is lost.
func TestLogStaysShort(t *testing.T) {
	t.Parallel()
	const pages = 40
	path := filepath.Join(t.TempDir(), "test.db")
	d, err := db.Open(t.Context(), db.Config{Path: path}.WithCheckpoints(time.Millisecond, pages))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	exec(t, d, "CREATE TABLE n (id INTEGER PRIMARY KEY, body BLOB) STRICT")
	const writers, enough, most = 4, 10, 3000
	written := make([]int, writers)
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			for d.Stats().Checkpoints < enough && written[w] < most {
				body := make([]byte, 10_000) // some three pages
				err := d.Update(t.Context(), func(ctx context.Context, tx *db.Tx) error {
					_, err := tx.ExecContext(ctx, "INSERT INTO n (body) VALUES ($1)", body)
					return err
				})
				if err == nil {
					err = d.View(t.Context(), func(ctx context.Context, tx *db.Tx) error {
						var n int
						return tx.QueryRowContext(ctx, "SELECT count(*) FROM n WHERE id = $1", written[w]).Scan(&n)
					})
				}
				if err != nil {
					t.Error(err)
					return
				}
				written[w]++
			}
		})
	}
	wait.Wait()
	want := 0
	for _, n := range written {
		want += n
	}
	if s := d.Stats(); s.Checkpoints < enough {
		t.Fatalf("the log was moved as a whole %d times within %d updates of three pages, want %d", s.Checkpoints, want, enough)
	}
	log, err := os.Stat(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	// A log that never starts from its beginning holds all that was written.
	if all := int64(want) * 3 * 4096; log.Size() > all/2 && log.Size() > 8*pages*4096 {
		t.Errorf("the log takes %d bytes, after %d bytes of pages", log.Size(), all)
	}
	got := 0
	err = d.View(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT count(*) FROM n").Scan(&got)
	})
	if err != nil || got != want {
		t.Errorf("%d rows, %v; want %d", got, err, want)
	}
}
