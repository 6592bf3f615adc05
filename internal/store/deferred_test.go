package store_test

import (
	"context"
	"errors"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

const insertItem = "INSERT INTO item (id, body) VALUES ($1, $2)"

// openItems opens a database with a table item, which refuses the body "refused".
func openItems(t *testing.T) *store.DB {
	t.Helper()
	d := storetest.Open(t, store.Config{})
	storetest.Exec(t, d, "CREATE TABLE item (id BIGINT PRIMARY KEY, body TEXT NOT NULL CHECK (body <> 'refused'))")
	return d
}

func countItems(ctx context.Context, tx *store.Tx) (n int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT count(*) FROM item").Scan(&n)
	return n, err
}

// insertFour returns a closure that inserts three rows between two queries, and one after them.
func insertFour(t *testing.T, first int64) func(context.Context, *store.Tx) error {
	return func(ctx context.Context, tx *store.Tx) error {
		before, err := countItems(ctx, tx)
		if err != nil {
			return err
		}
		for id := range int64(3) {
			if _, err := tx.Deferred().ExecContext(ctx, insertItem, first+id, "body"); err != nil {
				return err
			}
		}
		if n, err := countItems(ctx, tx); err != nil || n != before+3 {
			t.Errorf("got %d rows, %v; want %d", n, err, before+3)
		}
		_, err = tx.Deferred().ExecContext(ctx, insertItem, first+3, "last")
		return err
	}
}

// TestDeferred checks that deferred statements are stored, are visible to later queries, and
// take no round trips of their own.
func TestDeferred(t *testing.T) {
	t.Parallel()
	d := openItems(t)
	if err := d.Update(t.Context(), insertFour(t, 0)); err != nil { // statements are prepared
		t.Fatal(err)
	}
	before := d.Stats().RoundTrips
	if err := d.Update(t.Context(), insertFour(t, 10)); err != nil {
		t.Fatal(err)
	}
	want := int64(3) // BEGIN and the first query; the rows and the second; the last row and COMMIT
	if d.Exclusive() {
		want = 0
	}
	if got := d.Stats().RoundTrips - before; got != want {
		t.Errorf("%d round trips, want %d", got, want)
	}
}

// TestDeferredFails checks that the closure learns of a deferred statement that fails or
// changes no row, and that nothing is stored.
func TestDeferredFails(t *testing.T) {
	t.Parallel()
	d := openItems(t)
	if err := d.Update(t.Context(), insertFour(t, 10)); err != nil {
		t.Fatal(err)
	}
	err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if _, err := countItems(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Deferred().ExecContext(ctx, insertItem, 20, ""); err != nil {
			return err
		}
		_, err := tx.Deferred().ExecContext(ctx, insertItem, 10, "") // an existing key
		return err
	})
	if !store.IsUnique(err) {
		t.Errorf("a duplicate key: error %v, want IsUnique", err)
	}
	refused := errors.New("refused")
	err = d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if _, err := tx.Deferred().ExecContext(ctx, insertItem, 30, ""); err != nil {
			return err
		}
		r, err := tx.Deferred().ExecContext(ctx, "UPDATE item SET body = $1 WHERE id = $2", "x", 99)
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil || n != 1 {
			return errors.Join(refused, err)
		}
		return nil
	})
	if !errors.Is(err, refused) {
		t.Errorf("an update of no row: error %v, want %v", err, refused)
	}
	runs := 0
	err = d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		runs++
		if _, err := countItems(ctx, tx); err != nil {
			return err
		}
		_, err := tx.Deferred().ExecContext(ctx, insertItem, 31, "refused")
		return err
	})
	if err == nil || errors.Is(err, store.ErrUnavailable) || store.IsUnique(err) || runs != 1 {
		t.Errorf("a CHECK violation: error %v after %d runs, want one run", err, runs)
	}
	for first := int64(40); first < 80; first += 4 { // the connections stay usable
		if err := d.Update(t.Context(), insertFour(t, first)); err != nil {
			t.Fatal(err)
		}
	}
	err = d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if n, err := countItems(ctx, tx); err != nil || n != 4+40 {
			t.Errorf("%d rows, %v; want 44", n, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
