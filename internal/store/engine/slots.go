// Package engine holds what the engines of package store share: limits of running closures, checks of
// statements and values, the state of a full disk, and errors whose outcome is known. Engines alone import it.
package engine

import (
	"context"
	"sync/atomic"
	"time"

	"roshambo/internal/store"
)

// SlowRun is how long a closure may delay others before that is logged, and before the waiting
// ones check whether they are nested in it.
const SlowRun = time.Second

// Slots is a counting semaphore over running closures: each one holds a slot.
type Slots struct {
	tokens  chan struct{}
	waiting *atomic.Int64
	call    string        // View or Update
	slow    time.Duration // SlowRun, except in tests

	// GiveUp, when not nil, is called each SlowRun of a wait, and at its end: its error ends the wait.
	GiveUp func(waited time.Duration) error
}

// NewSlots returns n free slots for a call, View or Update.
func NewSlots(n int, call string, slow time.Duration) Slots {
	return Slots{tokens: make(chan struct{}, n), waiting: new(atomic.Int64), call: call, slow: slow}
}

// tryWait takes a slot if one is free.
func (s Slots) tryWait() bool {
	select {
	case s.tokens <- struct{}{}:
		return true
	default:
		return false
	}
}

// Wait takes a slot, or returns the error of ctx or of GiveUp. It panics when the caller turns out to
// wait inside a closure, which could deadlock.
func (s Slots) Wait(ctx context.Context) error {
	if s.tryWait() {
		return nil
	}
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	began, slow := time.Now(), time.NewTicker(s.slow)
	defer slow.Stop()
	for {
		select {
		case s.tokens <- struct{}{}:
			err := s.giveUp(began)
			if err != nil {
				s.Release(1)
			}
			return err
		case <-slow.C:
			if message, nested := store.Nested(s.call); nested {
				panic(message)
			}
			if err := s.giveUp(began); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// giveUp calls GiveUp for a wait.
func (s Slots) giveUp(began time.Time) error {
	if s.GiveUp == nil {
		return nil
	}
	return s.GiveUp(time.Since(began))
}

// Acquire waits for one slot and takes up to n-1 further free ones. It does not wait for those:
// two callers that each hold one and wait for another would deadlock.
func (s Slots) Acquire(ctx context.Context, n int) (taken int, err error) {
	if err := s.Wait(ctx); err != nil {
		return 0, err
	}
	for taken = 1; taken < n && s.tryWait(); {
		taken++
	}
	return taken, nil
}

// Release returns n slots.
func (s Slots) Release(n int) {
	for range n {
		<-s.tokens
	}
}

// Count returns the number of slots, and of calls that wait for one.
func (s Slots) Count() (slots, waiting int) { return cap(s.tokens), int(s.waiting.Load()) }
