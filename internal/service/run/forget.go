package run

import (
	"context"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/runq"
)

// Forget deletes the seed chain of an account's next run. The account must never start one:
// its commitment stays on the chain, and no seed opens it any more.
func (s *Service) Forget(ctx context.Context, tx *store.Tx, account chain.Address) error {
	if err := q.New(tx).DeleteCommitment(ctx, account[:]); err != nil {
		return fmt.Errorf("run: forget the seeds of %v: %w", account, err)
	}
	return nil
}
