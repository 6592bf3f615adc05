package duel

import (
	"context"
	"fmt"
	"time"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/duelq"
)

// Stats holds the figures of duels for operators.
type Stats struct {
	UnderWay int64     // unfinished duels, including those without an opponent
	Deadline time.Time // the earliest of their deadlines; zero if there is none
}

// Stats reads the current figures.
func (*Service) Stats(ctx context.Context, tx *store.Tx) (st Stats, err error) {
	queries := q.New(tx)
	if st.UnderWay, err = queries.CountUnderWay(ctx); err != nil {
		return st, fmt.Errorf("duel: count unfinished: %w", err)
	}
	if st.UnderWay == 0 {
		return st, nil
	}
	first, err := queries.NextDeadline(ctx)
	if err != nil {
		return st, fmt.Errorf("duel: next deadline: %w", err)
	}
	st.Deadline = time.UnixMilli(first)
	return st, nil
}
