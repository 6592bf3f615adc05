package market

import (
	"context"
	"fmt"
	"time"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/marketq"
)

// TierStats are the prices of a tier.
type TierStats struct {
	Tier       int64
	Floor      *int64 // the lowest price asked; nil when nothing is for sale
	Depth      int64  // how many are for sale
	Last       *Trade // the last sale
	Day, Month Volume // of the last 24 hours and 30 days, to the minute
	Reference  Reference
}

// Volume is how much was sold.
type Volume struct{ Sales, Coins int64 }

// Stats returns the prices of every tier, in order, which the caller must not change.
//
// They are worked out again when anything on the market has changed, and once a minute,
// as time alone moves what "the last 24 hours" are: windows begin with a whole minute.
func (s *Service) Stats(ctx context.Context, tx *store.Tx) ([]TierStats, error) {
	queries := q.New(tx)
	now, err := s.state(ctx, queries)
	if err != nil {
		return nil, err
	}
	return s.statsOf(ctx, queries, now)
}

func (s *Service) statsOf(ctx context.Context, queries *q.Queries, now state) ([]TierStats, error) {
	return remember(&s.seen, now, statsPage, func() ([]TierStats, error) { return s.stats(ctx, queries, now.minute) })
}

func (s *Service) stats(ctx context.Context, queries *q.Queries, now time.Time) ([]TierStats, error) {
	rows, err := queries.Tiers(ctx, q.TiersParams{DayAgo: now.Add(-Day).UnixMilli(), MonthAgo: now.Add(-Month).UnixMilli()})
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
			return nil, fmt.Errorf("market: statistics of tier %d, which is none", r.Tier)
		}
		t := &list[r.Tier-1]
		t.Depth = r.Depth
		if r.Floor > 0 {
			t.Floor = &r.Floor
		}
		t.Day = Volume{r.Sales - r.DayN, r.Coins - r.DayCoins}
		t.Month = Volume{r.Sales - r.MonthN, r.Coins - r.MonthCoins}
		recent := trades(r.Recent)
		if n := len(recent); n > 0 {
			t.Last = &recent[n-1]
		}
		t.Reference = reference(recent, now.Add(-Month), rules.Tier(r.Tier).Value)
	}
	return list, nil
}

// count changes how many listings of a tier are active.
func count(ctx context.Context, tx *store.Tx, tier, change int64) error {
	if err := q.New(tx.Deferred()).CountListing(ctx, q.CountListingParams{Tier: tier, Change: change, None: []byte{}}); err != nil {
		return fmt.Errorf("market: count tier %d: %w", tier, err)
	}
	return nil
}

// record notes a sale that CountSale has counted, as row. Its time is not before that of the
// tier's last one, whatever the clocks of two nodes say.
func record(ctx context.Context, tx *store.Tx, sale *Sale, row q.CountSaleRow) error {
	fail := func(err error) error {
		return fmt.Errorf("market: record the sale of listing %d: %w", sale.ListingID, err)
	}
	queries := q.New(tx.Deferred())
	at := sale.At
	if before := trades(row.Recent); len(before) > 0 && before[len(before)-1].At.After(at) {
		at = before[len(before)-1].At
	}
	recent := addTrade(row.Recent, Trade{sale.Price, at})
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
