package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"roshambo/internal/store"
)

// testScan checks that Scan returns the rows of a query in a View, in Views and in an Update,
// also when the callback runs other statements.
func testScan(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{})
	const rows = 300
	for id := range int64(rows) {
		put(t, d, id+1, fmt.Sprintf("é%d", id+1), 2*id)
	}
	// Parameters out of order, a multi-byte text and a NULL.
	const query = "SELECT id, name, value, NULL FROM dbtest_entry WHERE id > $2 AND name <> $1 ORDER BY id"
	check := func(ctx context.Context, tx *store.Tx) error {
		next := int64(11)
		err := tx.Scan(query, []any{"é20", int64(10)}, func(r store.Row) {
			if next == 20 {
				next++
			}
			id, name, worth := r.Int(0), string(r.Bytes(1)), r.Int(2)
			same := id == next && name == fmt.Sprintf("é%d", id) && worth == 2*(id-1)
			if !same || r.Null(0) || !r.Null(3) || r.Bytes(3) != nil {
				t.Errorf("row %d %q %d, want %d", id, name, worth, next)
			}
			// A statement in the middle of the scan, on the same transaction.
			if next++; id == 15 {
				if v, err := value(ctx, tx, 3); err != nil || v != 4 {
					t.Errorf("a query during the scan: got %d, %v, want 4", v, err)
				}
			}
		})
		if next != rows+1 {
			t.Errorf("the scan ended before %d", next)
		}
		return errors.Join(err, wrongColumns(tx))
	}
	must(t, d.View(t.Context(), check))
	must(t, d.Update(t.Context(), check))
	must(t, d.Views(t.Context(), 2, func(ctx context.Context, txs []*store.Tx) error {
		return errors.Join(check(ctx, txs[0]), check(ctx, txs[len(txs)-1]))
	}))
}

// wrongColumns reads columns as another type than their own and expects errors.
func wrongColumns(tx *store.Tx) error {
	for _, fn := range []func(store.Row){func(r store.Row) { r.Int(1) }, func(r store.Row) { r.Bytes(0) }} {
		if err := tx.Scan("SELECT id, name FROM dbtest_entry ORDER BY id", nil, fn); err == nil {
			return errors.New("a column was read as another type without an error")
		}
	}
	return nil
}
