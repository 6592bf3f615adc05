package arena

import (
	"context"
	"fmt"
	"time"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/arenaq"
)

// Stats holds the figures of the arena for operators.
type Stats struct {
	Waiting int64     // bots in the queue
	Since   time.Time // when the longest waiting bot entered; zero for an empty queue
}

// Stats reads the current figures.
func (*Service) Stats(ctx context.Context, tx *store.Tx) (st Stats, err error) {
	queries := q.New(tx)
	if st.Waiting, err = queries.CountWaiting(ctx); err != nil {
		return st, fmt.Errorf("arena: count waiting: %w", err)
	}
	if st.Waiting == 0 {
		return st, nil
	}
	since, err := queries.WaitingSince(ctx)
	if err != nil {
		return st, fmt.Errorf("arena: queue: %w", err)
	}
	st.Since = time.UnixMilli(since)
	return st, nil
}
