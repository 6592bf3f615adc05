// Package limit limits the rate of requests and actions per key, in memory or in Redis.
//
// A Log limits requests by network address, exactly: no window contains more requests of an address
// than its limit. A Budget limits costlier and rarer actions by network address in the same way, at
// several rates at once, and Open limits what an address holds open. All three count an address by
// the levels of AppendLevels. A Limiter limits actions by any other key, such as an account: a key
// may spend all of it at once, and regains it evenly, by the generic cell rate algorithm (ITU-T
// I.371), so up to twice the limit can fall into one window. All keep a bounded number of keys in
// memory. With Redis all nodes share the counts, with the same meaning; Open counts on one node.
package limit

import (
	"context"
	"fmt"
	"time"

	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"
)

// maxKeys bounds the keys in memory, some 200 bytes each.
const maxKeys = 100_000

// Limiter is a limit on each of many keys. Its methods are safe for concurrent use.
type Limiter struct {
	max    int
	window time.Duration
	cells  *throttled.GCRARateLimiterCtx // in memory
	redis  *Redis                        // nil for none
	shared *throttled.GCRARateLimiterCtx // in Redis; used while it answers
}

// Decision is the answer of a Limiter or a Log.
type Decision struct {
	OK        bool
	Remaining int           // actions that would be admitted now
	Reset     time.Duration // of a Limiter: until the whole budget is back; of a Log: until Remaining grows
	Wait      time.Duration // until the next action is admitted; 0 when OK
}

// New returns a limiter of n actions in a window, in memory; n is at least 1.
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
	// Many goroutines may count one key concurrently; each retry means that another one succeeded.
	cells.SetMaxCASAttemptsLimit(1000)
	return cells, nil
}

// Max returns the number of actions in the window.
func (l *Limiter) Max() int { return l.max }

// Window returns the length of the window.
func (l *Limiter) Window() time.Duration { return l.window }

// Take counts one action of a key. It does not count a refused action.
func (l *Limiter) Take(ctx context.Context, key string) (Decision, error) {
	return l.count(ctx, key, 1)
}

// Spend counts n actions at once: all of them, or none if they exceed the budget.
func (l *Limiter) Spend(ctx context.Context, key string, n int) (Decision, error) {
	return l.count(ctx, key, n)
}

// Refund returns one action to the budget.
func (l *Limiter) Refund(ctx context.Context, key string) error {
	_, err := l.count(ctx, key, -1)
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
