package score

import (
	"context"
	"fmt"
	"testing"

	"roshambo/chain"
	"roshambo/internal/db"
	"roshambo/internal/ledger/ledgertest"
)

// BenchmarkRunEnded is what the end of a run costs beyond the run itself, without the
// commit.
func BenchmarkRunEnded(b *testing.B) {
	for _, status := range []chain.RunStatus{chain.RunLost, chain.RunClaimed} {
		b.Run(string(status), func(b *testing.B) {
			h := newHouse(b, ledgertest.Options{})
			players := make([]chain.Address, 100)
			for i := range players {
				players[i] = h.player(b, i+1, chain.Guest)
			}
			now := h.ledger.Clock.Now()
			b.ResetTimer()
			h.update(b, func(ctx context.Context, tx *db.Tx) error {
				for i := range b.N {
					err := h.RunEnded(ctx, tx, Run{
						ID: fmt.Sprint("run-", i), Account: players[i%len(players)], Entry: chain.EntryFree, Status: status,
						Cleared: 2, Throws: 3, StartedAt: now, EndedAt: now,
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}
