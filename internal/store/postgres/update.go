package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
)

// gateAfterConflicts is the number of conflicts after which an Update enters the conflict gate.
const gateAfterConflicts = 2

// update is one Update: it retries its closure until the effect is stored or has failed
// for good.
type update struct {
	db         *serverDB
	begin      string
	admit      string
	fn         func(*store.Tx) error
	budget     retryBudget
	conflicts  int
	failed     bool // a commit failed by an injected fault
	unique     bool // the closure was retried after a unique violation
	immediate  bool // an assumption was wrong: deferred statements are sent at once
	remeasured bool // the closure was retried after ErrTime
	misdated   bool // the next run measures the server's clock
	reran      bool // the closure was run twice by Faults.Twice
	inGate     bool // holds engine.conflictGate
}

// attemptResult is the outcome of one run of a closure.
type attemptResult struct {
	err   error
	again bool // retry; err holds the reason, the final error once the budget is exhausted
}

// Update implements store.Engine.
func (d *serverDB) Update(ctx context.Context, level store.Isolation, fn func(*store.Tx) error) error {
	if d.writes == nil {
		return store.ErrReadOnly
	}
	if err := d.writes.slots.Wait(ctx); err != nil {
		return err
	}
	u := &update{db: d, begin: beginSerial, admit: admit, fn: fn}
	switch level {
	case store.Serializable:
	case store.Snapshot:
		u.begin = beginSnapshot
	case store.Alone:
		u.admit = admitAlone
	}
	err := u.run(ctx)
	if errors.Is(err, store.ErrFull) {
		d.space.MarkFull(err)
	}
	return err
}

// run retries the closure until a final result and then releases the slot, even when the
// closure panics or ends its goroutine.
func (u *update) run(ctx context.Context) (err error) {
	d, begun := u.db, false
	defer func() {
		u.leaveGate()
		d.writes.slots.Release(1)
		if begun || err == nil || ctx.Err() == nil {
			d.count(func(s *store.Stats) {
				s.Updates++
				if errors.Is(err, store.ErrUnavailable) {
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
		s, err := d.writes.acquire(starting, &u.budget)
		if err != nil {
			return err
		}
		begun = true
		v := u.attempt(s)
		if !v.again {
			return v.err
		}
		if u.budget.exhausted() {
			return notStored(v.err)
		}
		d.count(func(s *store.Stats) { s.Reruns++ })
		u.waitForRetry()
	}
}

// attempt runs the closure once in its own transaction.
func (u *update) attempt(s *session) (v attemptResult) {
	c := s.conn
	defer func() { // runs after a panic and runtime.Goexit, too
		_ = c.closeRows()
		c.rollback()
		u.db.writes.release(s)
	}()
	lent := store.Lent{
		Conn: s.sql, Ctx: context.Background(), Prefetch: c.prefetch, Copy: c.copy, Locks: true, Remeasure: u.misdated,
	}
	if !u.immediate {
		lent.Defer = c.enqueue
	}
	u.misdated = false
	tx := store.NewTx(lent)
	c.start(u.begin, u.admit)
	err := func() error {
		defer tx.End()
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
	case c.failed != nil && (conflicted(c.failed) || errors.Is(c.failed, errNotOne)):
		return u.conflict(c.failed)
	case c.lost():
		u.db.writes.discard(c)
		return lostBefore(c.failed)
	case unique(c.failed) && !u.unique:
		// The existing row may be newer than the snapshot: a retry sees it.
		u.unique = true
		return u.conflict(c.failed)
	case full(c.failed):
		return attemptResult{err: notStored(c.failed)}
	case errors.Is(err, store.ErrTime) && !u.remeasured:
		u.remeasured, u.misdated = true, true
		return attemptResult{err: err, again: true}
	case err != nil:
		return attemptResult{err: err}
	case c.failed != nil:
		return attemptResult{err: fmt.Errorf("%w: %w", errContinued, c.failed)}
	case open != nil:
		return attemptResult{err: open}
	case !u.reran && u.db.twice():
		u.reran = true
		return attemptResult{err: engine.ErrInjected, again: true}
	}
	return u.store(c, tx)
}

// errContinued is the error of a closure that ignored an error after which the server refuses
// the transaction.
var errContinued = errors.New("store: the closure continued after an error that had ended its transaction")

// lostBefore returns the result of a run whose connection was lost before the server could receive COMMIT.
// It is not retried when the server did not answer: another attempt would take as long.
func lostBefore(err error) attemptResult {
	if timedOut(err) {
		return attemptResult{err: notStored(err)}
	}
	return attemptResult{err: err, again: !errors.Is(err, store.ErrUnavailable)}
}

// conflict returns the result of a run that conflicted with concurrent transactions.
func (u *update) conflict(err error) attemptResult {
	u.db.count(func(s *store.Stats) { s.Conflicts++ })
	u.conflicts++
	// After a conflict with concurrent writes a retry sees those writes, and needs as few round
	// trips as before: with more of them it would conflict more often.
	u.immediate = u.immediate || !contended(err)
	return attemptResult{err: err, again: true}
}

// waitForRetry makes an Update that has conflicted several times wait for the conflict gate, within its
// budget, and back off after each further conflict.
func (u *update) waitForRetry() {
	switch {
	case u.conflicts <= gateAfterConflicts:
	case !u.inGate:
		patience := time.NewTimer(time.Until(u.budget.deadline))
		defer patience.Stop()
		select {
		case u.db.conflictGate <- struct{}{}:
			u.inGate = true
		case <-patience.C: // those before it wait for the server
		}
	default:
		u.budget.backOff(context.Background())
	}
}

// leaveGate admits the next Update to the conflict gate.
func (u *update) leaveGate() {
	if u.inGate {
		<-u.db.conflictGate
		u.inGate = false
	}
}

// store commits. A crash of this process before the server receives COMMIT: nothing of the use
// case is stored. After that: all of it is, and its caller has received no answer.
func (u *update) store(c *conn, tx *store.Tx) attemptResult {
	d := u.db
	fault := d.nextFault()
	if fault == store.Full {
		c.rollback()
		return attemptResult{err: fmt.Errorf("%w: %w", store.ErrFull, engine.ErrInjected)}
	}
	if fault == store.NotStored {
		c.rollback()
		if u.failed {
			return attemptResult{err: engine.Unavailable(engine.ErrInjected)}
		}
		u.failed = true
		return attemptResult{err: engine.ErrInjected, again: true}
	}
	start := time.Now()
	rolledBack, err := c.commit(clockCheck(tx))
	elapsed := time.Since(start)
	d.count(func(s *store.Stats) { s.AddCommit(1, elapsed) })
	switch {
	case err == nil && fault == store.Stored:
		return attemptResult{err: engine.Unavailable(engine.ErrInjected)}
	case err == nil:
		return attemptResult{}
	case !rolledBack:
		d.writes.discard(c)
		return attemptResult{err: engine.Unavailable(err)}
	case c.lost():
		d.writes.discard(c)
		return lostBefore(err)
	case dated(err):
		u.misdated, u.remeasured = true, true
		err = fmt.Errorf("store: the times of the use case are not those of the server: %w", err)
		return attemptResult{err: err, again: true}
	case conflicted(err):
		return u.conflict(err)
	case unique(err) && !u.unique: // of a statement sent with COMMIT
		u.unique = true
		return u.conflict(err)
	case full(err):
		return attemptResult{err: notStored(err)}
	}
	return attemptResult{err: err}
}

// checkDates fails with codeDated unless the server's clock is between $1 and $2. The square root of a
// negative number is an error that no other statement causes.
const checkDates = "SELECT sqrt(CASE WHEN " + serverTime + " BETWEEN $1 AND $2 THEN 1 ELSE -1 END)"

// clockCheck returns the statement that compares the times of an Update with the server's clock; nil when
// there are none to compare.
func clockCheck(tx *store.Tx) *pendingStmt {
	from, to, ok := tx.ClockBounds()
	if !ok {
		return nil
	}
	return &pendingStmt{query: checkDates, args: []any{from, to}}
}
