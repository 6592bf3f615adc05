package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// stubbornAfter is how many conflicts an Update meets before it queues up behind others
// that do.
const stubbornAfter = 2

// postgresUpdate is one Update: its closure runs until its effect is stored, or cannot
// be.
type postgresUpdate struct {
	engine    *postgresEngine
	begin     string
	fn        func(*Tx) error
	patience  patience
	conflicts int
	failed    bool // a commit was not stored, by a fault that was asked for
	unique    bool // a unique index was in the way, and the closure has run again
	doubted   bool // what it took for granted was not so: it shall see what is in its way
	doubled   bool // it has run twice, as was asked for
	holds     bool // engine.stubborn
}

// verdict is what became of one run of a closure.
type verdict struct {
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
		u.calm()
		e.writes.slots.give(1)
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
		s, err := e.writes.take(starting, &u.patience)
		if err != nil {
			return nil, err
		}
		begun = true
		v := u.attempt(s)
		if !v.again {
			return v.after, v.err
		}
		if u.patience.over() {
			return nil, notStored(v.err)
		}
		e.count(func(s *Stats) { s.Reruns++ })
		u.insist()
	}
}

// attempt runs the closure once in a transaction of its own.
func (u *postgresUpdate) attempt(s *postgresSession) (v verdict) {
	c := s.conn
	defer func() { // also when the closure panics or ends its goroutine
		_ = s.settle()
		c.rollback()
		u.engine.writes.put(s)
	}()
	tx := &Tx{conn: s.sql, ctx: context.Background()}
	if !u.doubted {
		tx.later = c.later
	}
	tx.ahead, tx.notify = c.announce, c.notify
	c.start(u.begin)
	err := func() error {
		defer func() { tx.conn = nil }()
		return u.fn(tx)
	}()
	open := s.settle()
	switch {
	case open != nil:
	case err == nil:
		_ = c.flush() // noted
	default:
		_ = c.doubt() // noted
	}
	switch {
	case c.failed != nil && (postgresConflict(c.failed) || errors.Is(c.failed, errNotOne)):
		return u.conflict(c.failed)
	case c.lost():
		u.engine.writes.lose(c)
		return verdict{err: c.failed, again: !errors.Is(c.failed, ErrUnavailable)}
	case postgresUnique(c.failed) && !u.unique:
		// The row in the way may be newer than the snapshot: the closure shall see it.
		u.unique = true
		return u.conflict(c.failed)
	case isFull(c.failed):
		return verdict{err: notStored(c.failed)}
	case err != nil:
		return verdict{err: err}
	case c.failed != nil:
		return verdict{err: fmt.Errorf("store: the closure went on after an error, which had ended its transaction: %w", c.failed)}
	case open != nil:
		return verdict{err: open}
	case !u.doubled && u.engine.twice():
		u.doubled = true
		return verdict{err: errTwice, again: true}
	}
	return u.store(c, tx.after)
}

// conflict is the verdict on a run that others were in the way of.
func (u *postgresUpdate) conflict(err error) verdict {
	u.engine.count(func(s *Stats) { s.Conflicts++ })
	u.conflicts++
	// Whom others have overtaken sees what they have written when it runs again, and needs no
	// more trips than before: with more it would be overtaken again.
	u.doubted = u.doubted || !postgresOvertaken(err)
	return verdict{err: err, again: true}
}

// insist has an Update that has met with several conflicts queue up behind others that
// have, and wait a little after each further one.
func (u *postgresUpdate) insist() {
	switch {
	case u.conflicts <= stubbornAfter:
	case !u.holds:
		u.engine.stubborn <- struct{}{}
		u.holds = true
	default:
		u.patience.pause(context.Background())
	}
}

// calm lets the next one be stubborn.
func (u *postgresUpdate) calm() {
	if u.holds {
		<-u.engine.stubborn
		u.holds = false
	}
}

// store commits. A crash of this process before the server has the COMMIT: nothing of
// the use case is there. After that: all of it, and its caller was told nothing.
func (u *postgresUpdate) store(c *postgresConn, after []func()) verdict {
	e := u.engine
	fault := e.nextFault()
	if fault == Full {
		c.rollback()
		return verdict{err: fmt.Errorf("%w: %w", ErrFull, errInjected)}
	}
	if fault == NotStored {
		c.rollback()
		if u.failed {
			return verdict{err: unavailable(errInjected)}
		}
		u.failed = true
		return verdict{err: errInjected, again: true}
	}
	start := time.Now()
	undone, err := c.commit()
	took := time.Since(start)
	e.count(func(s *Stats) { s.committed(1, took) })
	switch {
	case err == nil && fault == Stored:
		return verdict{err: unavailable(errInjected)}
	case err == nil:
		return verdict{after: after}
	case !undone:
		e.writes.lose(c)
		return verdict{err: unavailable(err)}
	case c.lost():
		e.writes.lose(c)
		return verdict{err: err, again: true}
	case postgresConflict(err):
		return u.conflict(err)
	case postgresUnique(err) && !u.unique: // of a statement that went out with the COMMIT
		u.unique = true
		return u.conflict(err)
	case isFull(err):
		return verdict{err: notStored(err)}
	}
	return verdict{err: err}
}
