package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/sqlite"
	"roshambo/internal/store/storetest"
)

// TestForeignWriterAfterRollback has another program write to the file after the rollback of a
// transaction that exceeded the cache: later writes of this process leave its rows intact.
func TestForeignWriterAfterRollback(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	d, err := sqlite.Open(t.Context(), store.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	storetest.Exec(t, d, "CREATE TABLE n (id INTEGER PRIMARY KEY, body BLOB) STRICT")
	if err := d.Close(); err != nil { // empties the log, in which a ROLLBACK finds no page then
		t.Fatal(err)
	}
	// Without checkpoints, after which the log would restart.
	d = sqlite.With(store.Config{Path: path}).WithoutCheckpoints().Open(t)
	const rows = 700 // of 30 kB
	fill := func(value string, end error) error {
		return d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			for range rows {
				const query = "INSERT INTO n (body) VALUES (CAST(printf('%.*c', 30000, $1) AS BLOB))"
				if _, err := tx.ExecContext(ctx, query, value); err != nil {
					return err
				}
			}
			return end
		})
	}
	if err := fill("a", errRefused); !errors.Is(err, errRefused) {
		t.Fatal(err)
	}
	foreign, err := sql.Open("sqlite", path+"?_pragma=wal_autocheckpoint(0)")
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close() //nolint:errcheck // it was read
	const all = `WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 2 * 700)
		INSERT INTO n (body) SELECT CAST(printf('%.*c', 30000, 'f') AS BLOB) FROM i`
	if _, err := foreign.ExecContext(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	if err := fill("b", nil); err != nil {
		t.Fatal(err)
	}
	var check string
	var theirs, ours int
	row := foreign.QueryRowContext(t.Context(), `SELECT (SELECT integrity_check FROM pragma_integrity_check),
		(SELECT count(*) FROM n WHERE body = CAST(printf('%.*c', 30000, 'f') AS BLOB)),
		(SELECT count(*) FROM n WHERE body = CAST(printf('%.*c', 30000, 'b') AS BLOB))`)
	if err := row.Scan(&check, &theirs, &ours); err != nil {
		t.Fatal(err)
	}
	if check != "ok" || theirs != 2*rows || ours != rows {
		t.Errorf("integrity %q, %d rows of the other program and %d of ours, want %d and %d",
			check, theirs, ours, 2*rows, rows)
	}
}
