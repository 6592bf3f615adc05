package lease

import (
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestEachStatement takes, confirms, renews and releases a lease with each statement failing once:
// a node never believes that it holds a lease it did not take, nor that an unstored beat extends
// it.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	place := storetest.At(storetest.New(t), store.Config{Faults: each.Faults()})
	d := storetest.Open(t, place)
	each.Use(t, d, place)
	// Long enough that nothing expires during the test.
	keeper := func() *Keeper {
		k := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler), shared: true,
			timing: timing{beat: time.Hour, hold: 2 * time.Hour, takeover: 3 * time.Hour, poll: time.Hour}})
		return k
	}
	k, other := keeper(), keeper()
	j := k.join(sealing)
	other.join(sealing)
	each.Shown = func() any { return [2]any{k.Held(), other.Held()} }
	do := storetest.Do
	each.Run(t, []storetest.Case{{Name: "look and take", Call: do(k.round)}})
	if k.Held()[sealing] == 0 {
		t.Fatal("the lease was not taken")
	}
	term := <-j.granted
	each.Run(t, []storetest.Case{
		{Name: "look at another's", Call: do(other.round)},
		{Name: "list", Call: do(other.Leases), Want: []Lease{{Name: sealing, Holder: k.Holder(), Fence: 1}}},
		{Name: "confirm", View: do(term.Confirm)},
		{Name: "beat", Call: do(k.beat, clock())},
	})
	each.Shown = nil
	released := 0
	k.Released = func() { released++ }
	each.Fail(1)
	k.release(t.Context(), j, term) // which logs its error: other nodes take over later
	if each.Failed() == "" || len(k.Held()) != 0 || fence(t, d) != term.fence || released != 0 {
		t.Errorf("released while the database fails: held %v, fence %d, %d calls of Released",
			k.Held(), fence(t, d), released)
	}
	each.Run(t, []storetest.Case{{Name: "take what was the node's own", Call: do(k.round)}})
	if got := k.Held()[sealing]; got != term.fence+1 {
		t.Errorf("taken again with fence %d, want %d", got, term.fence+1)
	}
	k.release(t.Context(), j, <-j.granted)
	if released != 1 || len(k.Held()) != 0 {
		t.Errorf("released: held %v, %d calls of Released, want 1", k.Held(), released)
	}
}

// TestHeldNoLonger makes a beat take long to be stored, and stores no further one: the lease ends
// one validity after that beat began, not after it was stored.
func TestHeldNoLonger(t *testing.T) {
	t.Parallel()
	const slow = 2 * time.Second
	var delay, fail atomic.Bool
	place := storetest.At(storetest.NewSQLite(t), store.Config{Faults: &store.Faults{
		Commit: func() store.Fault {
			if delay.Load() {
				pass(slow)
			}
			return store.NoFault
		},
		Statement: func(string) error {
			if fail.Load() {
				return storetest.ErrStatement
			}
			return nil
		},
	}})
	synctest.Test(t, func(t *testing.T) {
		d := storetest.OpenSQLite(t, place)
		k := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler), shared: true})
		j := k.join(sealing)
		if err := k.round(t.Context()); err != nil {
			t.Fatal(err)
		}
		term := <-j.granted
		began := clock()
		delay.Store(true)
		if err := k.beat(t.Context(), began); err != nil || since(began) != slow {
			t.Fatalf("a beat took %v to be stored, error %v", since(began), err)
		}
		delay.Store(false)
		fail.Store(true)
		if err := k.beat(t.Context(), clock()); !errors.Is(err, storetest.ErrStatement) {
			t.Fatalf("a beat that is not stored: error %v", err)
		}
		pass(k.timing.hold - since(began) - time.Millisecond)
		if term.ctx.Err() != nil || len(k.Held()) != 1 {
			t.Errorf("over %v after the last beat that was stored began", since(began))
		}
		pass(2 * time.Millisecond)
		if term.ctx.Err() == nil || len(k.Held()) != 0 {
			t.Errorf("believed to be held %v after the last beat that was stored began", since(began))
		}
	})
}
