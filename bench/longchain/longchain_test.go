package longchain_test

import (
	"context"
	"testing"
	"time"

	"roshambo/bench/longchain"
	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestMake checks that a generated chain verifies, contains every kind of transaction that
// players and seasons cause, and can be continued.
func TestMake(t *testing.T) {
	t.Parallel()
	for _, transactions := range []int64{2, 7, 500, 3001} {
		l := ledgertest.Open(t, ledgertest.Options{})
		shown := int64(1)
		made, err := longchain.Make(t.Context(), l.Ledger, longchain.Options{
			Transactions: transactions, Seed: uint64(transactions), Genesis: l.Clock.Now().UnixMilli(), Season: 1000,
			Block: func(raws [][]byte) { shown += int64(len(raws)) },
		})
		if err != nil {
			t.Fatal(err)
		}
		v := l.WantValid(t)
		if v.Transactions != transactions || v.Blocks != made.Blocks || shown != transactions {
			t.Errorf("%d transactions in %d blocks, %d shown, want %d in %d", v.Transactions, v.Blocks, shown, transactions,
				made.Blocks)
		}
		l.Clock.Set(time.UnixMilli(made.End).Add(time.Hour))
		l.Join(t)
		l.SealAll(t)
		l.WantValid(t)
		if transactions < 3000 {
			continue
		}
		kinds := map[chain.Kind]bool{}
		l.View(t, func(ctx context.Context, tx *store.Tx) error {
			return l.Each(ctx, tx, func(tx *chain.Tx, _ []byte) { kinds[tx.Kind()] = true })
		})
		if len(kinds) != 10 { // all but rules, recoveries and operators' acts
			t.Errorf("kinds %v", kinds)
		}
		if len(made.Busy) == 0 || len(made.Quiet) == 0 {
			t.Errorf("no busy or no quiet addresses: %+v", made)
		}
	}
}
