package market

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"roshambo/chain"
	"roshambo/internal/store"
)

// CancelAll cancels all active listings of a seller and returns their number. It takes
// several statements per listing, so it is for rare events: the deletion of an account.
func (s *Service) CancelAll(ctx context.Context, tx *store.Tx, seller chain.Address) (int, error) {
	own, err := s.ActiveBySeller(ctx, tx, seller)
	if err != nil {
		return 0, err
	}
	for _, token := range slices.Sorted(maps.Keys(own)) { // in one order, so that two calls cannot deadlock
		if _, err := s.Cancel(ctx, tx, seller, own[token].ID); err != nil {
			return 0, fmt.Errorf("market: cancel listing %d: %w", own[token].ID, err)
		}
	}
	return len(own), nil
}
