package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// gateAfterConflicts is the number of conflicts after which an Update enters the conflict gate.
const gateAfterConflicts = 2

// postgresUpdate is one Update: it retries its closure until the effect is stored or has failed
// for good.
type postgresUpdate struct {
	engine     *postgresEngine
	begin      string
	fn         func(*Tx) error
	budget     retryBudget
	conflicts  int
	failed     bool // a commit failed by an injected fault
	unique     bool // the closure was retried after a unique violation
	immediate  bool // an assumption was wrong: deferred statements are sent at once
	remeasured bool // the closure was retried after ErrTime
	reran      bool // the closure was run twice by Faults.Twice
	inGate     bool // holds engine.conflictGate
}

// attemptResult is the outcome of one run of a closure.
type attemptResult struct {
	err   error
	again bool // retry; err holds the reason, the final error once the budget is exhausted
	after []func()
}

// update implements engine.
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

// run retries the closure until a final result and then releases the slot, even when the
// closure panics or ends its goroutine.
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
			starting = context.WithoutCancel(ctx) // once begun, it finishes after its caller has cancelled
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

// attempt runs the closure once in its own transaction.
func (u *postgresUpdate) attempt(s *postgresSession) (v attemptResult) {
	c := s.conn
	defer func() { // runs after a panic and runtime.Goexit, too
		_ = c.closeRows()
		c.rollback()
		u.engine.writes.release(s)
	}()
	tx := &Tx{conn: s.sql, ctx: context.Background(), locks: true}
	if !u.immediate {
		tx.deferExec = c.enqueue
	}
	tx.prefetch, tx.notify = c.prefetch, c.notify
	c.start(u.begin)
	err := func() error {
		defer func() { tx.conn = nil }()
		return u.fn(tx)
	}()
	open := c.closeRows()
	switch {
	case open != nil:
	case err == nil:
		_ = c.flush() // recorded in failed
	default:
		_ = c.flushAssumed() // recorded in failed
	}
	switch {
	case c.failed != nil && (postgresConflict(c.failed) || errors.Is(c.failed, errNotOne)):
		return u.conflict(c.failed)
	case c.lost():
		u.engine.writes.discard(c)
		return attemptResult{err: c.failed, again: !errors.Is(c.failed, ErrUnavailable)}
	case postgresUnique(c.failed) && !u.unique:
		// The existing row may be newer than the snapshot: a retry sees it.
		u.unique = true
		return u.conflict(c.failed)
	case isFull(c.failed):
		return attemptResult{err: notStored(c.failed)}
	case errors.Is(err, ErrTime) && !u.remeasured:
		u.remeasured = true
		return u.misdated(err)
	case err != nil:
		return attemptResult{err: err}
	case c.failed != nil:
		return attemptResult{err: fmt.Errorf("%w: %w", errContinued, c.failed)}
	case open != nil:
		return attemptResult{err: open}
	case !u.reran && u.engine.twice():
		u.reran = true
		return attemptResult{err: errRerun, again: true}
	}
	return u.store(c, tx)
}

// errContinued is the error of a closure that ignored an error after which the server refuses
// the transaction.
var errContinued = errors.New("store: the closure continued after an error that had ended its transaction")

// conflict returns the result of a run that conflicted with concurrent transactions.
func (u *postgresUpdate) conflict(err error) attemptResult {
	u.engine.count(func(s *Stats) { s.Conflicts++ })
	u.conflicts++
	// After a conflict with concurrent writes a retry sees those writes, and needs as few round
	// trips as before: with more of them it would conflict more often.
	u.immediate = u.immediate || !postgresContended(err)
	return attemptResult{err: err, again: true}
}

// misdated measures the server's clock before a retry. If that fails, the estimate stays, and is checked
// again.
func (u *postgresUpdate) misdated(err error) attemptResult {
	_ = u.engine.clock.measure(context.Background(), u.engine.time)
	return attemptResult{err: err, again: true}
}

// waitForRetry makes an Update that has conflicted several times wait for the conflict gate,
// and back off after each further conflict.
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

// leaveGate admits the next Update to the conflict gate.
func (u *postgresUpdate) leaveGate() {
	if u.inGate {
		<-u.engine.conflictGate
		u.inGate = false
	}
}

// store commits. A crash of this process before the server receives COMMIT: nothing of the use
// case is stored. After that: all of it is, and its caller has received no answer.
func (u *postgresUpdate) store(c *postgresConn, tx *Tx) attemptResult {
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
	rolledBack, err := c.commit(u.engine.clock.checked(tx))
	elapsed := time.Since(start)
	e.count(func(s *Stats) { s.committed(1, elapsed) })
	switch {
	case err == nil && fault == Stored:
		return attemptResult{err: unavailable(errInjected)}
	case err == nil:
		return attemptResult{after: tx.after}
	case !rolledBack:
		e.writes.discard(c)
		return attemptResult{err: unavailable(err)}
	case c.lost():
		e.writes.discard(c)
		return attemptResult{err: err, again: true}
	case postgresDated(err):
		return u.misdated(fmt.Errorf("store: the times of the use case are not those of the server: %w", err))
	case postgresConflict(err):
		return u.conflict(err)
	case postgresUnique(err) && !u.unique: // of a statement sent with COMMIT
		u.unique = true
		return u.conflict(err)
	case isFull(err):
		return attemptResult{err: notStored(err)}
	}
	return attemptResult{err: err}
}
