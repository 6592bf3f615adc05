package store_test

import (
	"context"
	"errors"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

const insertLater = "INSERT INTO later (id, body) VALUES ($1, $2)"

func openLater(t *testing.T) *store.DB {
	t.Helper()
	d := storetest.Open(t, store.Config{})
	exec(t, d, "CREATE TABLE later (id BIGINT PRIMARY KEY, body TEXT NOT NULL CHECK (body <> 'refused'))")
	return d
}

func countLater(ctx context.Context, tx *store.Tx) (n int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT count(*) FROM later").Scan(&n)
	return n, err
}

// fourLater inserts three rows between two queries, and one behind them.
func fourLater(t *testing.T, first int64) func(context.Context, *store.Tx) error {
	return func(ctx context.Context, tx *store.Tx) error {
		before, err := countLater(ctx, tx)
		for id := first; err == nil && id < first+3; id++ {
			_, err = tx.Later().ExecContext(ctx, insertLater, id, "body")
		}
		if err != nil {
			return err
		}
		if n, err := countLater(ctx, tx); err != nil || n != before+3 {
			t.Errorf("%d rows are seen, %v; want %d", n, err, before+3)
		}
		_, err = tx.Later().ExecContext(ctx, insertLater, first+3, "last")
		return err
	}
}

// TestLater: statements whose outcome is taken for granted are stored, are seen by the
// queries behind them, and cost no round trips of their own.
func TestLater(t *testing.T) {
	t.Parallel()
	d := openLater(t)
	if err := d.Update(t.Context(), fourLater(t, 0)); err != nil { // statements are prepared
		t.Fatal(err)
	}
	before := d.Stats().RoundTrips
	if err := d.Update(t.Context(), fourLater(t, 10)); err != nil {
		t.Fatal(err)
	}
	want := int64(3) // BEGIN and the first query; the rows and the second; the last row and COMMIT
	if d.Alone() {
		want = 0
	}
	if got := d.Stats().RoundTrips - before; got != want {
		t.Errorf("%d round trips, want %d", got, want)
	}
}

// TestLaterFails: where such a statement fails, or changes no row, the closure learns of
// it and nothing is stored.
func TestLaterFails(t *testing.T) {
	t.Parallel()
	d := openLater(t)
	if err := d.Update(t.Context(), fourLater(t, 10)); err != nil {
		t.Fatal(err)
	}
	err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if _, err := countLater(ctx, tx); err != nil {
			return err
		}
		_, err := tx.Later().ExecContext(ctx, insertLater, 20, "")
		if err == nil {
			_, err = tx.Later().ExecContext(ctx, insertLater, 10, "") // there is one
		}
		return err
	})
	if !store.IsUnique(err) {
		t.Errorf("a second row of one key: %v", err)
	}
	refused := errors.New("refused")
	err = d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if _, err := tx.Later().ExecContext(ctx, insertLater, 30, ""); err != nil {
			return err
		}
		r, err := tx.Later().ExecContext(ctx, "UPDATE later SET body = $1 WHERE id = $2", "x", 99)
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil || n != 1 {
			return errors.Join(refused, err)
		}
		return nil
	})
	if !errors.Is(err, refused) {
		t.Errorf("an update of no row: %v", err)
	}
	runs := 0
	err = d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		runs++
		if _, err := countLater(ctx, tx); err != nil {
			return err
		}
		_, err := tx.Later().ExecContext(ctx, insertLater, 31, "refused")
		return err
	})
	if err == nil || errors.Is(err, store.ErrUnavailable) || store.IsUnique(err) || runs != 1 {
		t.Errorf("a row that a CHECK refuses: %v, after %d runs", err, runs)
	}
	for first := int64(40); first < 80; first += 4 { // the connections are good for more
		if err := d.Update(t.Context(), fourLater(t, first)); err != nil {
			t.Fatal(err)
		}
	}
	err = d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if n, err := countLater(ctx, tx); err != nil || n != 4+40 {
			t.Errorf("%d rows, %v; want 44", n, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
