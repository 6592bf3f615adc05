package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"roshambo/internal/store"
)

// testStatementsFail makes one statement of each kind fail: it is not executed, it returns the
// injected error, and the statements around it are stored.
func testStatementsFail(t *testing.T, open Opener) {
	var each Statements
	d := fresh(t, open, store.Config{Faults: each.Faults()})
	put(t, d, 1, "a", 7)
	const set = "UPDATE dbtest_entry SET value = value + 1"
	// One use of every method of Tx that sends a statement.
	kinds := map[string]func(ctx context.Context, tx *store.Tx) error{
		"exec": func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, set)
			return err
		},
		"deferred": func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Deferred().ExecContext(ctx, set)
			return err
		},
		"query": func(ctx context.Context, tx *store.Tx) error {
			rows, err := tx.QueryContext(ctx, set+" RETURNING id")
			if err != nil {
				return err
			}
			defer rows.Close()
			return rows.Err()
		},
		"query row": func(ctx context.Context, tx *store.Tx) error {
			var id int64
			return tx.QueryRowContext(ctx, set+" RETURNING id").Scan(&id)
		},
		"prefetched": func(ctx context.Context, tx *store.Tx) error {
			const query = "SELECT value FROM dbtest_entry WHERE id = $1"
			tx.Prefetch(query, 1)
			var v int64
			return tx.QueryRowContext(ctx, query, 1).Scan(&v)
		},
		"scan": func(_ context.Context, tx *store.Tx) error {
			return tx.Scan("SELECT value FROM dbtest_entry", nil, func(store.Row) {})
		},
		"bulk insert": func(ctx context.Context, tx *store.Tx) error {
			return store.BulkInsert(ctx, tx, "dbtest_entry", []string{"id", "name", "value"}, [][]any{{99, "z", 1}})
		},
	}
	// The statements before and after the failing one each add 1 and must be stored.
	want := int64(7)
	for name, use := range kinds {
		must(t, d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			must(t, execute(ctx, tx, set))
			each.Fail(1)
			if err := use(ctx, tx); !errors.Is(err, ErrStatement) || each.Failed() == "" {
				t.Errorf("%s: got error %v, want ErrStatement", name, err)
			}
			return execute(ctx, tx, set)
		}))
		want += 2
		if got := stored(t, d); got[1] != want || len(got) != 1 {
			t.Errorf("%s: stored %v, want entry 1 alone with %d", name, got, want)
		}
	}
	testViewStatementsFail(t, d, &each)
}

// execute runs a statement and drops its result.
func execute(ctx context.Context, tx *store.Tx, query string) error {
	_, err := tx.ExecContext(ctx, query)
	return err
}

// testViewStatementsFail makes each statement of the View calls fail in turn.
func testViewStatementsFail(t *testing.T, d *store.DB, each *Statements) {
	t.Helper()
	read := func(ctx context.Context, tx *store.Tx) error {
		if _, err := value(ctx, tx, 1); err != nil {
			return err
		}
		return tx.Scan("SELECT value FROM dbtest_entry", nil, func(store.Row) {})
	}
	for name, view := range map[string]func() error{
		"View": func() error { return d.View(t.Context(), read) },
		"ViewOnce": func() error {
			return d.ViewOnce(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				_, err := value(ctx, tx, 1)
				return err
			})
		},
		"Views": func() error {
			return d.Views(t.Context(), 2, func(ctx context.Context, txs []*store.Tx) error {
				return read(ctx, txs[len(txs)-1])
			})
		},
	} {
		// Fail the first, the second and so on, until a run has fewer statements than n.
		for n := 1; ; n++ {
			each.Fail(n)
			err := view()
			if each.Failed() == "" {
				must(t, err)
				if want := map[string]int{"View": 3, "ViewOnce": 2, "Views": 3}[name]; n != want {
					t.Errorf("%s: %d statements, want %d", name, n-1, want-1)
				}
				break
			}
			if !errors.Is(err, ErrStatement) {
				t.Errorf("%s: statement %d: got error %v, want ErrStatement", name, n, err)
			}
		}
	}
}

// recorder is a testing.TB that collects the failures that Statements reports.
type recorder struct {
	testing.TB
	failures []string
}

// Helper and Logf do nothing.
func (r *recorder) Helper()             {}
func (r *recorder) Logf(string, ...any) {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// Fatalf ends the goroutine, as that of a testing.T does: failuresOf runs use cases on their
// own one.
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// testEachStatement tests Statements itself: it reports no failure for correct use cases, and
// one for each use case that drops an error, stores part of its effect, or exposes it too
// early.
func testEachStatement(t *testing.T, open Opener) {
	place := Blank(t)
	var each Statements
	d := fresh(t, open, store.Config{Path: place.Path, URL: place.URL, Faults: each.Faults()})
	each.Use(t, d, place)
	// memory stands for a cache that callers can observe.
	memory := 0
	each.Shown = func() any { return memory }
	// Each run inserts new ids, so that repeated runs succeed.
	three := threeInserts()
	drop := func(n int) func(in In) (any, error) {
		return func(in In) (any, error) { return nil, three(in, in.Tx, n) }
	}
	// The second transaction follows a failure in the first one.
	two := func(in In) (any, error) {
		step := func(ctx context.Context, tx *store.Tx) error { return three(ctx, tx, 0) }
		return nil, errors.Join(d.Update(in, step), d.Update(in, step))
	}
	for name, c := range map[string]struct {
		use   Case
		sound bool
	}{
		"sound":            {Case{Update: drop(0)}, true},
		"sound view":       {Case{View: Do(entries)}, true},
		"sound steps":      {Case{Steps: two}, true},
		"sound refusal":    {Case{Refused: errRefused, Update: refuses(drop(0))}, true},
		"drops the first":  {Case{Update: drop(1)}, false},
		"drops the second": {Case{Update: drop(2)}, false},
		"drops the last":   {Case{Update: drop(3)}, false},
		"drops that of a step": {Case{Steps: func(in In) (any, error) {
			return nil, d.Update(in, func(ctx context.Context, tx *store.Tx) error { return three(ctx, tx, 2) })
		}}, false},
		"drops that of a view": {Case{View: func(in In) (any, error) { _, _ = entries(in, in.Tx); return nil, nil }}, false},
		"has no statement":     {Case{View: func(In) (any, error) { return nil, nil }}, false},
		"accepts":              {Case{Refused: errRefused, Update: drop(0)}, false},
		// The failing statement's error is replaced rather than wrapped.
		"another error": {Case{Update: func(in In) (any, error) {
			if three(in, in.Tx, 0) != nil {
				return nil, errRefused
			}
			return nil, nil
		}}, false},
		// Two Updates in one use case: a failure in the second leaves the first one stored.
		"stores half": {Case{Call: two}, false},
		"exposes it too early": {Case{Update: func(in In) (any, error) {
			memory++
			return drop(0)(in)
		}}, false},
	} {
		if failures := failuresOf(t, func(t testing.TB) { each.Run(t, []Case{c.use}) }); c.sound != (len(failures) == 0) {
			t.Errorf("%s: failures %q", name, failures)
		}
		each.Failed()
	}
}

// testCases tests what a line of a table says beside its use case.
func testCases(t *testing.T, open Opener) {
	place := Blank(t)
	var each Statements
	d := fresh(t, open, store.Config{Path: place.Path, URL: place.URL, Faults: each.Faults()})
	each.Use(t, d, place)
	put(t, d, 1, "a", 7)
	// both returns an entry's id and value.
	both := func(ctx context.Context, tx *store.Tx, id int64) (int64, int64, error) {
		v, err := value(ctx, tx, id)
		return id, v, err
	}
	one := func(ctx context.Context, tx *store.Tx) (*int64, error) {
		id := int64(1)
		_, err := value(ctx, tx, id)
		return &id, err
	}
	isTwo := func(ctx context.Context, tx *store.Tx) (bool, error) {
		id, err := one(ctx, tx)
		return *id == 2, err
	}
	calls := ""
	note := func(call string) func() { return func() { calls += call } }
	var kept, seven, again int64
	each.Run(t, []Case{
		{Before: note("a"), After: note("b")},
		{Name: "a pointer", View: Do(one), Keep: &kept},
		{Name: "an argument that was kept", View: Do(value, &kept), Want: int64(7), Keep: &seven},
		{Name: "a result that was kept", Before: note("c"), View: Do(value, 1), Want: &seven, After: note("d")},
		{Name: "steps", Before: note("e"), After: note("f"), Steps: Do(func(ctx context.Context) error {
			return d.View(ctx, func(ctx context.Context, tx *store.Tx) error { _, err := value(ctx, tx, kept); return err })
		})},
		{Name: "entries", View: Do(entries), Want: Len(1)},
		{Name: "two results", View: Do(both, 1), Want: func(id, v int64) bool { return id == 1 && v == 7 }},
		{Name: "two that are kept", View: Do(both, 1), Keep: []any{&kept, &again}},
	})
	if want := "abcdefef"; calls != want || again != 7 {
		t.Errorf("called %s, want %s; kept %d, want 7", calls, want, again)
	}
	for name, c := range map[string]Case{
		"another value":  {View: Do(value, 1), Want: int64(8)},
		"another length": {View: Do(entries), Want: Len(2)},
		"another pair":   {View: Do(both, 1), Want: func(id, v int64) bool { return id == v }},
		"false":          {View: Do(isTwo)},
	} {
		if failures := failuresOf(t, func(t testing.TB) { each.Run(t, []Case{c}) }); len(failures) != 1 {
			t.Errorf("%s: failures %q, want one", name, failures)
		}
	}
	wantPanic(t, func() { Do(value) })
	wantPanic(t, func() { Do(value, 1, 2) })
	wantPanic(t, func() { Do(value, "1") })
}

// refuses runs a use case and then refuses.
func refuses(use func(in In) (any, error)) func(in In) (any, error) {
	return func(in In) (any, error) {
		if _, err := use(in); err != nil {
			return nil, err
		}
		return nil, errRefused
	}
}

// threeInserts returns a use case of three statements that drops the error of the one with
// number drop, counted from 1; 0 for none.
func threeInserts() func(ctx context.Context, tx *store.Tx, drop int) error {
	next := int64(0)
	return func(ctx context.Context, tx *store.Tx, drop int) error {
		for i := 1; i <= 3; i++ {
			next++
			if err := insert(ctx, tx, next, fmt.Sprint(next), 1); err != nil && i != drop {
				return err
			}
		}
		return nil
	}
}

// failuresOf returns the failures that Statements reports for a use case.
func failuresOf(t *testing.T, use func(t testing.TB)) []string {
	r := &recorder{TB: t}
	var wait sync.WaitGroup
	wait.Go(func() { use(r) })
	wait.Wait()
	return r.failures
}
