package db_test

import (
	"context"
	"errors"
	"testing"

	"roshambo/internal/db"
	"roshambo/internal/db/dbtest"
)

// TestLater: statements whose outcome is taken for granted are stored, seen by the
// queries behind them, and cost no round trips of their own; where one fails, or changes
// no row, the closure learns of it and nothing is stored.
func TestLater(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, db.Config{})
	exec(t, d, "CREATE TABLE later (id BIGINT PRIMARY KEY, body TEXT NOT NULL)")
	const insert = "INSERT INTO later (id, body) VALUES ($1, $2)"
	count := func(ctx context.Context, tx *db.Tx) (n int64, err error) {
		err = tx.QueryRowContext(ctx, "SELECT count(*) FROM later").Scan(&n)
		return n, err
	}
	three := func(first int64) func(context.Context, *db.Tx) error {
		return func(ctx context.Context, tx *db.Tx) error {
			before, err := count(ctx, tx)
			for id := first; err == nil && id < first+3; id++ {
				body := []byte("b")
				_, err = tx.Later().ExecContext(ctx, insert, id, string(body))
			}
			if err != nil {
				return err
			}
			if n, err := count(ctx, tx); err != nil || n != before+3 {
				t.Errorf("%d rows are seen, %v; want %d", n, err, before+3)
			}
			_, err = tx.Later().ExecContext(ctx, insert, first+3, "last")
			return err
		}
	}
	if err := d.Update(t.Context(), three(0)); err != nil { // statements are prepared
		t.Fatal(err)
	}
	before := d.Stats().RoundTrips
	if err := d.Update(t.Context(), three(10)); err != nil {
		t.Fatal(err)
	}
	want := int64(3) // BEGIN and the first query; the rows and the second; the last row and COMMIT
	if d.Alone() {
		want = 0
	}
	if got := d.Stats().RoundTrips - before; got != want {
		t.Errorf("%d round trips, want %d", got, want)
	}

	err := d.Update(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		if _, err := count(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Later().ExecContext(ctx, insert, 20, ""); err != nil {
			return err
		}
		_, err := tx.Later().ExecContext(ctx, insert, 10, "") // there is one
		return err
	})
	if !db.IsUnique(err) {
		t.Errorf("a second row of one key: %v", err)
	}
	refused := errors.New("refused")
	err = d.Update(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		if _, err := tx.Later().ExecContext(ctx, insert, 30, ""); err != nil {
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
	// The connections are good for more.
	for first := int64(40); first < 80; first += 4 {
		if err := d.Update(t.Context(), three(first)); err != nil {
			t.Fatal(err)
		}
	}
	err = d.View(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		if n, err := count(ctx, tx); err != nil || n != 8+40 {
			t.Errorf("%d rows, %v; want 48", n, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
