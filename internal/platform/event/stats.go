package event

import (
	"context"
	"fmt"
	"time"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/eventq"
)

// WaitingSince returns when the first event was posted that has no number yet, and so is
// in no stream; zero when there is none. It is for operators.
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
