package market

import (
	"context"
	"fmt"
	"sync"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/marketq"
)

// pageCache holds the pages that were read in one state of the market. Most callers request
// the same few pages.
type pageCache struct {
	mu    sync.Mutex // guards state and pages
	state state
	pages map[any]any // by BrowseOptions, or statsKey; the values are never modified
}

// state identifies a state of the market at a time, to the minute. Every change of the market
// raises the version of one tier, so the sum of the versions differs between any two states.
// A seller's new name is such a change: see Renamed.
type state struct {
	version int64 // the sum over all tiers
	tiers   int64 // of the rules
	minute  time.Time
}

// maxPages bounds the number of cached pages.
const maxPages = 256

// statsKey is the key of the statistics in the cache.
const statsKey = "stats"

// Renamed outdates the cached pages that show the name of a seller.
func (s *Service) Renamed(ctx context.Context, tx *store.Tx, seller chain.Address) error {
	if err := q.New(tx).TouchTiersOf(ctx, seller[:]); err != nil {
		return fmt.Errorf("market: renamed seller %v: %w", seller, err)
	}
	return nil
}

// state returns the current state of the market.
func (s *Service) state(ctx context.Context, tx *store.Tx) (state, error) {
	version, err := q.New(tx).Version(ctx)
	if err != nil {
		return state{}, fmt.Errorf("market: version: %w", err)
	}
	return state{version: version, tiers: s.Ledger.Rules().Top(), minute: tx.Now().Truncate(time.Minute)}, nil
}

// cached returns the page of a key in the state now, from the cache or from read, whose
// result it caches. A slow reader may arrive with an older state: it does not replace the
// pages of a newer one.
func cached[V any](c *pageCache, now state, key any, read func() (V, error)) (V, error) {
	c.mu.Lock()
	page, ok := c.pages[key].(V)
	ok = ok && c.state == now
	c.mu.Unlock()
	if ok {
		return page, nil
	}
	v, err := read()
	if err != nil {
		return v, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.after(c.state) {
		c.state, c.pages = now, map[any]any{}
	}
	if c.state == now && len(c.pages) < maxPages {
		c.pages[key] = v
	}
	return v, nil
}

// after reports whether s is a later state than other.
func (s state) after(other state) bool {
	if s.version != other.version {
		return s.version > other.version
	}
	return s.tiers > other.tiers || s.minute.After(other.minute)
}
