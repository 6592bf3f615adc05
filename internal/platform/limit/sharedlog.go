package limit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// sharedLog keeps the times of a Log in Redis: one list for each key, the oldest time first.
// One script decides on all levels of a request, by the clock of Redis, so that all nodes
// agree.
type sharedLog struct {
	redis  *Redis
	prefix string
	window time.Duration
	tick   time.Duration        // unit of times
	clock  func() time.Duration // replaces the clock of Redis in tests; else nil
}

// Times in Redis are the low 31 bits of a clock, which must distinguish times up to two windows
// apart: windows of up to maxFineWindow have a clock in microseconds, longer ones in milliseconds.
const (
	maxFineWindow   = 15 * time.Minute
	maxSharedWindow = 7 * 24 * time.Hour
)

var errWindow = errors.New("limit: a log in Redis has a window of at most a week")

// NewLog returns a Log like the function NewLog. All nodes that use the same name share it. The
// window is at most a week; one of more than 15 minutes is exact to a millisecond.
func (r *Redis) NewLog(name string, n int, window time.Duration) (*Log, error) {
	l, err := NewLog(n, window)
	if err != nil {
		return nil, err
	}
	l.inRedis, err = r.shareLog(name, window)
	return l, err
}

// shareLog returns the log of a name in Redis. Errors: errWindow.
func (r *Redis) shareLog(name string, window time.Duration) (*sharedLog, error) {
	if window > maxSharedWindow {
		return nil, errWindow
	}
	tick := time.Microsecond
	if window > maxFineWindow {
		tick = time.Millisecond
	}
	return &sharedLog{redis: r, prefix: redisPrefix + name + ":", window: window, tick: tick}, nil
}

// takeScript is shard.take for Redis. KEYS are the logs of the levels; ARGV are the window in
// ticks, the time in ticks (” for the clock of Redis), the microseconds of a tick, and the limit
// of each level. It returns whether the request is admitted, how many remain, and when that
// grows, in ticks.
//
// A time is the low 31 bits of the clock in ticks, which Redis stores in 6 bytes; the age of an
// entry is a difference modulo 2^31. A clock that is set back makes entries look
// very old, and they are dropped: for one window the limit is too loose, and no caller is
// locked out.
var takeScript = redis.NewScript(`
local span = 2147483648
local window, now, tick = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if not now then
  local t = redis.call('TIME')
  now = math.floor((tonumber(t[1]) * 1000000 + tonumber(t[2])) / tick)
end
now = now % span
local function age(key)
  local first = redis.call('LINDEX', key, 0)
  return first and (now - tonumber(first)) % span
end
local wait = 0
for i, key in ipairs(KEYS) do
  local old = age(key)
  while old and old >= window do
    redis.call('LPOP', key)
    old = age(key)
  end
  if old and redis.call('LLEN', key) >= tonumber(ARGV[3 + i]) then
    wait = math.max(wait, window - old)
  end
end
if wait > 0 then
  return {0, 0, wait}
end
local remaining, reset
for i, key in ipairs(KEYS) do
  local n = redis.call('RPUSH', key, string.format('%.0f', now))
  redis.call('PEXPIRE', key, math.ceil(window * tick / 1000) + 1)
  local left, grows = tonumber(ARGV[3 + i]) - n, window - age(key)
  if not remaining or left < remaining then
    remaining, reset = left, grows
  elseif left == remaining then
    reset = math.max(reset, grows)
  end
end
return {1, remaining, reset}
`)

// refundScript removes the newest time of each of KEYS.
var refundScript = redis.NewScript(`
for _, key in ipairs(KEYS) do
  redis.call('RPOP', key)
end
return #KEYS
`)

// keys returns the keys of levels. No prefix followed by a space begins another prefix,
// so no name, whatever characters it contains, leads to a key of another prefix.
func (s *sharedLog) keys(levels []Level) []string {
	keys := make([]string, len(levels))
	for i, level := range levels {
		keys[i] = s.prefix + level.Prefix.String()
		if level.name != "" {
			keys[i] += " " + level.name
		}
	}
	return keys
}

// take decides in Redis. ok is false when Redis does not answer.
func (s *sharedLog) take(ctx context.Context, levels []Level) (d Decision, ok bool) {
	args := make([]any, 3, 3+len(levels))
	args[0], args[1], args[2] = int64(s.window/s.tick), "", s.tick.Microseconds()
	if s.clock != nil {
		args[1] = int64(s.clock() / s.tick)
	}
	for _, level := range levels {
		args = append(args, level.Max)
	}
	var reply []int64
	ok = s.redis.do(ctx, func(ctx context.Context) (err error) {
		reply, err = takeScript.Run(ctx, s.redis.client, s.keys(levels), args...).Int64Slice()
		if err != nil {
			return err
		}
		if len(reply) != 3 {
			return fmt.Errorf("limit: the script answers with %d values", len(reply))
		}
		return nil
	})
	if !ok {
		return Decision{}, false
	}
	d = Decision{OK: reply[0] == 1, Remaining: int(reply[1]), Reset: time.Duration(reply[2]) * s.tick}
	if !d.OK {
		d.Wait = d.Reset
	}
	return d, true
}

// refund removes the newest time of all levels in Redis. When Redis does not answer, it removes
// none: the caller has one action fewer until the window ends.
func (s *sharedLog) refund(ctx context.Context, levels []Level) {
	s.redis.do(ctx, func(ctx context.Context) error {
		return refundScript.Run(ctx, s.redis.client, s.keys(levels)).Err()
	})
}
