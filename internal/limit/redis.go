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
	// redisRest is how long Redis is left alone after it failed: requests then do not
	// wait for it one by one.
	redisRest = time.Second
	// redisPrefix is what all keys in Redis begin with.
	redisPrefix = "roshambo:limit:"
)

// Redis keeps limits where many nodes share them. While it is away each node counts by
// itself: a limit that is too loose for a while is better than a service that is away,
// too. Its methods are safe for concurrent use.
type Redis struct {
	client *redis.Client
	log    *slog.Logger
	away   atomic.Bool

	// Tests change these: how long it is waited for, and how it is known when Redis has rested.
	within time.Duration
	rest   func(back func())
}

// NewRedis takes a URL like redis://user:password@host:6379/0, rediss:// for TLS, or
// unix:///path. It connects when the first limit is counted.
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
		client: redis.NewClient(o), log: log, within: within, rest: func(back func()) { time.AfterFunc(redisRest, back) },
	}, nil
}

// CheckURL refuses what is not the URL of a Redis.
func CheckURL(url string) error {
	_, err := parseURL(url)
	return err
}

func parseURL(url string) (*redis.Options, error) {
	o, err := redis.ParseURL(url)
	if err != nil {
		return nil, errors.New("limit: the URL of Redis is not like redis://user:password@host:6379/0") // err may show the password
	}
	return o, nil
}

// Close closes the connections.
func (r *Redis) Close() error { return r.client.Close() }

// New returns a limiter like the function New, whose keys all nodes share that name it
// the same.
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

// count counts in Redis; ok is false when it is away.
func (r *Redis) count(ctx context.Context, cells *throttled.GCRARateLimiterCtx, key string, n int) (limited bool, result throttled.RateLimitResult, ok bool) {
	if r.away.Load() {
		return false, result, false
	}
	// Not the caller's context: who goes away would look like Redis being away.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.within)
	defer cancel()
	limited, result, err := cells.RateLimitCtx(ctx, key, n)
	if err == nil {
		return limited, result, true
	}
	if !r.away.Swap(true) {
		r.log.Warn("Redis is away: this node counts its limits by itself", "error", r.reason(err))
		r.rest(func() { r.away.Store(false) })
	}
	return false, result, false
}

// reason returns why Redis could not be asked. The store answers a lost connection with an
// error about the number that it did not get, which says nothing to an operator.
func (r *Redis) reason(err error) error {
	if _, number := errors.AsType[*strconv.NumError](err); !number {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), r.within)
	defer cancel()
	if lost := r.client.Ping(ctx).Err(); lost != nil {
		return fmt.Errorf("limit: Redis cannot be reached: %w", lost)
	}
	return errors.New("limit: Redis gave no answer: the connection was lost, and another one stands")
}
