package portfolio

import (
	"context"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/portfolioq"
)

// Divergence is something that is not as it must be.
type Divergence struct{ What, Expected, Found string }

// checkRows bounds how many accounts Check names.
const checkRows = 20

// Check compares the book with the ledger: who has how many coins and tokens now. It
// reads all that there is.
func (s *Service) Check(ctx context.Context, tx *store.Tx) (list []Divergence, err error) {
	queries := q.New(tx)
	coins, err := queries.StrayCoins(ctx, checkRows)
	if err != nil {
		return nil, fmt.Errorf("portfolio: check: %w", err)
	}
	for _, c := range coins {
		list = append(list, Divergence{fmt.Sprintf("portfolio of %s: coins", address(c.Address)), fmt.Sprint(c.Held), fmt.Sprint(c.Balance)})
	}
	tokens, err := queries.StrayTokens(ctx, checkRows)
	if err != nil {
		return nil, fmt.Errorf("portfolio: check: %w", err)
	}
	for _, t := range tokens {
		list = append(list, Divergence{fmt.Sprintf("portfolio of %s: tokens of tier %d", address(t.Address), t.Tier), fmt.Sprint(t.Held), fmt.Sprint(t.Booked)})
	}
	return list, nil
}

// address names what should be an address.
func address(b []byte) string {
	if len(b) != len(chain.Address{}) {
		return fmt.Sprintf("%x", b)
	}
	return chain.Address(b).String()
}
