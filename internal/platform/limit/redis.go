package limit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/goredisstore.v9"
)

const (
	// redisTime bounds how long a request may wait for Redis.
	redisTime = 250 * time.Millisecond
	// redisRest is the time between two probes of a failed Redis. Requests do not wait for it
	// meanwhile.
	redisRest = time.Second
	// redisPrefix begins all keys in Redis.
	redisPrefix = "roshambo:limit:"
)

// Redis holds limits that several nodes share. While it does not answer, each node counts by
// itself, and a Log continues from the node's own admissions: limits that are too loose for a
// while are better than an unavailable service. The first requests wait up to 250 ms for an
// answer, later ones not at all. Methods are safe for concurrent use.
type Redis struct {
	client *redis.Client
	log    *slog.Logger
	away   atomic.Bool

	// Replaced by tests: the time limit of a request, and the timer before the next probe.
	within time.Duration
	rest   func(back func())
}

// NewRedis returns the Redis at a URL like redis://user:password@host:6379/0, rediss:// for TLS,
// or unix:///path. It connects with the first request.
func NewRedis(url string, log *slog.Logger) (*Redis, error) {
	return newRedis(url, log, redisTime)
}

func newRedis(url string, log *slog.Logger, within time.Duration) (*Redis, error) {
	o, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = within, within, within, within
	o.ContextTimeoutEnabled, o.MaxRetries, o.DisableIdentity = true, -1, true
	return &Redis{
		client: redis.NewClient(o),
		log:    log,
		within: within,
		rest:   func(back func()) { time.AfterFunc(redisRest, back) },
	}, nil
}

// Away reports whether Redis does not answer, so that this node counts by itself.
func (r *Redis) Away() bool { return r.away.Load() }

// CheckURL returns an error for a malformed Redis URL.
func CheckURL(url string) error {
	_, err := parseURL(url)
	return err
}

func parseURL(url string) (*redis.Options, error) {
	o, err := redis.ParseURL(url)
	if err != nil {
		return nil, errors.New(
			"limit: the URL of Redis is not like redis://user:password@host:6379/0",
		) // err may show the password
	}
	return o, nil
}

// Close closes the connections.
func (r *Redis) Close() error { return r.client.Close() }

// New returns a Limiter like the function New. All nodes that use the same name share its keys.
func (r *Redis) New(name string, n int, window time.Duration) (*Limiter, error) {
	l, err := New(n, window)
	if err != nil {
		return nil, err
	}
	store, err := goredisstore.NewCtx(r.client, redisPrefix+name+":")
	if err != nil {
		return nil, fmt.Errorf("limit: %w", err)
	}
	l.redis = r
	l.shared, err = newCells(store, n, window)
	return l, err
}

// count counts in Redis. ok is false when Redis does not answer.
func (r *Redis) count(
	ctx context.Context, cells *throttled.GCRARateLimiterCtx, key string, n int,
) (limited bool, result throttled.RateLimitResult, ok bool) {
	ok = r.do(ctx, func(ctx context.Context) (err error) {
		limited, result, err = cells.RateLimitCtx(ctx, key, n)
		return err
	})
	return limited, result, ok
}

// do runs a request, and returns false when Redis does not answer in time or has failed lately:
// then only probe calls it, and no request waits.
func (r *Redis) do(ctx context.Context, ask func(ctx context.Context) error) bool {
	if r.away.Load() {
		return false
	}
	// Not the caller's context: a caller that disconnects would look like a failure of Redis.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.within)
	defer cancel()
	err := ask(ctx)
	if err == nil {
		return true
	}
	if !r.away.Swap(true) {
		r.log.Warn("Redis is unreachable: this node counts its limits by itself", "error", reason(err))
		r.rest(r.probe)
	}
	return false
}

// probe checks whether Redis answers again. It reschedules itself until it does.
func (r *Redis) probe() {
	ctx, cancel := context.WithTimeout(context.Background(), r.within)
	defer cancel()
	err := r.client.Ping(ctx).Err()
	switch {
	case err == nil:
		r.away.Store(false)
		r.log.Info("Redis answers again: nodes share their limits")
	case !errors.Is(err, redis.ErrClosed):
		r.rest(r.probe)
	}
}

// reason returns the cause of a failed request. For a lost connection the store returns an error
// about a missing number, which would not help an operator. The probe does not use the store, and
// logs its own error.
func reason(err error) error {
	if _, number := errors.AsType[*strconv.NumError](err); number {
		return errors.New("limit: Redis did not answer, or the connection was lost")
	}
	return err
}
