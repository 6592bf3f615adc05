package event

import (
	"context"
	"fmt"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/eventq"
)

// corrections is the topic of retracted events, and of those that report a correction of stored events
// to the nodes. No stream follows it.
const corrections = "corrections"

// Replace replaces a text in the bodies of the stored events of a topic, such as a name that was
// withdrawn, which a stream that resumes would send. It is part of the transaction that withdraws the
// name; every node then loads its events again. It scans the log.
func (l *Log) Replace(ctx context.Context, tx *store.Tx, topic, before, after string) error {
	queries := q.New(tx)
	p := q.ReplaceStoredParams{Old: before, New: after, Topic: topic}
	if _, err := queries.ReplaceStored(ctx, p); err != nil {
		return fmt.Errorf("event: correct %s: %w", topic, err)
	}
	if _, err := queries.ReplacePosted(ctx, q.ReplacePostedParams(p)); err != nil {
		return fmt.Errorf("event: correct %s: %w", topic, err)
	}
	return l.Correct(ctx, tx)
}

// Correct is for a change of a name or text that no stored event has: every node forgets what it keeps of answers
// (OnCorrection), and loads its events again when it reads this event. It is part of the transaction of the change.
func (l *Log) Correct(ctx context.Context, tx *store.Tx) error {
	return l.Post(ctx, tx, Event{Topic: corrections, Kind: corrected, Body: struct{}{}})
}

// Retract takes the stored events of a topic whose bodies begin with a text out of all streams, as
// Replace does. Their numbers stay, without gaps.
func (l *Log) Retract(ctx context.Context, tx *store.Tx, topic, beginning string) error {
	queries := q.New(tx)
	p := q.RetractStoredParams{Corrections: corrections, Topic: topic, Pattern: beginning + "%"}
	if _, err := queries.RetractStored(ctx, p); err != nil {
		return fmt.Errorf("event: retract %s: %w", topic, err)
	}
	if _, err := queries.RetractPosted(ctx, q.RetractPostedParams(p)); err != nil {
		return fmt.Errorf("event: retract %s: %w", topic, err)
	}
	return l.Correct(ctx, tx)
}

// OnCorrection calls fn, which must not block, on this node after each correction, whichever node made it.
func (l *Log) OnCorrection(fn func()) *Watch { return l.Hub.OnWake(fn, corrections) }
