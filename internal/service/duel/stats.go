package duel

import (
	"context"
	"fmt"
	"time"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/duelq"
)

// Stats are what operators watch.
type Stats struct {
	UnderWay int64     // duels that have not ended, those without an opponent included
	Deadline time.Time // the first of theirs; zero when there is none
}

// Stats returns them as they stand.
func (*Service) Stats(ctx context.Context, tx *store.Tx) (st Stats, err error) {
	queries := q.New(tx)
	if st.UnderWay, err = queries.CountUnderWay(ctx); err != nil || st.UnderWay == 0 {
		return st, err
	}
	first, err := queries.NextDeadline(ctx)
	if err != nil {
		return st, fmt.Errorf("duel: next deadline: %w", err)
	}
	st.Deadline = time.UnixMilli(first)
	return st, nil
}
