package event

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestRingWithGap checks that the ring begins behind events that Sweep has dropped, so that a reader
// before them is not told that there were none.
func TestRingWithGap(t *testing.T) {
	t.Parallel()
	tail := &Tail{ring: make([]*Stored, ringSize)}
	tail.first, tail.last = 1, Position{}
	tail.add([]*Stored{{Seq: 1, batch: 1}, {Seq: 2, batch: 1}})
	if tail.first != 1 || tail.last.Seq != 2 {
		t.Errorf("holds %d to %d, want 1 to 2", tail.first, tail.last.Seq)
	}
	tail.add([]*Stored{{Seq: 7, batch: 2}, {Seq: 8, batch: 2}})
	if tail.first != 7 || tail.last.Seq != 8 {
		t.Errorf("holds %d to %d, want 7 to 8", tail.first, tail.last.Seq)
	}
}

// TestReadIsBounded checks that one Read returns no more than readSize events, and the next one the rest.
func TestReadIsBounded(t *testing.T) {
	t.Parallel()
	tail := &Tail{ring: make([]*Stored, ringSize), first: 1}
	for seq := range int64(readSize + 2) {
		tail.add([]*Stored{{Seq: seq + 1, Topic: "a", batch: 1}})
	}
	list, upto, err := tail.Read(t.Context(), Position{}, []string{"a"})
	if err != nil || len(list) != readSize || upto.Seq != readSize {
		t.Errorf("read %d events up to %d, error %v", len(list), upto.Seq, err)
	}
	list, upto, err = tail.Read(t.Context(), upto, []string{"a"})
	if err != nil || len(list) != 2 || upto.Seq != readSize+2 {
		t.Errorf("then %d events up to %d, error %v", len(list), upto.Seq, err)
	}
}

// TestPostedWhileNumbering checks that nothing is numbered, or lost, when an event with a lower id comes
// into the inbox while others are moved, as a late commit on PostgreSQL does. Here a trigger makes it.
func TestPostedWhileNumbering(t *testing.T) {
	t.Parallel()
	d := storetest.OpenSQLite(t, storetest.At(storetest.NewSQLite(t), store.Config{}))
	b := &book{Log: &Log{DB: d, Hub: &Hub{}}}
	exec := func(query string) {
		t.Helper()
		err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, query)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE TRIGGER late AFTER INSERT ON event BEGIN INSERT INTO event_inbox (id, topic, kind, body, posted_at) " +
		"VALUES (-new.seq, 'a', 'late', '0', 1); END")
	if err := b.post(t.Context(), nil, Event{"a", FeedItem, 1}, Event{"a", FeedItem, 2}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{0, 2} {
		if err := b.number(t.Context()); err != nil {
			t.Fatal(err)
		}
		list, err := b.after(t.Context(), Position{}, 10)
		if err != nil || len(list) != want {
			t.Errorf("%d events are numbered, want %d, error %v", len(list), want, err)
		}
		exec("DROP TRIGGER IF EXISTS late")
	}
}

// TestPostWakesItsTail checks that a post wakes the tail of its own node, which then need not wait for the
// next poll.
func TestPostWakesItsTail(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := b.Hub.Watch(inbox)
	defer w.Close()
	if err := b.post(t.Context(), nil, Event{"a", FeedItem, 1}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-w.C():
	default:
		t.Error("not woken")
	}
}

// TestSweepDropsOne checks a sweep that has exactly one event to drop.
func TestSweepDropsOne(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.fill(t, 2, "a")
	b.now = b.now.Add(KeptFor + time.Millisecond)
	if dropped, err := b.Sweep(t.Context()); err != nil || dropped != 1 {
		t.Errorf("dropped %d, error %v, want all but the newest", dropped, err)
	}
}

// TestFirstEventGone checks that a reader from the beginning learns that the first event was dropped, be it
// the only one that is missing.
func TestFirstEventGone(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.fill(t, 3, "a")
	for gone, want := range []error{nil, ErrGone, ErrGone, ErrGone} {
		b.exec(t, fmt.Sprintf("DELETE FROM event WHERE seq <= %d", gone))
		list, _, err := b.tail(t, false).Read(t.Context(), Position{}, []string{"a"})
		if !errors.Is(err, want) || err == nil && len(list) != 3 {
			t.Errorf("without the first %d: %d events, error %v, want %v", gone, len(list), err, want)
		}
		if last := b.tail(t, false).Last().Seq; last != 3 {
			t.Errorf("without the first %d: the last one is %d, want 3", gone, last)
		}
	}
}

// exec runs a statement.
func (b *book) exec(t *testing.T, statement string) {
	t.Helper()
	err := b.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, statement)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAfterIsBounded checks that the log returns as many events as asked for and no more, with and without
// a known event to continue from.
func TestAfterIsBounded(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.fill(t, 5, "a")
	all, err := b.after(t.Context(), Position{}, 10)
	if err != nil || len(all) != 5 {
		t.Fatalf("%d events, error %v", len(all), err)
	}
	for _, from := range []Position{{}, {Seq: 1}, all[0].position(), all[2].position(), all[4].position()} {
		for count := range int64(4) {
			list, err := b.after(t.Context(), from, count)
			if want := min(count, 5-from.Seq); err != nil || int64(len(list)) != want {
				t.Errorf("%d events after %+v, error %v, want %d", len(list), from, err, want)
			}
			for i, e := range list {
				if *e != *all[from.Seq+int64(i)] {
					t.Errorf("%+v after %+v, want %+v", e, from, all[from.Seq+int64(i)])
				}
			}
		}
	}
}

// TestRingReaches checks that memory serves the positions from the first event in it up to the last, and no
// other: those beyond it are read from the database.
func TestRingReaches(t *testing.T) {
	t.Parallel()
	tail := &Tail{ring: make([]*Stored, ringSize), first: 1, last: Position{Seq: 3, batch: 1}}
	for seq := int64(4); seq <= 8; seq++ { // the ones before are not in memory
		tail.first = min(seq, 4)
		tail.add([]*Stored{{Seq: seq, Topic: "a", batch: seq}})
	}
	for at, want := range map[Position]error{
		{}: errNotHere, {Seq: 3, batch: 3}: errNotHere, {Seq: 4, batch: 4}: nil, {Seq: 4, batch: 5}: ErrGone,
		{Seq: 5, batch: 5}: nil, {Seq: 8, batch: 8}: nil, {Seq: 8, batch: 7}: ErrGone, {Seq: 9, batch: 9}: errNotHere,
	} {
		list, upto, err := tail.recent(at, []string{"a"})
		if !errors.Is(err, want) || err == nil && (int64(len(list)) != 8-at.Seq || upto != tail.last) ||
			errors.Is(want, errNotHere) && upto != tail.last || errors.Is(want, ErrGone) && upto != at {
			t.Errorf("after %+v: %d events up to %+v, error %v, want %v", at, len(list), upto, err, want)
		}
	}
}

// TestIdleRound checks that a round without waiting events writes nothing, and that one which shall not
// number leaves the inbox as it is.
func TestIdleRound(t *testing.T) {
	t.Parallel()
	var updates atomic.Int64
	b := openWith(t, &store.Faults{Twice: func() bool { updates.Add(1); return false }})
	tail := b.tail(t, false)
	for _, c := range []struct {
		posts, updates int64
		number         bool
		last           int64
	}{{0, 0, true, 0}, {1, 1, false, 0}, {0, 1, true, 1}, {0, 0, true, 1}, {0, 0, false, 1}} {
		before := updates.Load()
		for range c.posts {
			if err := b.post(t.Context(), nil, Event{"a", FeedItem, 1}); err != nil {
				t.Fatal(err)
			}
		}
		if err := tail.round(t.Context(), c.number); err != nil {
			t.Fatal(err)
		}
		if got := updates.Load() - before; got != c.updates || tail.Last().Seq != c.last {
			t.Errorf("%+v: %d updates, the last event is %d", c, got, tail.Last().Seq)
		}
	}
}

// TestAmongKeepsPosition checks that a reader at the end stays at the position that it gave.
func TestAmongKeepsPosition(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.fill(t, 2, "a")
	at, last := b.at(t, 2), b.tail(t, false).Last()
	if at == last {
		t.Fatal("the position of a client is that of a node")
	}
	list, upto, err := b.among(t.Context(), at, last, []string{"a"})
	if err != nil || len(list) != 0 || upto != at {
		t.Errorf("%d events up to %+v, error %v, want none up to %+v", len(list), upto, err, at)
	}
}

// TestHeadMoved checks that a node which finds that another one has numbered meanwhile numbers nothing, and
// that this is no error. Here a trigger ignores the swap of the head.
func TestHeadMoved(t *testing.T) {
	t.Parallel()
	b := &book{Log: &Log{DB: storetest.OpenSQLite(t, storetest.At(storetest.NewSQLite(t), store.Config{})),
		Hub: &Hub{}}}
	b.exec(t, "CREATE TRIGGER moved BEFORE UPDATE ON event_head BEGIN SELECT RAISE(IGNORE); END")
	if err := b.post(t.Context(), nil, Event{"a", FeedItem, 1}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{0, 1} {
		if err := b.number(t.Context()); err != nil {
			t.Fatal(err)
		}
		list, err := b.after(t.Context(), Position{}, 10)
		waiting, errInbox := b.waiting(t.Context())
		if err != nil || errInbox != nil || len(list) != want || waiting != (want == 0) {
			t.Errorf("%d events are numbered, want %d; waiting %v, errors %v, %v", len(list), want, waiting, err, errInbox)
		}
		b.exec(t, "DROP TRIGGER IF EXISTS moved")
	}
}
