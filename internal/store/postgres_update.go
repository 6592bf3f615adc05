package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// gateAfterConflicts is how many conflicts an Update meets before it queues up behind others
// that do.
const gateAfterConflicts = 2

// postgresUpdate is one Update: its closure runs until its effect is stored, or cannot
// be.
type postgresUpdate struct {
	engine    *postgresEngine
	begin     string
	fn        func(*Tx) error
	budget    retryBudget
	conflicts int
	failed    bool // a commit was not stored, by a fault that was asked for
	unique    bool // a unique index was in the way, and the closure has run again
	immediate bool // what it took for granted was not so: it shall see what is in its way
	reran     bool // it has run twice, as was asked for
	inGate    bool // engine.conflictGate
}

// attemptResult is what became of one run of a closure.
type attemptResult struct {
	err   error
	again bool // it is to be run again; err says why, and is not nil: it is the last word when patience is over
	after []func()
}

func (e *postgresEngine) update(ctx context.Context, level Isolation, fn func(*Tx) error) error {
	if e.writes == nil {
		return ErrReadOnly
	}
	if err := e.writes.slots.wait(ctx); err != nil {
		return err
	}
	u := &postgresUpdate{engine: e, begin: beginSerial, fn: fn}
	if level == Snapshot {
		u.begin = beginSnapshot
	}
	after, err := u.run(ctx)
	if err != nil {
		return err
	}
	for _, fn := range after {
		fn()
	}
	return nil
}

// run runs the closure as often as it takes, and gives the slot back, also when it
// panics or ends its goroutine.
func (u *postgresUpdate) run(ctx context.Context) (after []func(), err error) {
	e, begun := u.engine, false
	defer func() {
		u.leaveGate()
		e.writes.slots.release(1)
		if begun || err == nil || ctx.Err() == nil {
			e.count(func(s *Stats) {
				s.Updates++
				if errors.Is(err, ErrUnavailable) {
					s.Unavailable++
				}
			})
		}
	}()
	for {
		starting := ctx
		if begun {
			starting = context.WithoutCancel(ctx) // it finishes even when its caller has gone
		}
		s, err := e.writes.acquire(starting, &u.budget)
		if err != nil {
			return nil, err
		}
		begun = true
		v := u.attempt(s)
		if !v.again {
			return v.after, v.err
		}
		if u.budget.exhausted() {
			return nil, notStored(v.err)
		}
		e.count(func(s *Stats) { s.Reruns++ })
		u.waitForRetry()
	}
}

// attempt runs the closure once in a transaction of its own.
func (u *postgresUpdate) attempt(s *postgresSession) (v attemptResult) {
	c := s.conn
	defer func() { // also when the closure panics or ends its goroutine
		_ = s.closeLeakedRows()
		c.rollback()
		u.engine.writes.release(s)
	}()
	tx := &Tx{conn: s.sql, ctx: context.Background()}
	if !u.immediate {
		tx.deferExec = c.enqueue
	}
	tx.prefetch, tx.notify = c.prefetch, c.notify
	c.start(u.begin)
	err := func() error {
		defer func() { tx.conn = nil }()
		return u.fn(tx)
	}()
	open := s.closeLeakedRows()
	switch {
	case open != nil:
	case err == nil:
		_ = c.flush() // noted
	default:
		_ = c.flushAssumed() // noted
	}
	switch {
	case c.failed != nil && (postgresConflict(c.failed) || errors.Is(c.failed, errNotOne)):
		return u.conflict(c.failed)
	case c.lost():
		u.engine.writes.discard(c)
		return attemptResult{err: c.failed, again: !errors.Is(c.failed, ErrUnavailable)}
	case postgresUnique(c.failed) && !u.unique:
		// The row in the way may be newer than the snapshot: the closure shall see it.
		u.unique = true
		return u.conflict(c.failed)
	case isFull(c.failed):
		return attemptResult{err: notStored(c.failed)}
	case err != nil:
		return attemptResult{err: err}
	case c.failed != nil:
		return attemptResult{err: fmt.Errorf("store: the closure went on after an error, which had ended its transaction: %w", c.failed)}
	case open != nil:
		return attemptResult{err: open}
	case !u.reran && u.engine.twice():
		u.reran = true
		return attemptResult{err: errRerun, again: true}
	}
	return u.store(c, tx.after)
}

// conflict is the attemptResult on a run that others were in the way of.
func (u *postgresUpdate) conflict(err error) attemptResult {
	u.engine.count(func(s *Stats) { s.Conflicts++ })
	u.conflicts++
	// Whom others have overtaken sees what they have written when it runs again, and needs no
	// more trips than before: with more it would be overtaken again.
	u.immediate = u.immediate || !postgresContended(err)
	return attemptResult{err: err, again: true}
}

// insist has an Update that has met with several conflicts queue up behind others that
// have, and wait a little after each further one.
func (u *postgresUpdate) waitForRetry() {
	switch {
	case u.conflicts <= gateAfterConflicts:
	case !u.inGate:
		u.engine.conflictGate <- struct{}{}
		u.inGate = true
	default:
		u.budget.backOff(context.Background())
	}
}

// calm lets the next one be conflictGate.
func (u *postgresUpdate) leaveGate() {
	if u.inGate {
		<-u.engine.conflictGate
		u.inGate = false
	}
}

// store commits. A crash of this process before the server has the COMMIT: nothing of
// the use case is there. After that: all of it, and its caller was told nothing.
func (u *postgresUpdate) store(c *postgresConn, after []func()) attemptResult {
	e := u.engine
	fault := e.nextFault()
	if fault == Full {
		c.rollback()
		return attemptResult{err: fmt.Errorf("%w: %w", ErrFull, errInjected)}
	}
	if fault == NotStored {
		c.rollback()
		if u.failed {
			return attemptResult{err: unavailable(errInjected)}
		}
		u.failed = true
		return attemptResult{err: errInjected, again: true}
	}
	start := time.Now()
	rolledBack, err := c.commit()
	took := time.Since(start)
	e.count(func(s *Stats) { s.committed(1, took) })
	switch {
	case err == nil && fault == Stored:
		return attemptResult{err: unavailable(errInjected)}
	case err == nil:
		return attemptResult{after: after}
	case !rolledBack:
		e.writes.discard(c)
		return attemptResult{err: unavailable(err)}
	case c.lost():
		e.writes.discard(c)
		return attemptResult{err: err, again: true}
	case postgresConflict(err):
		return u.conflict(err)
	case postgresUnique(err) && !u.unique: // of a statement that went out with the COMMIT
		u.unique = true
		return u.conflict(err)
	case isFull(err):
		return attemptResult{err: notStored(err)}
	}
	return attemptResult{err: err}
}
