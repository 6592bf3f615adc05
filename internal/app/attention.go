package app

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	// attentionSpan is how long after the last request from outside the house bots continue to
	// play each other.
	attentionSpan = 10 * time.Minute
	// attentionStep is the minimum time between two marks of one node: most requests cost one
	// comparison.
	attentionStep = 30 * time.Second
)

// attention records when the service was last used from outside, by a request or an open stream
// on any node. While it is not used, the house bots leave the queue, so that nothing is written.
type attention struct {
	now     func() time.Time
	publish func()       // tells the other nodes; must not block
	last    atomic.Int64 // the last mark, in Unix milliseconds; 0 for none
	woken   chan struct{}
}

func newAttention(now func() time.Time, publish func()) *attention {
	return &attention{now: now, publish: publish, woken: make(chan struct{}, 1)}
}

// look records a use on this node.
func (a *attention) look() {
	if a.mark() {
		a.publish()
	}
}

// mark records a use on any node. It reports whether the last one was attentionStep ago.
func (a *attention) mark() bool {
	now, last := a.now().UnixMilli(), a.last.Load()
	if now-last < attentionStep.Milliseconds() || !a.last.CompareAndSwap(last, now) {
		return false
	}
	select {
	case a.woken <- struct{}{}:
	default: // a wake-up is already pending
	}
	return true
}

// left returns how long attention lasts without another use; it is not positive once it is over.
func (a *attention) left() time.Duration {
	return time.UnixMilli(a.last.Load()).Add(attentionSpan).Sub(a.now())
}

// during calls work while the service is used, again after each pause, until ctx ends or work
// fails. The context of work ends with the attention.
func (a *attention) during(ctx context.Context, work func(context.Context) error) error {
	for ctx.Err() == nil {
		if a.left() <= 0 {
			select {
			case <-ctx.Done():
			case <-a.woken:
			}
			continue
		}
		if err := a.until(ctx, work); err != nil {
			return err
		}
	}
	return nil
}

// until calls work with a context that ends with the attention.
func (a *attention) until(ctx context.Context, work func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer stop()
		for left := a.left(); left > 0; left = a.left() {
			timer := time.NewTimer(left)
			select {
			case <-ctx.Done():
				timer.Stop()
				return
			case <-timer.C:
			}
		}
	}()
	return work(ctx)
}
