package event

import (
	"context"
	"fmt"
	"time"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/eventq"
)

// WaitingSince returns the time at which the oldest event without a number was posted; zero when
// there is none. Streams do not send such events yet. It is for metrics.
func (*Log) WaitingSince(ctx context.Context, tx *store.Tx) (time.Time, error) {
	list, err := q.New(tx).ListInbox(ctx, 1)
	if err != nil {
		return time.Time{}, fmt.Errorf("event: inbox: %w", err)
	}
	if len(list) == 0 {
		return time.Time{}, nil
	}
	return time.UnixMilli(list[0].PostedAt), nil
}
