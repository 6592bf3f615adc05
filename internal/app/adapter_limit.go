package app

import (
	"context"
	"time"

	"roshambo/internal/platform/limit"
)

// throttle implements account.Throttle with a limiter.
type throttle struct{ *limit.Limiter }

// Take counts one failure of key, and returns how long the caller has to wait: 0 below the limit.
func (t throttle) Take(ctx context.Context, key string) (time.Duration, error) {
	d, err := t.Limiter.Take(ctx, key)
	return d.Wait, err
}
