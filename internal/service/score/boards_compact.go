package score

import (
	"context"
	"fmt"

	"roshambo/internal/store"
)

// RunCompactor compacts the boards as changes arrive, and drops old boards once a day, until
// ctx ends. One node should run it for all, under a lease. onError receives the errors.
func (s *Service) RunCompactor(ctx context.Context, onError func(error)) {
	lastDrop := int64(0) // a day
	s.ranks.Run(ctx, func(ctx context.Context) error {
		day := DayOf(s.Now())
		if day == lastDrop {
			return nil
		}
		lastDrop = day
		return s.DropOldBoards(ctx)
	}, onError)
}

// Compact merges all pending changes into the blocks of their boards.
func (s *Service) Compact(ctx context.Context) error { return s.ranks.Compact(ctx, 1) }

// PendingChanges returns how many changes of sort keys are pending, for operators.
func (s *Service) PendingChanges(_ context.Context, tx *store.Tx) (int64, error) {
	n, err := s.ranks.Pending(tx)
	if err != nil {
		return 0, fmt.Errorf("score: pending changes: %w", err)
	}
	return n, nil
}
