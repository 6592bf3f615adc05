package audit_test

import (
	"context"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// economy is a ledger with the helpers of these tests.
type economy struct{ *ledgertest.Ledger }

type player = ledgertest.Player

func newEconomy(t testing.TB, o ledgertest.Options) *economy {
	t.Helper()
	return &economy{ledgertest.Open(t, o)}
}

// join opens an account.
func (e *economy) join(t testing.TB) player {
	t.Helper()
	return *e.Join(t)
}

// post posts n transactions in one database transaction and returns their hashes.
func (e *economy) post(t testing.TB, p player, n int) (hashes []chain.Hash) {
	t.Helper()
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		hashes = nil
		for range n {
			posted, err := e.Post(ctx, tx, ledgertest.Faucet(p))
			if err != nil {
				return err
			}
			hashes = append(hashes, posted.Hash)
		}
		return nil
	})
	return hashes
}

// head returns the newest block.
func (e *economy) head(t testing.TB) (h ledger.Head) {
	t.Helper()
	e.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		h, err = e.Head(ctx, tx)
		return err
	})
	return h
}
