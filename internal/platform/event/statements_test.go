package event

import (
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
	do, topics := storetest.Do, []string{"a"}
	post := storetest.Case{Name: "post", Update: do(b.Post, Event{"a", FeedItem, 1})}
	each.Run(t, []storetest.Case{post, post})
	// One round numbers in a transaction of its own, and reads what it has numbered.
	each.Shown = nil
	n := int64(2)
	each.Run(t, []storetest.Case{{Name: "round", Before: func() {
		if err := b.post(t.Context(), nil, Event{"a", FeedItem, 1}); err != nil {
			t.Fatal(err)
		}
		n++
	}, Steps: do(tail.round, true), After: func() {
		if list, _, err := tail.Read(t.Context(), Position{}, topics); err != nil || int64(len(list)) != n ||
			tail.Last().Seq != n {
			t.Errorf("%d events up to %d, error %v, want %d", len(list), tail.Last().Seq, err, n)
		}
	}}})
	first, last := b.at(t, 1), tail.Last()
	// reads reads the events after a position that are no longer in memory, and none with an error.
	reads := func(name string, after Position, want int64) storetest.Case {
		return storetest.Case{Name: name, Call: func(c storetest.In) (any, error) {
			list, upto, err := b.among(c, after, last, topics)
			if err != nil && list != nil {
				t.Errorf("%s: %d events, error %v", name, len(list), err)
			}
			return int64(len(list)) == want && upto == last, err
		}}
	}
	each.Run(t, []storetest.Case{
		{Name: "another tail", Call: do(NewTail, b.Log, time.Hour, slog.New(slog.DiscardHandler))},
		reads("read all", Position{}, n),
		reads("read after a position", first, n-1),
		reads("read after the last event", last, 0),
		{Name: "inbox", View: do(b.WaitingSince), After: func() { b.now = b.now.Add(KeptFor + time.Millisecond) }},
		// The last one may stay, to continue from.
		{Name: "sweep", Call: do(b.Sweep), Want: func(dropped int64) bool { return dropped >= n-1 }},
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
