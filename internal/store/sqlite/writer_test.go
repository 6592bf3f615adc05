package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite" // acts as another process

	"roshambo/internal/store"
	"roshambo/internal/store/sqlite"
	"roshambo/internal/store/storetest"
)

// together starts the use cases while the writer is blocked, so that they queue in order and
// form one batch, and returns their errors.
func together(t *testing.T, d *store.DB, cases ...func(context.Context, *store.Tx) error) []error {
	t.Helper()
	errs := make([]error, len(cases))
	var wg sync.WaitGroup
	err := d.Update(t.Context(), func(context.Context, *store.Tx) error {
		for i, fn := range cases {
			wg.Go(func() { errs[i] = d.Update(t.Context(), fn) })
			for d.Stats().Queue <= i {
				runtime.Gosched()
			}
		}
		return errBlocker // its transaction contains no other use case
	})
	if !errors.Is(err, errBlocker) {
		t.Fatal(err)
	}
	wg.Wait()
	return errs
}

var (
	errBlocker = errors.New("blocked the writer")
	errRefused = errors.New("refused")
)

// table opens a database with a table n, whose batches do not close by time.
func table(t *testing.T, c store.Config) *store.DB {
	t.Helper()
	d := sqlite.With(c).WithBatchTime(time.Hour).Open(t)
	storetest.Exec(t, d, "CREATE TABLE n (id INTEGER PRIMARY KEY, body BLOB) STRICT")
	return d
}

// insert returns a use case that inserts an id and returns then.
func insert(id int, then error) func(context.Context, *store.Tx) error {
	return func(ctx context.Context, tx *store.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO n (id) VALUES ($1)", id); err != nil {
			return err
		}
		return then
	}
}

func TestGroupCommit(t *testing.T) {
	t.Parallel()
	d := table(t, store.Config{Batch: 8})
	before := d.Stats().Batches
	var cases []func(context.Context, *store.Tx) error
	for id := range 20 {
		cases = append(cases, insert(id, nil))
	}
	for i, err := range together(t, d, cases...) {
		if err != nil {
			t.Errorf("use case %d: %v", i, err)
		}
	}
	s := d.Stats()
	if n := s.Batches - before; n != 3 || s.LargestBatch != 8 {
		t.Errorf("20 use cases took %d commits, the largest of %d; want 3 commits of at most 8", n, s.LargestBatch)
	}
	if s.CommitTime <= 0 || s.LongestCommit <= 0 || s.LongestCommit > s.CommitTime || s.Queue != 0 {
		t.Errorf("stats %+v", s)
	}
}

// TestSlowUseCaseEndsBatch checks that a slow use case closes its batch.
func TestSlowUseCaseEndsBatch(t *testing.T) {
	t.Parallel()
	d := sqlite.With(store.Config{}).WithBatchTime(time.Millisecond).Open(t)
	before := d.Stats().Batches
	slow := func(context.Context, *store.Tx) error {
		<-time.After(2 * time.Millisecond)
		return nil
	}
	for _, err := range together(t, d, slow, slow, slow) {
		if err != nil {
			t.Error(err)
		}
	}
	if n := d.Stats().Batches - before; n != 3 {
		t.Errorf("%d commits for 3 slow use cases, want 3", n)
	}
}

// TestBatchNotStored checks that all members of a failed batch are rerun, including those that
// had refused because of another member's writes.
func TestBatchNotStored(t *testing.T) {
	t.Parallel()
	var fault store.Fault
	runs := 0
	d := table(t, store.Config{Faults: &store.Faults{Commit: func() (f store.Fault) {
		f, fault = fault, store.NoFault
		return f
	}}})
	errs := together(t, d,
		func(ctx context.Context, tx *store.Tx) error {
			runs++
			if runs == 2 {
				return errRefused // the next use case then succeeds
			}
			fault = store.NotStored
			return insert(1, nil)(ctx, tx)
		},
		insert(1, nil),
		insert(2, nil),
		insert(3, errRefused),
	)
	if !errors.Is(errs[0], errRefused) || errs[1] != nil || errs[2] != nil || !errors.Is(errs[3], errRefused) {
		t.Errorf("errors %v, want refused, nil, nil, refused", errs)
	}
	if n := storetest.Number(t, d, "SELECT sum(id) FROM n"); n != 3 {
		t.Errorf("sum of stored ids %d, want 1 + 2", n)
	}
	if n := d.Stats().Reruns; n != 4 {
		t.Errorf("%d reruns, want 4", n)
	}
}

// TestDiskFull makes SQLite itself break a transaction, in the first or a later member of a
// batch: it then rolls back the earlier members, and later statements would commit one by one.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		first bool
		then  string
	}{{false, "fail"}, {false, "swallow"}, {false, "go on"}, {true, "fail"}, {true, "swallow"}, {true, "go on"}} {
		d := table(t, store.Config{})
		fill := func(ctx context.Context, tx *store.Tx) error {
			var pages int64
			if err := tx.QueryRowContext(ctx, "PRAGMA max_page_count = 1").Scan(&pages); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, "INSERT INTO n (id, body) VALUES (99, $1)", make([]byte, 1<<20))
			if err == nil {
				t.Error("an insert into a full file has succeeded")
			}
			switch c.then {
			case "swallow":
				return nil
			case "go on":
				return insert(98, nil)(ctx, tx)
			}
			return err
		}
		cases := []func(context.Context, *store.Tx) error{insert(1, nil), insert(2, errRefused), insert(3, nil)}
		at := 2
		if c.first {
			at = 0
		}
		errs := together(t, d, slices.Insert(cases, at, fill)...)
		if !errors.Is(errs[at], store.ErrFull) || errors.Is(errs[at], store.ErrUnavailable) {
			t.Errorf("%+v: error %v, want ErrFull", c, errs[at])
		}
		errs = slices.Delete(errs, at, at+1)
		if errs[0] != nil || !errors.Is(errs[1], errRefused) || errs[2] != nil {
			t.Errorf("%+v: errors of the others %v", c, errs)
		}
		if n := storetest.Number(t, d, "SELECT sum(id) FROM n"); n != 4 {
			t.Errorf("%+v: sum of stored ids %d, want 1 + 3", c, n)
		}
	}
}

// TestForeignWriter has another process hold SQLite's write lock.
func TestForeignWriter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	d := table(t, store.Config{Path: path})
	storetest.Exec(t, d, "PRAGMA busy_timeout = 0")
	foreign, err := sql.Open("sqlite", path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	tx, err := foreign.Begin()
	if err != nil {
		t.Fatal(err)
	}
	never := func(context.Context, *store.Tx) error {
		t.Error("the closure has run although the database is locked")
		return nil
	}
	if err := d.Update(t.Context(), never); !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, store.ErrNotStored) {
		t.Errorf("error %v, want ErrUnavailable and ErrNotStored", err)
	}
	if err := errors.Join(tx.Rollback(), foreign.Close()); err != nil {
		t.Fatal(err)
	}
	storetest.Exec(t, d, "INSERT INTO n (id) VALUES (1)")
}

func TestTimesAreRefused(t *testing.T) {
	t.Parallel()
	d := table(t, store.Config{})
	err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO n (id) VALUES ($1)", time.Now())
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "integers") {
		t.Errorf("error %v, want one about integers", err)
	}
}

// TestQueueOverflows checks that more callers than the queue holds all run or cancel.
func TestQueueOverflows(t *testing.T) {
	t.Parallel()
	d := table(t, store.Config{})
	ctx, leave := context.WithCancel(t.Context())
	const callers = 1500
	var wg sync.WaitGroup
	errs := make([]error, callers)
	err := d.Update(t.Context(), func(context.Context, *store.Tx) error {
		for i := range errs {
			wg.Go(func() {
				c := t.Context()
				if i%2 == 0 {
					c = ctx
				}
				errs[i] = d.Update(c, insert(i, nil))
			})
		}
		for d.Stats().Queue < 1024 {
			runtime.Gosched()
		}
		leave()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	stored := int64(0)
	for i, err := range errs {
		switch {
		case err == nil:
			stored++
		case i%2 != 0 || !errors.Is(err, context.Canceled):
			t.Error(fmt.Errorf("use case %d: %w", i, err))
		}
	}
	if n := storetest.Number(t, d, "SELECT count(*) FROM n"); n != stored || stored < callers/2 {
		t.Errorf("%d stored, %d acknowledged", n, stored)
	}
}

// blockedLog counts log lines about slow updates that block the queue.
type blockedLog chan struct{}

func (h blockedLog) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("blocks the queue")) {
		h <- struct{}{}
	}
	return len(line), nil
}

// TestNestedWithAnotherContext nests calls with a context that does not identify the closure:
// they would wait for themselves.
func TestNestedWithAnotherContext(t *testing.T) {
	t.Parallel()
	log := make(blockedLog, 100)
	c := store.Config{Readers: 1, Logger: slog.New(slog.NewTextHandler(log, nil))}
	d := sqlite.With(c).WithSlowRun(time.Millisecond).Open(t)
	nothing := func(context.Context, *store.Tx) error { return nil }
	calls := map[string]func(context.Context, func(context.Context, *store.Tx) error) error{
		"View": d.View, "Update": d.Update,
	}
	for name, call := range calls {
		got := func() (v any) {
			defer func() { v = recover() }()
			return call(t.Context(), func(context.Context, *store.Tx) error { return call(t.Context(), nothing) })
		}()
		if s, _ := got.(string); !strings.HasPrefix(s, "store: "+name+" called inside a closure") {
			t.Errorf("%s: panic with %v", name, got)
		}
	}
	// A call that waits for another closure, however long, does not panic.
	for len(log) > 0 { // lines of the nested calls
		<-log
	}
	var wg sync.WaitGroup
	err := d.Update(t.Context(), func(context.Context, *store.Tx) error {
		wg.Go(func() {
			if err := d.Update(t.Context(), nothing); err != nil {
				t.Error(err)
			}
		})
		for d.Stats().Queue == 0 {
			runtime.Gosched()
		}
		<-log
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	wg.Wait()
}
