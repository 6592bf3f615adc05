package market

import (
	"context"
	"fmt"
	"time"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/marketq"
)

// TierStats holds the prices and volumes of a tier.
type TierStats struct {
	Tier       int64
	Floor      *int64 // the lowest price asked; nil when nothing is for sale
	Depth      int64  // active listings
	Last       *Trade // the last sale; nil for none
	Day, Month Volume // of the last 24 hours and 30 days, to the minute
	Reference  Reference
}

// Volume is the number of sales in a period and the sum of their prices.
type Volume struct{ Sales, Coins int64 }

// Stats returns the statistics of every tier, from tier 1. The caller must not modify them.
//
// They are cached until the market changes, at most for a minute: the windows of 24 hours
// and 30 days start at a whole minute.
func (s *Service) Stats(ctx context.Context, tx *store.Tx) ([]TierStats, error) {
	queries := q.New(tx)
	now, err := s.state(ctx, tx)
	if err != nil {
		return nil, err
	}
	return s.statsOf(ctx, queries, now)
}

func (s *Service) statsOf(ctx context.Context, queries *q.Queries, now state) ([]TierStats, error) {
	return cached(&s.cache, now, statsKey, func() ([]TierStats, error) { return s.stats(ctx, queries, now.minute) })
}

// stats computes the statistics at a time. A tier without a row was never listed or sold.
func (s *Service) stats(ctx context.Context, queries *q.Queries, now time.Time) ([]TierStats, error) {
	rows, err := queries.Tiers(ctx, q.TiersParams{
		DayAgo: now.Add(-Day).UnixMilli(), MonthAgo: now.Add(-Month).UnixMilli(),
	})
	if err != nil {
		return nil, fmt.Errorf("market: statistics: %w", err)
	}
	rules := s.Ledger.Rules()
	list := make([]TierStats, rules.Top())
	for i := range list {
		tier := int64(i + 1)
		list[i] = TierStats{Tier: tier, Reference: Reference{Price: rules.Tier(tier).Value, Basis: ByRules}}
	}
	for _, r := range rows {
		if r.Tier < 1 || r.Tier > rules.Top() {
			return nil, fmt.Errorf("market: statistics of tier %d, which does not exist", r.Tier)
		}
		t := &list[r.Tier-1]
		t.Depth = r.Depth
		if r.Floor > 0 {
			t.Floor = &r.Floor
		}
		t.Day = Volume{Sales: r.Sales - r.DayN, Coins: r.Coins - r.DayCoins}
		t.Month = Volume{Sales: r.Sales - r.MonthN, Coins: r.Coins - r.MonthCoins}
		recent := trades(r.Recent)
		if n := len(recent); n > 0 {
			t.Last = &recent[n-1]
		}
		t.Reference = reference(recent, now.Add(-Month), rules.Tier(r.Tier).Value)
	}
	return list, nil
}

// countListing adds change to the depth of a tier.
func countListing(ctx context.Context, tx *store.Tx, tier, change int64) error {
	p := q.CountListingParams{Tier: tier, Change: change, None: []byte{}}
	if err := writes(tx).CountListing(ctx, p); err != nil {
		return fmt.Errorf("market: count tier %d: %w", tier, err)
	}
	return nil
}

// recordSale stores a sale that CountSale has counted; row is its result. The sale is dated
// no earlier than the tier's last one, even when the clocks of two nodes differ.
func recordSale(ctx context.Context, tx *store.Tx, sale *Sale, row q.CountSaleRow) error {
	fail := func(err error) error {
		return fmt.Errorf("market: record the sale of listing %d: %w", sale.ListingID, err)
	}
	queries := writes(tx)
	at := sale.At
	if before := trades(row.Recent); len(before) > 0 && before[len(before)-1].At.After(at) {
		at = before[len(before)-1].At
	}
	recent := addTrade(row.Recent, Trade{Price: sale.Price, At: at})
	if err := queries.SetRecent(ctx, q.SetRecentParams{Tier: sale.Tier, Recent: recent}); err != nil {
		return fail(err)
	}
	err := queries.InsertSale(ctx, q.InsertSaleParams{
		Tier: sale.Tier, N: row.Sales, At: at.UnixMilli(), Price: sale.Price, Coins: row.Coins,
		TokenID: sale.TokenID, ListingID: sale.ListingID,
	})
	if err != nil {
		return fail(err)
	}
	err = queries.AddToDay(ctx, q.AddToDayParams{Tier: sale.Tier, Day: dayOf(at), Price: sale.Price, Recent: recent})
	if err != nil {
		return fail(err)
	}
	return nil
}
