package limit

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"net/netip"
	"sync"
	"time"
)

// Log is an exact limit by network address: a sliding log holds the times of the last n
// requests that it admitted, and admits another one when fewer than n of them are younger
// than the window. So no window of time, wherever it begins, contains more than n admitted
// requests, and n requests that are paced evenly always pass. Refused requests are not
// counted.
//
// An IPv4 address is a key of its own. An IPv6 address counts three times: by its /64 at the
// limit, by its /56 at four times and by its /48 at sixteen times the limit, since one
// customer controls that many addresses. A request is admitted by all three logs, or by none.
//
// The times are kept in memory, 8 bytes each, until they are older than the window. With
// Redis they are kept there, and all nodes count together; see Redis for what happens while
// it does not answer. Methods are safe for concurrent use.
type Log struct {
	max    int
	window time.Duration
	start  time.Time // origin of times, on the monotonic clock
	seed   maphash.Seed
	shards [shards]shard
	shared *sharedLog // nil without Redis
}

const (
	// shards is the number of locks that share the addresses of a Log.
	shards = 64
	// maxShardKeys bounds the keys in one half of a shard, and with them the memory that an
	// attacker with very many addresses can take: a million keys in all, some 150 bytes each
	// beside their times. Beyond that the least recently used half is dropped early.
	maxShardKeys = 8192
)

// level is one of the keys that count a request of an address.
type level struct {
	prefix netip.Prefix
	max    int
}

// NewLog returns a Log of n requests in a window, kept in memory.
func NewLog(n int, window time.Duration) (*Log, error) {
	if n < 1 || window <= 0 {
		return nil, fmt.Errorf("limit: %d in %v is not a limit", n, window)
	}
	return &Log{
		max: n, window: window, seed: maphash.MakeSeed(),
		start: time.Now(), //nolint:forbidigo // limits are in real time
	}, nil
}

// Max returns how many requests the window admits.
func (l *Log) Max() int { return l.max }

// Window returns the length of the window.
func (l *Log) Window() time.Duration { return l.window }

// Take counts one request of an address, or refuses it. The zero Addr stands for all callers
// whose address is unknown. Decision.Remaining is how many more requests would be admitted
// now, Decision.Reset how long it takes until there is at least one more than that, and
// Decision.Wait, for a refused request, how long the caller must wait to be admitted.
func (l *Log) Take(ctx context.Context, address netip.Addr) Decision {
	var room [3]level
	levels := l.levels(address, room[:0])
	if l.shared != nil {
		if d, ok := l.shared.take(ctx, levels); ok {
			if d.OK { // if Redis fails, this node continues from its own admissions
				l.shard(levels).record(l.now(), l.window, levels)
			}
			return d
		}
	}
	return l.take(l.now(), levels)
}

func (l *Log) take(now time.Duration, levels []level) Decision {
	return l.shard(levels).take(now, l.window, levels)
}

func (l *Log) now() time.Duration { return time.Since(l.start) } //nolint:forbidigo // limits are in real time

// levels appends the keys of an address, the narrowest first.
func (l *Log) levels(address netip.Addr, levels []level) []level {
	address = address.Unmap().WithZone("") // a zone names the interface, not the owner
	if !address.Is6() {
		return append(levels, level{netip.PrefixFrom(address, address.BitLen()), l.max})
	}
	for _, of := range [...]struct{ bits, times int }{{64, 1}, {56, 4}, {48, 16}} {
		prefix, _ := address.Prefix(of.bits) // fails for no address of IPv6
		levels = append(levels, level{prefix, of.times * l.max})
	}
	return levels
}

// shard returns the shard of an address. All levels of one request are in the same one, so
// that one lock covers them.
func (l *Log) shard(levels []level) *shard {
	return &l.shards[maphash.Comparable(l.seed, levels[len(levels)-1].prefix)%shards]
}

// shard holds the logs of some addresses, in two generations: every window the young ones
// become the old ones, and the old ones, none of which has admitted a request since the last
// change, are dropped.
type shard struct {
	mu         sync.Mutex // guards the fields below
	young, old map[netip.Prefix]*times
	changed    time.Duration // time of the last change of generations
	_          [64]byte      // keeps the locks of two shards in different cache lines
}

// take decides on a request by all its levels and counts it in all of them, or in none.
func (s *shard) take(now, window time.Duration, levels []level) Decision {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.age(now, window)
	d := Decision{OK: true}
	var logs [3]*times
	for i, level := range levels {
		t := s.find(level.prefix)
		logs[i] = t
		if t == nil {
			continue
		}
		if t.expire(now - window); t.n >= level.max {
			d.OK = false
			d.Wait = max(d.Wait, t.first()+window-now)
		}
	}
	if !d.OK {
		d.Reset = d.Wait
		return d
	}
	for i, level := range levels {
		if logs[i] == nil {
			logs[i] = &times{}
			s.young[level.prefix] = logs[i]
		}
		logs[i].add(now, level.max)
		remaining, reset := level.max-logs[i].n, logs[i].first()+window-now
		switch {
		case i == 0 || remaining < d.Remaining:
			d.Remaining, d.Reset = remaining, reset
		case remaining == d.Remaining:
			d.Reset = max(d.Reset, reset)
		}
	}
	return d
}

// record counts a request that another store admitted.
func (s *shard) record(now, window time.Duration, levels []level) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.age(now, window)
	for _, level := range levels {
		t := s.find(level.prefix)
		if t == nil {
			t = &times{}
			s.young[level.prefix] = t
		}
		t.expire(now - window)
		t.add(now, level.max)
	}
}

// find returns the log of a key, or nil.
func (s *shard) find(key netip.Prefix) *times {
	if t := s.young[key]; t != nil {
		return t
	}
	t := s.old[key]
	if t != nil {
		delete(s.old, key)
		s.young[key] = t
	}
	return t
}

// age starts a new generation when the window is over, or when there are too many keys.
func (s *shard) age(now, window time.Duration) {
	if s.young == nil || now-s.changed >= window || len(s.young) >= maxShardKeys {
		s.old, s.young, s.changed = s.young, make(map[netip.Prefix]*times), now
	}
}

// times holds the times of the last admitted requests of one key, the oldest first, in a ring that
// grows and shrinks with them.
type times struct {
	ring    []time.Duration
	head, n int
}

// first returns the oldest time.
func (t *times) first() time.Duration { return t.ring[t.head] }

// expire drops the times up to and including until, and shrinks a ring that is mostly empty.
func (t *times) expire(until time.Duration) {
	for t.n > 0 && t.ring[t.head] <= until {
		t.head++
		if t.head == len(t.ring) {
			t.head = 0
		}
		t.n--
	}
	if len(t.ring) > minRing && t.n <= len(t.ring)/4 {
		t.resize(len(t.ring) / 2)
	}
}

// minRing is the smallest size of a ring.
const minRing = 4

// add appends a time. At the limit it drops the oldest one.
func (t *times) add(now time.Duration, limit int) {
	if t.n >= limit { // recorded after another node admitted the request
		t.head = (t.head + 1) % len(t.ring)
		t.n--
	}
	if t.n == len(t.ring) {
		t.resize(min(max(2*len(t.ring), minRing), max(limit, minRing)))
	}
	t.ring[(t.head+t.n)%len(t.ring)] = now
	t.n++
}

func (t *times) resize(size int) {
	ring := make([]time.Duration, size)
	for i := range t.n {
		ring[i] = t.ring[(t.head+i)%len(t.ring)]
	}
	t.ring, t.head = ring, 0
}

// maxSharedWindow is the longest window of a Log in Redis. Its times are the low 31 bits of a
// clock in microseconds, which must distinguish times up to two windows apart.
const maxSharedWindow = 15 * time.Minute

var errWindow = errors.New("limit: a log in Redis has a window of at most 15 minutes")
