package market

import (
	"context"
	"fmt"
	"sync"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/marketq"
)

// DayPrices are the prices of a tier on a day on which it was sold.
type DayPrices struct {
	Tier                   int64
	Day                    time.Time // its beginning, UTC
	Open, High, Low, Close int64
	Sales, Coins           int64
}

// Prices returns the days of the last so many, today included, on which a tier was sold,
// of one tier or, for tier 0, of all; by tier and day.
func (s *Service) Prices(ctx context.Context, tx *store.Tx, tier, days int64) ([]DayPrices, error) {
	p := q.DaysParams{FirstTier: tier, LastTier: tier, FirstDay: dayOf(s.now()) - days + 1}
	if tier == 0 {
		p.FirstTier, p.LastTier = 1, s.Ledger.Rules().Top()
	}
	rows, err := q.New(tx).Days(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("market: prices: %w", err)
	}
	list := make([]DayPrices, len(rows))
	for i, r := range rows {
		list[i] = DayPrices{r.Tier, startOf(r.Day), r.Open, r.High, r.Low, r.Last, r.Sales, r.Coins}
	}
	return list, nil
}

// SoldToken is one of the last sales of a tier.
type SoldToken struct {
	TokenID, ListingID int64
	Trade
}

// LastSales returns up to count of the last sales of a tier, the newest first.
func (s *Service) LastSales(ctx context.Context, tx *store.Tx, tier, count int64) ([]SoldToken, error) {
	rows, err := q.New(tx).LastSales(ctx, q.LastSalesParams{Tier: tier, Count: count})
	if err != nil {
		return nil, fmt.Errorf("market: sales of tier %d: %w", tier, err)
	}
	list := make([]SoldToken, len(rows))
	for i, r := range rows {
		list[i] = SoldToken{r.TokenID, r.ListingID, Trade{r.Price, column.Time(r.At)}}
	}
	return list, nil
}

// References returns the reference price of every tier at the end of each of so many
// days, the last of which is today, which ends now: one list per tier, in order.
//
// A price of the past is worked out from the last sales as they were at the end of that
// day, so it never changes again. It takes today's rules for the tiers that were not sold
// often enough.
func (s *Service) References(ctx context.Context, tx *store.Tx, days int64) ([][]int64, error) {
	stats, err := s.Stats(ctx, tx)
	if err != nil {
		return nil, err
	}
	past, err := s.past(ctx, tx, days-1)
	if err != nil {
		return nil, err
	}
	list := make([][]int64, min(len(stats), len(past))) // which differ while a node adds tiers
	for i, t := range stats[:len(list)] {
		list[i] = append(past[i][int64(len(past[i]))-days+1:len(past[i]):len(past[i])], t.Reference.Price)
	}
	return list, nil
}

const (
	// keptDays is how many days of the past are worked out at once, and kept until the
	// next day.
	keptDays = 90
	// settled is how long after midnight the last sale of the day before is stored for
	// sure, whatever the clocks of the nodes say.
	settled = 5 * time.Minute
)

// pastPrices are the reference prices at the ends of the last days but today.
type pastPrices struct {
	mu    sync.Mutex // guards what follows
	today int64
	list  [][]int64 // never changed
}

// past returns the reference prices at the ends of at least so many days before today.
func (s *Service) past(ctx context.Context, tx *store.Tx, days int64) ([][]int64, error) {
	now := s.now()
	today := dayOf(now)
	s.kept.mu.Lock()
	list, of := s.kept.list, s.kept.today
	s.kept.mu.Unlock()
	if of == today && days <= keptDays && len(list) == int(s.Ledger.Rules().Top()) {
		return list, nil
	}
	list, err := s.workOutPast(ctx, tx, today, max(days, keptDays))
	if err == nil && days <= keptDays && now.Sub(startOf(today)) >= settled {
		s.kept.mu.Lock()
		s.kept.today, s.kept.list = today, list
		s.kept.mu.Unlock()
	}
	return list, err
}

// workOutPast works out the reference prices at the ends of so many days before today.
func (s *Service) workOutPast(ctx context.Context, tx *store.Tx, today, days int64) ([][]int64, error) {
	first := today - days
	rows, err := q.New(tx).RecentOfDays(ctx, q.RecentOfDaysParams{FirstDay: first - int64(Month/Day) - 1, LastDay: today - 1})
	if err != nil {
		return nil, fmt.Errorf("market: reference prices: %w", err)
	}
	rules := s.Ledger.Rules()
	list := make([][]int64, rules.Top())
	for i := range list {
		list[i] = make([]int64, days)
		var recent []Trade
		for d := range days {
			for ; len(rows) > 0 && rows[0].Tier == int64(i+1) && rows[0].Day <= first+d; rows = rows[1:] {
				recent = trades(rows[0].Recent)
			}
			list[i][d] = reference(recent, startOf(first+d+1).Add(-Month), rules.Tier(int64(i+1)).Value).Price
		}
	}
	return list, nil
}
