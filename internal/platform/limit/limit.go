// Package limit counts recent actions by key and refuses those above a limit.
//
// A Log is exact: no window contains more requests of a network address than its limit. A
// Limiter is a budget for costlier and rarer things: it lets a key spend all of it at once,
// and gives it back evenly, by the generic cell rate algorithm (ITU-T I.371), so up to twice
// the limit can fall into one window. Both keep a bounded number of keys in memory. Where
// many nodes serve, Redis keeps them, with the same meaning.
package limit

import (
	"context"
	"fmt"
	"time"

	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"
)

// maxKeys bounds the keys in memory; one takes some 200 bytes.
const maxKeys = 100_000

// Limiter is a limit on each of many keys. Its methods are safe for concurrent use.
type Limiter struct {
	max    int
	window time.Duration
	cells  *throttled.GCRARateLimiterCtx // in memory
	redis  *Redis                        // nil for none
	shared *throttled.GCRARateLimiterCtx // in Redis, which is counted by while it is there
}

// Decision is the answer of a Limiter or a Log.
type Decision struct {
	OK        bool
	Remaining int           // how many more would be admitted now
	Reset     time.Duration // of a Limiter: until all of it is back; of a Log: until Remaining grows
	Wait      time.Duration // until the next one is admitted; 0 when OK
}

// New returns a limiter of n things in a window, 1 or more.
func New(n int, window time.Duration) (*Limiter, error) {
	if n < 1 || window <= 0 {
		return nil, fmt.Errorf("limit: %d in %v is no limit", n, window)
	}
	store, err := memstore.NewCtx(maxKeys)
	if err != nil {
		return nil, fmt.Errorf("limit: %w", err)
	}
	cells, err := newCells(store, n, window)
	if err != nil {
		return nil, err
	}
	return &Limiter{max: n, window: window, cells: cells}, nil
}

func newCells(store throttled.GCRAStoreCtx, n int, window time.Duration) (*throttled.GCRARateLimiterCtx, error) {
	quota := throttled.RateQuota{MaxRate: throttled.PerDuration(n, window), MaxBurst: n - 1}
	cells, err := throttled.NewGCRARateLimiterCtx(store, quota)
	if err != nil {
		return nil, fmt.Errorf("limit: %w", err)
	}
	// Many goroutines may count one key at a time; each retry means another got on.
	cells.SetMaxCASAttemptsLimit(1000)
	return cells, nil
}

// Max returns how many things are allowed in the window.
func (l *Limiter) Max() int { return l.max }

// Window returns the window.
func (l *Limiter) Window() time.Duration { return l.window }

// Take counts one thing that key wants to do. What is refused is not counted.
func (l *Limiter) Take(ctx context.Context, key string) (Decision, error) {
	return l.count(ctx, key, 1)
}

// Spend counts n things at once: all of them, or none when they are too many.
func (l *Limiter) Spend(ctx context.Context, key string, n int) (Decision, error) {
	return l.count(ctx, key, n)
}

// Refund takes one back.
func (l *Limiter) Refund(ctx context.Context, key string) error { return l.Unspend(ctx, key, 1) }

// Unspend takes n things back.
func (l *Limiter) Unspend(ctx context.Context, key string, n int) error {
	if n < 1 {
		return nil
	}
	_, err := l.count(ctx, key, -n)
	return err
}

func (l *Limiter) count(ctx context.Context, key string, n int) (Decision, error) {
	if l.redis != nil {
		if limited, result, ok := l.redis.count(ctx, l.shared, key, n); ok {
			return decide(limited, result), nil
		}
	}
	limited, result, err := l.cells.RateLimitCtx(ctx, key, n)
	if err != nil {
		return Decision{}, fmt.Errorf("limit: %w", err)
	}
	return decide(limited, result), nil
}

func decide(limited bool, result throttled.RateLimitResult) Decision {
	d := Decision{OK: !limited, Remaining: result.Remaining, Reset: max(0, result.ResetAfter)}
	if limited {
		d.Wait = max(result.RetryAfter, time.Millisecond)
	}
	return d
}
