package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/sqlite"
	"roshambo/internal/store/storetest"
)

// TestDurableOnReturn checks that the files contain an Update's writes when it returns: a copy
// made then is the state after a crash, apart from the kernel's cache.
func TestDurableOnReturn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	// Without checkpoints, as a copy during one would be inconsistent.
	d := sqlite.With(store.Config{Path: path}).WithoutCheckpoints().Open(t)
	storetest.Exec(t, d, "CREATE TABLE n (id INTEGER PRIMARY KEY, body BLOB) STRICT")
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
		crashed, err := sqlite.Open(t.Context(), store.Config{Path: copied})
		if err != nil {
			t.Fatal(err)
		}
		got := storetest.Number(t, crashed, "SELECT count(*) FROM n")
		if err := crashed.Close(); err != nil {
			t.Error(err)
		}
		if got != int64(i+1) {
			t.Fatalf("%d rows after a crash, want the %d acknowledged ones", got, i+1)
		}
	}
}

// TestUpdateExceedsCache checks that an Update that writes more than the cache holds can read
// its writes and roll them back: SQLite then reads and overwrites log pages that were not
// synced.
func TestUpdateExceedsCache(t *testing.T) {
	t.Parallel()
	d := sqlite.With(store.Config{}).Open(t)
	storetest.Exec(t, d, "CREATE TABLE n (id INTEGER PRIMARY KEY, body BLOB) STRICT")
	const rows = 700 // of 30 kB
	fill := func(value string, end error) error {
		return d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			for range rows {
				const query = "INSERT INTO n (body) VALUES (CAST(printf('%.*c', 30000, $1) AS BLOB))"
				if _, err := tx.ExecContext(ctx, query, value); err != nil {
					return err
				}
			}
			const change = "UPDATE n SET body = CAST(printf('%.*c', 30000, 'z') AS BLOB) WHERE id % 2 = 0"
			if _, err := tx.ExecContext(ctx, change); err != nil {
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
	rolledBack := fmt.Errorf("rolled back")
	if err := fill("a", rolledBack); err != rolledBack { //nolint:errorlint // it is returned unchanged
		t.Fatal(err)
	}
	if err := fill("b", nil); err != nil {
		t.Fatal(err)
	}
	err := d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		var check string
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT integrity_check FROM pragma_integrity_check").Scan(&check); err != nil {
			return err
		}
		const query = "SELECT count(*) FROM n WHERE substr(body, 30000) IN (CAST('z' AS BLOB), CAST('b' AS BLOB))"
		if err := tx.QueryRowContext(ctx, query).Scan(&n); err != nil {
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
