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
	q "roshambo/internal/store/query/eventq"
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
// A stream that is slow falls behind and holds nobody up.
type Tail struct {
	log    *Log
	poll   time.Duration
	logger *slog.Logger
	hub    Hub           // wakes streams when there is more to read
	slow   chan struct{} // a token for each stream that reads from the database

	mu    sync.RWMutex // guards what follows
	ring  []*Stored    // the event n at n modulo its length
	first int64        // number of the first in the ring; one more than the last when that is empty
	last  Position     // of the log, as far as this node knows
}

// NewTail returns the Tail of a log, with the latest events loaded. Poll is how often it
// looks for what other nodes have posted.
func NewTail(ctx context.Context, log *Log, poll time.Duration, logger *slog.Logger) (*Tail, error) {
	t := &Tail{log: log, poll: poll, logger: logger, slow: make(chan struct{}, slowReads), ring: make([]*Stored, ringSize)}
	if err := t.load(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

// load fills the ring with the latest events of the log, in place of what it holds.
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
			err = t.log.number(ctx)
		}
		if err != nil {
			return err
		}
		err = t.catchUp(ctx)
		if errors.Is(err, errDiverged) {
			err = t.reload(ctx)
		}
		if err != nil || !waiting {
			return err
		}
	}
}

// reload begins anew with a log that does not hold what this node has read from it. Streams
// find that their positions are gone and reset. Who else waits looks again, because what it
// has seen may be gone, too.
func (t *Tail) reload(ctx context.Context) error {
	lost := t.Last()
	if err := t.load(ctx); err != nil {
		return err
	}
	t.logger.Warn("the log of events does not hold what this node has read from it: the database may have failed over to a "+
		"standby that was behind, or was restored; streams are reset", "read_to", lost.Seq, "log_ends_at", t.Last().Seq)
	t.hub.WakeAll()
	t.log.Hub.WakeAll()
	return nil
}

// catchUp reads what is new in the log, and wakes who follows it. When the log does not hold
// what was read from it before, the error is errDiverged.
func (t *Tail) catchUp(ctx context.Context) error {
	for {
		list, err := t.log.after(ctx, t.Last(), loadSize)
		if err != nil {
			return err
		}
		t.mu.Lock()
		t.add(list)
		t.mu.Unlock()
		for _, topic := range topicsOf(list) {
			t.hub.Wake(topic)
			t.log.Hub.WakeHere(topic) // for what was posted by another node
		}
		if len(list) < loadSize {
			return nil
		}
	}
}

// add puts events into the ring. Only one goroutine adds: Run's, or NewTail's before. It
// holds mu.
func (t *Tail) add(list []*Stored) {
	for _, e := range list {
		if e.Seq != t.last.Seq+1 { // what lies between was dropped before it was read
			t.first = e.Seq
		}
		t.ring[e.Seq%ringSize] = e
		t.last = e.position()
		t.first = max(t.first, e.Seq-ringSize+1)
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

// Read returns the next events of the topics after a position, in their order, and the
// position up to which there are no others. It returns at once; without events when there
// are none yet. When the log does not keep, or never held, the event of the position, the
// error is ErrGone.
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

// errNotHere says that the log must be asked, as what is in memory is not enough.
var errNotHere = errors.New("event: not in memory")

// recent is Read of what is in memory; when that is not all, the error is errNotHere, and
// upto the last position of the log.
func (t *Tail) recent(at Position, topics []string) (list []*Stored, upto Position, err error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	switch {
	case at.Seq == t.last.Seq:
		if !at.knows(t.last) {
			return nil, at, ErrGone
		}
		return nil, t.last, nil
	case at == Position{given: at.given} && t.first == 1: // before all events
	case at.Seq < t.first || at.Seq > t.last.Seq:
		return nil, t.last, errNotHere
	case !at.knows(t.ring[at.Seq%ringSize].position()):
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

// waiting says whether there are events in the inbox.
func (l *Log) waiting(ctx context.Context) (yes bool, err error) {
	err = l.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		list, err := q.New(tx).ListInbox(ctx, 1)
		yes = len(list) > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("event: inbox: %w", err)
	}
	return yes, nil
}
