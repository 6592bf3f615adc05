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
	// beat begins what stands in messages by which a node finds out whether it hears. No
	// topic does.
	beat = "="
	// beatEvery is how often it does that.
	beatEvery = time.Second
	// beatsAtOnce is how many beats may be on their way to the database: under load they
	// wait for their turn as all else does, and the next one is not to wait for them. They
	// take the turns of others, too, so they are few.
	beatsAtOnce = 3
	// deafAfter is how long after the beat heard last was told a node takes itself for deaf.
	deafAfter = 3 * time.Second
	// lostAfter is how long after that beat it takes it that others have told something, and
	// that it is not to rely on being told.
	lostAfter = 10 * time.Second
)

// pulse is what a node knows of its own beats. A beat's number is when its transaction
// began, so whoever hears it knows that he has heard all that was told with commits up to
// then: messages come in the order of the commits. A beat that is late counts for when it
// was told, not for when it was heard.
type pulse struct {
	began time.Time // times are counted from here, by a clock that nobody sets

	latest atomic.Int64 // the beat heard last; 0 when this node does not listen, or not yet hears
	told   atomic.Int64 // the last beat of which it is known that its transaction was stored

	since atomic.Int64 // when this node began to listen
}

func newPulse() pulse { return pulse{began: clock()} }

// clock measures how long something takes, whatever the time of day is set to: so it is not
// that of the service.
func clock() time.Time { return time.Now() } //nolint:forbidigo // see above

// now returns the number of a beat that is told now.
func (p *pulse) now() int64 { return int64(clock().Sub(p.began)) + 1 }

// age returns how long ago the beat that was heard last was told.
func (p *pulse) age() time.Duration { return time.Duration(p.now() - p.latest.Load()) }

// quiet returns for how long nothing was heard that was told meanwhile.
func (p *pulse) quiet() time.Duration {
	return time.Duration(p.now() - max(p.latest.Load(), p.since.Load()))
}

// listen is called when all that is told from now on is heard.
func (p *pulse) listen() { p.since.Store(p.now()) }

// silence is called when nothing is heard any more.
func (p *pulse) silence() { p.latest.Store(0) }

// message returns what the beat n says as its transaction begins: its number, and that of one
// whose transaction was stored by then, which must have been heard before.
func (p *pulse) message(n int64) string { return fmt.Sprintf("%s%d:%d", beat, n, p.told.Load()) }

// heard notes a beat. It returns false when another one before it was not heard, and so
// other messages may not have been, either.
func (p *pulse) heard(message string) (all bool) {
	var n, before int64
	if _, err := fmt.Sscanf(message, beat+"%d:%d", &n, &before); err != nil {
		return false
	}
	latest := p.latest.Load()
	p.latest.Store(max(n, latest)) // one goroutine hears
	return before <= max(latest, p.since.Load())
}

// stored notes that the transaction of a beat was stored.
func (p *pulse) stored(n int64) {
	for {
		was := p.told.Load()
		if n <= was || p.told.CompareAndSwap(was, n) {
			return
		}
	}
}

// Hears reports whether this node hears what TellWith tells where it stores things itself:
// whether it has heard all that was told up to some time of the last three seconds, by what it
// has told itself. A connection to a server that answers, and is the primary no longer, or
// one through a pooler, is Up and deaf. What was heard before it turned false was all there
// was, once it is true again without a call of Missed. That is called when something was not
// heard, or nothing for ten seconds.
func (r *Relay) Hears() bool {
	return r.up.Load() && r.pulse.latest.Load() > 0 && r.pulse.age() < deafAfter
}

// beat tells this node something now and then, until ctx ends.
func (r *Relay) beat(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	room := make(chan struct{}, beatsAtOnce)
	for {
		select {
		case room <- struct{}{}:
			all.Go(func() { r.tellBeat(ctx); <-room })
		default: // those that wait tell as much, once it is their turn
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		r.listen()
	}
}

// tellBeat tells this node something, with a commit of its own.
func (r *Relay) tellBeat(ctx context.Context) {
	n := int64(0)
	err := r.DB.Update(ctx, func(_ context.Context, tx *store.Tx) error {
		n = r.pulse.now() // not before it was this one's turn
		return r.TellWith(tx, r.pulse.message(n))
	})
	if err == nil {
		r.pulse.stored(n)
	} else if ctx.Err() == nil {
		r.Logger.Warn("this node cannot tell itself whether it hears", "error", err)
	}
}

// listen finds out whether this node has heard nothing for so long that it has to take it
// that others have told something, and says so once.
func (r *Relay) listen() {
	lost := r.up.Load() && r.pulse.quiet() >= lostAfter
	if was := r.deaf.Swap(lost); lost && !was {
		r.missed() // who waits is to look now and then by himself
	}
}
