package event

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// book is a log on a database of its own, with a manual clock.
type book struct {
	*Log
	now time.Time
}

func open(t testing.TB) *book { return openWith(t, nil) }

// openWith opens a log whose commits fail as f says.
func openWith(t testing.TB, faults *store.Faults) *book {
	t.Helper()
	b := &book{now: time.UnixMilli(1_800_000_000_000)}
	c := store.Config{Faults: faults, Now: func() time.Time { return b.now }}
	d, err := storetest.TryOpen(t.Context(), storetest.At(storetest.New(t), c))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	b.Log = &Log{DB: d, Hub: &Hub{}}
	return b
}

// post posts events in one transaction, which fails at the end if fail is set.
func (b *book) post(ctx context.Context, fail error, events ...Event) error {
	return b.DB.UpdateAt(ctx, store.Snapshot, func(ctx context.Context, tx *store.Tx) error {
		for _, e := range events {
			if err := b.Post(ctx, tx, e); err != nil {
				return err
			}
		}
		return fail
	})
}

// tail returns a Tail that Run runs until the test ends.
func (b *book) tail(t testing.TB, run bool) *Tail {
	t.Helper()
	tail, err := NewTail(t.Context(), b.Log, time.Millisecond, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if run {
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); tail.Run(ctx) }()
		t.Cleanup(func() { stop(); <-done })
	}
	return tail
}

// fill posts n events, numbers them, and returns the Tail of a node that starts afterwards.
func (b *book) fill(t testing.TB, n int, topics ...string) {
	t.Helper()
	var events []Event
	for i := range n {
		events = append(events, Event{topics[i%len(topics)], FeedItem, i})
	}
	if err := b.post(t.Context(), nil, events...); err != nil {
		t.Fatal(err)
	}
	if err := b.tail(t, false).round(t.Context(), true); err != nil {
		t.Fatal(err)
	}
}

func TestPostRefuses(t *testing.T) {
	t.Parallel()
	b := open(t)
	if err := b.post(t.Context(), nil, Event{"topic", FeedItem, strings.Repeat("x", maxBody/2)}); err != nil {
		t.Fatalf("what may be posted: %v", err)
	}
	// The quotes around it belong to the body.
	if err := b.post(t.Context(), nil, Event{"topic", FeedItem, strings.Repeat("x", maxBody-2)}); err != nil {
		t.Fatalf("the largest body: %v", err)
	}
	if err := b.post(t.Context(), nil, Event{"topic", FeedItem, strings.Repeat("x", maxBody-1)}); err == nil {
		t.Error("one byte more was posted")
	}
	for name, e := range map[string]Event{
		"a topic with a space":  {"a topic", FeedItem, 1},
		"a pattern":             {"block%", FeedItem, 1},
		"a list of topics":      {"blocks|feed", FeedItem, 1},
		"no topic":              {"", FeedItem, 1},
		"no kind":               {"topic", "", 1},
		"a kind with a newline": {"topic", "kind\ndata: x", 1},
		"what has no JSON":      {"topic", FeedItem, func() {}},
		"too much":              {"topic", FeedItem, strings.Repeat("x", maxBody)},
	} {
		if err := b.post(t.Context(), nil, e); err == nil {
			t.Errorf("%s was posted", name)
		}
	}
}

// TestOneEventPerPost posts from many goroutines, half of which fail, while several nodes number:
// the log has each event of a successful post once, in the order of its author, without gaps, and
// no other.
func TestOneEventPerPost(t *testing.T) {
	t.Parallel()
	b := open(t)
	var tails []*Tail
	for range 3 {
		tails = append(tails, b.tail(t, true))
	}
	const authors, posts = 8, 30
	failed := errors.New("failed on purpose")
	var wg sync.WaitGroup
	for a := range authors {
		wg.Go(func() {
			for i := range posts {
				topic := fmt.Sprintf("author:%d", a)
				var fail error
				if i%2 == 1 {
					fail = failed
				}
				if err := b.post(
					t.Context(), fail, Event{topic, DuelCreated, i}, Event{topic, DuelJoined, i},
				); !errors.Is(err, fail) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return // the followers would wait for events that are missing
	}
	for _, tail := range tails {
		for a := range authors {
			var want, got []string
			for i := 0; i < posts; i += 2 {
				want = append(want, fmt.Sprint("duel_created ", i), fmt.Sprint("duel_joined ", i))
			}
			f := follower{tail: tail, topics: []string{fmt.Sprintf("author:%d", a)}}
			for len(got) < len(want) {
				got = append(got, f.next(t)...)
			}
			if !slices.Equal(got, want) {
				t.Errorf("author %d:\n got %q\nwant %q", a, got, want)
			}
		}
		if last := tail.Last().Seq; last != authors*posts {
			t.Errorf("the last number is %d, want %d", last, authors*posts)
		}
	}
}

// follower follows topics as a stream does.
type follower struct {
	tail   *Tail
	topics []string
	at     Position
}

// next waits for the next events, and returns them as kind and body.
func (f *follower) next(t testing.TB) []string {
	t.Helper()
	w := f.tail.Watch(f.topics...)
	defer w.Close()
	for {
		list, upto, err := f.tail.Read(t.Context(), f.at, f.topics)
		if err != nil {
			t.Fatal(err)
		}
		if upto.Seq < f.at.Seq {
			t.Fatalf("read up to %d after %d", upto.Seq, f.at.Seq)
		}
		f.at = upto
		if len(list) == 0 {
			<-w.C()
			continue
		}
		var got []string
		for _, e := range list {
			if !slices.Contains(f.topics, e.Topic) {
				t.Fatalf("following %v, got an event of %s", f.topics, e.Topic)
			}
			got = append(got, e.Kind+" "+e.Body)
		}
		return got
	}
}

// TestReadAgainstModel reads logs from every position, through nodes that started at different
// times and so hold different parts of the log in memory, or none.
func TestReadAgainstModel(t *testing.T) {
	t.Parallel()
	b := open(t)
	all := []string{"a", "b", "A", "ab"}
	var model []string // topics, of one log for all checks
	rapid.Check(t, func(rt *rapid.T) {
		var tails []*Tail
		for range rapid.IntRange(1, 3).Draw(rt, "nodes") {
			n := rapid.IntRange(1, 20).Draw(rt, "events")
			b.fill(t, n, all...)
			for i := range n {
				model = append(model, all[i%len(all)])
			}
			tail := b.tail(t, false)
			if rapid.Bool().Draw(rt, "forgetful") {
				tail.first = tail.last.Seq + 1
			}
			tails = append(tails, tail)
		}
		for _, tail := range tails {
			topics := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, 4, rapid.ID).Draw(rt, "topics")
			seq := rapid.Int64Range(0, tail.Last().Seq).Draw(rt, "after")
			var want []int64
			for i := seq; i < tail.Last().Seq; i++ {
				if slices.Contains(topics, model[i]) {
					want = append(want, i+1)
				}
			}
			if got := readAll(rt, tail, b.at(rt, seq), topics); !slices.Equal(got, want) {
				rt.Errorf("%v after %d of %d:\n got %v\nwant %v", topics, seq, tail.Last().Seq, got, want)
			}
		}
	})
}

// readAll reads to the last event that a node knows.
func readAll(t rapid.TB, tail *Tail, at Position, topics []string) (got []int64) {
	for at.Seq < tail.Last().Seq {
		list, upto, err := tail.Read(context.Background(), at, topics)
		if err != nil || upto.Seq <= at.Seq {
			t.Fatalf("after %d: up to %d, %v", at.Seq, upto.Seq, err)
		}
		for _, e := range list {
			got = append(got, e.Seq)
		}
		at = upto
	}
	return got
}

// at returns the position after an event, as a client sends it.
func (b *book) at(t rapid.TB, seq int64) (at Position) {
	list, err := b.after(context.Background(), Position{Seq: seq - 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if seq > 0 && len(list) > 0 && list[0].Seq == seq {
		at = ParseID(list[0].ID())
	}
	return at
}

// TestSweep checks that Sweep drops events that are too old, except for the newest of them, and
// that readers of dropped events get ErrGone.
func TestSweep(t *testing.T) {
	t.Parallel()
	b := open(t)
	const old = 2*dropSize + 10
	b.fill(t, old, "a")
	b.now = b.now.Add(KeptFor / 2)
	b.fill(t, 5, "a")
	tail := b.tail(t, false)
	at := map[int64]Position{}
	for _, seq := range []int64{0, 1, old - 1, old, old + 2, old + 5} {
		at[seq] = b.at(t, seq)
	}
	b.sweeps(t, 0)
	b.now = b.now.Add(KeptFor/2 + time.Millisecond)
	b.sweeps(t, old-1)
	b.sweeps(t, 0)
	fresh := b.tail(t, false) // which remembers no dropped event
	for _, c := range []struct {
		tail *Tail
		at   Position
		want error
	}{
		{tail, at[0], nil}, // still in memory
		{fresh, at[0], ErrGone},
		{fresh, at[1], ErrGone},
		{fresh, at[old-1], ErrGone},
		{fresh, at[old], nil},
		{fresh, at[old+5], nil},
		{fresh, Position{Seq: old + 6}, ErrGone}, // of another database
		{fresh, ParseID(at[old+2].ID() ^ 1), ErrGone},
		{fresh, ParseID(77), ErrGone},
	} {
		if _, _, err := c.tail.Read(t.Context(), c.at, []string{"a"}); !errors.Is(err, c.want) ||
			err != nil && c.want == nil {
			t.Errorf("after %v: %v, want %v", c.at, err, c.want)
		}
	}
	b.now = b.now.Add(KeptFor)
	b.sweeps(t, 5)
	// The numbers continue even if only the last event is left.
	if last := b.tail(t, false).Last(); last.ID() != at[old+5].ID() {
		t.Errorf("with one left the last is %v, want %v", last, at[old+5])
	}
	b.fill(t, 1, "a")
	if last := b.tail(t, false).Last().Seq; last != old+6 {
		t.Errorf("the next number is %d, want %d", last, old+6)
	}
}

// sweeps runs Sweep, and checks the number of dropped events.
func (b *book) sweeps(t *testing.T, want int64) {
	t.Helper()
	if n, err := b.Sweep(t.Context()); n != want || err != nil {
		t.Errorf("dropped %d, %v, want %d", n, err, want)
	}
}

// TestSweepWithWrongClocks checks that events younger than a day survive a poster whose clock is slow.
func TestSweepWithWrongClocks(t *testing.T) {
	t.Parallel()
	b := open(t)
	now := b.now
	b.fill(t, 10, "a")
	b.now = now.Add(-10 * KeptFor) // of another node
	b.fill(t, 1, "a")
	b.now = now
	b.fill(t, 10, "a")
	b.sweeps(t, 0)

	b.now = now.Add(2 * KeptFor)
	b.sweeps(t, 20)
}

// TestRingForgets follows more events than a node keeps in memory; older ones are read from the
// log.
func TestRingForgets(t *testing.T) {
	t.Parallel()
	b := open(t)
	tail := b.tail(t, true)
	const n = ringSize + 1500
	b.fill(t, n, "a", "b", "c")
	w := tail.Watch("a")
	defer w.Close()
	for tail.Last().Seq < n {
		<-w.C()
	}
	if tail.first != n-ringSize+1 {
		t.Errorf("the first event in memory is %d of %d, want %d", tail.first, n, n-ringSize+1)
	}
	if got := readAll(t, tail, Position{}, []string{"b"}); len(got) != (n+1)/3 || got[0] != 2 {
		t.Errorf("read %d events, the first is %d; want %d and 2", len(got), got[0], (n+1)/3)
	}
}

// TestWaitingSince checks that the oldest event of the inbox is the one that was posted first.
func TestWaitingSince(t *testing.T) {
	t.Parallel()
	b := open(t)
	want := func(want time.Time) {
		t.Helper()
		err := b.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			got, err := b.WaitingSince(ctx, tx)
			if !got.Equal(want) {
				t.Errorf("waiting since %v, want %v", got, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want(time.Time{})
	first := b.now
	for range 2 {
		if err := b.post(t.Context(), nil, Event{"a", FeedItem, 1}); err != nil {
			t.Fatal(err)
		}
		want(first)
		b.now = b.now.Add(time.Second)
	}
	if err := b.number(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(time.Time{})
}
