package ledger

import (
	"context"
	"sync"

	"roshambo/chain"
	"roshambo/internal/store"
)

// heights remembers in which blocks some transactions were found. That never changes, so
// it needs no telling, and no node can be wrong about it. It has two generations: when the
// young one is full it becomes the old one, and the old one is forgotten.
type heights struct {
	mu         sync.Mutex // guards what follows
	young, old map[chain.Hash]int64
}

// heightsKept is how many heights one generation holds, of some 100 bytes each.
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

// HeightOf returns the height of the block that holds a transaction, nil while it waits
// for one. Within a View alone: what an Update sees may yet be taken back. Errors:
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
