package storetest

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roshambo/internal/store"
)

// testValues stores and reads each kind of value at its bounds.
func testValues(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{})
	type row struct {
		I sql.Null[int64]
		F sql.Null[float64]
		T sql.Null[string]
		B []byte // nil is NULL
	}
	some := func(i int64, f float64, s string, b []byte) row {
		return row{
			sql.Null[int64]{V: i, Valid: true}, sql.Null[float64]{V: f, Valid: true},
			sql.Null[string]{V: s, Valid: true}, b,
		}
	}
	// NULLs, the bounds of numbers, texts that resemble SQL, large and nearly empty values.
	want := []row{
		{},
		some(math.MaxInt64, math.MaxFloat64, "rock ✊, paper ✋, scissors ✌️ '\"", []byte{0, 255, '\'', 0}),
		some(math.MinInt64, -math.SmallestNonzeroFloat64, "-- $1 ?1", bytes.Repeat([]byte{7}, 1<<16)),
		some(0, 0.1, "", []byte{0}),
	}
	var got []row
	must(t, d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for id, r := range want {
			const query = "INSERT INTO dbtest_value (id, i, f, t, b) VALUES ($1, $2, $3, $4, $5)"
			_, err := tx.ExecContext(ctx, query, id, r.I, r.F, r.T, r.B)
			if err != nil {
				return err
			}
		}
		return nil
	}))
	must(t, d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT i, f, t, b FROM dbtest_value ORDER BY id")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var r row
			if err := rows.Scan(&r.I, &r.F, &r.T, &r.B); err != nil {
				return err
			}
			got = append(got, r)
		}
		return rows.Err()
	}))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("(-want +got):", diff)
	}
	must(t, d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE dbtest_value SET b = $1, t = $2", []byte{}, "")
		if err != nil {
			return err
		}
		var n int
		err = tx.QueryRowContext(ctx, "SELECT count(*) FROM dbtest_value WHERE b IS NULL OR t IS NULL").Scan(&n)
		if n != 0 {
			t.Errorf("%d empty values stored as NULL", n)
		}
		return err
	}))
}

// testView checks that a View rejects NUL and writes, and returns the closure's error.
func testView(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{})
	wantErr(t, d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return insert(ctx, tx, 1, "a\x00b", 1)
	}), store.ErrNUL)
	wantErr(t, d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		var n int
		return tx.QueryRowContext(ctx, "SELECT count(*) FROM dbtest_entry WHERE name = $1", "\x00").Scan(&n)
	}), store.ErrNUL)
	err := d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error { return insert(ctx, tx, 1, "a", 1) })
	if err == nil {
		t.Error("a View has written, want an error")
	}
	put(t, d, 1, "a", 10)
	wantErr(t, d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := value(ctx, tx, 2)
		return fmt.Errorf("wrapped: %w", err)
	}), sql.ErrNoRows)
}

// testSnapshot writes while a View reads, between its queries and while it iterates over rows.
func testSnapshot(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{})
	for id := range int64(100) {
		put(t, d, id, fmt.Sprint(id), 1)
	}
	sum := func(ctx context.Context, tx *store.Tx) (n int64) {
		must(t, tx.QueryRowContext(ctx, "SELECT sum(value) FROM dbtest_entry").Scan(&n))
		return n
	}
	// double runs an Update on another goroutine, since a nested call would panic.
	double := func(context.Context, *store.Tx) error {
		done := make(chan error)
		go func() {
			done <- d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.ExecContext(ctx, "UPDATE dbtest_entry SET value = value * 2")
				return err
			})
		}()
		return <-done
	}
	must(t, d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT value FROM dbtest_entry ORDER BY id")
		if err != nil {
			return err
		}
		defer rows.Close()
		// Rows of the open result and a second query must both show the old values.
		for n := 0; rows.Next(); n++ {
			var v int64
			if err := rows.Scan(&v); err != nil {
				return err
			}
			// Commits before the first and in the middle of the rows.
			if n%50 == 0 {
				if err := double(ctx, tx); err != nil {
					return err
				}
			}
			if v != 1 || sum(ctx, tx) != 100 {
				t.Fatalf("row %d: value %d, sum %d: later than the snapshot", n, v, sum(ctx, tx))
			}
		}
		return rows.Err()
	}))
	must(t, d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		// Two commits have doubled the values of 100 entries.
		if got := sum(ctx, tx); got != 400 {
			t.Errorf("sum %d in a new View, want 400", got)
		}
		return nil
	}))
}

// testViewCancelled cancels a View's context while it iterates over rows.
func testViewCancelled(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{Readers: 1})
	put(t, d, 1, "a", 1)
	put(t, d, 2, "b", 1)
	ctx, leave := context.WithCancel(t.Context())
	err := d.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT id FROM dbtest_entry")
		must(t, err)
		defer rows.Close()
		if !rows.Next() {
			t.Error("no first row:", rows.Err())
		}
		leave()
		// Rows end with the context, and so does the next statement.
		if rows.Next() {
			t.Error("got a row after the context was cancelled")
		}
		wantErr(t, rows.Err(), context.Canceled)
		_, err = value(ctx, tx, 1)
		return err
	})
	wantErr(t, err, context.Canceled)
	// The only reader's slot is free again.
	if got := stored(t, d); len(got) != 2 {
		t.Errorf("read %v afterwards", got)
	}
}

// testRowsLeftOpen checks that closures that leave rows open fail, and that the database stays
// usable.
func testRowsLeftOpen(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{Readers: 1})
	put(t, d, 1, "a", 1)
	var kept *sql.Rows
	forgetful := func(ctx context.Context, tx *store.Tx) (err error) {
		_ = tx.QueryRowContext(ctx, "SELECT value FROM dbtest_entry WHERE id = $1", 1)
		const query = "SELECT id FROM dbtest_entry"
		kept, err = tx.QueryContext(ctx, query) //nolint:rowserrcheck,sqlclosecheck // left open on purpose
		return err
	}
	late := func() {
		t.Helper()
		if kept.Next() {
			t.Error("rows left open can still be read")
		}
		kept.Close()
	}
	// Three rounds with one reader: a leaked connection would block the second one.
	for range 3 {
		if d.View(t.Context(), forgetful) == nil {
			t.Error("a View that leaves rows open has succeeded")
		}
		late()
		err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			must(t, insert(ctx, tx, 2, "b", 2))
			return forgetful(ctx, tx)
		})
		if err == nil {
			t.Error("an Update that leaves rows open has succeeded")
		}
		late()
	}
	put(t, d, 3, "c", 3)
	if diff := cmp.Diff(map[int64]int64{1: 1, 3: 3}, stored(t, d)); diff != "" {
		t.Error("(-want +got):", diff)
	}
}

// testStatements uses one text while its rows are open, more texts than any cache holds,
// prepared statements, and a table whose columns change.
func testStatements(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{})
	for id := range int64(4) {
		put(t, d, id, fmt.Sprint(id), id)
	}
	combined := 0
	must(t, d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		const text = "SELECT id, value FROM dbtest_entry"
		outer, err := tx.QueryContext(ctx, text)
		if err != nil {
			return err
		}
		defer outer.Close()
		for outer.Next() {
			inner, err := pairs(ctx, tx, text)
			if err != nil {
				return err
			}
			combined += len(inner)
		}
		return outer.Err()
	}))
	// 4 outer rows with 4 inner rows each: the text had two statements at once.
	if combined != 16 {
		t.Errorf("%d rows combined with each other, want 16", combined)
	}
	must(t, d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		// More texts than the cache of a connection holds.
		for n := range 1000 {
			var got int
			must(t, tx.QueryRowContext(ctx, fmt.Sprintf("SELECT %d", n)).Scan(&got))
			if got != n {
				t.Fatalf("got %d, want %d", got, n)
			}
		}
		for range 2 {
			_, err := tx.ExecContext(ctx, "UPDATE dbtest_entry SET value = value + $1 WHERE id = $2", 10, 3)
			must(t, err)
		}
		// Cached statements of this table must be prepared again.
		_, err := tx.ExecContext(ctx, "ALTER TABLE dbtest_entry ADD COLUMN note TEXT")
		return err
	}))
	if got := stored(t, d)[3]; got != 23 {
		t.Errorf("value %d after two updates, want 23", got)
	}
	for _, text := range []string{"COMMIT", " rollback", "-- name: End :exec\nEND", "/* so */ SAVEPOINT a", "BEGIN"} {
		err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, text)
			return err
		})
		if err == nil {
			t.Errorf("%q has succeeded, want an error", text)
		}
	}
}

// testTables describes the tables: a child behind its parent, keys in their order, and numbers that go on behind rows
// that were inserted with one.
func testTables(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{})
	// The engines number rows in their own ways.
	number := "INTEGER PRIMARY KEY"
	if Postgres() {
		number = "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"
	}
	must(t, d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for _, text := range []string{
			"CREATE TABLE dbtest_number (id " + number + ", t TEXT)",
			"CREATE TABLE dbtest_a (x TEXT, y BYTEA, n BIGINT REFERENCES dbtest_child (id), PRIMARY KEY (y, x))",
		} {
			if _, err := tx.ExecContext(ctx, SQL(text)); err != nil {
				return err
			}
		}
		return store.BulkLoad(ctx, tx, "dbtest_number", []string{"id", "t"}, [][]any{{int64(7), "a"}, {int64(41), "b"}})
	}))
	tables, err := d.Tables(t.Context())
	must(t, err)
	// The others come from the migrations.
	tables = slices.DeleteFunc(tables, func(t store.Table) bool { return !strings.HasPrefix(t.Name, "dbtest_") })
	var order []string
	for _, table := range tables {
		order = append(order, table.Name)
	}
	want := []string{"dbtest_entry", "dbtest_number", "dbtest_value", "dbtest_child", "dbtest_a"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Fatal("the order of tables (-want +got):", diff)
	}
	// The key of the last one is not in the order of its columns.
	last, numbered := tables[len(tables)-1], tables[1]
	if diff := cmp.Diff([]string{"y", "x"}, last.Key); diff != "" {
		t.Error("the primary key (-want +got):", diff)
	}
	if diff := cmp.Diff([]string{"dbtest_child"}, last.Parents); diff != "" {
		t.Error("the parents (-want +got):", diff)
	}
	// Without Advance, PostgreSQL would number this row 1.
	var id int64
	must(t, d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if advance := numbered.Columns[0].Advance; advance != "" {
			must(t, tx.Scan(advance, nil, func(store.Row) {}))
		}
		return tx.QueryRowContext(ctx, "INSERT INTO dbtest_number (t) VALUES ('c') RETURNING id").Scan(&id)
	}))
	if id != 42 {
		t.Errorf("the next number is %d, want 42", id)
	}
	// The sessions of this program do not count.
	if others, err := d.Others(t.Context()); err != nil || len(others) != 0 {
		t.Errorf("other sessions %v, error %v", others, err)
	}
}
