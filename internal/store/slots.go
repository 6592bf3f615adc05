package store

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// slowRun is how long a closure may delay others before that is logged, and before the waiting
// ones check whether they are nested in it.
const slowRun = time.Second

// slots is a counting semaphore over running closures: each one holds a slot.
type slots struct {
	tokens  chan struct{}
	waiting *atomic.Int64
	call    string        // View or Update
	slow    time.Duration // Config.slowRun
}

// newSlots returns n free slots.
func newSlots(n int, call string, slow time.Duration) slots {
	return slots{tokens: make(chan struct{}, n), waiting: new(atomic.Int64), call: call, slow: slow}
}

// tryWait takes a slot if one is free.
func (s slots) tryWait() bool {
	select {
	case s.tokens <- struct{}{}:
		return true
	default:
		return false
	}
}

// wait takes a slot, or returns the error of ctx. It panics when the caller turns out to wait
// inside a closure, which could deadlock.
func (s slots) wait(ctx context.Context) error {
	if s.tryWait() {
		return nil
	}
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	slow := time.NewTimer(s.slow)
	defer slow.Stop()
	for {
		select {
		case s.tokens <- struct{}{}:
			return nil
		case <-slow.C:
			if insideClosure() {
				panic(fmt.Sprintf(errNested, s.call))
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// acquire waits for one slot and takes up to n-1 further free ones. It does not wait for those:
// two callers that each hold one and wait for another would deadlock.
func (s slots) acquire(ctx context.Context, n int) (taken int, err error) {
	if err := s.wait(ctx); err != nil {
		return 0, err
	}
	for taken = 1; taken < n && s.tryWait(); {
		taken++
	}
	return taken, nil
}

// release returns n slots.
func (s slots) release(n int) {
	for range n {
		<-s.tokens
	}
}
