package run

import (
	"context"
	"fmt"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/runq"
)

// InPlay returns how many runs have begun and not ended, for operators.
func (*Service) InPlay(ctx context.Context, tx *store.Tx) (int64, error) {
	n, err := q.New(tx).CountInPlay(ctx)
	if err != nil {
		return 0, fmt.Errorf("run: in play: %w", err)
	}
	return n, nil
}
