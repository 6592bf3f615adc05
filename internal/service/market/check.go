package market

import (
	"context"
	"fmt"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/marketq"
)

// Divergence is something that is not as it must be.
type Divergence struct{ What, Expected, Found string }

// checkRows bounds how many listings and tokens Check names.
const checkRows = 20

// Check counts everything again that is kept counted, and compares listings with the
// tokens that they lock. It reads all that there is.
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
			list = append(list, Divergence{fmt.Sprintf("market tier %d: %s", tier, what), fmt.Sprint(expected), fmt.Sprint(found)})
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

// checkLocks compares active listings with locked tokens.
func checkLocks(ctx context.Context, queries *q.Queries) (list []Divergence, err error) {
	listings, err := queries.StrayListings(ctx, checkRows)
	if err != nil {
		return nil, fmt.Errorf("market: check: %w", err)
	}
	for _, l := range listings {
		list = append(list, Divergence{
			fmt.Sprintf("listing %d of token %d", l.ListingID, l.TokenID), "the token locked in the seller's wallet", "otherwise",
		})
	}
	tokens, err := queries.StrayLocks(ctx, checkRows)
	if err != nil {
		return nil, fmt.Errorf("market: check: %w", err)
	}
	for _, id := range tokens {
		list = append(list, Divergence{fmt.Sprintf("locked token %d", id), "an active listing", "none"})
	}
	return list, nil
}
