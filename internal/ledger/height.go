package ledger

import (
	"context"

	"roshambo/chain"
	"roshambo/internal/store"
)

// HeightOf returns the height of the block that holds a transaction, nil while it is pending. Of the last blocks that
// this node has sealed it reads nothing. Use it in a View only: an Update may be rolled back, and its reads would
// stay cached. Errors: ErrNotFound.
func (l *Ledger) HeightOf(ctx context.Context, tx *store.Tx, hash chain.Hash) (*int64, error) {
	if height, ok := l.heights.Get(hash); ok {
		return &height, nil
	}
	r, err := l.Tx(ctx, tx, hash)
	if err != nil || !r.Sealed {
		return nil, err
	}
	l.heights.Put(hash, r.Height)
	return &r.Height, nil
}
