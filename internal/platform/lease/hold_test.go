package lease

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/leaseq"
)

// holders returns the holders of all leases in the table, by name.
func holders(t *testing.T, d *store.DB) (list map[string]string) {
	t.Helper()
	err := d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		rows, err := q.New(tx).ListLeases(ctx)
		list = map[string]string{}
		for _, r := range rows {
			list[r.Name] = r.Holder
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Held returns the names of the leases that the node holds, with their fences.
func (k *Keeper) Held() map[string]int64 {
	held := map[string]int64{}
	for _, t := range k.heldTerms() {
		held[t.name] = t.fence
	}
	return held
}

// Fence returns the fencing number, which is unique to this term of the lease.
func (t *Term) Fence() int64 { return t.fence }

// TestKeptTwice checks that a lease cannot be kept by two works of one node, which would both believe that
// they hold it; one after the other is fine.
func TestKeptTwice(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *store.DB) {
		k := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler)})
		j := k.join(sealing)
		k.join("another")
		func() {
			defer func() {
				if recover() == nil {
					t.Error("kept twice")
				}
			}()
			k.join(sealing)
		}()
		k.leave(t.Context(), j)
		k.join(sealing)
	})
}

// TestTakenTooLate checks that a lease which is taken after its work has ended is released at once, so that
// another node need not wait for its beats to stop.
func TestTakenTooLate(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *store.DB) {
		released := 0
		k := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler), Released: func() { released++ }, shared: true})
		for _, again := range []bool{false, true} {
			j := k.join(sealing)
			k.leave(t.Context(), j)
			if again { // the next work is another one
				k.join(sealing)
			}
			if err := k.take(t.Context(), j, row{"", fence(t, d), beatOf(t, d)}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if holder, held := holders(t, d)[sealing]; !held || holder != "" || j.term != nil || len(k.Held()) != 0 {
				t.Errorf("kept again: %v: the holder is %q, want none; held %v", again, holder, k.Held())
			}
		}
		if released != 2 {
			t.Errorf("%d releases are announced, want 2", released)
		}
	})
}

// beatOf returns the beat in the table.
func beatOf(t *testing.T, d *store.DB) (beat int64) {
	t.Helper()
	err := d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		rows, err := q.New(tx).ListLeases(ctx)
		for _, r := range rows {
			beat = r.Beat
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return beat
}

// TestManyLeases checks that a node holds several leases with a fence each, that it renews them in the order
// of their names, so that two nodes cannot wait for each other's rows, and that one which is over is neither
// renewed nor shown.
func TestManyLeases(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *store.DB) {
		k := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler), shared: true})
		var jobs []*job
		var want []string
		for i := range 12 {
			want = append(want, fmt.Sprintf("work-%02d", i))
			jobs = append(jobs, k.join(want[i]))
		}
		if err := k.round(t.Context()); err != nil {
			t.Fatal(err)
		}
		names := func() (names []string) {
			for _, term := range k.heldTerms() {
				names = append(names, term.name)
			}
			return names
		}
		if got := names(); !slices.Equal(got, want) || len(k.Held()) != len(want) || len(k.unheld()) != 0 {
			t.Errorf("renews %q and shows %v, want %q", got, k.Held(), want)
		}
		jobs[5].term.end()
		want = slices.Delete(want, 5, 6)
		if got := names(); !slices.Equal(got, want) || len(k.Held()) != len(want) {
			t.Errorf("renews %q and shows %v, want %q", got, k.Held(), want)
		}
		if list := holders(t, d); len(list) != 12 || list["work-05"] != k.Holder() {
			t.Errorf("the table has %v", list)
		}
		jobs[7].term.fence++ // as if another node had taken it
		if err := k.beat(t.Context(), clock()); err != nil {
			t.Fatal(err)
		}
		if want = slices.Delete(want, 6, 7); !slices.Equal(names(), want) {
			t.Errorf("renews %q after a takeover, want %q", names(), want)
		}
	})
}

// TestTakenByAnother checks that a lease whose row has changed since it was read is not taken, and that this
// is no error.
func TestTakenByAnother(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *store.DB) {
		a := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler), shared: true})
		b := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler), shared: true})
		first, second := a.join(sealing), b.join(sealing)
		for _, take := range []func() error{
			func() error { return a.take(t.Context(), first, row{}) },
			func() error { return b.take(t.Context(), second, row{}) },
		} {
			if err := take(); err != nil {
				t.Fatal(err)
			}
		}
		if first.term == nil || second.term != nil || len(second.granted) != 0 {
			t.Errorf("the first holds %v, the second %v", a.Held(), b.Held())
		}
		ended, stop := context.WithCancel(t.Context())
		stop()
		if err := b.take(ended, second, row{}); !errors.Is(err, context.Canceled) {
			t.Errorf("without a database: error %v", err)
		}
	})
}
