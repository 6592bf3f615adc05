package event

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// station is a node with a Relay and a Tail.
type station struct {
	*Log
	relay  *Relay
	tail   *Tail
	missed atomic.Int64
	words  chan string // received by the handler
}

func newStation(t testing.TB, place store.Config) *station {
	t.Helper()
	d := storetest.Open(t, place)
	s := &station{Log: &Log{DB: d, Hub: &Hub{}}, words: make(chan string, 100)}
	logger := slog.New(slog.DiscardHandler)
	var err error
	s.relay = NewRelay(RelayConfig{DB: d, Hub: s.Hub, Logger: logger, Missed: func() { s.missed.Add(1) },
		Handlers: map[string]func(string){"word": func(rest string) {
			select {
			case s.words <- rest:
			default: // more than a test reads
			}
		}}})
	s.Hub.Relay = s.relay.Publish
	if s.tail, err = NewTail(t.Context(), s.Log, time.Hour, logger); err != nil { // polling finds nothing
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var both sync.WaitGroup
	both.Go(func() { s.relay.Run(ctx) })
	both.Go(func() { s.tail.Run(ctx) })
	t.Cleanup(func() { stop(); both.Wait() })
	until(t, "the relay is up", s.relay.Up)
	return s
}

// until waits for a condition.
func until(t testing.TB, what string, is func() bool) {
	t.Helper()
	for !is() {
		select {
		case <-t.Context().Done():
			t.Fatalf("not before the test ended: %s", what)
		case <-time.After(time.Millisecond):
		}
	}
}

// TestRelay checks on PostgreSQL that a topic woken on one node is woken on the others, and not
// again on itself, and that events posted on one node reach the readers on the others. Cut
// connections are re-established, and then all watchers are woken once. On SQLite there are no
// other nodes, and nothing is received.
func TestRelay(t *testing.T) {
	t.Parallel()
	place := storetest.At(storetest.New(t), store.Config{})
	a := newStation(t, place)
	mine := a.Hub.Watch("a", "b")
	defer mine.Close()
	if !storetest.Postgres() {
		a.relay.Publish("a")
		a.relay.Publish("word:x")
		if len(a.words) > 0 || len(mine.C()) > 0 {
			t.Error("a single node has received a message")
		}
		return
	}
	b := newStation(t, place)
	theirs := b.Hub.Watch("a", "b")
	defer theirs.Close()
	a.Hub.Wake("b")
	<-mine.C()
	mine.Woken()
	<-theirs.C()
	if woken := theirs.Woken(); len(woken) != 1 || woken[0] != "b" {
		t.Errorf("woken were %v, want b alone", woken)
	}
	a.relay.Publish("word:of one: two")
	if got := <-b.words; got != "of one: two" {
		t.Errorf("received %q", got)
	}
	follow(t, a, b)
	cut(t, place)
	seen := []int64{a.missed.Load(), b.missed.Load()}
	for i, s := range []*station{a, b} {
		until(t, "both nodes have noticed", func() bool { return s.missed.Load() > seen[i] || s.relay.Up() })
		until(t, "both nodes are back", s.relay.Up)
	}
	// A topic woken while a could not send arrives late.
	b.Hub.Wake("a")
	<-mine.C()
	follow(t, b, a)
	if len(a.words) > 0 {
		t.Errorf("a has received its own message %q", <-a.words)
	}
}

// follow posts an event on one node and reads it on another.
func follow(t *testing.T, from, to *station) {
	t.Helper()
	watch := to.tail.Watch(Feed)
	defer watch.Close()
	at := to.tail.Last()
	err := from.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return from.Post(ctx, tx, Event{Topic: Feed, Kind: BlockSealed, Body: 1})
	})
	if err != nil {
		t.Fatal(err)
	}
	for {
		list, upto, err := to.tail.Read(t.Context(), at, []string{Feed})
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 1 {
			return
		}
		at = upto
		<-watch.C()
	}
}

// cut ends all connections to the database, and returns when they have ended.
func cut(t *testing.T, place store.Config) {
	t.Helper()
	_, err := storetest.Raw(t, place).ExecContext(
		t.Context(),
		"SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "+
			"WHERE datname = current_database() AND pid <> pg_backend_pid()",
	)
	if err != nil {
		t.Fatal(err)
	}
}

// TestRelayMessages checks that queued topics are sent together, once each and in their order, in
// messages that the database accepts, and that too many become one message for all topics.
func TestRelayMessages(t *testing.T) {
	t.Parallel()
	r := NewRelay(RelayConfig{})
	if got := r.takeBatch(); got != nil {
		t.Errorf("an empty queue sends %q", got)
	}
	var want []string
	for i := range maxQueued {
		want = append(want, fmt.Sprintf("topic:%d", i))
		r.Publish(want[i])
		r.Publish(want[i/2])
	}
	var got []string
	for _, message := range r.takeBatch() {
		node, topics, _ := strings.Cut(message, "\n")
		if len(message) >= 8000 || node != r.node {
			t.Fatalf("a message of %d bytes from %q", len(message), node)
		}
		got = append(got, strings.Split(topics, "\n")...)
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%d topics were sent, want %d in their order", len(got), len(want))
	}
	for i := range maxQueued + 1 {
		r.Publish(fmt.Sprint("topic:", i))
	}
	if got := r.takeBatch(); len(got) != 1 || got[0] != r.node+"\n"+everything {
		t.Errorf("too many topics send %.100q", got)
	}
	r.Publish("again")
	if got := r.takeBatch(); len(got) != 1 || got[0] != r.node+"\nagain" {
		t.Errorf("afterwards it sends %.100q", got)
	}
}
