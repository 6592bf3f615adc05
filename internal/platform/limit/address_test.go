package limit

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// budgetModel implements the definition of a Budget directly: it keeps the times of all admitted
// actions that were not refunded, and counts them for every action.
type budgetModel struct {
	rates    []Rate
	admitted []admission // the oldest first
}

// admission is one admitted action.
type admission struct {
	at      time.Duration
	name    string
	address netip.Addr
}

// remaining returns how many actions of a name and an address would be admitted at a time.
func (m *budgetModel) remaining(now time.Duration, name string, address netip.Addr) int {
	left := 1 << 30
	for _, rate := range m.rates {
		for bits, limit := range map[int]int{64: rate.Max, 56: 4 * rate.Max, 48: 16 * rate.Max} {
			if address.Is4() {
				bits, limit = 32, rate.Max
			}
			network := netip.PrefixFrom(address, bits).Masked()
			n := 0
			for _, a := range m.admitted {
				if a.at > now-rate.Window && a.name == name && network.Contains(a.address) {
					n++
				}
			}
			left = min(left, limit-n)
		}
	}
	return left
}

// check compares a decision with the model, and updates the model.
func (m *budgetModel) check(t *rapid.T, now time.Duration, name string, address netip.Addr, got Decision) {
	before := m.remaining(now, name, address)
	if got.OK != (before > 0) {
		t.Fatalf("%q %v at %v: %+v, expected OK to be %v", name, address, now, got, before > 0)
	}
	if got.OK {
		m.admitted = append(m.admitted, admission{now, name, address})
	}
	left := m.remaining(now, name, address)
	if got.Remaining != left || got.OK != (got.Wait == 0) || got.Reset <= 0 || !got.OK && got.Wait != got.Reset {
		t.Fatalf("%q %v at %v: %+v, expected %d remaining", name, address, now, got, left)
	}
	if at := now + got.Reset; m.remaining(at, name, address) <= left {
		t.Fatalf("%q %v at %v: %+v, but at %v no more remain", name, address, now, got, at)
	}
	if at := now + got.Reset - time.Millisecond; m.remaining(at, name, address) > left {
		t.Fatalf("%q %v at %v: %+v, but more remain at %v already", name, address, now, got, at)
	}
}

// budgetRates are rates for tests in Redis. All windows have the clock in milliseconds, whose low
// bits repeat after 24 days, longer than a run. With the finer clock they repeat after 35 minutes:
// Redis has dropped older entries by then, but not in a test that sets the clock.
var budgetRates = [][]Rate{
	{{1, 20 * time.Minute}}, {{3, 20 * time.Minute}}, {{2, 20 * time.Minute}, {5, 3 * time.Hour}},
	{{5, 3 * time.Hour}, {2, 16 * time.Minute}}, {{1, time.Hour}, {1, 20 * time.Minute}},
}

// budgetAgainst sends actions and refunds at generated times to a budget with a manual clock.
func budgetAgainst(t *rapid.T, open func(rates []Rate, clock func() time.Duration) *Budget) {
	m := &budgetModel{rates: rapid.SampledFrom(budgetRates).Draw(t, "rates")}
	now := time.Duration(rapid.Int64Range(0, 1<<30).Draw(t, "start")) * time.Millisecond
	b := open(m.rates, func() time.Duration { return now })
	last := Decision{}
	for _, step := range rapid.SliceOfN(rapid.Uint64(), 20, 60).Draw(t, "steps") {
		address, name := addresses[step>>8%uint64(len(addresses))], []string{"", "ann", "bob"}[step>>16%3]
		window := m.rates[step>>20%uint64(len(m.rates))].Window
		switch step % 8 {
		case 0: // exactly at the promised time
			now += last.Reset
		case 1: // a little too early
			now += max(0, last.Reset-time.Millisecond)
		case 2:
			now += (time.Duration(step>>24) % (3 * window / 2)).Truncate(time.Millisecond)
		case 3:
			now += time.Millisecond
		case 4: // refund the newest action of a name and a network
			if n := len(m.admitted); n > 0 && m.admitted[n-1].at > now-time.Minute {
				newest := m.admitted[n-1]
				m.admitted = m.admitted[:n-1]
				b.Refund(context.Background(), newest.name, newest.address)
			}
		}
		for range 1 + step>>4%uint64(2*m.rates[0].Max) {
			last = b.Take(context.Background(), name, address)
			m.check(t, now, name, address, last)
			if !last.OK {
				break
			}
		}
	}
}

// TestBudgetAgainstModel compares the budget in memory with the model.
func TestBudgetAgainstModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		budgetAgainst(t, func(rates []Rate, clock func() time.Duration) *Budget {
			b, err := NewBudget(rates...)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range b.logs {
				l.clock = clock
			}
			return b
		})
	})
}

// TestSharedBudgetAgainstModel compares the budget in a real Redis with the same model.
func TestSharedBudgetAgainstModel(t *testing.T) {
	t.Parallel()
	s := startRedis(t, filepath.Join(t.TempDir(), "redis.sock"))
	r, log := node(t, s)
	r.up(t)
	var names atomic.Int64
	rapid.Check(t, func(t *rapid.T) {
		budgetAgainst(t, func(rates []Rate, clock func() time.Duration) *Budget {
			b, err := r.NewBudget(fmt.Sprint(names.Add(1)), rates...)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range b.logs {
				l.clock, l.inRedis.clock = clock, clock
			}
			return b
		})
	})
	if log.Len() > 0 {
		t.Errorf("Redis did not take part: %s", log)
	}
}

// TestBudgetManyAtOnce checks that concurrent actions and refunds, on one node or on two that share
// a Redis, never exceed a rate, and that refunds restore it.
func TestBudgetManyAtOnce(t *testing.T) {
	t.Parallel()
	rates := []Rate{{20, time.Hour}, {50, 24 * time.Hour}}
	memory, err := NewBudget(rates...)
	if err != nil {
		t.Fatal(err)
	}
	s := startRedis(t, filepath.Join(t.TempDir(), "redis.sock"))
	var nodes []*Budget
	for range 2 {
		r, _ := node(t, s)
		r.up(t)
		b, err := r.NewBudget("x", rates...)
		if err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, b)
	}
	for name, budgets := range map[string][]*Budget{"in memory": {memory, memory}, "in Redis": nodes} {
		var admitted atomic.Int64
		var wait sync.WaitGroup
		for i := range 60 {
			wait.Go(func() {
				b := budgets[i%2]
				if d := b.Take(t.Context(), "", addresses[2]); !d.OK {
					return
				}
				if i%3 == 0 {
					b.Refund(t.Context(), "", addresses[2])
					return
				}
				if admitted.Add(1) > 20 {
					t.Errorf("%s: more than 20 were admitted at once", name)
				}
			})
		}
		wait.Wait()
		left := 20 - int(admitted.Load())
		for range left {
			if d := budgets[0].Take(t.Context(), "", addresses[2]); !d.OK {
				t.Fatalf("%s: refused with %d left: %+v", name, left, d)
			}
		}
		if d := budgets[1].Take(t.Context(), "", addresses[2]); d.OK {
			t.Errorf("%s: a 21st was admitted", name)
		}
	}
}

// TestBudgetExemptsPrivate checks that only private addresses are exempt, and only when asked.
func TestBudgetExemptsPrivate(t *testing.T) {
	t.Parallel()
	for address, private := range map[string]bool{
		"127.0.0.1": true, "127.9.9.9": true, "::1": true, "::ffff:127.0.0.1": true, "10.1.2.3": true, "172.16.0.1": true,
		"192.168.1.1": true, "::ffff:192.168.1.1": true, "fd00::1": true, "169.254.1.1": true, "fe80::1%eth0": true,
		"172.32.0.1": false, "100.64.0.1": false, "192.0.2.1": false, "2001:db8::1": false, "0.0.0.0": false, "": false,
	} {
		a, _ := netip.ParseAddr(address) // "" is the zero Addr
		for _, exempt := range []bool{true, false} {
			b, err := NewBudget(Rate{1, time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			if exempt {
				b.ExemptPrivate()
			}
			first, second := b.Take(t.Context(), "", a), b.Take(t.Context(), "", a)
			if !first.OK || second.OK != (exempt && private) || b.ExemptsPrivate() != exempt {
				t.Errorf("%q with exemption %v: %+v, then %+v", address, exempt, first, second)
			}
			b.Refund(t.Context(), "", a)
			if d := b.Take(t.Context(), "", a); !d.OK {
				t.Errorf("%q after a refund: %+v, expected it admitted", address, d)
			}
		}
	}
}

// TestSharedBudget checks that a budget admits SharedTimes as many actions of addresses that many people
// share, and that its refunds count.
func TestSharedBudget(t *testing.T) {
	t.Parallel()
	b, err := NewBudget(Rate{2, time.Hour}, Rate{3, 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	shared, err := ParseRanges([]string{"198.51.100.0/24"})
	if err != nil {
		t.Fatal(err)
	}
	b.Share(shared)
	for text, most := range map[string]int{"198.51.100.7": 2 * SharedTimes, "203.0.113.7": 2} {
		address := netip.MustParseAddr(text)
		for i := range most + 2 {
			if d := b.Take(t.Context(), "", address); d.OK != (i < most) {
				t.Errorf("%s, action %d: %+v, want %d admitted", text, i, d, most)
			}
		}
		b.Refund(t.Context(), "", address)
		if first, second := b.Take(t.Context(), "", address), b.Take(t.Context(), "", address); !first.OK || second.OK {
			t.Errorf("%s after a refund: %+v, then %+v", text, first, second)
		}
	}
}

// TestBudgetWhileRedisFails checks that a budget continues from the node's own counts, refunds
// included.
func TestBudgetWhileRedisFails(t *testing.T) {
	t.Parallel()
	s := startRedis(t, filepath.Join(t.TempDir(), "redis.sock"))
	r, _ := node(t, s)
	r.up(t)
	r.rest = func(func()) {} // no probes
	b, err := r.NewBudget("x", Rate{3, time.Hour}, Rate{4, 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		b.Take(t.Context(), "", addresses[0])
	}
	b.Refund(t.Context(), "", addresses[0])
	s.stop()
	for i, expected := range []bool{true, false, false} {
		if d := b.Take(t.Context(), "", addresses[0]); d.OK != expected {
			t.Errorf("action %d without Redis: %+v, expected OK to be %v", i, d, expected)
		}
	}
	b.Refund(t.Context(), "", addresses[0])
	if d := b.Take(t.Context(), "", addresses[0]); !d.OK {
		t.Errorf("after a refund without Redis: %+v, expected it admitted", d)
	}
}

// TestBudgetForgets checks that refunds leave no keys, and that more addresses than the bound take
// no more memory than it.
func TestBudgetForgets(t *testing.T) {
	t.Parallel()
	b, err := NewBudget(Rate{1, time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	keys := func() (n int) {
		for i := range b.logs[0].shards {
			n += len(b.logs[0].shards[i].young) + len(b.logs[0].shards[i].old)
		}
		return n
	}
	for i := range 1000 {
		b.Take(t.Context(), fmt.Sprint(i), addresses[2])
		b.Refund(t.Context(), fmt.Sprint(i), addresses[2])
	}
	if n := keys(); n != 0 {
		t.Errorf("%d keys after all was refunded", n)
	}
	for i := range 3 * maxBudgetShardKeys * shards {
		b.Take(t.Context(), "", netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}))
	}
	if n := keys(); n > 2*maxBudgetShardKeys*shards {
		t.Errorf("%d keys, expected at most %d", n, 2*maxBudgetShardKeys*shards)
	}
}

// TestDropExpired checks that exactly the addresses without an action in the window are dropped, also
// when no further action of theirs arrives.
func TestDropExpired(t *testing.T) {
	t.Parallel()
	b, err := NewBudget(Rate{2, time.Hour}, Rate{3, 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	var now time.Duration
	for _, l := range b.logs {
		l.clock = func() time.Duration { return now }
	}
	keys := func(l *Log) (n int) {
		for i := range l.shards {
			n += len(l.shards[i].young) + len(l.shards[i].old)
		}
		return n
	}
	for _, address := range addresses[:2] { // of IPv4
		b.Take(t.Context(), "", address)
	}
	now = 30 * time.Minute
	b.Take(t.Context(), "", addresses[0])
	for _, step := range []struct {
		at        time.Duration
		hour, day int // keys
	}{{time.Hour - 1, 2, 2}, {time.Hour, 1, 2}, {2 * time.Hour, 0, 2}, {24 * time.Hour, 0, 1}, {25 * time.Hour, 0, 0}} {
		now = step.at
		b.DropExpired()
		if hour, day := keys(b.logs[0]), keys(b.logs[1]); hour != step.hour || day != step.day {
			t.Errorf("at %v: %d keys of the hour and %d of the day, expected %d and %d", now, hour, day, step.hour, step.day)
		}
		if step.at == 2*time.Hour {
			if d := b.Take(t.Context(), "", addresses[0]); !d.OK || d.Remaining != 0 {
				t.Errorf("at %v: %+v, expected the third of the day", now, d)
			}
			b.Refund(t.Context(), "", addresses[0])
		}
	}
}

func TestNewBudgetRefuses(t *testing.T) {
	t.Parallel()
	r, err := NewRedis("redis://127.0.0.1:1", slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	for _, rates := range [][]Rate{nil, {{0, time.Minute}}, {{1, time.Minute}, {1, 0}}} {
		if _, err := NewBudget(rates...); err == nil {
			t.Errorf("%v: no error", rates)
		}
		if _, err := r.NewBudget("x", rates...); err == nil {
			t.Errorf("%v in Redis: no error", rates)
		}
	}
	if _, err := r.NewBudget("x", Rate{1, time.Hour}, Rate{1, 8 * 24 * time.Hour}); err == nil {
		t.Error("a window of eight days in Redis: no error")
	}
}

// TestOpen compares Open with a plain list.
func TestOpen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o, most := &Open{}, rapid.IntRange(1, 3).Draw(t, "max")
		var open []netip.Addr
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if len(open) > 0 && rapid.IntRange(0, 3).Draw(t, "action") == 0 {
				i := rapid.IntRange(0, len(open)-1).Draw(t, "closed")
				o.Remove(open[i])
				open = append(open[:i:i], open[i+1:]...)
				continue
			}
			address := rapid.SampledFrom(addresses).Draw(t, "address")
			full := false
			for _, level := range AppendLevels(nil, address, most) {
				n := 0
				for _, a := range open {
					if level.Prefix.Contains(a) {
						n++
					}
				}
				full = full || n >= level.Max
			}
			if o.Full(address, most) != full {
				t.Fatalf("%v with %v open: Full is %v", address, open, !full)
			}
			if !full {
				o.Add(address)
				open = append(open, address)
			}
		}
		for _, address := range open {
			o.Remove(address)
		}
		if len(o.counts) != 0 {
			t.Fatalf("all closed, but counted: %v", o.counts)
		}
	})
}
