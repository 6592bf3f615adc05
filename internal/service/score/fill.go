//go:build nightly

package score

import (
	"context"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
)

// Points is an entry for Fill.
type Points struct {
	Account chain.Address
	Points  int64
	At      time.Time // when they were reached
}

// Fill adds accounts to the all-time board without facts, for measurements of large boards.
// The accounts must not be on it yet. The caller calls Count afterwards.
func Fill(ctx context.Context, tx *store.Tx, list []Points) error {
	rows := make([][]any, len(list))
	for i, p := range list {
		rows[i] = []any{p.Account[:], int64(boardAll), pointsKey(p.Points, p.At), p.Points, ""}
	}
	return store.BulkInsert(ctx, tx, "score_entry", []string{"member", "board", "place", "value", "ref"}, rows)
}

// Count recomputes the blocks of the all-time board, after Fill.
func Count(ctx context.Context, tx *store.Tx) error {
	return newRanks(nil).Rebuild(ctx, tx, int64(boardAll))
}
