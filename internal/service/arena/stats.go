package arena

import (
	"context"
	"fmt"
	"time"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/arenaq"
)

// Stats are what operators watch.
type Stats struct {
	Waiting int64     // bots in the queue
	Since   time.Time // when the one came who waits longest; zero when nobody waits
}

// Stats returns them as they stand.
func (*Service) Stats(ctx context.Context, tx *store.Tx) (st Stats, err error) {
	queries := q.New(tx)
	if st.Waiting, err = queries.CountWaiting(ctx); err != nil || st.Waiting == 0 {
		return st, err
	}
	since, err := queries.WaitingSince(ctx)
	if err != nil {
		return st, fmt.Errorf("arena: queue: %w", err)
	}
	st.Since = time.UnixMilli(since)
	return st, nil
}
