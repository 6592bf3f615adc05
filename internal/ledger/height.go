package ledger

import (
	"context"
	"sync"

	"roshambo/chain"
	"roshambo/internal/store"
)

// heights caches the heights of sealed transactions. A height never changes, so entries need no
// invalidation between nodes. There are two generations: when the young one is full it becomes the
// old one, and the old one is dropped.
type heights struct {
	mu         sync.Mutex // guards young and old
	young, old map[chain.Hash]int64
}

// heightsKept is the number of entries of one generation, some 100 bytes each.
const heightsKept = 8192

func (h *heights) get(tx chain.Hash) (int64, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	height, ok := h.young[tx]
	if !ok {
		if height, ok = h.old[tx]; ok {
			h.add(tx, height)
		}
	}
	return height, ok
}

func (h *heights) put(tx chain.Hash, height int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.add(tx, height)
}

func (h *heights) add(tx chain.Hash, height int64) {
	if h.young == nil || len(h.young) >= heightsKept {
		h.old, h.young = h.young, map[chain.Hash]int64{}
	}
	h.young[tx] = height
}

// HeightOf returns the height of the block that holds a transaction, nil while it is pending. Use
// it in a View only: an Update may be rolled back, and its reads would stay cached. Errors:
// ErrNotFound.
func (l *Ledger) HeightOf(ctx context.Context, tx *store.Tx, hash chain.Hash) (*int64, error) {
	if height, ok := l.heights.get(hash); ok {
		return &height, nil
	}
	r, err := l.Tx(ctx, tx, hash)
	if err != nil || !r.Sealed {
		return nil, err
	}
	l.heights.put(hash, r.Height)
	return &r.Height, nil
}
