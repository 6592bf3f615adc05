package event

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"roshambo/internal/store"
)

const (
	// probeMark begins the text of a probe. No topic begins with it.
	probeMark = "="
	// probeInterval is the time between two probes.
	probeInterval = time.Second
	// maxProbes is the most probes under way. Under load they queue for the database like all
	// other writes, and a probe must not wait for the one before it. They delay other writes, too,
	// so there are few.
	maxProbes = 3
	// staleAfter is the age of the last received probe at which Receives turns false.
	staleAfter = 3 * time.Second
	// lostAfter is the age at which the node assumes that it has lost messages, and calls Missed.
	lostAfter = 10 * time.Second
)

// probe tracks the probes by which a node measures whether it receives messages: each probe is a
// message that the node sends to itself with a commit of its own. A probe's number is the time at
// which its transaction began. Messages arrive in the order of commits, so receiving probe n
// implies that every message committed before n was received. A late probe counts by its number,
// not by its arrival.
type probe struct {
	began time.Time // origin of the numbers, on the monotonic clock

	latest atomic.Int64 // last received probe; 0 without a connection or before the first
	stored atomic.Int64 // last probe whose transaction is known to be stored

	since atomic.Int64 // when the present connection was established
}

func newProbe() probe { return probe{began: clock()} }

// clock returns the monotonic time, which does not follow changes of the time of day; so it is not
// the service's clock.
func clock() time.Time { return time.Now() } //nolint:forbidigo // see above

// now returns the number of a probe that begins now.
func (p *probe) now() int64 { return int64(clock().Sub(p.began)) + 1 }

// age returns the time since the last received probe began.
func (p *probe) age() time.Duration { return time.Duration(p.now() - p.latest.Load()) }

// silence returns the time for which no later message was received: since the last received probe,
// or since the connection.
func (p *probe) silence() time.Duration {
	return time.Duration(p.now() - max(p.latest.Load(), p.since.Load()))
}

// connected notes that every later message will be received.
func (p *probe) connected() { p.since.Store(p.now()) }

// disconnected notes that no message is received any more.
func (p *probe) disconnected() { p.latest.Store(0) }

// message returns the text of probe n: its number, and that of the last probe known to be stored,
// which the node must have received before n.
func (p *probe) message(n int64) string { return fmt.Sprintf("%s%d:%d", probeMark, n, p.stored.Load()) }

// receive notes a received probe. It returns false when an earlier probe was not received: then
// other messages may be lost as well.
func (p *probe) receive(message string) (all bool) {
	var n, before int64
	if _, err := fmt.Sscanf(message, probeMark+"%d:%d", &n, &before); err != nil {
		return false
	}
	latest := p.latest.Load()
	p.latest.Store(max(n, latest)) // only one goroutine receives
	return before <= max(latest, p.since.Load())
}

// committed notes that the transaction of probe n is stored.
func (p *probe) committed(n int64) {
	for {
		was := p.stored.Load()
		if n <= was || p.stored.CompareAndSwap(was, n) {
			return
		}
	}
}

// Receives reports whether this node receives what PublishWith sends through the database that it
// writes to: whether, by its own probes, it has received every message up to some time within the
// last three seconds. A connection through a pooler, or to a server that is no longer the primary,
// can be Up without receiving. If Receives turns false and then true again without a call of
// Missed in between, no message was lost. Missed is called when a probe was lost, or none was
// received for ten seconds.
func (r *Relay) Receives() bool {
	return r.up.Load() && r.probe.latest.Load() > 0 && r.probe.age() < staleAfter
}

// probeLoop sends probes until ctx ends.
func (r *Relay) probeLoop(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	ticker := time.NewTicker(probeInterval)
	defer ticker.Stop()
	room := make(chan struct{}, maxProbes)
	for {
		select {
		case room <- struct{}{}:
			all.Go(func() { r.sendProbe(ctx); <-room })
		default: // maxProbes are under way, and prove as much
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		r.checkSilence()
	}
}

// sendProbe sends one probe with a commit of its own.
func (r *Relay) sendProbe(ctx context.Context) {
	n := int64(0)
	err := r.DB.Update(ctx, func(_ context.Context, tx *store.Tx) error {
		n = r.probe.now() // after the wait for the database
		return r.PublishWith(tx, r.probe.message(n))
	})
	if err == nil {
		r.probe.committed(n)
	} else if ctx.Err() == nil {
		r.Logger.Warn("cannot send a relay probe", "error", err)
	}
}

// checkSilence calls missed once when no probe was received for lostAfter.
func (r *Relay) checkSilence() {
	lost := r.up.Load() && r.probe.silence() >= lostAfter
	if was := r.lost.Swap(lost); lost && !was {
		r.missed() // watchers start polling
	}
}
