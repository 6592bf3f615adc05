package app

import (
	"context"
	"fmt"
	"time"
)

// aheadAtMost is how far this node's clock may be ahead of the database's for it to delete
// what is over by its clock.
const aheadAtMost = time.Minute

// sharedClock returns the clock that all nodes share; nil where there is one node.
func (s *Service) sharedClock() func(context.Context) (time.Time, error) {
	if s.alone() {
		return nil
	}
	return s.DB.Clock
}

// unlessAhead returns work for nodes whose clocks are not ahead of the one that all share,
// which may be nil. What deletes for good by a clock would otherwise delete what others
// still need: sessions of guests, who have no other way into their accounts, and answers to
// repeated calls.
func unlessAhead(now func() time.Time, shared func(context.Context) (time.Time, error), work func(context.Context) error) func(context.Context) error {
	if shared == nil {
		return work
	}
	return func(ctx context.Context) error {
		at, err := shared(ctx)
		if err != nil {
			return err
		}
		if ahead := now().Sub(at); ahead > aheadAtMost {
			return fmt.Errorf("this node's clock is %v ahead of the database's: nothing is deleted by it", ahead.Round(time.Second))
		}
		return work(ctx)
	}
}
