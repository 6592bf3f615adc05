package event

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// openAt opens a log in a database whose statements fail.
func openAt(t *testing.T, place store.Config) *book {
	t.Helper()
	b := &book{now: time.UnixMilli(1_800_000_000_000)}
	place.Now = func() time.Time { return b.now }
	b.Log = &Log{DB: storetest.Open(t, place), Hub: &Hub{}}
	return b
}

// TestEachStatement posts, numbers, reads and drops events with each statement failing once.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	place := storetest.At(storetest.New(t), store.Config{Faults: each.Faults()})
	b := openAt(t, place)
	each.Use(t, b.DB, place)
	each.Level = store.Snapshot
	tail := b.tail(t, false)
	posted := b.Hub.Watch(inbox, "a")
	defer posted.Close()
	// Followers get what the Tail has read.
	each.Shown = func() any {
		list, _, err := tail.Read(t.Context(), Position{}, []string{"a"})
		return [3]any{len(list), tail.Last().Seq, err}
	}
	post := func() {
		t.Helper()
		each.Update(t, "post", func(ctx context.Context, tx *store.Tx) error {
			return b.Post(ctx, tx, Event{"a", FeedItem, 1})
		})
	}
	post()
	post()
	// One round numbers in a transaction of its own, and reads what it has numbered.
	each.Shown = nil
	n := int64(2)
	each.Steps(t, "round", func() {
		if err := b.post(t.Context(), nil, Event{"a", FeedItem, 1}); err != nil {
			t.Fatal(err)
		}
		n++
	}, func(ctx context.Context) error { return tail.round(ctx, true) }, func() {
		if list, _, err := tail.Read(t.Context(), Position{}, []string{"a"}); err != nil || int64(len(list)) != n ||
			tail.Last().Seq != n {
			t.Errorf("%d events up to %d, error %v, want %d", len(list), tail.Last().Seq, err, n)
		}
	})
	each.Call(t, "another tail", func(ctx context.Context) error {
		_, err := NewTail(ctx, b.Log, time.Hour, slog.New(slog.DiscardHandler))
		return err
	})
	each.Call(t, "read what is in memory no more", func(ctx context.Context) error {
		list, upto, err := b.among(ctx, Position{}, tail.Last(), []string{"a"})
		if err == nil && (int64(len(list)) != n || upto.Seq != n) || err != nil && list != nil {
			t.Errorf("%d events up to %d, error %v", len(list), upto.Seq, err)
		}
		return err
	})
	eachRead(t, &each, b, tail.Last(), n)
	each.View(t, "inbox", func(ctx context.Context, tx *store.Tx) error {
		_, err := b.WaitingSince(ctx, tx)
		return err
	})
	b.now = b.now.Add(KeptFor + time.Millisecond)
	each.Call(t, "sweep", func(ctx context.Context) error {
		dropped, err := b.Sweep(ctx)
		if err == nil && dropped < n-1 { // the last one may stay, to continue from
			t.Errorf("%d of %d events dropped", dropped, n)
		}
		return err
	})
}

// eachRead reads the n events of a log that are no longer in memory, from several positions, with
// each statement failing once.
func eachRead(t *testing.T, each *storetest.Statements, b *book, last Position, n int64) {
	t.Helper()
	first := b.at(t, 1)
	each.Call(t, "read after a position", func(ctx context.Context) error {
		list, upto, err := b.among(ctx, first, last, []string{"a"})
		if err == nil && (int64(len(list)) != n-1 || upto != last) || err != nil && list != nil {
			t.Errorf("%d events up to %+v, error %v", len(list), upto, err)
		}
		return err
	})
	each.Call(t, "read after the last event", func(ctx context.Context) error {
		list, upto, err := b.among(ctx, last, last, []string{"a"})
		if err == nil && (len(list) != 0 || upto != last) {
			t.Errorf("%d events up to %+v, want none up to %+v", len(list), upto, last)
		}
		return err
	})
}

// TestEachStatementWakes checks that watchers are woken by stored events, and by no others.
func TestEachStatementWakes(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	place := storetest.At(storetest.New(t), store.Config{Faults: each.Faults()})
	b := openAt(t, place)
	each.Fail(1)
	w := b.Hub.Watch("a")
	defer w.Close()
	if err := b.post(t.Context(), nil, Event{"a", FeedItem, 1}); err == nil || each.Failed() == "" {
		t.Fatalf("posted with a statement that fails: error %v", err)
	}
	select {
	case <-w.C():
		t.Error("woken by an event that was not stored")
	default:
	}
	if err := b.post(t.Context(), nil, Event{"a", FeedItem, 1}); err != nil {
		t.Fatal(err)
	}
	<-w.C()
	var relayed []string // to the readers on other nodes
	b.Hub.Relay = func(topic string) { relayed = append(relayed, topic) }
	for range 2 {
		if err := b.number(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(relayed) != 1 || relayed[0] != numbered {
			t.Errorf("relayed %q, want one %q for the event that was numbered", relayed, numbered)
		}
	}
}
