package market

import (
	"context"
	"fmt"
	"sync"
	"time"

	q "roshambo/internal/store/query/marketq"
)

// seen keeps what was read of the market while the market is as it was. Most who look at
// it look at the same.
type seen struct {
	mu    sync.Mutex // guards what follows
	of    state
	pages map[any]any // never changed; by what was asked for
}

// state is a state of the market at a time, to the minute. Every change of the market
// raises the version of one tier, so the sum of the versions is another in every state.
// What else is shown, the names of sellers, may be a minute old.
type state struct {
	version, tiers int64
	minute         time.Time
}

// mostPages bounds what is kept of one state.
const mostPages = 256

// statsPage is what the statistics are kept as.
const statsPage = "stats"

// state returns the state of the market.
func (s *Service) state(ctx context.Context, queries *q.Queries) (state, error) {
	version, err := queries.Version(ctx)
	if err != nil {
		return state{}, fmt.Errorf("market: version: %w", err)
	}
	return state{version, s.Ledger.Rules().Top(), s.now().Truncate(time.Minute)}, nil
}

// remember returns what is kept under a key, or what read returns, which it keeps. Of two
// states the newer one is kept: a slow reader brings an older one.
func remember[V any](k *seen, now state, key any, read func() (V, error)) (V, error) {
	k.mu.Lock()
	kept, ok := k.pages[key].(V)
	ok = ok && k.of == now
	k.mu.Unlock()
	if ok {
		return kept, nil
	}
	v, err := read()
	if err != nil {
		return v, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if now.after(k.of) {
		k.of, k.pages = now, map[any]any{}
	}
	if k.of == now && len(k.pages) < mostPages {
		k.pages[key] = v
	}
	return v, nil
}

// after says whether a state is a later one than another.
func (s state) after(other state) bool {
	return s.version > other.version || s.version == other.version && (s.tiers > other.tiers || s.minute.After(other.minute))
}
