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

// Now returns the time of the database as this node estimates it, in UTC. An Update uses [Tx.Now].
func (d *DB) Now() time.Time {
	now, _ := d.clock.now()
	return now.UTC()
}

// ClockOffset returns how far this node's clock is ahead of the database's.
func (d *DB) ClockOffset() time.Duration {
	now, wall := d.clock.now()
	return wall.Sub(now)
}

// NotBefore makes the time of a single node at least t, the latest time that the database holds: its
// clock may have been set back while it was down.
func (d *DB) NotBefore(t time.Time) { d.clock.notBefore(t) }

// MeasureClock measures the server's clock, and logs jumps of it and of this node's. A node calls it
// every second.
func (d *DB) MeasureClock(ctx context.Context) error { return d.clock.measure(ctx, d.engine.time) }

// serverTime is the time of the server in Unix milliseconds, not that of the transaction's begin.
const serverTime = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)"

// time implements engine.
func (e *postgresEngine) time(ctx context.Context) (time.Time, error) {
	ms := int64(0)
	err := e.viewOnce(ctx, func(tx *Tx) error {
		return tx.QueryRowContext(ctx, "SELECT "+serverTime).Scan(&ms)
	})
	return time.UnixMilli(ms), err
}

// checkDates fails with codeDated unless the server's clock is between $1 and $2. The square root of a
// negative number is an error that no other statement causes.
const checkDates = "SELECT sqrt(CASE WHEN " + serverTime + " BETWEEN $1 AND $2 THEN 1 ELSE -1 END)"

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

// check returns the statement that compares the times with the server's clock.
func (d *dates) check() *pendingStmt {
	const tolerance = int64(ClockTolerance / time.Millisecond)
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if d.latest > math.MinInt64 {
		from = d.latest - tolerance
	}
	if d.earliest < math.MaxInt64 && !d.long {
		to = d.earliest + tolerance
	}
	return &pendingStmt{query: checkDates, args: []any{from, to}}
}

// checked returns the statement that compares the times of an Update with the server's clock; nil when
// there are none, or when they are made up.
func (k *clock) checked(tx *Tx) *pendingStmt {
	if k.fixed != nil || !tx.dates.known {
		return nil
	}
	return tx.dates.check()
}

// Now returns the time of the use case: the same one in all of it, in UTC and whole milliseconds. On
// PostgreSQL the Update's COMMIT compares it with the server's clock and, if they differ by more than
// ClockTolerance, the closure is retried with a new estimate.
func (tx *Tx) Now() time.Time {
	if tx.now.IsZero() {
		now, _ := tx.clock.now()
		tx.now = now.UTC().Truncate(time.Millisecond)
		tx.Dated(tx.now)
	}
	return tx.now
}

// Dated makes COMMIT compare a time that the Update stores with the server's clock, as that of Now.
func (tx *Tx) Dated(at time.Time) { tx.dates.include(at.UnixMilli(), at.UnixMilli()) }

// Long admits an Update that takes longer than ClockTolerance: its times may be earlier than its COMMIT. It
// is for a use case beside which nothing else is stored.
func (tx *Tx) Long() { tx.dates.long = true }

// NotAhead makes COMMIT refuse a time that is ahead of the server's clock; it may be earlier.
func (tx *Tx) NotAhead(at time.Time) { tx.dates.include(math.MaxInt64, at.UnixMilli()) }
