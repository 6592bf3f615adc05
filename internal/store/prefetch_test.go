package store_test

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

const selectBody = "SELECT body FROM item WHERE id = $1"

// read returns the body of a row.
func read(ctx context.Context, tx *store.Tx, id int64) (body string, err error) {
	err = tx.QueryRowContext(ctx, selectBody, id).Scan(&body)
	return body, err
}

// TestPrefetch checks that prefetched queries return the same results and share one round trip.
func TestPrefetch(t *testing.T) {
	t.Parallel()
	d := openItems(t)
	if err := d.Update(t.Context(), insertFour(t, 0)); err != nil {
		t.Fatal(err)
	}
	closure := func(ctx context.Context, tx *store.Tx) error {
		for id := range int64(3) {
			tx.Prefetch(selectBody, id)
			tx.Prefetch(selectBody, id) // a duplicate
		}
		tx.Prefetch(selectBody, 99) // not read
		for id := range int64(3) {
			if body, err := read(ctx, tx, id); err != nil || body != "body" {
				t.Errorf("row %d: %q, %v", id, body, err)
			}
		}
		return nil
	}
	want := int64(2) // the queries with BEGIN; COMMIT
	if d.Exclusive() {
		want = 0
	}
	if err := d.Update(t.Context(), closure); err != nil { // statements are prepared
		t.Fatal(err)
	}
	before := d.Stats().RoundTrips
	if err := d.Update(t.Context(), closure); err != nil {
		t.Fatal(err)
	}
	if got := d.Stats().RoundTrips - before; got != want {
		t.Errorf("%d round trips, want %d", got, want)
	}
	if err := d.View(t.Context(), closure); err != nil {
		t.Error(err)
	}
}

// TestPrefetchAfterWrites checks that a prefetched query sees the writes before it, and that a
// second read of the same query runs anew.
func TestPrefetchAfterWrites(t *testing.T) {
	t.Parallel()
	d := openItems(t)
	err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if _, err := tx.Deferred().ExecContext(ctx, insertItem, 1, "one"); err != nil {
			return err
		}
		tx.Prefetch(selectBody, 1)
		if body, err := read(ctx, tx, 1); err != nil || body != "one" {
			t.Errorf("after the insert: %q, %v", body, err)
		}
		if _, err := tx.Deferred().ExecContext(ctx, "UPDATE item SET body = $1 WHERE id = $2", "two", 1); err != nil {
			return err
		}
		if body, err := read(ctx, tx, 1); err != nil || body != "two" {
			t.Errorf("second read: %q, %v", body, err)
		}
		tx.Prefetch("SELECT nonsense FROM item")
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	err = d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		tx.Prefetch("SELECT nonsense FROM item")
		_, err := read(ctx, tx, 1)
		return err
	})
	if !d.Exclusive() && err == nil {
		t.Error("the closure continued after a failed prefetched query")
	}
}

// TestDeferredRowCount checks that a deferred statement that does not change the assumed one
// row is detected at the latest by the COMMIT that it travels with, and that the closure is
// retried.
func TestDeferredRowCount(t *testing.T) {
	t.Parallel()
	d := openItems(t)
	if err := d.Update(t.Context(), insertFour(t, 0)); err != nil {
		t.Fatal(err)
	}
	gone := errors.New("gone")
	for _, c := range []struct {
		query string
		args  []any
		want  error
	}{
		{"UPDATE item SET body = $1 WHERE id = $2", []any{"new", 1}, nil},
		{"UPDATE item SET body = $1 WHERE id = $2", []any{"new", 99}, gone},
		{"UPDATE item SET body = $1 WHERE id <= $2", []any{"new", 2}, gone}, // three rows
		{"DELETE FROM item WHERE id = $1", []any{98}, gone},
		{"INSERT INTO item (id, body) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING", []any{3, ""}, gone},
		{"-- name: Insert\nINSERT INTO item (id, body) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING", []any{20, ""}, nil},
	} {
		runs := 0
		err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			runs++
			r, err := tx.Deferred().ExecContext(ctx, c.query, c.args...)
			if err != nil {
				return err
			}
			n, err := r.RowsAffected()
			if err != nil {
				return err
			}
			if n != 1 {
				return gone
			}
			return nil
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.query, err, c.want)
		}
		if again := c.want != nil && !d.Exclusive(); (runs == 2) != again {
			t.Errorf("%s: %d runs, want 2: %v", c.query, runs, again)
		}
	}
}

// TestSnapshot checks that concurrent updates of one row lose no write at isolation level
// Snapshot, and that two closures that find a row missing and insert different ones do not
// conflict.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	d := openItems(t)
	storetest.Exec(t, d, "CREATE TABLE counter (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)")
	storetest.Exec(t, d, "INSERT INTO counter (id, n) VALUES (1, 0)")
	var wait sync.WaitGroup
	const callers, each = 8, 10
	for range callers {
		wait.Go(func() {
			for range each {
				err := d.UpdateAt(t.Context(), store.Snapshot, func(ctx context.Context, tx *store.Tx) error {
					var n int64
					if err := tx.QueryRowContext(ctx, "SELECT n FROM counter WHERE id = 1").Scan(&n); err != nil {
						return err
					}
					_, err := tx.Deferred().ExecContext(ctx, "UPDATE counter SET n = $1 WHERE id = 1", n+1)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	err := d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		var n int64
		if err := tx.QueryRowContext(ctx, "SELECT n FROM counter WHERE id = 1").Scan(&n); err != nil || n != callers*each {
			t.Errorf("%d, %v; want %d", n, err, callers*each)
		}
		return nil
	})
	if err != nil || d.Exclusive() {
		return // on SQLite closures never run concurrently
	}
	before := d.Stats().Conflicts
	var met sync.WaitGroup
	met.Add(2)
	for id := range int64(2) {
		wait.Go(func() {
			err := d.UpdateAt(t.Context(), store.Snapshot, func(ctx context.Context, tx *store.Tx) error {
				if n, err := countItems(ctx, tx); err != nil || n != 0 {
					t.Errorf("%d rows, %v; want none", n, err)
				}
				met.Done()
				met.Wait()
				_, err := tx.ExecContext(ctx, insertItem, id, "")
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got := d.Stats().Conflicts - before; got != 0 {
		t.Errorf("%d conflicts between inserts of different rows, want none", got)
	}
}

// TestViewOnce checks that a View with one query takes one round trip and no transaction, that
// one with more queries sees one snapshot, and that it cannot write.
func TestViewOnce(t *testing.T) {
	t.Parallel()
	d := openItems(t)
	if err := d.Update(t.Context(), insertFour(t, 0)); err != nil {
		t.Fatal(err)
	}
	once := func(ctx context.Context, tx *store.Tx) error {
		tx.Prefetch(selectBody, 1)
		tx.Prefetch(selectBody, 2)
		for _, id := range []int64{2, 1} {
			if body, err := read(ctx, tx, id); err != nil || body != "body" {
				t.Errorf("row %d: %q, %v", id, body, err)
			}
		}
		return nil
	}
	if err := d.ViewOnce(t.Context(), once); err != nil { // the statement is prepared
		t.Fatal(err)
	}
	want := int64(1)
	if d.Exclusive() {
		want = 0
	}
	before := d.Stats().RoundTrips
	if err := d.ViewOnce(t.Context(), once); err != nil {
		t.Fatal(err)
	}
	if got := d.Stats().RoundTrips - before; got != want {
		t.Errorf("%d round trips, want %d", got, want)
	}
	// Another Update commits between two queries.
	runs := 0
	err := d.ViewOnce(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		runs++
		before, err := countItems(ctx, tx)
		if err != nil {
			return err
		}
		other := make(chan error)
		go func() { other <- d.Update(t.Context(), insertFour(t, int64(100*runs))) }()
		if err := <-other; err != nil {
			t.Error(err)
		}
		after, err := countItems(ctx, tx)
		if err == nil && after != before {
			t.Errorf("%d rows, then %d in one snapshot", before, after)
		}
		return nil // regardless of the second query's error
	})
	if err != nil {
		t.Error(err)
	}
	if runs != 2 && !d.Exclusive() {
		t.Errorf("%d runs, want 2", runs)
	}
	err = d.ViewOnce(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, insertItem, 99, "")
		return err
	})
	if err == nil {
		t.Error("a View has written, want an error")
	}
	err = d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := read(ctx, tx, 99)
		return err
	})
	if !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("the row of a View: error %v, want none found", err)
	}
}

// TestAssumedRowsWrong checks that a closure's own error counts only if its assumptions were
// right, and that RowsAffected returns the real count once the statement has been sent.
func TestAssumedRowsWrong(t *testing.T) {
	t.Parallel()
	d := openItems(t)
	gone, other := errors.New("gone"), errors.New("other")
	err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		r, err := tx.Deferred().ExecContext(ctx, "UPDATE item SET body = '' WHERE id = 99")
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil || n != 1 {
			return errors.Join(gone, err)
		}
		return other
	})
	if !errors.Is(err, gone) {
		t.Errorf("%v, want %v", err, gone)
	}
	err = d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		r, err := tx.Deferred().ExecContext(ctx, "UPDATE item SET body = '' WHERE id = 99")
		if err != nil {
			return err
		}
		if _, err := countItems(ctx, tx); err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil || n != 0 {
			t.Errorf("%d rows, %v; want none", n, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestTableChanged checks that statements are prepared again after a migration has changed
// their table.
func TestTableChanged(t *testing.T) {
	t.Parallel()
	d := openItems(t)
	if err := d.Update(t.Context(), insertFour(t, 0)); err != nil {
		t.Fatal(err)
	}
	all := "SELECT * FROM item WHERE id = $1"
	look := func(ctx context.Context, tx *store.Tx) error {
		rows, err := tx.QueryContext(ctx, all, 1)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
		}
		return rows.Err()
	}
	calls := []func(context.Context, func(context.Context, *store.Tx) error) error{d.View, d.ViewOnce, d.Update}
	for _, call := range calls {
		if err := call(t.Context(), look); err != nil {
			t.Fatal(err)
		}
	}
	storetest.Exec(t, d, "ALTER TABLE item ADD COLUMN more TEXT")
	for i, call := range calls {
		if err := call(t.Context(), look); err != nil {
			t.Errorf("call %d: %v", i, err)
		}
	}
}
