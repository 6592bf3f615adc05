package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"roshambo/internal/store"
)

// testUpdate checks that a closure sees its own writes, that its error is returned unchanged
// and that its writes are rolled back.
func testUpdate(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{})
	put(t, d, 1, "a", 10)
	err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		must(t, insert(ctx, tx, 2, "b", 20))
		if v, err := add(ctx, tx, 2, 5); err != nil || v != 25 {
			t.Errorf("inside, after its own write: %d, %v", v, err)
		}
		return errRefused
	})
	if err != errRefused { //nolint:errorlint // it comes back as it is
		t.Errorf("got error %v, want that of the closure", err)
	}
	if diff := cmp.Diff(map[int64]int64{1: 10}, stored(t, d)); diff != "" {
		t.Error("after a refused update (-want +got):", diff)
	}
}

// testPanic checks that a panic rolls back and continues in the caller.
func testPanic(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{})
	put(t, d, 1, "a", 10)
	got := wantPanic(t, func() {
		_ = d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			must(t, insert(ctx, tx, 2, "b", 20))
			panic(errRefused)
		})
	})
	if got != any(errRefused) {
		t.Errorf("panic with %v, want the closure's value", got)
	}
	wantPanic(t, func() {
		_ = d.View(t.Context(), func(context.Context, *store.Tx) error { panic("in a view") })
	})
	// The writer and the readers stay usable.
	put(t, d, 3, "c", 30)
	if diff := cmp.Diff(map[int64]int64{1: 10, 3: 30}, stored(t, d)); diff != "" {
		t.Error("after a panic (-want +got):", diff)
	}
}

// testGoexit ends the caller's goroutine inside a closure, as FailNow does.
func testGoexit(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			if err := insert(ctx, tx, 1, "a", 1); err != nil {
				t.Error(err)
			}
			runtime.Goexit()
			return nil
		})
	})
	wg.Go(func() {
		_ = d.View(t.Context(), func(context.Context, *store.Tx) error {
			runtime.Goexit()
			return nil
		})
	})
	wg.Wait()
	// Neither the writer nor a reader's slot is lost.
	put(t, d, 2, "b", 2)
	if diff := cmp.Diff(map[int64]int64{2: 2}, stored(t, d)); diff != "" {
		t.Error("after an ended goroutine (-want +got):", diff)
	}
}

// testIsolatedEffects runs use cases concurrently that succeed, fail and panic.
func testIsolatedEffects(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{})
	want := map[int64]int64{}
	var wg sync.WaitGroup
	for id := range int64(300) {
		if id%3 == 0 {
			want[id] = id
		}
		wg.Go(func() {
			defer func() {
				if v := recover(); (v != nil) != (id%3 == 2) {
					t.Errorf("use case %d panicked with %v", id, v)
				}
			}()
			err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				if err := insert(ctx, tx, id, fmt.Sprint(id), id); err != nil {
					return err
				}
				// id%3: 0 succeeds, 1 fails, 2 panics
				switch id % 3 {
				case 1:
					return errRefused
				case 2:
					panic("refused by a panic")
				}
				return nil
			})
			if (id%3 == 1) != errors.Is(err, errRefused) || id%3 == 0 && err != nil {
				t.Errorf("use case %d: %v", id, err)
			}
		})
	}
	wg.Wait()
	if diff := cmp.Diff(want, stored(t, d)); diff != "" {
		t.Error("(-want +got):", diff)
	}
}

// testNoLostUpdates increments one entry from several goroutines.
func testNoLostUpdates(t *testing.T, open Opener) {
	d := fresh(t, open, fewWriters)
	put(t, d, 1, "counter", 0)
	const callers, each = 16, 50
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range each {
				err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
					_, err := add(ctx, tx, 1, 1)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := stored(t, d)[1]; got != callers*each {
		t.Errorf("counted %d of %d", got, callers*each)
	}
	// The suite's own Updates are counted as well.
	if s := d.Stats(); s.Updates < callers*each {
		t.Errorf("stats count %d updates, want at least %d", s.Updates, callers*each)
	}
}

// testSerial checks for write skew: each use case may decrease its own entry while the sum of
// both suffices. Executed serially, they never exceed the limit.
func testSerial(t *testing.T, open Opener) {
	d := fresh(t, open, fewWriters)
	put(t, d, 1, "a", 20)
	put(t, d, 2, "b", 20)
	var wg sync.WaitGroup
	for caller := range int64(8) {
		wg.Go(func() {
			for range 10 {
				err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
					// The sum is read from both entries, but only one of them is written.
					all, err := entries(ctx, tx)
					if err != nil {
						return err
					}
					if own := 1 + caller%2; all[1]+all[2] > 30 && all[own] > 0 {
						_, err = add(ctx, tx, own, -1)
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := stored(t, d); got[1]+got[2] != 30 {
		t.Errorf("%d and %d left, want 30 together", got[1], got[2])
	}
}

// testCallerCancels cancels the context of callers before, while and after their closures run.
func testCallerCancels(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{})
	gone, leave := context.WithCancel(t.Context())
	leave()
	never := func(context.Context, *store.Tx) error {
		t.Error("the closure of a cancelled caller has run")
		return nil
	}
	// Cancelled before the call.
	wantErr(t, d.Update(gone, never), context.Canceled)
	wantErr(t, d.View(gone, never), context.Canceled)

	// Cancelled while the closure runs: it must not notice.
	ctx, leave := context.WithTimeout(t.Context(), time.Hour)
	err := d.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		leave()
		if _, ok := ctx.Deadline(); ok || ctx.Err() != nil || ctx.Done() != nil {
			t.Error("the closure's context ends")
		}
		return insert(ctx, tx, 1, "a", 1)
	})
	must(t, err)
	if diff := cmp.Diff(map[int64]int64{1: 1}, stored(t, d)); diff != "" {
		t.Error("begun before its caller cancelled (-want +got):", diff)
	}

	// Callers that cancel while queued: each error states whether the closure ran.
	var wg sync.WaitGroup
	var errs [10]error
	queued, leave := context.WithCancel(t.Context())
	must(t, d.Update(t.Context(), func(context.Context, *store.Tx) error {
		// They queue while this Update holds the writer.
		for i := range errs {
			wg.Go(func() {
				errs[i] = d.Update(queued, func(ctx context.Context, tx *store.Tx) error {
					return insert(ctx, tx, int64(10+i), fmt.Sprint(i), 1)
				})
			})
		}
		leave()
		return nil
	}))
	wg.Wait()
	actual := stored(t, d)
	// nil if and only if the entry is stored.
	for i, err := range errs {
		_, there := actual[int64(10+i)]
		if there != (err == nil) || err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("use case %d: error %v, stored %v", i, err, there)
		}
	}
}

// testNested checks that nested calls, and the use of a Tx after its closure, panic.
func testNested(t *testing.T, open Opener) {
	d, other := fresh(t, open, store.Config{}), fresh(t, open, store.Config{})
	inside := func(ctx context.Context, _ *store.Tx) error {
		// Either call would wait for itself, or see another snapshot.
		for _, call := range []func(context.Context, func(context.Context, *store.Tx) error) error{d.View, d.Update} {
			v := wantPanic(t, func() {
				_ = call(ctx, func(context.Context, *store.Tx) error { return nil })
			})
			if s, _ := v.(string); !strings.Contains(s, "inside the closure") {
				t.Errorf("nested call: panic with %v", v)
			}
		}
		// A call of another database is allowed.
		return other.View(ctx, func(context.Context, *store.Tx) error { return nil })
	}
	must(t, d.View(t.Context(), inside))
	must(t, d.Update(t.Context(), inside))

	// A Tx is invalid after its closure has returned.
	var kept *store.Tx
	must(t, d.Update(t.Context(), func(_ context.Context, tx *store.Tx) error {
		kept = tx
		return nil
	}))
	wantPanic(t, func() { _ = insert(t.Context(), kept, 1, "late", 1) })
}

// testAfterCommit checks when callbacks run, and that they may call View.
func testAfterCommit(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{Readers: 1})
	var ran []string
	must(t, d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		tx.AfterCommit(func() {
			ran = append(ran, "first")
			err := d.View(ctx, func(ctx context.Context, tx *store.Tx) error {
				_, err := value(ctx, tx, 1)
				return err
			})
			if err != nil {
				t.Error("the effect is not visible:", err)
			}
		})
		tx.AfterCommit(func() { ran = append(ran, "second") })
		return insert(ctx, tx, 1, "a", 1)
	}))
	must(t, d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		tx.AfterCommit(func() {
			ran = append(ran, "view")
			must(t, d.View(ctx, func(context.Context, *store.Tx) error { return nil }))
		})
		return nil
	}))
	// No callback after a rollback.
	never := func(_ context.Context, tx *store.Tx) error {
		tx.AfterCommit(func() { ran = append(ran, "never") })
		return errRefused
	}
	wantErr(t, d.Update(t.Context(), never), errRefused)
	wantErr(t, d.View(t.Context(), never), errRefused)
	if want := []string{"first", "second", "view"}; !slices.Equal(ran, want) {
		t.Errorf("ran %q, want %q", ran, want)
	}
}

// testClose closes while a View and an Update are in progress: Close waits for both, and later
// calls are refused.
func testClose(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{})
	nothing := func(context.Context, *store.Tx) error { return nil }
	closed := make(chan error)
	must(t, d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		must(t, d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			go func() { closed <- d.Close() }()
			for !errors.Is(d.View(t.Context(), nothing), store.ErrClosed) {
				runtime.Gosched()
			}
			return insert(ctx, tx, 1, "a", 1)
		}))
		// Close must not return while the View is open.
		for range 1000 {
			select {
			case err := <-closed:
				t.Fatalf("closed (error %v) under a View", err)
			default:
				runtime.Gosched()
			}
		}
		_, err := value(ctx, tx, 1)
		return err
	}))
	// Once the View has ended, Close returns and all later calls fail.
	must(t, <-closed)
	wantErr(t, d.Update(t.Context(), nothing), store.ErrClosed)
	wantErr(t, d.View(t.Context(), nothing), store.ErrClosed)
	must(t, d.Close())
}
