package store

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// fakeHost is the clock of a node in tests.
type fakeHost struct {
	wall    time.Time
	elapsed time.Duration
}

func (h *fakeHost) read() (time.Time, time.Duration) { return h.wall, h.elapsed }

// pass lets time pass.
func (h *fakeHost) pass(d time.Duration) { h.wall, h.elapsed = h.wall.Add(d), h.elapsed+d }

// newHost returns a host and a clock with it, which logs into log.
func newHost(shared bool, log *bytes.Buffer) (*fakeHost, *clock) {
	h := &fakeHost{wall: time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC)}
	c := Config{HostClock: h.read, Logger: slog.New(slog.NewTextHandler(log, nil))}
	if shared {
		c.URL = "postgres://"
	}
	return h, newClock(c)
}

// TestClockAlone checks that the time of a single node follows jumps of its clock slowly: it never goes
// back, advances at half the pace at least, and is right again.
func TestClockAlone(t *testing.T) {
	t.Parallel()
	for _, shift := range []time.Duration{-2 * time.Hour, -90 * time.Second, 90 * time.Second, 2 * time.Hour} {
		for _, lasts := range []time.Duration{time.Second, 4 * time.Second, 20 * time.Second} {
			var log bytes.Buffer
			h, k := newHost(false, &log)
			last, _ := k.now()
			right := h.wall
			step := func() {
				h.pass(100 * time.Millisecond)
				right = right.Add(100 * time.Millisecond)
				now, _ := k.now()
				if d := now.Sub(last); d < 50*time.Millisecond || d > 150*time.Millisecond {
					t.Fatalf("%v for %v: advanced by %v in 100ms", shift, lasts, d)
				}
				if off := now.Sub(right); off.Abs() > lasts/2 {
					t.Fatalf("%v for %v: off by %v", shift, lasts, off)
				}
				last = now
			}
			h.wall = h.wall.Add(shift)
			for range lasts / (100 * time.Millisecond) {
				step()
			}
			h.wall = h.wall.Add(-shift)
			for range lasts / (100 * time.Millisecond) {
				step()
			}
			if now, wall := k.now(); !now.Equal(wall) {
				t.Errorf("%v for %v: %v by a clock of %v", shift, lasts, now, wall)
			}
		}
	}
}

// TestClockNotBefore checks that a single node goes on from the latest stored time.
func TestClockNotBefore(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h, k := newHost(false, &log)
	stored := h.wall.Add(time.Hour)
	k.notBefore(stored)
	k.notBefore(h.wall)
	if now, _ := k.now(); !now.Equal(stored) {
		t.Errorf("goes on at %v, stored is %v", now, stored)
	}
	if !strings.Contains(log.String(), "behind=1h0m0s") {
		t.Errorf("logged %q", &log)
	}
	h.pass(2 * time.Hour)
	if now, wall := k.now(); !now.Equal(wall) {
		t.Errorf("%v after the difference has passed twice, by a clock of %v", now, wall)
	}
}

// TestClockShared checks that the estimate of the server's time does not depend on this node's clock,
// and that jumps of both are logged.
func TestClockShared(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h, k := newHost(true, &log)
	server := h.wall.Add(ClockApart - time.Second)
	away := error(nil)
	ask := func(context.Context) (time.Time, error) {
		h.pass(20 * time.Millisecond) // read in the middle
		return server, away
	}
	want := func(what string, at time.Time, logged ...string) {
		t.Helper()
		if now, _ := k.now(); !now.Equal(at) {
			t.Errorf("%s: %v, want %v", what, now, at)
		}
		for _, line := range logged {
			if !strings.Contains(log.String(), line) {
				t.Errorf("%s: logged %q, want %q", what, &log, line)
			}
		}
		if len(logged) == 0 && log.Len() > 0 {
			t.Errorf("%s: logged %q", what, &log)
		}
		log.Reset()
	}
	measure := func() {
		t.Helper()
		if err := k.measure(t.Context(), ask); !errors.Is(err, away) {
			t.Error(err)
		}
	}
	measure()
	want("first", server.Add(10*time.Millisecond))
	h.pass(time.Second)
	want("later", server.Add(1010*time.Millisecond))
	h.wall = h.wall.Add(-2 * time.Hour)
	want("this node's clock is set back", server.Add(1010*time.Millisecond))
	server = server.Add(time.Second)
	measure()
	want("measured", server.Add(20*time.Millisecond), "this node's clock has jumped", "by=-2h0m0s")
	for _, ahead := range []time.Duration{0, 5 * time.Millisecond, 20 * time.Millisecond} {
		at, _ := k.now()
		server = at.Add(ahead)
		measure()
		want("within what a measurement can say", at.Add(20*time.Millisecond))
	}
	server = server.Add(ClockApart - time.Second)
	measure()
	want("the server's clock is set", server, "the database's clock has jumped")
	server = server.Add(time.Second - ClockApart)
	measure()
	want("the server's clock is set back", server.Add(20*time.Millisecond), "the database's clock has jumped")
	at, _ := k.now()
	away = errors.New("away")
	measure()
	want("no answer leaves the estimate", at.Add(20*time.Millisecond))
	k.notBefore(at.Add(time.Hour))
	want("a stored time is no clock", at.Add(20*time.Millisecond))
}

// TestClockDoubted checks that a jump of the server's clock is not believed, whether this node's clock goes with
// it or not, before both have agreed for a minute, and that a node starts with the two in agreement.
func TestClockDoubted(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h, k := newHost(true, &log)
	off := time.Duration(0) // of the server's clock
	right := h.wall
	measure := func(passed time.Duration) error {
		h.pass(passed)
		right = right.Add(passed)
		return k.measure(t.Context(), func(context.Context) (time.Time, error) { return right.Add(off), nil })
	}
	want := func(what string, passed time.Duration, believed bool, dated, offset time.Duration) {
		t.Helper()
		err := measure(passed)
		if refused := errors.Is(err, ErrTime) && errors.Is(err, ErrNotStored); refused == believed {
			t.Errorf("%s: error %v", what, err)
		}
		if now, _ := k.now(); now.Sub(right) != dated || k.offset() != offset {
			t.Errorf("%s: dated %v ahead, offset %v", what, now.Sub(right), k.offset())
		}
	}
	const jump = 2 * time.Hour
	off = jump
	want("started apart", 0, false, 0, -jump)
	want("as before", time.Hour, false, 0, -jump)
	off = 0
	want("in agreement", time.Second, true, 0, 0)
	for _, together := range []bool{false, true} {
		for _, by := range []time.Duration{-jump, -90 * time.Second, 90 * time.Second, jump} {
			off = by
			wall := time.Duration(0)
			if together {
				wall = by
			}
			h.wall = h.wall.Add(wall)
			for range 20 {
				want("the server's clock has jumped", time.Second, false, 0, -by)
			}
			off = 0
			h.wall = h.wall.Add(-wall)
			want("both are right again", time.Second, true, 0, 0)
		}
	}
	off = jump
	want("a failover to a fast clock", time.Hour, false, 0, -jump)
	h.wall = h.wall.Add(jump)
	want("with which this node's agrees", time.Second, false, 0, -jump)
	off += time.Minute
	want("but goes on to jump", time.Second, false, 0, -off)
	h.wall = h.wall.Add(time.Minute)
	want("with which this node's agrees again", time.Second, false, 0, -off)
	want("for nearly a minute", clockWait-time.Second, false, 0, -off)
	want("for a minute", time.Second, true, off, 0)
	if n := strings.Count(log.String(), "nothing is stored until"); n != 10 {
		t.Errorf("logged %d times: %s", n, &log)
	}
	h.wall = h.wall.Add(-jump)
	for want := off; ; { // a clock at another rate is followed by this node's, or not far
		off += 20 * time.Second
		if err := measure(time.Second); err != nil {
			if off-want > 2*ClockApart {
				t.Errorf("believed up to %v ahead", off-want)
			}
			break
		}
	}
}

// TestDates checks the bounds of the server's clock for times of an Update.
func TestDates(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_000_000)
	tx := &Tx{clock: &clock{}}
	if _, _, ok := tx.ClockBounds(); ok {
		t.Error("bounds without times")
	}
	tx.NotAhead(at.Add(-time.Minute))
	if from, to, ok := tx.ClockBounds(); from != 935_000 || to < 1<<62 || !ok {
		t.Errorf("bounds %d and %d of a time that may be early", from, to)
	}
	tx.Dated(at)
	tx.Dated(at.Add(time.Second))
	if from, to, ok := tx.ClockBounds(); from != 996_000 || to != 1_005_000 || !ok {
		t.Errorf("bounds %d and %d", from, to)
	}
	tx.Long()
	if from, to, ok := tx.ClockBounds(); from != 996_000 || to < 1<<62 || !ok {
		t.Errorf("bounds %d and %d of a long use case", from, to)
	}
	tx.clock.fixed = time.Now
	if _, _, ok := tx.ClockBounds(); ok {
		t.Error("bounds of times that are made up")
	}
}
