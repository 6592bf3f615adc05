package limit

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// model implements the definition of a Log directly: it keeps all admitted times of each prefix,
// and counts them for every request.
type model struct {
	max      int
	window   time.Duration
	admitted map[string][]time.Duration
}

// limits returns the prefixes of an address with their limits.
func (m *model) limits(address netip.Addr) map[string]int {
	if address.Is4() {
		return map[string]int{address.String(): m.max}
	}
	text := address.StringExpanded() // 2001:0db8:0000:0102:…
	return map[string]int{"/64 " + text[:19]: m.max, "/56 " + text[:17]: 4 * m.max, "/48 " + text[:14]: 16 * m.max}
}

// remaining returns how many requests of an address would be admitted at a time.
func (m *model) remaining(now time.Duration, address netip.Addr) int {
	left := 1 << 30
	for prefix, limit := range m.limits(address) {
		n := 0
		for _, t := range m.admitted[prefix] {
			if t > now-m.window {
				n++
			}
		}
		left = min(left, limit-n)
	}
	return left
}

// check compares a decision with the model, and updates the model.
func (m *model) check(t *rapid.T, now time.Duration, address netip.Addr, got Decision) {
	before := m.remaining(now, address)
	if got.OK != (before > 0) {
		t.Fatalf("%v at %v: got %+v, want OK to be %v", address, now, got, before > 0)
	}
	if got.OK {
		for prefix := range m.limits(address) {
			m.admitted[prefix] = append(m.admitted[prefix], now)
		}
	}
	left := m.remaining(now, address)
	if got.Remaining != left || got.OK != (got.Wait == 0) || got.Reset <= 0 {
		t.Fatalf("%v at %v: got %+v, want %d remaining", address, now, got, left)
	}
	if !got.OK && got.Wait != got.Reset {
		t.Fatalf("%v at %v: got %+v, whose Wait and Reset differ", address, now, got)
	}
	if at := now + got.Reset; m.remaining(at, address) <= left {
		t.Fatalf("%v at %v: got %+v, but at %v no more remain", address, now, got, at)
	}
	if at := now + got.Reset - time.Microsecond; m.remaining(at, address) > left {
		t.Fatalf("%v at %v: got %+v, but more remain at %v already", address, now, got, at)
	}
}

// never checks that no window contains more requests than its limit, by the times alone.
func (m *model) never(t *rapid.T) {
	for prefix, times := range m.admitted {
		limit := m.max
		switch {
		case strings.HasPrefix(prefix, "/56"):
			limit *= 4
		case strings.HasPrefix(prefix, "/48"):
			limit *= 16
		}
		for i := limit; i < len(times); i++ {
			if times[i]-times[i-limit] < m.window {
				t.Fatalf("%s: %d requests between %v and %v", prefix, limit+1, times[i-limit], times[i])
			}
		}
	}
}

// addresses share a /64, a /56 or a /48, or nothing.
var addresses = []netip.Addr{
	netip.MustParseAddr("192.0.2.1"),
	netip.MustParseAddr("192.0.2.2"),
	netip.MustParseAddr("2001:db8:0:100::1"),
	netip.MustParseAddr("2001:db8:0:100::2"),
	netip.MustParseAddr("2001:db8:0:101::1"),
	netip.MustParseAddr("2001:db8:0:102::1"),
	netip.MustParseAddr("2001:db8:0:103::1"),
	netip.MustParseAddr("2001:db8:0:104::1"),
	netip.MustParseAddr("2001:db8:0:200::1"),
	netip.MustParseAddr("2001:db8:0:300::1"),
	netip.MustParseAddr("2001:db8:1::1"),
}

// against sends requests at generated times to a Log with a manual clock.
func against(
	t *rapid.T, window time.Duration, limits []int,
	open func(n int) (take func(now time.Duration, a netip.Addr) Decision),
) {
	m := &model{max: rapid.SampledFrom(limits).Draw(t, "max"), window: window, admitted: map[string][]time.Duration{}}
	take := open(m.max)
	now := time.Duration(rapid.Int64Range(0, 1<<40).Draw(t, "start")) * time.Microsecond
	steps := rapid.SliceOfN(rapid.Uint64(), 20, 90).Draw(t, "steps")
	last := Decision{}
	for _, step := range steps {
		address := addresses[step>>8%uint64(len(addresses))]
		switch step % 8 {
		case 0: // exactly at the promised time
			now += last.Reset
		case 1: // a little too early
			now += max(0, last.Reset-time.Microsecond)
		case 2:
			now += window / time.Duration(m.max)
		case 3:
			now += (time.Duration(step>>16) % (3 * window / 2)).Truncate(time.Microsecond)
		case 4:
			now += time.Microsecond
		}
		for range 1 + step>>4%uint64(2*m.max) {
			last = take(now, address)
			m.check(t, now, address, last)
			if !last.OK {
				break
			}
		}
	}
	m.never(t)
}

// TestLogAgainstModel compares the log in memory with the model.
func TestLogAgainstModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		against(t, 5*time.Minute, []int{1, 2, 3, 10}, func(n int) func(time.Duration, netip.Addr) Decision {
			l, err := NewLog(n, 5*time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			return func(now time.Duration, a netip.Addr) Decision { return l.take(now, AppendLevels(nil, a, l.max)) }
		})
	})
}

// TestSharedLogAgainstModel compares the log in a real Redis with the same model. Redis expires
// keys by its own clock, which hardly moves beside the test's, so the longest run is shorter than
// the 35 minutes after which the low bits of its times repeat.
func TestSharedLogAgainstModel(t *testing.T) {
	t.Parallel()
	s := startRedis(t, filepath.Join(t.TempDir(), "redis.sock"))
	r, log := node(t, s)
	r.up(t)
	var names atomic.Int64
	rapid.Check(t, func(t *rapid.T) {
		against(t, 15*time.Second, []int{1, 2, 3}, func(n int) func(time.Duration, netip.Addr) Decision {
			l, err := r.NewLog(fmt.Sprint(names.Add(1)), n, 15*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			var at time.Duration
			l.inRedis.clock = func() time.Duration { return at }
			return func(now time.Duration, a netip.Addr) Decision {
				at = now
				return l.Take(context.Background(), a)
			}
		})
	})
	if log.Len() > 0 {
		t.Errorf("Redis did not take part: %s", log)
	}
}

// TestLogEvenPace checks that the whole limit, paced evenly, always passes, from any start.
func TestLogEvenPace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, err := NewLog(240, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		address := rapid.SampledFrom(addresses).Draw(t, "address")
		now := time.Duration(rapid.Int64Range(0, 1<<50).Draw(t, "start"))
		for i := range 1000 {
			if d := l.take(now, AppendLevels(nil, address, l.max)); !d.OK {
				t.Fatalf("request %d, at an even pace: got %+v, want it admitted", i, d)
			}
			now += 250 * time.Millisecond
		}
	})
}

// TestLogFirstMinute: of as many requests as a client can send, 240 are admitted in its first
// minute, and a 241st as soon as the first is a minute old.
func TestLogFirstMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, err := NewLog(240, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		admitted, begin := 0, time.Now()
		for time.Since(begin) < time.Minute {
			d := l.Take(t.Context(), addresses[0])
			if d.OK {
				admitted++
			}
			if left := 240 - admitted; d.Remaining != left || !d.OK && d.Wait != time.Minute-time.Since(begin) {
				t.Fatalf("after %v: got %+v, want %d remaining", time.Since(begin), d, left)
			}
			time.Sleep(50 * time.Millisecond) //nolint:forbidigo // the clock of synctest
		}
		if d := l.Take(t.Context(), addresses[0]); admitted != 240 || !d.OK {
			t.Errorf("%d admitted in the first minute, want 240; then %+v", admitted, d)
		}
	})
}

// TestLogForgets checks that memory is returned when times expire, whether their keys are used
// again or not.
func TestLogForgets(t *testing.T) {
	t.Parallel()
	l, err := NewLog(1000, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	count := func() (keys, room int) {
		for i := range l.shards {
			for _, logs := range []map[key]*times{l.shards[i].young, l.shards[i].old} {
				for _, t := range logs {
					keys, room = keys+1, room+len(t.ring)
				}
			}
		}
		return keys, room
	}
	busy := addresses[0]
	for range 1000 {
		l.take(0, AppendLevels(nil, busy, l.max))
	}
	for i := range 100_000 {
		l.take(0, AppendLevels(nil, netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), l.max))
	}
	if keys, room := count(); keys != 100_001 || room > 1000+minRing*100_000 {
		t.Fatalf("%d keys with room for %d times", keys, room)
	}
	for now := time.Minute; now <= 30*time.Minute; now += time.Minute {
		for i := range 2000 {
			l.take(now, AppendLevels(nil, netip.AddrFrom4([4]byte{11, 0, byte(i >> 8), byte(i)}), l.max))
		}
		l.take(now, AppendLevels(nil, busy, l.max))
	}
	if keys, room := count(); keys != 2001 || room > minRing*2001 {
		t.Errorf("half an hour later: %d keys with room for %d times, want 2001 with %d each", keys, room, minRing)
	}
}

// TestLogFlood checks that more addresses than maxShardKeys take no more memory than the bound.
func TestLogFlood(t *testing.T) {
	t.Parallel()
	l, err := NewLog(1, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	s := &l.shards[0]
	for i := range 5 * maxShardKeys {
		prefix := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 32)
		if d := s.take(0, time.Hour, []Level{{Prefix: prefix, Max: 1}}); !d.OK {
			t.Fatalf("%v: got %+v, want it admitted", prefix, d)
		}
		if n := len(s.young) + len(s.old); n > 2*maxShardKeys {
			t.Fatalf("%d keys, want at most %d", n, 2*maxShardKeys)
		}
	}
}

// TestLogManyAtOnce checks that concurrent requests, on one node or on two that share a Redis, are
// all counted.
func TestLogManyAtOnce(t *testing.T) {
	t.Parallel()
	memory, err := NewLog(100, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	s := startRedis(t, filepath.Join(t.TempDir(), "redis.sock"))
	var nodes []*Log
	for range 2 {
		r, _ := node(t, s)
		r.up(t)
		l, err := r.NewLog("x", 100, 15*time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, l)
	}
	for name, logs := range map[string][]*Log{"in memory": {memory, memory}, "in Redis": nodes} {
		var admitted atomic.Int64
		var wait sync.WaitGroup
		for i := range 300 {
			wait.Go(func() {
				if logs[i%2].Take(t.Context(), addresses[2]).OK {
					admitted.Add(1)
				}
			})
		}
		wait.Wait()
		if n := admitted.Load(); n != 100 {
			t.Errorf("%s: %d of 300 at once were admitted, want 100", name, n)
		}
	}
}

// TestSharedLogByItsOwnClock checks that a caller of a Log in Redis is admitted after
// Decision.Wait.
func TestSharedLogByItsOwnClock(t *testing.T) {
	t.Parallel()
	s := startRedis(t, filepath.Join(t.TempDir(), "redis.sock"))
	r, _ := node(t, s)
	r.up(t)
	l, err := r.NewLog("x", 2, 200*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	for refused := 0; refused < 3; {
		d := l.Take(t.Context(), addresses[0])
		if d.OK {
			continue
		}
		refused++
		<-time.After(d.Wait)
		if d := l.Take(t.Context(), addresses[0]); !d.OK {
			t.Fatalf("after the wait: got %+v, want it admitted", d)
		}
	}
	const hour = time.Hour // the key above may be gone before it is asked for
	if l, err = r.NewLog("y", 2, hour); err != nil || !l.Take(t.Context(), addresses[0]).OK {
		t.Fatal("the first was not admitted", err)
	}
	ttl, err := r.client.PTTL(t.Context(), redisPrefix+"y:192.0.2.1/32").Result()
	if err != nil || ttl <= hour/2 || ttl > hour+time.Millisecond {
		t.Errorf("the key expires in %v, %v, want that within the window", ttl, err)
	}
}

// TestSharedLogClockSetBack: when the clock of Redis is set back, no caller is locked out.
func TestSharedLogClockSetBack(t *testing.T) {
	t.Parallel()
	s := startRedis(t, filepath.Join(t.TempDir(), "redis.sock"))
	r, _ := node(t, s)
	r.up(t)
	l, err := r.NewLog("x", 1, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Hour
	l.inRedis.clock = func() time.Duration { return at }
	for _, back := range []time.Duration{time.Microsecond, time.Second, 10 * time.Minute} {
		if d := l.Take(t.Context(), addresses[0]); !d.OK {
			t.Fatalf("at %v: got %+v, want it admitted", at, d)
		}
		if d := l.Take(t.Context(), addresses[0]); d.OK || d.Wait != time.Minute {
			t.Fatalf("again at %v: got %+v, want it refused for a minute", at, d)
		}
		at -= back
	}
}

// TestTakeShared checks that at an address that many people share each credential has the limit, all other
// requests have it together, and all of them SharedTimes the limit: in memory, and on two nodes with Redis.
func TestTakeShared(t *testing.T) {
	t.Parallel()
	const n = 3
	local, err := NewLog(n, 10*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	s := startRedis(t, filepath.Join(t.TempDir(), "redis.sock"))
	nodes := make([]*Log, 2)
	for i := range nodes {
		r, _ := node(t, s)
		r.up(t)
		if nodes[i], err = r.NewLog("x", n, 10*time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	for name, logs := range map[string][]*Log{"in memory": {local, local}, "with Redis": nodes} {
		for _, text := range []string{"198.51.100.7", "2001:db8::7"} {
			address, turn := netip.MustParseAddr(text), 0
			admitted := func(credential string) (count int) {
				for range n + 2 {
					turn++
					if logs[turn%2].TakeShared(t.Context(), address, credential).OK {
						count++
					}
				}
				return count
			}
			if got := admitted(""); got != n {
				t.Errorf("%s, %s: %d admitted without a credential, want %d", name, text, got, n)
			}
			for i := range SharedTimes {
				want := n
				if i == SharedTimes-1 {
					want = 0
				}
				if got := admitted(fmt.Sprint(i)); got != want {
					t.Errorf("%s, %s: %d admitted of credential %d, want %d", name, text, got, i, want)
				}
			}
			if d := logs[0].Take(t.Context(), address); d.OK {
				t.Errorf("%s, %s: the address has more than its limit", name, text)
			}
			if other := netip.MustParseAddr("2001:db8:0:1::7"); address.Is6() {
				if logs[0].TakeShared(t.Context(), other, "0").OK || !logs[0].TakeShared(t.Context(), other, "x").OK {
					t.Errorf("%s: a credential has a limit of its own in each /64", name)
				}
			}
		}
	}
}

// TestLookUps checks that an address has a quarter of the limit for look-ups, that one which is returned is
// free, and that they use up no requests.
func TestLookUps(t *testing.T) {
	t.Parallel()
	for most, want := range map[int]int{2: 1, 240: 60} {
		l, err := NewLog(most, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		address, n := netip.MustParseAddr("198.51.100.7"), 0
		for range most {
			if l.TakeLookUp(t.Context(), address) {
				l.RefundLookUp(t.Context(), address)
			}
		}
		for l.TakeLookUp(t.Context(), address) {
			n++
		}
		if d := l.TakeShared(t.Context(), address, ""); n != want || d.Remaining != most-1 {
			t.Errorf("limit %d: %d look-ups and %d requests left, want %d and %d", most, n, d.Remaining, want, most-1)
		}
	}
}

// TestSharedLogLost checks that a node continues from its own admissions when Redis fails, and
// shares its log again when Redis answers. Both are logged once.
func TestSharedLogLost(t *testing.T) {
	t.Parallel()
	s := startRedis(t, filepath.Join(t.TempDir(), "redis.sock"))
	r, log := node(t, s)
	r.up(t)
	var probe func()
	r.rest = func(back func()) { probe = back }
	l, err := r.NewLog("x", 3, 15*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	take := func(want bool, remaining int) {
		t.Helper()
		if d := l.Take(t.Context(), addresses[3]); d.OK != want || d.Remaining != remaining {
			t.Errorf("got %+v, want OK to be %v with %d remaining", d, want, remaining)
		}
	}
	take(true, 2)
	take(true, 1)
	s.stop()
	take(true, 0)
	take(false, 0)
	startRedis(t, s.socket)
	r.probed(t, &probe)
	take(true, 2) // the new Redis is empty
	for _, line := range []string{"Redis is unreachable", "Redis answers again"} {
		if n := strings.Count(log.String(), line); n != 1 {
			t.Errorf("%q was logged %d times, want once:\n%s", line, n, log)
		}
	}
}

// probed probes Redis until it answers.
func (r *Redis) probed(t *testing.T, probe *func()) {
	t.Helper()
	deadline := time.Now().Add(startTimeout)
	for (*probe)(); r.away.Load(); (*probe)() {
		if time.Now().After(deadline) {
			t.Fatal("Redis does not come up")
		}
		<-time.After(5 * time.Millisecond)
	}
}

// TestSharedLogHangs checks that a Redis which accepts connections and never answers is given up.
func TestSharedLogHangs(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	var log strings.Builder
	r, err := newRedis(
		"redis://"+listener.Addr().String(),
		slog.New(slog.NewTextHandler(&log, nil)),
		20*time.Millisecond,
	)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	r.rest = func(func()) {}
	l, err := r.NewLog("x", 2, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, false} {
		if d := l.Take(t.Context(), addresses[0]); d.OK != want {
			t.Errorf("take %d: got %+v, want OK to be %v", i, d, want)
		}
	}
	if n := strings.Count(log.String(), "Redis is unreachable"); n != 1 {
		t.Errorf("it was logged %d times, want once:\n%s", n, log.String())
	}
}

func TestNewLogRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		max    int
		window time.Duration
	}{{0, time.Minute}, {-1, time.Minute}, {1, 0}} {
		if _, err := NewLog(tt.max, tt.window); err == nil {
			t.Errorf("NewLog(%d, %v): no error", tt.max, tt.window)
		}
	}
	r, err := NewRedis("redis://127.0.0.1:1", slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if _, err := r.NewLog("x", 1, 8*24*time.Hour); err == nil {
		t.Error("a window of eight days in Redis: no error")
	}
}

func BenchmarkLogTake(b *testing.B) {
	l, err := NewLog(1<<10, time.Minute)
	if err != nil {
		b.Fatal(err)
	}
	all := make([]netip.Addr, 1000)
	for i := range all {
		all[i] = netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)})
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			l.Take(b.Context(), all[i%len(all)])
		}
	})
}
