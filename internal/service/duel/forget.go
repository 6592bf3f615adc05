package duel

import (
	"context"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/duelq"
)

// CancelOpen cancels the open duels of an account that is being deleted or frozen, and declines those that are for
// it. A duel in play goes on: as no one plays for the account any more, its deadlines decide every further round for
// the opponent.
func (s *Service) CancelOpen(ctx context.Context, tx *store.Tx, account chain.Address) error {
	open, err := s.List(ctx, tx, Filter{Of: account, Status: Open, Before: chain.MaxID, Count: MaxUnfinished})
	if err != nil {
		return err
	}
	for _, d := range open { // at most MaxUnfinished
		if d.Status != Open { // its time has passed: the sweep ends it and returns the stake
			continue
		}
		if _, err := s.Cancel(ctx, tx, account, d.Code); err != nil {
			return fmt.Errorf("duel: cancel %s of %v: %w", d.Code, account, err)
		}
	}
	return s.decline(ctx, tx, account, func(*Duel) bool { return true })
}

// ReplaceName replaces the name of an account in all of its duels, which keep the names of their time
// otherwise.
func (s *Service) ReplaceName(ctx context.Context, tx *store.Tx, account chain.Address, name string) error {
	queries := q.New(tx)
	if err := queries.RenameSideA(ctx, q.RenameSideAParams{Name: name, Account: account[:]}); err != nil {
		return fmt.Errorf("duel: replace the name of %v: %w", account, err)
	}
	if err := queries.RenameSideB(ctx, q.RenameSideBParams{Name: name, Account: account[:]}); err != nil {
		return fmt.Errorf("duel: replace the name of %v: %w", account, err)
	}
	if err := queries.RenameInvited(ctx, q.RenameInvitedParams{Name: name, Account: account[:]}); err != nil {
		return fmt.Errorf("duel: replace the name of %v: %w", account, err)
	}
	return nil
}
