package score

import (
	"context"
	"fmt"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// BenchmarkRunEnded is what the end of a run costs beyond the run itself: the report, in
// the run's transaction, without its commit; and the reaction afterwards, with the commit
// that those of one turn share.
func BenchmarkRunEnded(b *testing.B) {
	for _, status := range []chain.RunStatus{chain.RunLost, chain.RunClaimed} {
		b.Run(string(status)+"/report", func(b *testing.B) {
			h := newHarness(b, ledgertest.Options{})
			players := h.crowdOf(b, 100)
			b.ResetTimer()
			h.endMany(b, players, status, b.N)
		})
		for _, size := range []int{1, 20, stepSize} {
			b.Run(fmt.Sprintf("%s/reactions=%d", status, size), func(b *testing.B) {
				h := newHarness(b, ledgertest.Options{})
				h.endMany(b, h.crowdOf(b, 2*size+100), status, b.N)
				b.ResetTimer()
				for done := 0; done < b.N; {
					t, err := h.reduce(b.Context(), int64(size))
					if err == nil {
						err = h.DB.Update(b.Context(), t.store)
					}
					if err != nil {
						b.Fatal(err)
					}
					done += len(t.reports)
				}
			})
		}
	}
}

func (h *harness) crowdOf(b *testing.B, n int) (players []chain.Address) {
	b.Helper()
	for i := range n {
		players = append(players, h.player(b, i+1, chain.Guest))
	}
	return players
}

// endMany has players end n runs, in turns.
func (h *harness) endMany(b *testing.B, players []chain.Address, status chain.RunStatus, n int) {
	b.Helper()
	now := h.ledger.Clock.Now()
	h.update(b, func(ctx context.Context, tx *store.Tx) error {
		for i := range n {
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
}
