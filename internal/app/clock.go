package app

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"roshambo/internal/store"
)

// aheadAtMost is how far this node's clock may be ahead of the database's before the node stops
// deleting expired rows.
const aheadAtMost = time.Minute

// offAtMost is how far this node's clock may be from the database's. Two nodes then differ by at most
// 40 s, and a chain is valid only if no transaction is dated more than 60 s before the block before its
// own; the rest is for the time between the date and the commit.
const offAtMost = 20 * time.Second

// clockInterval is how often a node compares its clock with the database's.
const clockInterval = 10 * time.Second

// sharedClock returns the clock that all nodes share, that of the database; nil on a single node.
func (s *Service) sharedClock() func(context.Context) (time.Time, error) {
	if s.alone() {
		return nil
	}
	return s.DB.Clock
}

// clockCheck compares this node's clock with the database's. Its zero value reports no error.
type clockCheck struct {
	host   func() time.Time
	shared func(context.Context) (time.Time, error)
	fault  atomic.Pointer[error] // of the last comparison; nil for none
}

// newClockCheck returns a check of the host's clock against the shared one, which is nil on a single node.
func newClockCheck(host func() time.Time, shared func(context.Context) (time.Time, error)) *clockCheck {
	if host == nil {
		host = time.Now
	}
	return &clockCheck{host: host, shared: shared}
}

// compare compares the clocks and returns what err reports from now on. A comparison that fails, or
// whose answer took so long that it proves nothing, changes nothing.
func (c *clockCheck) compare(ctx context.Context) error {
	if c.shared == nil {
		return nil
	}
	before := c.host()
	at, err := c.shared(ctx)
	if err != nil {
		return err
	}
	after := c.host()
	// The shared clock was read between the two: only what is certain counts.
	off := time.Duration(0)
	switch {
	case before.After(at):
		off = before.Sub(at)
	case after.Before(at):
		off = after.Sub(at)
	}
	if off.Abs() <= offAtMost {
		c.fault.Store(nil)
		return nil
	}
	side := "ahead of"
	if off < 0 {
		side = "behind"
	}
	fault := fmt.Errorf("this node's clock is %v %s the database's, more than %v: synchronize it (NTP)",
		off.Abs().Round(time.Second), side, offAtMost)
	c.fault.Store(&fault)
	return fault
}

// err returns an error of package store, which says that nothing was stored, while the clock is off.
func (c *clockCheck) err() error {
	if fault := c.fault.Load(); fault != nil {
		return fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrNotStored, *fault)
	}
	return nil
}

// unlessAhead wraps work that deletes by this node's clock now, and returns an error instead while
// that clock is ahead of the shared one, which may be nil. A clock that is ahead would delete rows
// that other nodes still need: sessions of guests, who have no other way into their accounts, and
// answers to repeated calls.
func unlessAhead(now func() time.Time, shared func(context.Context) (time.Time, error),
	work func(context.Context) error) func(context.Context) error {
	if shared == nil {
		return work
	}
	return func(ctx context.Context) error {
		at, err := shared(ctx)
		if err != nil {
			return err
		}
		if ahead := now().Sub(at); ahead > aheadAtMost {
			return fmt.Errorf("this node's clock is %v ahead of the database's: not deleting expired rows",
				ahead.Round(time.Second))
		}
		return work(ctx)
	}
}
