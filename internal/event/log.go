package event

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"roshambo/internal/db"
	q "roshambo/internal/query/eventq"
)

const (
	// Kept is how many events the log keeps at most.
	Kept = 100_000
	// KeptFor is how long it keeps an event.
	KeptFor = 24 * time.Hour

	numberSize = 500   // events that are numbered in one transaction
	dropSize   = 2_000 // events that are deleted in one transaction
)

// Log is the stored log of events. Its fields are set once, before use.
type Log struct {
	DB  *db.DB
	Hub *Hub
	Now func() time.Time
}

// Topics that no event has, by which a node's Tail is woken.
const (
	inbox    = ""         // something was posted on this node, which is to be numbered
	numbered = "numbered" // another node has numbered something, which can be read
)

// Post puts an event into the caller's transaction. Once that is committed, who watches
// the event's topic is woken and, a moment later, followers are told.
func (l *Log) Post(ctx context.Context, tx *db.Tx, e Event) error {
	body, err := e.encode()
	if err != nil {
		return err
	}
	err = q.New(tx.Later()).Post(ctx, q.PostParams{Topic: e.Topic, Kind: e.Kind, Body: body, PostedAt: l.Now().UnixMilli()})
	if err != nil {
		return fmt.Errorf("event: post %s: %w", e.Kind, err)
	}
	tx.AfterCommit(func() {
		l.Hub.Wake(e.Topic)
		l.Hub.WakeHere(inbox)
	})
	return nil
}

// errNumbered says that another node has numbered events meanwhile.
var errNumbered = errors.New("event: another node was numbering")

// number moves what is in the inbox into the log, and returns how many events it moved.
// When another node does so at the same time it leaves that to it: what is left in the
// inbox then is found by the next look.
func (l *Log) number(ctx context.Context) (moved int, err error) {
	// Who numbers swaps the head, and nobody else writes it. Events that come meanwhile are
	// not seen, and stay; serializable, all who post would be in the way.
	err = l.DB.UpdateAt(ctx, db.Snapshot, func(ctx context.Context, tx *db.Tx) (err error) {
		moved, err = l.move(ctx, tx)
		return err
	})
	if errors.Is(err, errNumbered) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("event: numbering: %w", err)
	}
	if moved > 0 && l.Hub.Relay != nil {
		l.Hub.Relay(numbered)
	}
	return moved, nil
}

// move is number inside its transaction.
func (l *Log) move(ctx context.Context, tx *db.Tx) (int, error) {
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
	if err == nil && swapped != 1 {
		err = errNumbered
	}
	if err != nil {
		return 0, err
	}
	rows := make([][]any, len(list))
	for i, e := range list {
		rows[i] = []any{head + 1 + int64(i), e.Topic, e.Kind, e.Body, e.PostedAt}
	}
	if err := db.BulkInsert(ctx, tx, "event", []string{"seq", "topic", "kind", "body", "posted_at"}, rows); err != nil {
		return 0, err
	}
	gone, err := queries.ClearInbox(ctx, list[len(list)-1].ID)
	if err == nil && gone != int64(len(list)) {
		err = errNumbered // one came into the middle: take all of it back and look again
	}
	return len(list), err
}

// Sweep drops what is older than KeptFor, and what is more than Kept, and returns how
// many events those were. A crash in between leaves the rest for the next sweep.
func (l *Log) Sweep(ctx context.Context) (dropped int64, err error) {
	var first, last int64
	err = l.DB.View(ctx, func(ctx context.Context, tx *db.Tx) error {
		var head int64
		if first, head, err = span(ctx, tx); err != nil {
			return err
		}
		last, err = q.New(tx).PostedBefore(ctx, l.Now().Add(-KeptFor).UnixMilli())
		last = max(last, head-Kept)
		return err
	})
	for upto := first; err == nil && upto <= last; {
		upto = min(upto+dropSize, last+1)
		err = l.DB.Update(ctx, func(ctx context.Context, tx *db.Tx) error {
			n, err := q.New(tx).Drop(ctx, upto-1)
			tx.AfterCommit(func() { dropped += n })
			return err
		})
	}
	if err != nil {
		return dropped, fmt.Errorf("event: sweep: %w", err)
	}
	return dropped, nil
}

// Stored is an event of the log.
type Stored struct {
	Seq         int64
	Topic, Kind string
	Body        string // JSON on one line
}

// after returns up to count events after a seq, in their order.
func (l *Log) after(ctx context.Context, seq, count int64) (list []*Stored, err error) {
	err = l.DB.View(ctx, func(ctx context.Context, tx *db.Tx) error {
		rows, err := q.New(tx).List(ctx, q.ListParams{After: seq, Count: count})
		list = make([]*Stored, len(rows))
		for i, r := range rows {
			list[i] = &Stored{r.Seq, r.Topic, r.Kind, r.Body}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("event: after %d: %w", seq, err)
	}
	return list, nil
}

// span returns the numbers of the first event kept and of the last one ever. The first
// is one more than the last when none is kept.
func span(ctx context.Context, tx *db.Tx) (first, last int64, err error) {
	queries := q.New(tx)
	if last, err = queries.GetHead(ctx); err != nil {
		return 0, 0, err
	}
	if first, err = queries.First(ctx); first == 0 {
		first = last + 1
	}
	return first, last, err
}

// among returns the next events of the topics after seq, up to the number last, and the
// number up to which there are no others.
func (l *Log) among(ctx context.Context, seq, last int64, topics []string) (list []*Stored, upto int64, err error) {
	var rows []q.ListAmongRow
	err = l.DB.View(ctx, func(ctx context.Context, tx *db.Tx) error {
		first, head, err := span(ctx, tx)
		if err == nil && (seq < first-1 || seq > head) {
			err = ErrGone
		}
		if err != nil {
			return err
		}
		rows, err = q.New(tx).ListAmong(ctx, q.ListAmongParams{
			After: seq, Last: last, Topics: "|" + strings.Join(topics, "|") + "|", Count: readSize})
		return err
	})
	if err != nil {
		return nil, seq, fmt.Errorf("event: after %d: %w", seq, err)
	}
	upto = max(seq, last)
	if len(rows) == readSize {
		upto = rows[readSize-1].Seq
	}
	for _, r := range rows {
		if slices.Contains(topics, r.Topic) {
			list = append(list, &Stored{r.Seq, r.Topic, r.Kind, r.Body})
		}
	}
	return list, upto, nil
}
