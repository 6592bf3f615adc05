package app

import (
	"context"
	"fmt"
	"time"
)

// aheadAtMost is how far this node's clock may be ahead of the database's before the node stops
// deleting expired rows.
const aheadAtMost = time.Minute

// sharedClock returns the clock that all nodes share, that of the database; nil on a single node.
func (s *Service) sharedClock() func(context.Context) (time.Time, error) {
	if s.alone() {
		return nil
	}
	return s.DB.Clock
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
