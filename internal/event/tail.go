package event

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"roshambo/internal/db"
	q "roshambo/internal/query/eventq"
)

const (
	// ringSize is how many of the latest events a node keeps in memory.
	ringSize = 8192
	// readSize is the most events that one Read returns.
	readSize = 256
	// loadSize is how many events are loaded in one query.
	loadSize = 1000
	// pace is the least time between two looks at the inbox: events that are posted
	// within it share the commit that numbers them.
	pace = 10 * time.Millisecond
	// slowReads is how many streams at once may read what is no longer in memory.
	slowReads = 2
)

// Tail reads the log for all streams of a node. It also numbers events; which node does
// so does not matter. Its methods are safe for concurrent use.
//
// A stream remembers the number up to which it has read:
//
//	watch := tail.Watch(topics...)
//	for {
//		events, upto, err := tail.Read(ctx, seq, topics)
//		… // ErrGone: begin anew at tail.Last()
//		seq = upto
//		if len(events) == 0 {
//			<-watch.C()
//		}
//	}
//
// A stream that is slow falls behind and holds nobody up.
type Tail struct {
	log    *Log
	poll   time.Duration
	logger *slog.Logger
	hub    Hub           // wakes streams when there is more to read
	slow   chan struct{} // a token for each stream that reads from the database

	mu    sync.RWMutex // guards what follows
	ring  []*Stored    // the event n at n modulo its length
	first int64        // in the ring; last+1 when that is empty
	last  int64        // of the log, as far as this node knows
}

// NewTail returns the Tail of a log, with the latest events loaded. Poll is how often it
// looks for what other nodes have posted.
func NewTail(ctx context.Context, log *Log, poll time.Duration, logger *slog.Logger) (*Tail, error) {
	t := &Tail{log: log, poll: poll, logger: logger, slow: make(chan struct{}, slowReads), ring: make([]*Stored, ringSize)}
	err := log.DB.View(ctx, func(ctx context.Context, tx *db.Tx) error {
		first, last, err := span(ctx, tx)
		t.last = max(first-1, last-ringSize)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("event: span of the log: %w", err)
	}
	t.first = t.last + 1
	if err := t.catchUp(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

// Last returns the number of the latest event.
func (t *Tail) Last() int64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.last
}

// Watch watches for events of topics that can be read.
func (t *Tail) Watch(topics ...string) *Watch { return t.hub.Watch(topics...) }

// Run numbers events and reads them until ctx ends. What is posted later waits in the
// inbox for the next start.
func (t *Tail) Run(ctx context.Context) {
	woken := t.log.Hub.Watch(inbox, numbered)
	defer woken.Close()
	ticker := time.NewTicker(t.poll)
	defer ticker.Stop()
	for number := true; ; {
		if err := t.round(ctx, number); err != nil && ctx.Err() == nil {
			t.logger.Error("reading the log of events", "error", err) // and again at the next tick
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pace):
		}
		select {
		case <-ctx.Done():
			return
		case <-woken.C():
			number = slices.Contains(woken.Woken(), inbox)
		case <-ticker.C:
			number = true // also what was posted by a node that has died since
		}
	}
}

// round reads what was numbered, and first numbers what was posted, if that is asked for.
func (t *Tail) round(ctx context.Context, number bool) error {
	for {
		waiting, err := false, error(nil)
		if number {
			waiting, err = t.log.waiting(ctx)
		}
		if err == nil && waiting {
			_, err = t.log.number(ctx)
		}
		if err != nil {
			return err
		}
		if err := t.catchUp(ctx); err != nil || !waiting {
			return err
		}
	}
}

// catchUp reads what is new in the log, and wakes who follows it.
func (t *Tail) catchUp(ctx context.Context) error {
	for {
		list, err := t.log.after(ctx, t.Last(), loadSize)
		if err != nil {
			return err
		}
		t.add(list)
		for _, topic := range topicsOf(list) {
			t.hub.Wake(topic)
			t.log.Hub.WakeHere(topic) // for what was posted by another node
		}
		if len(list) < loadSize {
			return nil
		}
	}
}

// add puts events into the ring. Only one goroutine adds: Run's, or NewTail's before.
func (t *Tail) add(list []*Stored) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range list {
		if e.Seq != t.last+1 { // what lies between was dropped before it was read
			t.first = e.Seq
		}
		t.ring[e.Seq%ringSize] = e
		t.last = e.Seq
		t.first = max(t.first, t.last-ringSize+1)
	}
}

func topicsOf(list []*Stored) []string {
	var topics []string
	for _, e := range list {
		if !slices.Contains(topics, e.Topic) {
			topics = append(topics, e.Topic)
		}
	}
	return topics
}

// Read returns the next events of the topics after the number seq, in their order, and
// the number up to which there are no others. It returns at once; without events when
// there are none yet. Events that were asked for and are not kept are ErrGone.
func (t *Tail) Read(ctx context.Context, seq int64, topics []string) (list []*Stored, upto int64, err error) {
	list, upto, ok := t.recent(seq, topics)
	if ok {
		return list, upto, nil
	}
	select {
	case t.slow <- struct{}{}:
		defer func() { <-t.slow }()
	case <-ctx.Done():
		return nil, seq, ctx.Err()
	}
	return t.log.among(ctx, seq, upto, topics)
}

// recent is Read of what is in memory; when that is not all, it is not ok, and upto is
// the last number of the log.
func (t *Tail) recent(seq int64, topics []string) (list []*Stored, upto int64, ok bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if seq < t.first-1 || seq > t.last {
		return nil, t.last, false
	}
	for seq < t.last && len(list) < readSize {
		seq++
		if e := t.ring[seq%ringSize]; slices.Contains(topics, e.Topic) {
			list = append(list, e)
		}
	}
	return list, seq, true
}

// waiting says whether there are events in the inbox.
func (l *Log) waiting(ctx context.Context) (yes bool, err error) {
	err = l.DB.View(ctx, func(ctx context.Context, tx *db.Tx) error {
		list, err := q.New(tx).ListInbox(ctx, 1)
		yes = len(list) > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("event: inbox: %w", err)
	}
	return yes, nil
}
