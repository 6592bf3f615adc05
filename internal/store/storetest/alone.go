package storetest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"roshambo/internal/store"
)

// awaitWaiting waits until that many Updates wait for another one.
func awaitWaiting(t *testing.T, d *store.DB, n int) {
	t.Helper()
	for waiting := 0; waiting < n; runtime.Gosched() {
		if d.Exclusive() {
			waiting = d.Stats().Queue
			continue
		}
		must(t, d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			return tx.QueryRowContext(ctx, `SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
		}))
	}
}

// testAlone runs an Update at store.Alone beside others: it waits for one that runs, and another one that begins
// later sees what it has stored, at every level.
//
// The same holds on SQLite, which runs one Update at a time.
func testAlone(t *testing.T, open Opener) {
	d := fresh(t, open, store.Config{})
	put(t, d, 1, "a", 0)
	for _, level := range []store.Isolation{store.Serializable, store.Snapshot, store.Alone} {
		var mu sync.Mutex
		var order []string // of the ends of closures
		note := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, what)
		}
		var all sync.WaitGroup
		// Each closure notes the value that its snapshot shows, and adds 1 to it.
		begun, waits := make(chan bool), make(chan bool)
		update := func(name string, level store.Isolation, at func()) {
			all.Go(func() {
				err := d.UpdateAt(t.Context(), level, func(ctx context.Context, tx *store.Tx) error {
					v, err := value(ctx, tx, 1)
					if err != nil {
						return err
					}
					at()
					note(fmt.Sprint(name, " ", v))
					return execute(ctx, tx, "UPDATE dbtest_entry SET value = value + 1 WHERE id = 1")
				})
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		// The first one runs until the others have had time to end.
		update("before", level, func() { close(begun); <-waits })
		<-begun
		update("alone", store.Alone, func() {})
		awaitWaiting(t, d, 1)
		// It waits in the queue of the lock behind the one that waits, although the first one would not exclude it.
		update("after", level, func() {})
		awaitWaiting(t, d, 2)
		close(waits)
		all.Wait()
		// A snapshot from before a wait would show the same value twice, or conflict.
		n := stored(t, d)[1] - 3
		want := []string{fmt.Sprint("before ", n), fmt.Sprint("alone ", n+1), fmt.Sprint("after ", n+2)}
		if !slices.Equal(order, want) {
			t.Errorf("level %d: got %q, want %q", level, order, want)
		}
	}
}
