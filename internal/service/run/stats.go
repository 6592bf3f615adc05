package run

import (
	"context"
	"fmt"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/runq"
)

// CountInPlay returns the number of runs that have not ended.
func (*Service) CountInPlay(ctx context.Context, tx *store.Tx) (int64, error) {
	n, err := q.New(tx).CountInPlay(ctx)
	if err != nil {
		return 0, fmt.Errorf("run: in play: %w", err)
	}
	return n, nil
}
