package score

import (
	"context"
	"fmt"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
)

// Uncounted returns how many changes of places on boards wait to be folded in, for
// operators.
func (*Service) Uncounted(ctx context.Context, tx *store.Tx) (int64, error) {
	n, err := q.New(tx).CountUncounted(ctx)
	if err != nil {
		return 0, fmt.Errorf("score: uncounted: %w", err)
	}
	return n, nil
}
