package event

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"roshambo/internal/store"
)

const (
	// ringSize is the number of latest events that a node keeps in memory.
	ringSize = 8192
	// readSize is the most events that one Read returns.
	readSize = 256
	// loadSize is the number of events that one query loads.
	loadSize = 1000
	// minPause is the least time between two polls of the inbox: events posted within it share
	// the commit that numbers them.
	minPause = 10 * time.Millisecond
	// maxSlowReads is the number of streams that may read from the database at a time.
	maxSlowReads = 2
)

// Tail reads the log for all streams of a node, and numbers events; any node may do that. Its
// methods are safe for concurrent use.
//
// A stream remembers the position up to which it has read:
//
//	watch := tail.Watch(topics...)
//	for {
//		events, upto, err := tail.Read(ctx, at, topics)
//		… // ErrGone: begin anew at tail.Last()
//		at = upto
//		if len(events) == 0 {
//			<-watch.C()
//		}
//	}
//
// A slow stream falls behind and delays no other.
type Tail struct {
	log    *Log
	poll   time.Duration
	logger *slog.Logger
	hub    Hub           // wakes streams when there are events to read
	slow   chan struct{} // one element for each stream that reads from the database

	mu    sync.RWMutex // guards the fields below
	ring  []*Stored    // event n is at n modulo its length
	first int64        // number of the first event in the ring; last+1 when it is empty
	last  Position     // of the log, as far as this node knows
}

// NewTail returns the Tail of a log, with the latest events loaded. poll is the interval at which
// Run reads the log without a wake-up.
func NewTail(ctx context.Context, log *Log, poll time.Duration, logger *slog.Logger) (*Tail, error) {
	t := &Tail{
		log: log, poll: poll, logger: logger, slow: make(chan struct{}, maxSlowReads),
		ring: make([]*Stored, ringSize),
	}
	if err := t.load(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

// load replaces the content of the ring by the latest events of the log.
func (t *Tail) load(ctx context.Context) error {
	var start int64
	err := t.log.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		first, last, err := span(ctx, tx)
		start = max(first-1, last-ringSize)
		return err
	})
	if err != nil {
		return fmt.Errorf("event: span of the log: %w", err)
	}
	var all []*Stored
	for at := (Position{Seq: start}); ; at = all[len(all)-1].position() {
		list, err := t.log.after(ctx, at, loadSize)
		if err != nil {
			return err
		}
		all = append(all, list...)
		if len(list) < loadSize {
			break
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.first, t.last = start+1, Position{Seq: start}
	t.add(all)
	return nil
}

// Last returns the position of the latest event.
func (t *Tail) Last() Position {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.last
}

// Watch returns a Watch that is woken when Read may return events of the topics.
func (t *Tail) Watch(topics ...string) *Watch { return t.hub.Watch(topics...) }

// Run numbers and reads events until ctx ends. Events posted later wait in the inbox for the next
// start.
func (t *Tail) Run(ctx context.Context) {
	woken := t.log.Hub.Watch(inbox, numbered)
	defer woken.Close()
	ticker := time.NewTicker(t.poll)
	defer ticker.Stop()
	for number := true; ; {
		if err := t.round(ctx, number); err != nil && ctx.Err() == nil {
			t.logger.Error("reading the log of events", "error", err) // retried at the next tick
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(minPause):
		}
		select {
		case <-ctx.Done():
			return
		case <-woken.C():
			number = slices.Contains(woken.Woken(), inbox)
		case <-ticker.C:
			number = true // including events of nodes that have died
		}
	}
}

// round reads numbered events; with number it first numbers those in the inbox.
func (t *Tail) round(ctx context.Context, number bool) error {
	for {
		waiting := false
		if number {
			var err error
			if waiting, err = t.log.waiting(ctx); err != nil {
				return err
			}
		}
		if waiting {
			if err := t.log.number(ctx); err != nil {
				return err
			}
		}
		err := t.catchUp(ctx)
		if errors.Is(err, errDiverged) {
			err = t.reload(ctx)
		}
		if err != nil || !waiting {
			return err
		}
	}
}

// reload loads the ring again, because the log lacks events that this node has read. Streams find
// their positions gone and reset. It wakes all other watchers too, because the state that they
// have read may be gone.
func (t *Tail) reload(ctx context.Context) error {
	lost := t.Last()
	if err := t.load(ctx); err != nil {
		return err
	}
	t.logger.Warn("the log of events lacks events that this node has read: the database has failed over to a "+
		"standby that was behind, or was restored; streams are reset", "read_to", lost.Seq, "log_ends_at", t.Last().Seq)
	t.hub.WakeAll()
	t.log.Hub.WakeAll()
	return nil
}

// catchUp reads new events and wakes their followers. Errors: errDiverged when the log lacks
// events that were read before.
func (t *Tail) catchUp(ctx context.Context) error {
	for {
		list, err := t.log.after(ctx, t.Last(), loadSize)
		if err != nil {
			return err
		}
		topics := topicsOf(list)
		if slices.Contains(topics, corrections) { // also of events that this node has read
			if err := t.load(ctx); err != nil {
				return err
			}
		} else {
			t.mu.Lock()
			t.add(list)
			t.mu.Unlock()
		}
		for _, topic := range topics {
			t.hub.Wake(topic)
			t.log.Hub.WakeLocal(topic) // for events of other nodes
		}
		if len(list) < loadSize {
			return nil
		}
	}
}

// add appends events to the ring. Only one goroutine adds: NewTail's, then Run's. The caller holds
// mu.
func (t *Tail) add(list []*Stored) {
	for _, e := range list {
		if e.Seq != t.last.Seq+1 { // Sweep dropped the events in between
			t.first = e.Seq
		}
		t.ring[e.Seq%ringSize] = e
		t.last = e.position()
		t.first = max(t.first, e.Seq-ringSize+1)
	}
}

// topicsOf returns the topics of events, each once.
func topicsOf(list []*Stored) []string {
	var topics []string
	for _, e := range list {
		if !slices.Contains(topics, e.Topic) {
			topics = append(topics, e.Topic)
		}
	}
	return topics
}

// Read returns the next events of the topics after a position, in their order, and the position up
// to which there are no others. It returns at once, without events if there are none. Errors:
// ErrGone when the log no longer has, or never had, the event of the position.
func (t *Tail) Read(ctx context.Context, at Position, topics []string) (list []*Stored, upto Position, err error) {
	list, upto, err = t.recent(at, topics)
	if !errors.Is(err, errNotHere) {
		return list, upto, err
	}
	select {
	case t.slow <- struct{}{}:
		defer func() { <-t.slow }()
	case <-ctx.Done():
		return nil, at, ctx.Err()
	}
	return t.log.among(ctx, at, upto, topics)
}

// errNotHere reports that the ring does not reach back far enough.
var errNotHere = errors.New("event: not in memory")

// recent is Read from the ring. With errNotHere it returns the last position of the log.
func (t *Tail) recent(at Position, topics []string) (list []*Stored, upto Position, err error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	switch {
	case at.Seq == t.last.Seq:
		if !at.matches(t.last) {
			return nil, at, ErrGone
		}
		return nil, t.last, nil
	case at == Position{given: at.given} && t.first == 1: // before all events
	case at.Seq < t.first || at.Seq > t.last.Seq:
		return nil, t.last, errNotHere
	case !at.matches(t.ring[at.Seq%ringSize].position()):
		return nil, at, ErrGone
	}
	upto = at
	for upto.Seq < t.last.Seq && len(list) < readSize {
		e := t.ring[(upto.Seq+1)%ringSize]
		upto = e.position()
		if slices.Contains(topics, e.Topic) {
			list = append(list, e)
		}
	}
	return list, upto, nil
}

// waiting reports whether there are events in the inbox.
func (l *Log) waiting(ctx context.Context) (bool, error) {
	since, err := store.Read(ctx, l.DB, l.WaitingSince)
	return !since.IsZero(), err
}
