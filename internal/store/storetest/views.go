package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"roshambo/internal/store"
)

// testViews reads with several transactions while another goroutine writes: all see the same
// snapshot, from the first query to the last.
func testViews(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{Readers: 8})
	put(t, d, 1, "a", 0)
	ctx, stop := context.WithCancel(t.Context())
	var writer sync.WaitGroup
	// The writer commits continuously, so that snapshots differ unless the engine aligns them.
	writer.Go(func() {
		for ctx.Err() == nil {
			if err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.ExecContext(ctx, "UPDATE dbtest_entry SET value = value + 1")
				return err
			}); err != nil {
				t.Error(err)
			}
		}
	})
	sizes := map[int]bool{}
	for range 60 {
		after := 0
		must(t, d.Views(t.Context(), 4, func(ctx context.Context, txs []*store.Tx) error {
			sizes[len(txs)] = true
			first, err := value(ctx, txs[0], 1)
			must(t, err)
			for now := first; now == first; { // until a newer value is committed
				now = latest(t, d)
			}
			var readers sync.WaitGroup
			for _, tx := range txs {
				readers.Go(func() {
					if v, err := value(ctx, tx, 1); err != nil || v != first {
						t.Errorf("one snapshot: got %d and %d, error %v", first, v, err)
					}
				})
			}
			readers.Wait()
			txs[len(txs)-1].AfterCommit(func() { after++ })
			return nil
		}))
		if after != 1 {
			t.Errorf("AfterCommit has run %d times", after)
		}
	}
	stop()
	writer.Wait()
	for n := range sizes {
		if n < 1 || n > 4 {
			t.Errorf("%d transactions, want 1 to 4", n)
		}
	}
}

// latest returns the value of the first entry in a new View.
func latest(t *testing.T, d *store.DB) (v int64) {
	t.Helper()
	must(t, d.View(t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		v, err = value(ctx, tx, 1)
		return err
	}))
	return v
}

// testViewsShareSlots checks that Views receive fewer transactions when slots are short, and
// that no call deadlocks.
func testViewsShareSlots(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{Readers: 3})
	put(t, d, 1, "a", 7)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			err := d.Views(t.Context(), 8, func(ctx context.Context, txs []*store.Tx) error {
				if len(txs) < 1 || len(txs) > 3 {
					t.Errorf("%d transactions", len(txs))
				}
				for _, tx := range txs {
					if v, err := value(ctx, tx, 1); err != nil || v != 7 {
						t.Errorf("value %d, error %v", v, err)
					}
				}
				return errors.ErrUnsupported
			})
			wantErr(t, err, errors.ErrUnsupported)
		})
	}
	// All sixteen calls return although together they ask for 128 slots.
	all.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantErr(t, d.Views(ctx, 2, func(context.Context, []*store.Tx) error { return nil }), context.Canceled)
	put(t, d, 2, "b", 1) // all slots are free again
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is lost")
			}
		}()
		// A panic releases the slots, too.
		_ = d.Views(t.Context(), 2, func(context.Context, []*store.Tx) error { panic("on purpose") })
	}()
	must(t, d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := value(ctx, tx, 2)
		return err
	}))
}

// testViewTwice checks that a View that is to run twice does so on two snapshots, and that only
// its last run counts.
func testViewTwice(t *testing.T, open Opener) {
	// The fault is off while the test sets up its tables.
	twice := false
	d := fresh(t, open, store.Config{Faults: &store.Faults{ViewTwice: func() bool { return twice }}})
	put(t, d, 1, "a", 7)
	twice = true
	runs, after := 0, 0
	read := func(ctx context.Context, tx *store.Tx) error {
		runs++
		tx.AfterCommit(func() { after++ })
		v, err := value(ctx, tx, 1)
		if v != 7 {
			t.Errorf("value %d, want 7", v)
		}
		return err
	}
	must(t, d.View(t.Context(), read))
	must(t, d.ViewOnce(t.Context(), read))
	must(t, d.Views(t.Context(), 2, func(ctx context.Context, txs []*store.Tx) error { return read(ctx, txs[0]) }))
	// Two runs of three calls, and one callback each.
	if runs != 6 || after != 3 {
		t.Errorf("%d runs and %d callbacks, want 6 and 3", runs, after)
	}
	// A failing first run is final: its error is not hidden by a second run.
	runs = 0
	wantErr(t, d.View(t.Context(), func(context.Context, *store.Tx) error {
		runs++
		return errRefused
	}), errRefused)
	if runs != 1 {
		t.Errorf("a View that fails has run %d times, want 1", runs)
	}
}
