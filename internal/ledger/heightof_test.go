package ledger_test

import (
	"context"
	"errors"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestHeightOf checks the heights of transactions that are sealed, that wait and that are unknown, and that
// a height which was read, or whose block this node has sealed, is not read again, unless blocks have been lost.
func TestHeightOf(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{DB: store.Config{Faults: storetest.ViewsOnce()}}) // it counts statements
	ann := e.join(t)
	e.SealAll(t)
	first := e.Faucets(t, ann, 1)[0]
	heightOf := func(hash chain.Hash) (height *int64, statements int, err error) {
		_ = e.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			height, err = e.HeightOf(ctx, tx, hash)
			statements = tx.Statements()
			return nil
		})
		return height, statements, err
	}
	if height, _, err := heightOf(first); height != nil || err != nil {
		t.Errorf("waiting: height %v, error %v", height, err)
	}
	if height, _, err := heightOf(e.NewHash()); height != nil || !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("unknown: height %v, error %v", height, err)
	}
	e.SealAll(t)
	if height, statements, err := heightOf(first); err != nil || height == nil || *height != 2 || statements != 0 {
		t.Errorf("of the own block: height %v, error %v, %d statements", height, err, statements)
	}
	e.Forget()
	for n, read := range []bool{true, false} {
		height, statements, err := heightOf(first)
		if err != nil || height == nil || *height != 2 || (statements > 0) != read {
			t.Errorf("call %d: height %v, error %v, %d statements", n, height, err, statements)
		}
	}
	if err := e.NoteCosigned(t.Context(), 9); err != nil {
		t.Fatal(err)
	}
	if _, statements, err := heightOf(first); err != nil || statements == 0 {
		t.Errorf("after a loss: error %v, %d statements", err, statements)
	}
}
