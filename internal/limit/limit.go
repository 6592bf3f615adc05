// Package limit counts what somebody did lately and says when it was too much.
//
// A Limiter lets a key do so many things in a window: all at once, and then evenly, as
// the generic cell rate algorithm (ITU-T I.371) has it. Keys are kept in memory, a
// bounded number of them: the least recently used is forgotten first. Where many nodes
// serve, Redis keeps them, and they mean the same.
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

// Decision is what a limiter says.
type Decision struct {
	OK        bool
	Remaining int           // how often at once, from now
	Reset     time.Duration // until the limit is whole again
	Wait      time.Duration // until the next is possible; 0 when OK
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
