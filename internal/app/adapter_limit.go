package app

import (
	"context"
	"net/netip"
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/service/account"
)

// throttle implements account.Throttle by username with a limiter.
type throttle struct{ *limit.Limiter }

// Take counts one failure of a username, and returns how long the caller has to wait: 0 below the
// limit.
func (t throttle) Take(ctx context.Context, key account.FailureKey) (time.Duration, error) {
	d, err := t.Limiter.Take(ctx, key.Name)
	return d.Wait, err
}

// Refund returns one failure of a username.
func (t throttle) Refund(ctx context.Context, key account.FailureKey) error {
	return t.Limiter.Refund(ctx, key.Name)
}

// addressThrottle implements account.Throttle by network address with a budget.
type addressThrottle struct{ *limit.Budget }

// Take counts one failure of an address, and returns how long the caller has to wait: 0 below the
// limit.
func (t addressThrottle) Take(ctx context.Context, key account.FailureKey) (time.Duration, error) {
	return t.Budget.Take(ctx, key.Name, key.Client).Wait, nil
}

// Refund returns one failure of an address.
func (t addressThrottle) Refund(ctx context.Context, key account.FailureKey) error {
	t.Budget.Refund(ctx, key.Name, key.Client)
	return nil
}

// hashNetworks returns the network of an address that takes turns with others for hashing, the
// widest that limits count, and the client within it, the narrowest.
func hashNetworks(address netip.Addr) (network, client netip.Prefix) {
	levels := limit.AppendLevels(nil, address, 1)
	return levels[len(levels)-1].Prefix, levels[0].Prefix
}
