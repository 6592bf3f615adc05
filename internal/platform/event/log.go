package event

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/eventq"
)

const (
	// Kept is the most events that the log keeps.
	Kept = 100_000
	// KeptFor is the age up to which it keeps an event.
	KeptFor = 24 * time.Hour

	numberSize = 500   // events numbered in one transaction
	dropSize   = 2_000 // events deleted in one transaction
)

// Log is the stored log of events. Set its fields once, before use.
type Log struct {
	DB  *store.DB
	Hub *Hub
}

// Internal topics, which wake a node's Tail.
const (
	inbox    = ""         // this node posted events, which have no number yet
	numbered = "numbered" // another node numbered events, which can be read
)

// Post inserts an event in the caller's transaction. After the commit it wakes the watchers of the
// event's topic; streams send the event a moment later.
func (l *Log) Post(ctx context.Context, tx *store.Tx, e Event) error {
	body, err := e.encode()
	if err != nil {
		return err
	}
	err = q.New(tx.Deferred()).Post(
		ctx, q.PostParams{Topic: e.Topic, Kind: string(e.Kind), Body: body, PostedAt: tx.Now().UnixMilli()},
	)
	if err != nil {
		return fmt.Errorf("event: post %s: %w", e.Kind, err)
	}
	tx.AfterCommit(func() {
		l.Hub.Wake(e.Topic)
		l.Hub.WakeLocal(inbox)
	})
	return nil
}

// errNumbered reports that another node numbered events concurrently.
var errNumbered = errors.New("event: another node was numbering")

// number moves events from the inbox into the log. If another node does so concurrently it leaves
// the events to that node; the next poll finds the rest.
func (l *Log) number(ctx context.Context) error {
	moved := 0
	// Snapshot isolation suffices, because only this transaction writes the head. Events posted
	// meanwhile are not visible, and stay in the inbox. Serializable, every poster would conflict.
	err := l.DB.UpdateAt(ctx, store.Snapshot, func(ctx context.Context, tx *store.Tx) (err error) {
		moved, err = l.move(ctx, tx)
		return err
	})
	if errors.Is(err, errNumbered) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("event: numbering: %w", err)
	}
	if moved > 0 && l.Hub.Relay != nil {
		l.Hub.Relay(numbered)
	}
	return nil
}

// move is number inside its transaction. It returns the number of moved events.
func (l *Log) move(ctx context.Context, tx *store.Tx) (int, error) {
	queries := q.New(tx)
	head, err := queries.GetHead(ctx)
	if err != nil {
		return 0, err
	}
	list, err := queries.ListInbox(ctx, numberSize)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	swapped, err := queries.SwapHead(ctx, q.SwapHeadParams{Seq: head + int64(len(list)), Seen: head})
	if err != nil {
		return 0, err
	}
	if swapped != 1 {
		return 0, errNumbered
	}
	batch := newBatch()
	rows := make([][]any, len(list))
	for i, e := range list {
		rows[i] = []any{head + 1 + int64(i), e.Topic, e.Kind, e.Body, e.PostedAt, batch}
	}
	columns := []string{"seq", "topic", "kind", "body", "posted_at", "batch"}
	if err := store.BulkInsert(ctx, tx, "event", columns, rows); err != nil {
		return 0, err
	}
	gone, err := queries.ClearInbox(ctx, list[len(list)-1].ID)
	if err != nil {
		return 0, err
	}
	if gone != int64(len(list)) {
		return 0, errNumbered // an event was inserted in between: roll back and retry
	}
	return len(list), nil
}

// newBatch returns a random positive number.
func newBatch() int64 {
	var b [8]byte
	rand.Read(b[:])
	return int64(binary.LittleEndian.Uint64(b[:])>>1 | 1<<62)
}

// Sweep drops events that are older than KeptFor or exceed Kept, and returns their number. A crash
// leaves the rest to the next sweep.
//
// It drops from the first event up to the first one that is young enough. It keeps the newest event that is too old,
// because that one shows a reader whose position it is that no later event was dropped (Position).
func (l *Log) Sweep(ctx context.Context) (dropped int64, err error) {
	var first, last int64
	err = l.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		var head int64
		if first, head, err = span(ctx, tx); err != nil {
			return err
		}
		young, err := q.New(tx).FirstSince(ctx, tx.Now().Add(-KeptFor).UnixMilli())
		if err != nil {
			return err
		}
		if young == 0 {
			young = head + 1
		}
		last = max(young-2, head-Kept)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("event: sweep: %w", err)
	}
	for upto := first; upto <= last; {
		upto = min(upto+dropSize, last+1)
		err := l.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
			n, err := q.New(tx).Drop(ctx, upto-1)
			tx.AfterCommit(func() { dropped += n })
			return err
		})
		if err != nil {
			return dropped, fmt.Errorf("event: sweep: %w", err)
		}
	}
	return dropped, nil
}

// Stored is an event of the log.
type Stored struct {
	Seq         int64
	Topic, Kind string
	Body        string // JSON on one line
	batch       int64  // number of the transaction that numbered it; see Position
}

// errDiverged reports that the log does not have an event that was read from it before.
var errDiverged = errors.New("event: the log holds another history")

// after returns up to count events after a position, in their order. Errors: errDiverged when the
// log no longer has the event of the position. It does not check a position without a known event.
func (l *Log) after(ctx context.Context, p Position, count int64) (list []*Stored, err error) {
	known := p.batch != 0
	err = l.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		from := q.ListFromParams{First: p.Seq + 1, Count: count}
		if known {
			from = q.ListFromParams{First: p.Seq, Count: count + 1}
		}
		rows, err := q.New(tx).ListFrom(ctx, from)
		if err != nil {
			return err
		}
		if known {
			if len(rows) == 0 || rows[0].Seq != p.Seq || rows[0].Batch != p.batch {
				return errDiverged
			}
			rows = rows[1:]
		}
		list = make([]*Stored, len(rows))
		for i, r := range rows {
			list[i] = &Stored{Seq: r.Seq, Topic: r.Topic, Kind: r.Kind, Body: r.Body, batch: r.Batch}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("event: after %d: %w", p.Seq, err)
	}
	return list, nil
}

// span returns the number of the first event that is kept and of the last one that was numbered.
// Without kept events the first is one more than the last.
func span(ctx context.Context, tx *store.Tx) (first, last int64, err error) {
	queries := q.New(tx)
	if last, err = queries.GetHead(ctx); err != nil {
		return 0, 0, err
	}
	if first, err = queries.First(ctx); first == 0 {
		first = last + 1
	}
	return first, last, err
}

// among returns the next events of the topics after a position, up to last, and the position up to
// which there are no others. Errors: ErrGone.
func (l *Log) among(ctx context.Context, p, last Position, topics []string) (list []*Stored, upto Position, err error) {
	var rows []q.ListAmongRow
	err = l.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := l.contains(ctx, tx, p); err != nil {
			return err
		}
		rows, err = q.New(tx).ListAmong(ctx, q.ListAmongParams{
			After: p.Seq, Last: last.Seq, Topics: "|" + strings.Join(topics, "|") + "|", Count: readSize})
		return err
	})
	if err != nil {
		return nil, p, fmt.Errorf("event: after %d: %w", p.Seq, err)
	}
	upto = p
	if last.Seq > p.Seq {
		upto = last
	}
	for _, r := range rows {
		e := &Stored{Seq: r.Seq, Topic: r.Topic, Kind: r.Kind, Body: r.Body, batch: r.Batch}
		if slices.Contains(topics, e.Topic) {
			list = append(list, e)
		}
		if len(rows) == readSize {
			upto = e.position()
		}
	}
	return list, upto, nil
}

// contains returns ErrGone unless the log has the event of a position, and so all events after it.
func (l *Log) contains(ctx context.Context, tx *store.Tx, p Position) error {
	if (p == Position{given: p.given}) { // before all events
		first, _, err := span(ctx, tx)
		if err != nil {
			return err
		}
		if first > 1 {
			return ErrGone
		}
		return nil
	}
	rows, err := q.New(tx).ListFrom(ctx, q.ListFromParams{First: p.Seq, Count: 1})
	if err != nil {
		return err
	}
	if len(rows) == 0 || rows[0].Seq != p.Seq || !p.matches(Position{batch: rows[0].Batch}) {
		return ErrGone
	}
	return nil
}
