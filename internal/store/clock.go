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
	// two is wrong, and the time of a block can never be taken back. A jump of the server's clock by more than
	// this is not believed at once.
	ClockApart = 30 * time.Second
	// clockWait is how long the server's clock and this node's must agree before such a jump is believed.
	clockWait = time.Minute
	// clockJump is the least change of a clock that counts as a jump.
	clockJump = time.Second
)

// clock estimates the time of the database, by which everything is dated. The node's own clock (wall)
// may be wrong and may jump; elapsed, the time since the process started, does neither.
//
// With several nodes the time is the server's: each node measures it every second and adds what has
// elapsed since. COMMIT compares the times of an Update with the server's clock, so an estimate is
// only ever a guess.
//
// The server's clock can be wrong, too, until it is set, or since a failover. It is believed while it is within
// ClockApart of where it last agreed with the wall and went on from; at the start, while it agrees with the wall;
// and else when both have agreed for clockWait. While it is not, the estimate goes on as it was, and COMMIT
// refuses every time. A transaction dated two hours ahead could not be followed by another one for two hours.
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
	measured bool          // the server's clock has been believed

	// The server's time when elapsed was 0: as measured last, as it agreed with the wall last, and as it is
	// doubted; zero for none.
	server, agreed, doubted time.Time
	since                   time.Duration // elapsed when the doubted clock and the wall began to agree; 0 if they do not
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
		if err := k.adopt(server, before); err != nil {
			return err
		}
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
// Errors: of refusal, while the server's clock is not believed.
func (k *clock) adopt(server time.Time, before time.Duration) error {
	k.mu.Lock()
	now, wall := k.advance()
	first, took := !k.measured, k.at-before
	k.server = server.Add(took/2 - k.at)
	if known := !k.doubted.IsZero(); !k.believe(wall) {
		ahead := -k.ahead(now, wall)
		k.mu.Unlock()
		return k.refusal(ahead.Round(time.Millisecond), known)
	}
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
	return nil
}

// believe decides whether the server's clock as measured last is believed. The caller holds mu.
func (k *clock) believe(wall time.Time) bool {
	near := func(line time.Time) bool { return !line.IsZero() && k.server.Sub(line).Abs() <= ClockApart }
	agrees := k.server.Add(k.at).Sub(wall).Abs() <= ClockApart
	if !near(k.agreed) && (!agrees || !k.agreed.IsZero()) {
		if !near(k.doubted) || !agrees {
			k.since = 0
		}
		if !near(k.doubted) {
			k.doubted = k.server
		}
		if agrees && k.since == 0 {
			k.since = max(k.at, 1)
		}
		if !agrees || k.at-k.since < clockWait {
			return false
		}
	}
	if agrees {
		k.agreed = k.server
	}
	k.doubted, k.since = time.Time{}, 0
	return true
}

// refusal returns the error of an Update while the server's clock is not believed, and logs it unless it is known.
func (k *clock) refusal(ahead time.Duration, known bool) error {
	if !known {
		k.log.Error("the database's clock is not where it should be: nothing is stored until it is, or has agreed with "+
			"this node's for a minute: synchronize both (NTP)", "ahead", ahead)
	}
	return fmt.Errorf("%w: %w: %w: the database's clock is %v ahead of where it should be",
		ErrUnavailable, ErrNotStored, ErrTime, ahead)
}

// ahead returns how far the wall is ahead of the server's clock or, while that is not believed, how far the
// estimate is. The caller holds mu, and has advanced to now.
func (k *clock) ahead(now, wall time.Time) time.Duration {
	switch {
	case !k.shared || k.server.IsZero():
		return wall.Sub(now)
	case !k.doubted.IsZero():
		return now.Sub(k.server.Add(k.at))
	}
	return wall.Sub(k.server.Add(k.at))
}

// isDoubted reports whether the server's clock is not believed.
func (k *clock) isDoubted() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !k.doubted.IsZero()
}

// offset is ahead at the present.
func (k *clock) offset() time.Duration {
	if k.fixed != nil {
		return 0
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ahead(k.advance())
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
