package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// scanned is a copied row of a scan.
type scanned struct {
	N          int64
	Text, Blob []byte
	Null       bool
}

func scanAll(t *testing.T, tx *store.Tx, query string, args ...any) (list []scanned) {
	t.Helper()
	err := tx.Scan(query, args, func(r store.Row) {
		list = append(list, scanned{r.Int(0), bytes.Clone(r.Bytes(1)), bytes.Clone(r.Bytes(2)), r.Null(0)})
	})
	if err != nil {
		t.Error(err)
	}
	return list
}

const scanTable = "CREATE TABLE a (id INTEGER PRIMARY KEY, n INTEGER, t TEXT, b BLOB) STRICT"

// TestScan checks that a scan returns the rows of the table, within Views through SQLite's C
// interface and within a View through the driver.
func TestScan(t *testing.T) {
	t.Parallel()
	d := storetest.Open(t, store.Config{Path: filepath.Join(t.TempDir(), "test.db")})
	storetest.Exec(t, d, scanTable)
	long := bytes.Repeat([]byte{0, 1, 0xff}, 20_000) // spans many pages
	storetest.Exec(t, d, "INSERT INTO a (n, t, b) VALUES (-5, 'é', $1), ($2, '', x'00'), (NULL, NULL, NULL)", long, int64(1)<<62)
	want := []scanned{{N: -5, Text: []byte("é"), Blob: long}, {N: 1 << 62, Text: []byte{}, Blob: []byte{0}}, {Null: true}}
	whole := cmp.Comparer(bytes.Equal) // byte by byte, comparing takes most of the test's time
	check := func(tx *store.Tx) error {
		for range 2 { // the second time with a cached statement
			if diff := cmp.Diff(want, scanAll(t, tx, "SELECT n, t, b FROM a ORDER BY id"), whole); diff != "" {
				t.Error(diff)
			}
		}
		for i, w := range want[:2] {
			const query = "SELECT n, t, b FROM a WHERE $3 = t AND n = $1 AND b = $2 AND t = $3 LIMIT $4"
			got := scanAll(t, tx, query, w.N, w.Blob, string(w.Text), int64(5))
			if diff := cmp.Diff([]scanned{w}, got, whole); diff != "" {
				t.Errorf("row %d by its values:\n%s", i, diff)
			}
		}
		if err := tx.Scan("SELECT t FROM a", nil, func(r store.Row) { r.Int(0) }); err == nil {
			t.Error("a text was read as an integer")
		}
		if err := tx.Scan("SELECT n FROM a", nil, func(r store.Row) { r.Bytes(0) }); err == nil {
			t.Error("an integer was read as bytes")
		}
		for _, query := range []string{"SELECT nothing FROM a", "SELECT", "SELECT $1"} {
			if err := tx.Scan(query, nil, func(store.Row) {}); err == nil {
				t.Errorf("%s: no error", query)
			}
		}
		return nil
	}
	if err := d.View(t.Context(), func(_ context.Context, tx *store.Tx) error { return check(tx) }); err != nil {
		t.Error(err)
	}
	err := d.Views(t.Context(), 2, func(_ context.Context, txs []*store.Tx) error {
		return errors.Join(check(txs[0]), check(txs[1]))
	})
	if err != nil {
		t.Error(err)
	}
}

// TestScanCannotWrite checks that a scan refuses statements that write.
func TestScanCannotWrite(t *testing.T) {
	t.Parallel()
	d := storetest.Open(t, store.Config{Path: filepath.Join(t.TempDir(), "test.db")})
	storetest.Exec(t, d, scanTable)
	err := d.Views(t.Context(), 1, func(_ context.Context, txs []*store.Tx) error {
		return txs[0].Scan("INSERT INTO a (n) VALUES (1)", nil, func(store.Row) {})
	})
	if err == nil {
		t.Error("a scan has written, want an error")
	}
}

// TestScanCancelled checks that a scan ends with the context of its View.
func TestScanCancelled(t *testing.T) {
	t.Parallel()
	d := storetest.Open(t, store.Config{Path: filepath.Join(t.TempDir(), "test.db")})
	ctx, cancel := context.WithCancel(t.Context())
	err := d.Views(ctx, 1, func(_ context.Context, txs []*store.Tx) error {
		const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
		return txs[0].Scan(endless, nil, func(store.Row) { cancel() })
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// TestViewsShareSnapshot checks that all transactions of Views, by query and by scan, see one
// snapshot while another process writes.
func TestViewsShareSnapshot(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	server := storetest.Open(t, store.Config{Path: path})
	storetest.Exec(t, server, scanTable)
	reader := storetest.Open(t, store.Config{Path: path, ReadOnly: true})
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				storetest.Exec(t, server, "INSERT INTO a (n) VALUES (1)")
			}
		}
	})
	const query = "SELECT count(*) FROM a"
	for _, d := range []*store.DB{server, reader} {
		for range 30 {
			err := d.Views(t.Context(), 3, func(ctx context.Context, txs []*store.Tx) error {
				var counts []int64
				for _, tx := range txs {
					var n int64
					if err := tx.QueryRowContext(ctx, query).Scan(&n); err != nil {
						return err
					}
					counts = append(counts, n)
					if err := tx.Scan(query, nil, func(r store.Row) { counts = append(counts, r.Int(0)) }); err != nil {
						return err
					}
				}
				for _, n := range counts {
					if n != counts[0] {
						t.Errorf("different row counts %v in one snapshot", counts)
						break
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	close(stop)
	writer.Wait()
}
