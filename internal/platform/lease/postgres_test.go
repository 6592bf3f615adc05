//go:build unix

package lease

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/pgtest"
	"roshambo/internal/store/storetest"
)

// TestLongTransaction checks that neither a beat nor a takeover waits for a long transaction that
// the lease protects.
func TestLongTransaction(t *testing.T) {
	t.Parallel()
	d := storetest.Open(t, store.Config{URL: pgtest.URL("postgres", pgtest.Start(t, pgtest.Fast))})
	holder, other := taker(t, d), taker(t, d)
	take := func(k *Keeper, seen row) *Term {
		t.Helper()
		if err := k.take(t.Context(), k.jobs[sealing], seen); err != nil {
			t.Fatal(err)
		}
		return k.jobs[sealing].term
	}
	term := take(holder, row{})
	confirm := func(meanwhile func()) error {
		return d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			err := term.Confirm(ctx, tx)
			if err == nil {
				meanwhile()
			}
			return err
		})
	}
	err := confirm(func() {
		if err := holder.beat(t.Context(), clock()); err != nil {
			t.Errorf("a beat meanwhile: %v", err)
		}
		if next := take(other, row{holder.holder, 1, 2}); next == nil || next.Fence() != 2 {
			t.Errorf("a concurrent takeover returned %+v, want fence 2", next)
		}
	})
	if err != nil {
		t.Errorf("the transaction: %v", err)
	}
	if err := confirm(func() {}); !errors.Is(err, ErrLost) {
		t.Errorf("the next transaction: %v, want %v", err, ErrLost)
	}
}

// taker returns a Keeper that runs no loop.
func taker(t *testing.T, d *store.DB) *Keeper {
	t.Helper()
	k := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler), shared: true, timing: timing{hold: time.Hour}})
	k.join(sealing)
	return k
}
