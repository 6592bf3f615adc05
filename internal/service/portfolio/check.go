package portfolio

import (
	"context"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/portfolioq"
)

// Divergence is a value of the book that differs from the ledger.
type Divergence struct {
	What     string // the value
	Expected string // in the ledger
	Found    string // in the book
}

// checkRows bounds how many accounts Check names, for coins and for tokens each.
const checkRows = 20

// Check compares the current balances and numbers of tokens in the book with the ledger. It
// reads both completely.
func (s *Service) Check(ctx context.Context, tx *store.Tx) (list []Divergence, err error) {
	queries := q.New(tx)
	coins, err := queries.DivergentCoins(ctx, checkRows)
	if err != nil {
		return nil, fmt.Errorf("portfolio: check: %w", err)
	}
	for _, c := range coins {
		list = append(list, Divergence{
			What:     fmt.Sprintf("portfolio of %s: coins", addressText(c.Address)),
			Expected: fmt.Sprint(c.Held), Found: fmt.Sprint(c.Balance),
		})
	}
	tokens, err := queries.DivergentTokens(ctx, checkRows)
	if err != nil {
		return nil, fmt.Errorf("portfolio: check: %w", err)
	}
	for _, t := range tokens {
		list = append(list, Divergence{
			What:     fmt.Sprintf("portfolio of %s: tokens of tier %d", addressText(t.Address), t.Tier),
			Expected: fmt.Sprint(t.Held), Found: fmt.Sprint(t.Booked),
		})
	}
	return list, nil
}

// addressText returns the text form of an address, or hex for bytes of any other length.
func addressText(b []byte) string {
	if len(b) != len(chain.Address{}) {
		return fmt.Sprintf("%x", b)
	}
	return chain.Address(b).String()
}
