package storetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roshambo/internal/store"
)

// testConstraints violates each kind of constraint: IsUnique accepts unique violations alone,
// and none of the use cases stores anything.
func testConstraints(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{})
	put(t, d, 1, "a", 1)
	// Each statement fails; the value is the expected result of IsUnique.
	for text, unique := range map[string]bool{
		"INSERT INTO dbtest_entry (id, name, value) VALUES (1, 'b', 1)":  true,
		"INSERT INTO dbtest_entry (id, name, value) VALUES (2, 'a', 1)":  true,
		"UPDATE dbtest_entry SET name = 'a' WHERE id = 3":                true,
		"INSERT INTO dbtest_entry (id, name, value) VALUES (2, 'b', -1)": false,
		"INSERT INTO dbtest_entry (id, name, value) VALUES (2, NULL, 1)": false,
		"INSERT INTO dbtest_child (id, entry) VALUES (1, 17)":            false,
		"INSERT INTO dbtest_nowhere (id) VALUES (1)":                     false,
	} {
		err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			must(t, insert(ctx, tx, 3, "c", 3))
			_, err := tx.ExecContext(ctx, text)
			if err != nil {
				return fmt.Errorf("wrapped: %w", err)
			}
			return nil
		})
		if err == nil || store.IsUnique(err) != unique || errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: error %v, IsUnique %v, want %v", text, err, store.IsUnique(err), unique)
		}
	}
	if got := stored(t, d); len(got) != 1 {
		t.Errorf("stored %v, want entry 1 alone", got)
	}
	if store.IsUnique(nil) || store.IsUnique(sql.ErrNoRows) {
		t.Error("IsUnique of other errors")
	}
}

// testBulkUpsert upserts and selects around the chunk limits.
func testBulkUpsert(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{})
	target := store.UpsertTarget{Table: "dbtest_entry", Key: []string{"id"}, Others: []string{"name", "value"}}
	want := map[int]int{}
	// Sizes below and above deferRowLimit and the chunk of 128 rows of three columns. Later
	// rounds overwrite the rows of earlier ones.
	for round, n := range []int{0, 1, 17, 170, 600} {
		rows := make([][]any, n)
		for id := range rows {
			want[id] = id + round
			rows[id] = []any{id, fmt.Sprint("name ", id, " of ", round), want[id]}
		}
		must(t, d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			return store.BulkUpsert(ctx, tx, target, rows)
		}))
		got := map[int]int{}
		// More values than selectLimit, most of them without a row.
		values := []any{-1}
		for id := range 1000 {
			values = append(values, id)
		}
		query := store.Query{
			Text: "SELECT id, value FROM dbtest_entry WHERE value >= $1 AND id IN (?) AND value < $2",
			Args: []any{0, 1000},
		}
		must(t, d.View(t.Context(), func(_ context.Context, tx *store.Tx) error {
			return store.BulkSelect(tx, query, values, func(r store.Row) error {
				got[int(r.Int(0))] = int(r.Int(1))
				return nil
			})
		}))
		if !maps.Equal(got, want) {
			t.Errorf("after %d rows: %v, want %v", n, got, want)
		}
	}
	failing := errors.New("failing scan")
	must(t, d.View(t.Context(), func(_ context.Context, tx *store.Tx) error {
		query := store.Query{Text: "SELECT id FROM dbtest_entry WHERE id IN (?)"}
		err := store.BulkSelect(tx, query, []any{1, 2, 3}, func(store.Row) error { return failing })
		if !errors.Is(err, failing) {
			t.Errorf("error %v, want that of scan", err)
		}
		return nil
	}))
}

// testBulkInsert inserts around the chunk limits, and checks that bad names and rows are
// refused.
func testBulkInsert(t *testing.T, open Opener) { testBulk(t, open, store.BulkInsert) }

// testBulkLoad is testBulkInsert by BulkLoad.
func testBulkLoad(t *testing.T, open Opener) {
	testBulk(t, open, func(ctx context.Context, tx *store.Tx, table string, columns []string, rows [][]any) error {
		// COPY takes values as they are: no conversion of a database driver is between.
		for _, row := range rows {
			for i, v := range row {
				if n, ok := v.(int); ok {
					row[i] = int64(n)
				}
			}
		}
		return store.BulkLoad(ctx, tx, table, columns, rows)
	})
	// Each kind of value, and a statement before and after.
	d := fresh(t, open, store.Config{})
	columns, rows := []string{"id", "i", "t", "b"}, [][]any{
		{int64(1), int64(math.MinInt64), "✊ \\N \t", []byte{0, 255}}, {int64(2), nil, nil, nil},
		{int64(3), int64(0), "", []byte{}},
	}
	// One transaction holds all three: PostgreSQL has begun it when COPY arrives, and goes on behind it.
	must(t, d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		must(t, insert(ctx, tx, 1, "before", 1))
		must(t, store.BulkLoad(ctx, tx, "dbtest_value", columns, rows))
		_, err := add(ctx, tx, 1, 1)
		return err
	}))
	// NULL and empty values stay apart.
	var got [][]any
	must(t, d.View(t.Context(), func(_ context.Context, tx *store.Tx) error {
		got = nil
		return tx.Scan("SELECT id, i, t, b FROM dbtest_value ORDER BY id", nil, func(r store.Row) {
			row := []any{r.Int(0), nil, nil, nil}
			if !r.Null(1) {
				row[1], row[2], row[3] = r.Int(1), string(r.Bytes(2)), append([]byte{}, r.Bytes(3)...)
			}
			got = append(got, row)
		})
	}))
	if diff := cmp.Diff(rows, got); diff != "" {
		t.Error("after a load (-want +got):", diff)
	}
	if got := stored(t, d); got[1] != 2 {
		t.Errorf("the entry beside it holds %d, want 2", got[1])
	}
}

// testBulk inserts around the chunk limits, and inserts that are refused.
func testBulk(t *testing.T, open Opener,
	insert func(ctx context.Context, tx *store.Tx, table string, columns []string, rows [][]any) error) {
	t.Helper()
	d := fresh(t, open, store.Config{})
	columns := []string{"id", "name", "value"}
	bulk := func(table string, columns []string, rows [][]any) error {
		return d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			return insert(ctx, tx, table, columns, rows)
		})
	}
	next := 0
	for _, n := range []int{0, 1, 2, 3, 170, 171, 1000} {
		rows := make([][]any, n)
		for i := range rows {
			rows[i] = []any{next, fmt.Sprint("name ", next), next * 2}
			next++
		}
		must(t, bulk("dbtest_entry", columns, rows))
	}
	got := stored(t, d)
	if len(got) != next {
		t.Errorf("%d rows stored, want %d", len(got), next)
	}
	for id, v := range got {
		if v != id*2 {
			t.Errorf("row %d holds %d, want %d", id, v, id*2)
		}
	}

	// A duplicate key after a new row: the new row must be rolled back.
	again := [][]any{{next, "new", 1}, {0, "taken", 1}}
	if err := bulk("dbtest_entry", columns, again); !store.IsUnique(err) {
		t.Errorf("an existing id: error %v, want IsUnique", err)
	}
	// Invalid names and rows: no statement may reach the database.
	one := [][]any{{-1, "one", 1}}
	for name, err := range map[string]error{
		"no columns":       bulk("dbtest_entry", nil, [][]any{{}}),
		"short row":        bulk("dbtest_entry", columns, [][]any{{-1, "one", 1}, {-2, "two"}}),
		"uneven rows":      bulk("dbtest_entry", columns, [][]any{{-1, "one", 1, -2}, {"two", 2}}),
		"table injection":  bulk("dbtest_entry; DROP TABLE dbtest_entry", columns, one),
		"table quoting":    bulk(`"dbtest_entry"`, columns, one),
		"column injection": bulk("dbtest_entry", []string{"id", "name", "value) VALUES (1,'',1); --"}, one),
		"empty name":       bulk("", columns, one),
		"unknown column":   bulk("dbtest_entry", []string{"id", "name", "nothing"}, one),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// No refused insert has stored anything.
	if n := len(stored(t, d)); n != next {
		t.Errorf("%d rows after refused inserts, want %d", n, next)
	}
}
