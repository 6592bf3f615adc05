package lease

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/leaseq"
	"roshambo/internal/store/storetest"
)

// node is a Keeper with one lease, as a process that can be killed.
type node struct {
	*Keeper
	kill    context.CancelFunc // stops it without giving anything back
	drain   context.CancelFunc
	drained chan struct{} // closed when Keep has returned
	working atomic.Pointer[Term]
	last    atomic.Pointer[Term] // the last term it had, which it may go on with by mistake
}

const sealing = "sealing"

// start starts a node on a database that it shares with others.
func start(t testing.TB, d *store.DB, released func()) *node {
	t.Helper()
	k, err := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler), Released: released, shared: true})
	if err != nil {
		t.Fatal(err)
	}
	n := &node{Keeper: k, drained: make(chan struct{})}
	life, kill := context.WithCancel(context.Background())
	ctx, drain := context.WithCancel(context.Background())
	n.kill, n.drain = kill, drain
	go k.Run(life)
	go func() {
		defer close(n.drained)
		k.Keep(ctx, sealing, func(ctx context.Context, term *Term) {
			n.working.Store(term)
			n.last.Store(term)
			<-ctx.Done()
			n.working.Store(nil)
		})
	}()
	t.Cleanup(func() { drain(); <-n.drained; kill() })
	return n
}

// write does in a transaction what the holder of a term alone may, and returns whether it
// was done.
func (n *node) write(t testing.TB, term *Term) bool {
	t.Helper()
	err := n.DB.Update(context.Background(), func(ctx context.Context, tx *store.Tx) error { return term.Confirm(ctx, tx) })
	if err != nil && !errors.Is(err, ErrLost) {
		t.Fatal(err)
	}
	return err == nil
}

// fence returns the fence in the table.
func fence(t testing.TB, d *store.DB) (fence int64) {
	t.Helper()
	err := d.View(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		list, err := q.New(tx).ListLeases(ctx)
		for _, r := range list {
			fence = r.Fence
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fence
}

// inBubble runs a test whose clock is its own, with a database.
func inBubble(t *testing.T, run func(t *testing.T, d *store.DB)) { inBubbleWith(t, nil, run) }

// inBubbleWith is inBubble with a database that has faults.
func inBubbleWith(t *testing.T, faults *store.Faults, run func(t *testing.T, d *store.DB)) {
	place := storetest.At(storetest.NewSQLite(t), store.Config{Faults: faults})
	synctest.Test(t, func(t *testing.T) {
		d, err := store.Open(t.Context(), place)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
		run(t, d)
	})
}

// pass lets time go by on the bubble's clock.
func pass(d time.Duration) { <-time.After(d) }

// TestTakeover has a holder die, and another node take its place within five seconds and
// not before the holder has stopped by itself.
func TestTakeover(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *store.DB) {
		a := start(t, d, nil)
		synctest.Wait()
		b := start(t, d, nil)
		pass(10 * time.Second)
		held := a.working.Load()
		if held == nil || b.working.Load() != nil {
			t.Fatal("the first node does not hold the lease alone")
		}
		a.kill() // its work goes on as if it did not know
		killed := time.Now()
		for b.working.Load() == nil {
			if time.Since(killed) > 5*time.Second {
				t.Fatal("nobody has taken the lease over within five seconds")
			}
			switch late := time.Since(killed); {
			case a.working.Load() == nil && late < time.Second:
				t.Fatal("the holder gave up although its last beat is good")
			case a.working.Load() != nil && late > defaultTiming.hold:
				t.Fatalf("the holder works %v after it can have beaten", late)
			}
			pass(10 * time.Millisecond)
		}
		if a.working.Load() != nil {
			t.Error("two nodes work at the same time")
		}
		if a.write(t, held) {
			t.Error("the old holder's write was not refused")
		}
		if !b.write(t, b.working.Load()) {
			t.Error("the new holder's write was refused")
		}
	})
}

// TestHold holds a term to the time that its holder may rely on: from when it began to
// store its last beat, or to take the lease, however long the database took to store that.
// A beat that fails prolongs nothing. Others wait longer than that.
func TestHold(t *testing.T) {
	t.Parallel()
	if defaultTiming.hold >= defaultTiming.takeover {
		t.Errorf("a beat is good for %v, and others take over after %v", defaultTiming.hold, defaultTiming.takeover)
	}
	const slow = 700 * time.Millisecond
	stored, failed := []store.Fault{store.NoFault}, []store.Fault{store.NotStored, store.NotStored} // it is tried twice
	for name, beats := range map[string][][]store.Fault{
		"taken": nil, "beaten": {stored}, "beaten again": {stored, stored}, "beaten, then not": {stored, failed},
	} {
		var commits []store.Fault
		faults := &store.Faults{Commit: func() (f store.Fault) {
			if pass(slow); len(commits) > 0 {
				f, commits = commits[0], commits[1:]
			}
			return f
		}}
		inBubbleWith(t, faults, func(t *testing.T, d *store.DB) {
			k, err := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler), shared: true})
			if err != nil {
				t.Fatal(err)
			}
			j, good := k.join(sealing), time.Now()
			if err := k.take(t.Context(), j, row{}); err != nil {
				t.Fatal(err)
			}
			term := j.term
			for i, beat := range beats {
				pass(100 * time.Millisecond)
				began := time.Now()
				commits = beat
				err := k.beat(t.Context(), began)
				if (err == nil) != (len(beat) == 1) {
					t.Fatalf("%s: beat %d: %v", name, i, err)
				}
				if err == nil {
					good = began
				}
			}
			if k.Held()[sealing] != term.Fence() {
				t.Fatalf("%s: the lease is not held, %v after its last beat", name, time.Since(good))
			}
			<-term.ctx.Done()
			if held := time.Since(good); held != defaultTiming.hold || len(k.Held()) > 0 {
				t.Errorf("%s: the term ended %v after its last beat, want %v; held is %v", name, held, defaultTiming.hold, k.Held())
			}
		})
	}
}

// TestStuck has a term end while its work goes on and does not return: its holder beats no
// more, so that another node takes the lease over.
func TestStuck(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *store.DB) {
		k, err := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler), shared: true})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		returned := make(chan struct{})
		defer func() { close(returned); stop() }()
		go k.Run(ctx)
		terms := make(chan *Term)
		go k.Keep(ctx, sealing, func(_ context.Context, term *Term) { terms <- term; <-returned })
		term := <-terms
		b := start(t, d, nil)
		pass(10 * time.Second)
		if b.working.Load() != nil {
			t.Fatal("a lease whose holder beats was taken over")
		}
		term.end()
		ended := time.Now()
		for b.working.Load() == nil {
			if time.Since(ended) > 5*time.Second {
				t.Fatal("nobody has taken the lease over within five seconds of the term's end")
			}
			pass(10 * time.Millisecond)
		}
	})
}

// TestDrain has a holder stop as it should, and another take over at once.
func TestDrain(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *store.DB) {
		var b *node
		a := start(t, d, func() { b.Poll() })
		synctest.Wait()
		b = start(t, d, nil)
		pass(5 * time.Second)
		if a.working.Load() == nil || b.working.Load() != nil {
			t.Fatal("the first node does not hold the lease alone")
		}
		began := time.Now()
		a.drain()
		synctest.Wait()
		if b.working.Load() == nil || time.Since(began) > 0 {
			t.Errorf("%v after the lease was given back, it is %v", time.Since(began), b.Held())
		}
		if got := fence(t, d); got != 2 {
			t.Errorf("the fence is %d after two terms", got)
		}
	})
}

// TestAlone holds who has the database alone to taking over at once, whoever held the
// lease before, and to writing nothing while it holds it.
func TestAlone(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *store.DB) {
		dead := start(t, d, nil)
		synctest.Wait()
		dead.kill()
		k, err := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go k.Run(ctx)
		began := time.Now()
		got := make(chan *Term)
		go k.Keep(ctx, sealing, func(ctx context.Context, term *Term) { got <- term; <-ctx.Done() })
		if term := <-got; term.Fence() != 2 || time.Since(began) > 0 {
			t.Fatalf("fence %d after %v, want 2 at once", term.Fence(), time.Since(began))
		}
		before := d.Stats()
		pass(time.Hour)
		if after := d.Stats(); after != before {
			t.Errorf("an idle holder made %+v of %+v", after, before)
		}
		if k.Held()[sealing] != 2 {
			t.Errorf("after an hour it holds %v", k.Held())
		}
	})
}

// TestReturns: work that returns by itself is done again, and not without a pause.
func TestReturns(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *store.DB) {
		k, err := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := 0
		go k.Run(ctx)
		kept := make(chan struct{})
		go func() {
			defer close(kept)
			k.Keep(ctx, sealing, func(context.Context, *Term) { done++ })
		}()
		pass(10 * time.Second)
		stop()
		<-kept
		if done < 5 || done > 11 {
			t.Errorf("work that takes no time was done %d times in ten seconds", done)
		}
	})
}

// TestOneHolder lets nodes come, work, be killed and drained at random, and their old
// terms write at any time. Never do two believe that they hold the lease, and of all
// writes that were done each had the highest fence that there was.
func TestOneHolder(t *testing.T) {
	t.Parallel()
	most := 60
	if testing.Short() {
		most = 20
	}
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(0, 9), 10, most).Draw(rt, "steps")
		pauses := rapid.SliceOfN(rapid.IntRange(0, 4000), len(steps), len(steps)).Draw(rt, "milliseconds")
		var failed string
		inBubble(t, func(t *testing.T, d *store.DB) { failed = random(t, d, steps, pauses) })
		if failed != "" {
			rt.Fatal(failed)
		}
	})
}

func random(t *testing.T, d *store.DB, steps, pauses []int) (failed string) {
	var nodes []*node
	highest := int64(0)
	for i, step := range steps {
		pass(time.Duration(pauses[i]) * time.Millisecond)
		synctest.Wait()
		working := 0
		for _, n := range nodes {
			if n.working.Load() != nil {
				working++
			}
		}
		if working > 1 {
			return fmt.Sprintf("step %d: %d nodes work", i, working)
		}
		if step < 2 || len(nodes) == 0 {
			nodes = append(nodes, start(t, d, nil))
			continue
		}
		n := nodes[pauses[i]%len(nodes)]
		switch {
		case step == 2:
			n.kill()
		case step == 3:
			n.drain()
		case n.last.Load() != nil: // whether it still holds the lease or not
			term := n.last.Load()
			done, now := n.write(t, term), fence(t, d)
			if done && term.Fence() < max(highest, now) {
				return fmt.Sprintf("step %d: a write with fence %d was done, and the fence is %d", i, term.Fence(), now)
			}
			if done {
				highest = term.Fence()
			}
		}
	}
	return ""
}

// TestSight holds the patience of a watcher to what it has seen itself.
func TestObservation(t *testing.T) {
	t.Parallel()
	begin := time.Unix(1_700_000_000, 0)
	held := row{"a", 1, 1}
	for _, c := range []struct {
		name  string
		looks []row // one each second
		want  bool  // at the last
	}{
		{"first seen", []row{held}, false},
		{"seen for two seconds", []row{held, held, held}, false},
		{"seen for three seconds", []row{held, held, held, held}, true},
		{"a beat in between", []row{held, held, {"a", 1, 2}, {"a", 1, 2}}, false},
		{"another holder in between", []row{held, held, {"b", 2, 1}, {"b", 2, 1}}, false},
		{"given back", []row{held, {"", 1, 2}}, true},
		{"never taken", []row{{}}, true},
	} {
		var s observation
		free := false
		for i, r := range c.looks {
			free = s.mayTake(r, begin.Add(time.Duration(i)*time.Second), 3*time.Second)
		}
		if free != c.want {
			t.Errorf("%s: free is %v, want %v", c.name, free, c.want)
		}
	}
}
