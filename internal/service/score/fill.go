package score

import (
	"context"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
)

// Points is what an account has, for Fill.
type Points struct {
	Account chain.Address
	Points  int64
	At      time.Time // when they were reached
}

// Fill puts accounts that are on no board yet onto that of all time, without any facts,
// for measurements of large boards. Count has to follow.
func Fill(ctx context.Context, tx *store.Tx, list []Points) error {
	rows := make([][]any, len(list))
	for i, p := range list {
		rows[i] = []any{p.Account[:], int64(boardAll), pointsPlace(p.Points, p.At), p.Points, ""}
	}
	return store.BulkInsert(ctx, tx, "score_entry", []string{"member", "board", "place", "value", "ref"}, rows)
}

// Count counts the board of all time anew, after Fill.
func Count(ctx context.Context, tx *store.Tx) error { return Rebuild(ctx, tx, boardAll) }
