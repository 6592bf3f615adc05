package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"roshambo/internal/store"
)

// TestStoredWhenAnswered: what an Update has stored is in the files when it returns. A
// copy of the files made then is what a crash would leave, but for what the kernel keeps.
func TestStoredWhenAnswered(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	// Without checkpoints, in the middle of which files could be copied.
	d, err := store.Open(t.Context(), store.Config{Path: path}.WithCheckpoints(time.Hour, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	exec(t, d, "CREATE TABLE n (id INTEGER PRIMARY KEY, body BLOB) STRICT")
	for i := range 30 {
		err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO n (body) VALUES ($1)", make([]byte, 30_000*(1+i%4)))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(t.TempDir(), "copy.db")
		for _, end := range []string{"", "-wal"} {
			body, err := os.ReadFile(path + end)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(copied+end, body, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := countRows(t, copied); got != i+1 {
			t.Fatalf("%d rows after a crash, want the %d that were answered", got, i+1)
		}
	}
}

func countRows(t *testing.T, path string) (n int) {
	t.Helper()
	d, err := store.Open(t.Context(), store.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	err = d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT count(*) FROM n").Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestMoreThanTheCache: an Update that writes more than the cache holds reads what it has
// written, and can be taken back; so SQLite reads pages of the log that were not synced,
// and writes over them.
func TestMoreThanTheCache(t *testing.T) {
	t.Parallel()
	d, err := store.Open(t.Context(), store.Config{Path: filepath.Join(t.TempDir(), "test.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	exec(t, d, "CREATE TABLE n (id INTEGER PRIMARY KEY, body BLOB) STRICT")
	const rows = 700 // of 30 kB
	fill := func(value string, end error) error {
		return d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			for range rows {
				if _, err := tx.ExecContext(ctx, "INSERT INTO n (body) VALUES (CAST(printf('%.*c', 30000, $1) AS BLOB))", value); err != nil {
					return err
				}
			}
			if _, err := tx.ExecContext(ctx, "UPDATE n SET body = CAST(printf('%.*c', 30000, 'z') AS BLOB) WHERE id % 2 = 0"); err != nil {
				return err
			}
			var n int
			err := tx.QueryRowContext(ctx, "SELECT count(*) FROM n WHERE substr(body, 30000) = CAST('z' AS BLOB)").Scan(&n)
			if err == nil && n != rows/2 {
				err = fmt.Errorf("%d rows changed, want %d", n, rows/2)
			}
			if err != nil {
				return err
			}
			return end
		})
	}
	taken := fmt.Errorf("taken back")
	if err := fill("a", taken); err != taken { //nolint:errorlint // the very error
		t.Fatal(err)
	}
	if err := fill("b", nil); err != nil {
		t.Fatal(err)
	}
	err = d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		var check string
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT integrity_check FROM pragma_integrity_check").Scan(&check); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM n WHERE substr(body, 30000) IN (CAST('z' AS BLOB), CAST('b' AS BLOB))").Scan(&n); err != nil {
			return err
		}
		if check != "ok" || n != rows {
			t.Errorf("integrity %q, %d rows, want %d", check, n, rows)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
