package store

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"
)

const (
	// ClockTolerance is how far the times that an Update stores may be from the clock of the PostgreSQL
	// server when it commits.
	ClockTolerance = 5 * time.Second
	// ClockApart is how far this node's clock may be from the database's before blocks wait: one of the
	// two is wrong, and the time of a block can never be taken back.
	ClockApart = 30 * time.Second
	// clockJump is the least change of a clock that counts as a jump.
	clockJump = time.Second
)

// clock estimates the time of the database, by which everything is dated. The node's own clock (wall)
// may be wrong and may jump; elapsed, the time since the process started, does neither.
//
// With several nodes the time is that of the server: each node measures it every second and adds what
// has elapsed since. COMMIT compares the times of an Update with the server's clock, so an estimate
// is only ever a guess.
//
// A single node has no other clock than its own. Its time starts at the latest stored one, advances
// with elapsed, and approaches the wall by at most half a second a second: when the wall jumps, the
// time neither stands still nor goes back, and is soon right again.
type clock struct {
	fixed  func() time.Time // replaces all others, in tests; else nil
	host   func() (wall time.Time, elapsed time.Duration)
	shared bool
	log    *slog.Logger

	mu       sync.Mutex    // guards the fields below
	base     time.Time     // the database's time when elapsed was at
	at       time.Duration //
	started  time.Time     // the wall's time when elapsed was 0, as measured last
	measured bool          // the server's clock has been measured
}

// newClock returns a clock that starts at the wall's time.
func newClock(c Config) *clock {
	k := &clock{fixed: c.Now, host: c.HostClock, shared: c.URL != "", log: c.Logger}
	if k.host == nil {
		elapsed := monotonic()
		k.host = func() (time.Time, time.Duration) { return time.Now().Round(0), elapsed() }
	}
	k.base, k.at = k.host()
	k.started = k.base.Add(-k.at)
	return k
}

// now returns the estimate, and the wall's time.
func (k *clock) now() (estimate, wall time.Time) {
	if k.fixed != nil {
		estimate = k.fixed()
		return estimate, estimate
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.advance()
}

// advance moves base to the present. The caller holds mu.
func (k *clock) advance() (estimate, wall time.Time) {
	wall, at := k.host()
	passed := at - k.at
	t := k.base.Add(passed)
	if !k.shared {
		t = t.Add(min(max(wall.Sub(t), -passed/2), passed/2))
	}
	k.base, k.at = t, at
	return t, wall
}

// notBefore makes the time of a single node at least t.
func (k *clock) notBefore(t time.Time) {
	if k.shared || k.fixed != nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if now, _ := k.advance(); now.Before(t) {
		k.base = t
		k.log.Warn("this node's clock is behind the latest stored time, by which it goes on",
			"behind", t.Sub(now).Round(time.Millisecond))
	}
}

// measure asks the server for its time, and logs a jump of either clock.
func (k *clock) measure(ctx context.Context, ask func(context.Context) (time.Time, error)) error {
	if k.fixed != nil {
		return nil
	}
	if k.shared {
		_, before := k.host()
		server, err := ask(ctx)
		if err != nil {
			return fmt.Errorf("store: the server's clock: %w", err)
		}
		k.adopt(server, before)
	}
	k.mu.Lock()
	wall, elapsed := k.host()
	started := wall.Add(-elapsed)
	jump := started.Sub(k.started)
	k.started = started
	k.mu.Unlock()
	if jump.Abs() >= clockJump {
		k.log.Warn("this node's clock has jumped", "by", jump.Round(time.Millisecond))
	}
	return nil
}

// adopt makes the estimate agree with the server's time, which was read between before and now, so that
// it is between server and server plus that time. Within these bounds it stays: if it moved with each
// measurement, a slow answer would set it back, and a client that has waited for 250 ms would be too early.
func (k *clock) adopt(server time.Time, before time.Duration) {
	k.mu.Lock()
	now, _ := k.advance()
	first, took := !k.measured, k.at-before
	switch latest := server.Add(took); {
	case first:
		k.base = server.Add(took / 2)
	case now.Before(server):
		k.base = server
	case now.After(latest.Add(time.Millisecond)): // server is in whole milliseconds
		k.base = latest
	}
	jump := k.base.Sub(now)
	k.measured = true
	k.mu.Unlock()
	if jump.Abs() >= clockJump && !first {
		k.log.Warn("the database's clock has jumped, or this node was suspended", "by", jump.Round(time.Millisecond))
	}
}

// dates are the times that an Update stores, in Unix milliseconds. The zero value has none.
type dates struct {
	known, long      bool
	earliest, latest int64
}

// include adds times from earliest to latest.
func (d *dates) include(earliest, latest int64) {
	if !d.known {
		d.known, d.earliest, d.latest = true, math.MaxInt64, math.MinInt64
	}
	d.earliest, d.latest = min(d.earliest, earliest), max(d.latest, latest)
}

// bounds returns the bounds of the server's clock at COMMIT.
func (d *dates) bounds() (from, to int64) {
	const tolerance = int64(ClockTolerance / time.Millisecond)
	from, to = math.MinInt64, math.MaxInt64
	if d.latest > math.MinInt64 {
		from = d.latest - tolerance
	}
	if d.earliest < math.MaxInt64 && !d.long {
		to = d.earliest + tolerance
	}
	return from, to
}
