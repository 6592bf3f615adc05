package lease

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
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
	kill    context.CancelFunc // stops it without releasing anything
	drain   context.CancelFunc
	drained chan struct{} // closed when Keep has returned
	working atomic.Pointer[Term]
	last    atomic.Pointer[Term] // its last term, which it may use by mistake
}

const sealing = "sealing"

// start starts a node on a database that it shares with others.
func start(t testing.TB, d *store.DB, released func()) *node {
	t.Helper()
	k := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler), Released: released, shared: true})
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

// write runs a transaction that a term protects, and reports whether it succeeded.
func (n *node) write(t testing.TB, term *Term) bool {
	t.Helper()
	err := n.DB.Update(
		context.Background(),
		func(ctx context.Context, tx *store.Tx) error { return term.Confirm(ctx, tx) },
	)
	if err != nil && !errors.Is(err, ErrLost) {
		t.Fatal(err)
	}
	return err == nil
}

// named checks that a node names another one as the only holder of a lease.
func (n *node) named(t testing.TB, holder *node) {
	t.Helper()
	if names, err := n.Holders(t.Context()); err != nil || !slices.Equal(names, []string{holder.Holder()}) {
		t.Errorf("the holders are %q, error %v, want %s", names, err, holder.Holder())
	}
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

// inBubble runs a test with a database in a synctest bubble.
func inBubble(t *testing.T, run func(t *testing.T, d *store.DB)) { inBubbleWith(t, nil, run) }

// inBubbleWith is inBubble with a database that has faults.
func inBubbleWith(t *testing.T, faults *store.Faults, run func(t *testing.T, d *store.DB)) {
	place := storetest.At(storetest.NewSQLite(t), store.Config{Faults: faults})
	synctest.Test(t, func(t *testing.T) {
		d, err := storetest.TryOpen(t.Context(), place)
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

// pass lets time pass on the bubble's clock.
func pass(d time.Duration) { <-time.After(d) }

// TestTakeover kills a holder: another node takes over within five seconds, and not before the
// holder has stopped by itself.
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
		b.named(t, a)
		a.kill() // its work continues
		killed := time.Now()
		for b.working.Load() == nil {
			if time.Since(killed) > 5*time.Second {
				t.Fatal("no node has taken the lease over within five seconds")
			}
			switch late := time.Since(killed); {
			case a.working.Load() == nil && late < time.Second:
				t.Fatal("the holder gave up although its last beat is good")
			case a.working.Load() != nil && late > defaultTiming.hold:
				t.Fatalf("the holder works %v after its last possible beat", late)
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
		a.named(t, b)
	})
}

// TestHold checks how long a term lasts: from when its holder began to store its last beat, or to
// take the lease, however long the database took. A failed beat extends nothing. Takeovers come
// later than that.
func TestHold(t *testing.T) {
	t.Parallel()
	if defaultTiming.hold >= defaultTiming.takeover {
		t.Errorf("a beat is valid for %v, and others take over after %v", defaultTiming.hold, defaultTiming.takeover)
	}
	const slow = 700 * time.Millisecond
	stored, failed := []store.Fault{
		store.NoFault,
	}, []store.Fault{
		store.NotStored, store.NotStored,
	} // the store tries twice
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
			k := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler), shared: true})
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
				t.Errorf(
					"%s: the term ended %v after its last beat, want %v; held is %v",
					name,
					held,
					defaultTiming.hold,
					k.Held(),
				)
			}
		})
	}
}

// TestStuck ends a term whose work does not return: its holder sends no more beats, so that
// another node takes over.
func TestStuck(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *store.DB) {
		k := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler), shared: true})
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
				t.Fatal("no node has taken the lease over within five seconds of the term's end")
			}
			pass(10 * time.Millisecond)
		}
	})
}

// TestDrain stops a holder in order, and another node takes over at once.
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
			t.Errorf("%v after the release, it is %v", time.Since(began), b.Held())
		}
		if got := fence(t, d); got != 2 {
			t.Errorf("the fence is %d after two terms", got)
		}
	})
}

// TestAlone checks that a process which owns the database takes over at once, whichever holder is
// stored, and writes nothing while it holds a lease.
func TestAlone(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *store.DB) {
		dead := start(t, d, nil)
		synctest.Wait()
		dead.kill()
		k := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler)})
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

// TestReturns checks that work which returns by itself is run again after a pause.
func TestReturns(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *store.DB) {
		k := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler)})
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

// TestBeats checks that a holder stores one beat per beat interval.
func TestBeats(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *store.DB) {
		start(t, d, nil)
		beat := func() (beat int64) {
			err := d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				list, err := q.New(tx).ListLeases(ctx)
				for _, r := range list {
					beat = r.Beat
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return beat
		}
		pass(100 * time.Millisecond) // between two polls
		before := beat()
		for i := range int64(5) {
			pass(defaultTiming.beat)
			if got := beat(); got != before+i+1 {
				t.Errorf("beat %d after %v, want %d", got, time.Duration(i+1)*defaultTiming.beat, before+i+1)
			}
		}
	})
}

// TestTakenOver checks that the work of a holder whose lease another node has taken ends with the next
// beat, long before the lease would have run out.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *store.DB) {
		n := start(t, d, nil)
		pass(defaultTiming.beat + defaultTiming.beat/2)
		term := n.working.Load()
		err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE lease SET holder = 'another', fence = fence + 1, beat = beat + 1")
			return err
		})
		if err != nil || term == nil {
			t.Fatal(term, err)
		}
		pass(defaultTiming.beat)
		if n.working.Load() == term || len(n.Held()) != 0 {
			t.Errorf("held %v, %v after another node took the lease", n.Held(), defaultTiming.beat)
		}
	})
}

// TestReturnedWork checks that the context of work ends when the work returns, and that the lease
// is released one beat later and taken again at once, without waiting for the next poll.
func TestReturnedWork(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *store.DB) {
		k := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler), shared: true})
		ctx, stop := context.WithCancel(t.Context())
		const works = 100 * time.Millisecond // not a multiple of the poll interval
		var mu sync.Mutex                    // guards the three below
		began, fences, terms := []time.Time{}, []int64{}, []*Term{}
		var last context.Context
		go k.Run(ctx)
		kept := make(chan struct{})
		go func() {
			defer close(kept)
			k.Keep(ctx, sealing, func(ctx context.Context, term *Term) {
				mu.Lock()
				began, fences, last = append(began, time.Now()), append(fences, term.Fence()), ctx
				terms = append(terms, term)
				mu.Unlock()
				pass(works)
			})
		}()
		pass(works + k.timing.beat/2)
		mu.Lock()
		if len(began) != 1 || last.Err() == nil || k.Held()[sealing] != fences[0] {
			t.Errorf("after the first work: %d works, context %v, held %v", len(began), last.Err(), k.Held())
		}
		mu.Unlock()
		pass(10 * time.Second)
		stop()
		<-kept
		for i, term := range terms { // a beat must not renew a lease that was released
			if term.ctx.Err() == nil {
				t.Errorf("term %d is not over although its lease was released", i)
			}
		}
		for i := range began[1:] {
			if pause := began[i+1].Sub(began[i]); pause != works+k.timing.beat || fences[i+1] != fences[i]+1 {
				t.Errorf("work %d began %v after the one before, with fence %d after %d; want %v",
					i+1, pause, fences[i+1], fences[i], works+k.timing.beat)
			}
		}
		if len(began) < 5 {
			t.Errorf("%d works in eleven seconds", len(began))
		}
	})
}

// TestOneHolder starts, kills and drains nodes at random, while their old terms write at any time.
// No two nodes believe that they hold the lease, and every successful write had the highest fence.
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

// TestObservation checks the takeover time against what a node has read itself.
func TestObservation(t *testing.T) {
	t.Parallel()
	begin := time.Unix(1_700_000_000, 0)
	held := row{"a", 1, 1}
	for _, c := range []struct {
		name  string
		reads []row // one each second
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
		for i, r := range c.reads {
			free = s.mayTake(r, begin.Add(time.Duration(i)*time.Second), 3*time.Second)
		}
		if free != c.want {
			t.Errorf("%s: free is %v, want %v", c.name, free, c.want)
		}
	}
}

// TestKeepBegins checks that a lease that is kept from now on is taken at once, and not with the next poll.
func TestKeepBegins(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *store.DB) {
		k := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler), shared: true,
			timing: timing{beat: time.Hour, hold: 2 * time.Hour, takeover: 3 * time.Hour, poll: time.Hour}})
		ctx, stop := context.WithCancel(t.Context())
		go k.Run(ctx)
		pass(time.Minute) // the first poll is over
		asked, works := time.Now(), make(chan time.Time)
		kept := make(chan struct{})
		go func() {
			defer close(kept)
			k.Keep(ctx, sealing, func(ctx context.Context, _ *Term) {
				works <- time.Now()
				<-ctx.Done()
			})
		}()
		if waited := (<-works).Sub(asked); waited != 0 {
			t.Errorf("the work began after %v", waited)
		}
		stop()
		<-kept
	})
}

// TestRunEndsAfterItsBeat checks that Run does not return while a beat is being stored, as its caller then closes the
// database.
func TestRunEndsAfterItsBeat(t *testing.T) {
	t.Parallel()
	var blocks atomic.Bool
	var reached, proceed chan struct{}
	faults := &store.Faults{Statement: func(query string) error {
		if strings.Contains(query, "SET beat = beat + 1 WHERE") && blocks.CompareAndSwap(true, false) {
			close(reached)
			<-proceed
		}
		return nil
	}}
	inBubbleWith(t, faults, func(t *testing.T, d *store.DB) {
		reached, proceed = make(chan struct{}), make(chan struct{})
		k := New(Config{DB: d, Logger: slog.New(slog.DiscardHandler), shared: true})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		j := k.join(sealing)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			k.Run(ctx)
		}()
		<-j.granted
		blocks.Store(true)
		<-reached
		stop()
		synctest.Wait()
		select {
		case <-ended:
			t.Error("Run has returned while its beat was being stored")
		default:
		}
		close(proceed)
		<-ended
	})
}
