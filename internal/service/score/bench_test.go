package score

import (
	"context"
	"fmt"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// BenchmarkRunEnded measures the cost of the end of a run on top of the run itself: the report,
// inside the run's transaction and without its commit, and its share of a reduce step with the
// commit, for steps of different sizes.
func BenchmarkRunEnded(b *testing.B) {
	for _, status := range []chain.RunStatus{chain.RunLost, chain.RunClaimed} {
		b.Run(string(status)+"/report", func(b *testing.B) {
			h := newHarness(b, ledgertest.Options{})
			players := h.newPlayers(b, 100)
			b.ResetTimer()
			h.endMany(b, players, status, b.N)
		})
		for _, size := range []int{1, 20, stepSize} {
			b.Run(fmt.Sprintf("%s/step=%d", status, size), func(b *testing.B) {
				h := newHarness(b, ledgertest.Options{})
				h.endMany(b, h.newPlayers(b, 2*size+100), status, b.N)
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

func (h *harness) newPlayers(b *testing.B, n int) (players []chain.Address) {
	b.Helper()
	for i := range n {
		players = append(players, h.player(b, i+1, chain.Guest))
	}
	return players
}

// endMany reports the ends of n runs, spread over the players.
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
