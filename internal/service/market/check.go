package market

import (
	"context"
	"fmt"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/marketq"
)

// Divergence is a stored value that differs from its recomputed one.
type Divergence struct {
	What     string // the value
	Expected string // recomputed
	Found    string // stored
}

// checkRows bounds how many listings, and how many tokens, Check names.
const checkRows = 20

// Check recomputes depth and sums of every tier from listings and sales, and compares active
// listings with locked tokens. It reads all tables of the market.
func (s *Service) Check(ctx context.Context, tx *store.Tx) (list []Divergence, err error) {
	queries := q.New(tx)
	tiers, err := queries.CheckTiers(ctx)
	if err != nil {
		return nil, fmt.Errorf("market: check: %w", err)
	}
	days, err := queries.CheckDays(ctx)
	if err != nil {
		return nil, fmt.Errorf("market: check: %w", err)
	}
	byDay := map[int64]q.CheckDaysRow{}
	for _, d := range days {
		byDay[d.Tier] = d
	}
	differ := func(tier int64, what string, expected, found int64) {
		if expected != found {
			list = append(list, Divergence{
				What:     fmt.Sprintf("market tier %d: %s", tier, what),
				Expected: fmt.Sprint(expected), Found: fmt.Sprint(found),
			})
		}
	}
	for _, t := range tiers {
		differ(t.Tier, "depth", t.Listed, t.Depth)
		differ(t.Tier, "number of sales", t.Sold, t.Sales)
		differ(t.Tier, "coins of sales", t.Paid, t.Coins)
		differ(t.Tier, "number of sales by day", t.Sold, byDay[t.Tier].Sales)
		differ(t.Tier, "coins of sales by day", t.Paid, byDay[t.Tier].Coins)
	}
	strays, err := checkLocks(ctx, queries)
	return append(list, strays...), err
}

// checkLocks compares active listings with locked tokens: each must have the other.
func checkLocks(ctx context.Context, queries *q.Queries) (list []Divergence, err error) {
	listings, err := queries.StrayListings(ctx, checkRows)
	if err != nil {
		return nil, fmt.Errorf("market: check: %w", err)
	}
	for _, l := range listings {
		list = append(list, Divergence{
			What:     fmt.Sprintf("listing %d of token %d", l.ListingID, l.TokenID),
			Expected: "the token locked in the seller's wallet", Found: "another owner, tier or lock",
		})
	}
	tokens, err := queries.StrayLocks(ctx, checkRows)
	if err != nil {
		return nil, fmt.Errorf("market: check: %w", err)
	}
	for _, id := range tokens {
		list = append(list, Divergence{
			What: fmt.Sprintf("locked token %d", id), Expected: "an active listing", Found: "none",
		})
	}
	return list, nil
}
