package limit

import (
	"context"
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
// An address counts in all its Levels: a request is admitted by all of them, or by none. A
// request may also have a name, such as a username; each name of an address has its own logs.
//
// The times are kept in memory, 8 bytes each, until they are older than the window. With
// Redis they are kept there, and all nodes count together; see Redis for what happens while
// it does not answer. Methods are safe for concurrent use.
type Log struct {
	max     int
	window  time.Duration
	start   time.Time // origin of times, on the monotonic clock
	seed    maphash.Seed
	shards  [shards]shard
	inRedis *sharedLog           // nil without Redis
	clock   func() time.Duration // replaces the clock in tests and simulations; else nil
}

const (
	// shards is the number of locks that share the addresses of a Log.
	shards = 64
	// maxShardKeys bounds the keys in one half of a shard, and with them the memory that an
	// attacker with very many addresses can take: a million keys in all, some 150 bytes each
	// beside their times. Beyond that the least recently used half is dropped early.
	maxShardKeys = 8192
)

// key names one log: a network, and the name of its requests, "" for none.
type key struct {
	name   string
	prefix netip.Prefix
}

// NewLog returns a Log of n requests in a window, kept in memory.
func NewLog(n int, window time.Duration) (*Log, error) { return newLog(n, window, maxShardKeys) }

// newLog is NewLog with a bound for the keys in one half of a shard.
func newLog(n int, window time.Duration, maxKeys int) (*Log, error) {
	if n < 1 || window <= 0 {
		return nil, fmt.Errorf("limit: %d in %v is not a limit", n, window)
	}
	//nolint:forbidigo // limits are in real time
	l := &Log{max: n, window: window, start: time.Now(), seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].maxKeys = maxKeys
	}
	return l, nil
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
	return l.TakeOf(ctx, address, 1)
}

// TakeOf is Take for an address with a multiple of the limit.
func (l *Log) TakeOf(ctx context.Context, address netip.Addr, times int) Decision {
	var room [maxLevels]Level
	return l.takeAll(ctx, AppendLevels(room[:0], address, times*l.max))
}

// SharedTimes is the multiple of a limit that an address has in all if many people share it.
const SharedTimes = 16

// TakeShared is Take for an address that many people share: a request with a credential counts by it,
// one without by the address, and each of them by the address at SharedTimes the limit, too. The caller
// passes a credential only if it was valid: each has a log of its own in the widest network of the address,
// so that other addresses of the network give it no more.
func (l *Log) TakeShared(ctx context.Context, address netip.Addr, credential string) Decision {
	var room [maxLevels]Level
	levels := AppendLevels(room[:0], address, l.max)
	if credential != "" {
		levels = append(levels[:0], Level{levels[len(levels)-1].Prefix, l.max, credential})
	}
	for _, level := range AppendLevels(nil, address, SharedTimes*l.max) {
		level.name = "shared"
		levels = append(levels, level)
	}
	return l.takeAll(ctx, levels)
}

// lookUpShare is the part of a limit that an address has for look-ups of credentials: one in so many.
const lookUpShare = 4

// lookUps returns the levels that count the look-ups of credentials of an address that many people share.
func (l *Log) lookUps(address netip.Addr) []Level {
	levels := AppendLevels(nil, address, max(1, l.max/lookUpShare))
	for i := range levels {
		levels[i].name = "look-up"
	}
	return levels
}

// TakeLookUp counts the look-up of a credential that may be wrong, and reports whether the address may
// have it. It counts no request.
func (l *Log) TakeLookUp(ctx context.Context, address netip.Addr) bool {
	return l.takeAll(ctx, l.lookUps(address)).OK
}

// RefundLookUp returns the look-up of a credential that was valid.
func (l *Log) RefundLookUp(ctx context.Context, address netip.Addr) {
	l.refund(ctx, l.lookUps(address))
}

// takeAll counts a request at all levels, or refuses it.
func (l *Log) takeAll(ctx context.Context, levels []Level) Decision {
	if l.inRedis != nil {
		if d, ok := l.inRedis.take(ctx, levels); ok {
			if d.OK { // if Redis fails, this node continues from its own admissions
				l.shard(levels).record(l.now(), l.window, levels)
			}
			return d
		}
	}
	return l.take(l.now(), levels)
}

// refund removes the last counted request from all levels. It does nothing for a level without one.
// With Redis, both Redis and this node counted the request, unless Redis failed before or after: then
// one of the two refunds too much, or too little.
func (l *Log) refund(ctx context.Context, levels []Level) {
	if l.inRedis != nil {
		l.inRedis.refund(ctx, levels)
	}
	l.shard(levels).refund(levels)
}

func (l *Log) take(now time.Duration, levels []Level) Decision {
	return l.shard(levels).take(now, l.window, levels)
}

func (l *Log) now() time.Duration {
	if l.clock != nil {
		return l.clock()
	}
	return time.Since(l.start) //nolint:forbidigo // limits are in real time
}

// shard returns the shard of an address. All levels of one request are in the same one, the last of
// them the widest, so that one lock covers them.
func (l *Log) shard(levels []Level) *shard {
	return &l.shards[maphash.Comparable(l.seed, levels[len(levels)-1].Prefix)%shards]
}

// shard holds the logs of some addresses, in two generations: every window the young ones
// become the old ones, and the old ones, none of which has admitted a request since the last
// change, are dropped.
type shard struct {
	maxKeys    int        // bounds the keys of one generation
	mu         sync.Mutex // guards the fields below
	young, old map[key]*times
	changed    time.Duration // time of the last change of generations
	_          [64]byte      // keeps the locks of two shards in different cache lines
}

// take decides on a request by all its levels and counts it in all of them, or in none.
func (s *shard) take(now, window time.Duration, levels []Level) Decision {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.age(now, window)
	d := Decision{OK: true}
	var logs [maxLevels]*times
	for i, level := range levels {
		t := s.find(key{level.name, level.Prefix})
		logs[i] = t
		if t == nil {
			continue
		}
		if t.expire(now - window); t.n >= level.Max {
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
			s.young[key{level.name, level.Prefix}] = logs[i]
		}
		logs[i].add(now, level.Max)
		remaining, reset := level.Max-logs[i].n, logs[i].first()+window-now
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
func (s *shard) record(now, window time.Duration, levels []Level) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.age(now, window)
	for _, level := range levels {
		t := s.find(key{level.name, level.Prefix})
		if t == nil {
			t = &times{}
			s.young[key{level.name, level.Prefix}] = t
		}
		t.expire(now - window)
		t.add(now, level.Max)
	}
}

// refund removes the newest time from every level, and the key of a level without other times.
func (s *shard) refund(levels []Level) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.young == nil {
		return
	}
	for _, level := range levels {
		t := s.find(key{level.name, level.Prefix})
		if t == nil {
			continue
		}
		if t.n > 0 {
			t.n--
		}
		if t.n == 0 {
			delete(s.young, key{level.name, level.Prefix})
		}
	}
}

// find returns the log of a key, or nil.
func (s *shard) find(k key) *times {
	if t := s.young[k]; t != nil {
		return t
	}
	t := s.old[k]
	if t != nil {
		delete(s.old, k)
		s.young[k] = t
	}
	return t
}

// age starts a new generation when the window is over, or when there are too many keys.
func (s *shard) age(now, window time.Duration) {
	if s.young == nil || now-s.changed >= window || len(s.young) >= s.maxKeys {
		s.old, s.young, s.changed = s.young, make(map[key]*times), now
	}
}

// DropExpired drops the addresses whose requests are all older than the window from the memory of
// this node. Redis expires its keys by itself.
func (l *Log) DropExpired() {
	until := l.now() - l.window
	for i := range l.shards {
		l.shards[i].dropExpired(until)
	}
}

// dropExpired drops the keys whose times are all up to until.
func (s *shard) dropExpired(until time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, logs := range []map[key]*times{s.young, s.old} {
		for k, t := range logs {
			if t.expire(until); t.n == 0 {
				delete(logs, k)
			}
		}
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
