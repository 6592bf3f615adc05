package limit

import (
	"context"
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
	clock  func() time.Duration // replaces the clock of Redis in tests; else nil
}

// NewLog returns a Log like the function NewLog. All nodes that use the same name share it. The
// window is at most 15 minutes.
func (r *Redis) NewLog(name string, n int, window time.Duration) (*Log, error) {
	if window > maxSharedWindow {
		return nil, errWindow
	}
	l, err := NewLog(n, window)
	if err != nil {
		return nil, err
	}
	l.shared = &sharedLog{redis: r, prefix: redisPrefix + name + ":", window: window}
	return l, nil
}

// takeScript is shard.take for Redis. KEYS are the logs of the levels; ARGV are the window in
// microseconds, the time (” for the clock of Redis), and the limit of each level. It returns
// whether the request is admitted, what remains, and when that grows, in microseconds.
//
// A time is the low 31 bits of the clock in microseconds, which Redis stores in 6 bytes; the
// age of an entry is a difference modulo 2^31. A clock that is set back makes entries look
// very old, and they are dropped: for one window the limit is too loose, and no caller is
// locked out.
var takeScript = redis.NewScript(`
local span = 2147483648
local window, now = tonumber(ARGV[1]), tonumber(ARGV[2])
if not now then
  local t = redis.call('TIME')
  now = tonumber(t[1]) * 1000000 + tonumber(t[2])
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
  if old and redis.call('LLEN', key) >= tonumber(ARGV[2 + i]) then
    wait = math.max(wait, window - old)
  end
end
if wait > 0 then
  return {0, 0, wait}
end
local remaining, reset
for i, key in ipairs(KEYS) do
  local n = redis.call('RPUSH', key, string.format('%.0f', now))
  redis.call('PEXPIRE', key, math.ceil(window / 1000) + 1)
  local left, grows = tonumber(ARGV[2 + i]) - n, window - age(key)
  if not remaining or left < remaining then
    remaining, reset = left, grows
  elseif left == remaining then
    reset = math.max(reset, grows)
  end
end
return {1, remaining, reset}
`)

// take decides in Redis. ok is false when Redis does not answer.
func (s *sharedLog) take(ctx context.Context, levels []level) (d Decision, ok bool) {
	keys, args := make([]string, len(levels)), make([]any, 2, 2+len(levels))
	args[0], args[1] = s.window.Microseconds(), ""
	if s.clock != nil {
		args[1] = s.clock().Microseconds()
	}
	for i, level := range levels {
		keys[i] = s.prefix + level.prefix.String()
		args = append(args, level.max)
	}
	var reply []int64
	ok = s.redis.do(ctx, func(ctx context.Context) (err error) {
		reply, err = takeScript.Run(ctx, s.redis.client, keys, args...).Int64Slice()
		if err == nil && len(reply) != 3 {
			err = fmt.Errorf("limit: the script answers with %d values", len(reply))
		}
		return err
	})
	if !ok {
		return Decision{}, false
	}
	d = Decision{OK: reply[0] == 1, Remaining: int(reply[1]), Reset: time.Duration(reply[2]) * time.Microsecond}
	if !d.OK {
		d.Wait = d.Reset
	}
	return d, true
}
