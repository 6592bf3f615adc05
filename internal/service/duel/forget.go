package duel

import (
	"context"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/duelq"
)

// Forget cancels the open duels of an account that is being deleted, and replaces its name
// in all of its duels. A duel in play goes on: as no one plays for the account any more, its
// deadlines decide every further round for the opponent.
func (s *Service) Forget(ctx context.Context, tx *store.Tx, account chain.Address, name string) error {
	open, err := s.List(ctx, tx, Filter{Of: account, Status: Open, Before: chain.MaxID, Count: MaxUnfinished})
	if err != nil {
		return err
	}
	for _, d := range open { // at most MaxUnfinished
		if d.Status != Open { // its time has passed: the sweep ends it and returns the stake
			continue
		}
		if _, err := s.Cancel(ctx, tx, account, d.Code); err != nil {
			return fmt.Errorf("duel: cancel %s of a deleted account: %w", d.Code, err)
		}
	}
	queries := q.New(tx)
	if err := queries.RenameSideA(ctx, q.RenameSideAParams{Name: name, Account: account[:]}); err != nil {
		return fmt.Errorf("duel: forget the name of %v: %w", account, err)
	}
	if err := queries.RenameSideB(ctx, q.RenameSideBParams{Name: name, Account: account[:]}); err != nil {
		return fmt.Errorf("duel: forget the name of %v: %w", account, err)
	}
	return nil
}
