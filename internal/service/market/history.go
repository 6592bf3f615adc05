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

// DayPrices holds the prices of a tier on a day with at least one sale.
type DayPrices struct {
	Tier                   int64
	Day                    time.Time // its beginning, UTC
	Open, High, Low, Close int64     // coins
	Sales, Coins           int64     // number of sales and sum of prices
}

// Prices returns the prices of the last so many days, today included, of one tier or, for
// tier 0, of all, ordered by tier and day. Days without a sale are left out.
func (s *Service) Prices(ctx context.Context, tx *store.Tx, tier, days int64) ([]DayPrices, error) {
	p := q.DaysParams{FirstTier: tier, LastTier: tier, FirstDay: dayOf(tx.Now()) - days + 1}
	if tier == 0 {
		p.FirstTier, p.LastTier = 1, s.Ledger.Rules().Top()
	}
	rows, err := q.New(tx).Days(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("market: prices: %w", err)
	}
	list := make([]DayPrices, len(rows))
	for i, r := range rows {
		list[i] = DayPrices{
			Tier: r.Tier, Day: startOf(r.Day), Open: r.Open, High: r.High, Low: r.Low, Close: r.Last,
			Sales: r.Sales, Coins: r.Coins,
		}
	}
	return list, nil
}

// SoldToken is a sale with its token and listing.
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
		list[i] = SoldToken{
			TokenID: r.TokenID, ListingID: r.ListingID, Trade: Trade{Price: r.Price, At: column.Time(r.At)},
		}
	}
	return list, nil
}

// References returns the reference price of every tier at the end of each of the last so
// many days: one list per tier, from tier 1, the oldest day first. The last day is today, up
// to now.
//
// The price of a past day is computed from the last sales as of its end, so it never changes.
// A tier with too few sales has the value of today's rules.
func (s *Service) References(ctx context.Context, tx *store.Tx, days int64) ([][]int64, error) {
	stats, err := s.Stats(ctx, tx)
	if err != nil {
		return nil, err
	}
	past, err := s.pastReferences(ctx, tx, days-1)
	if err != nil {
		return nil, err
	}
	list := make([][]int64, min(len(stats), len(past))) // they differ while a deployment adds tiers
	for i, t := range stats[:len(list)] {
		n := int64(len(past[i]))
		list[i] = append(past[i][n-days+1:n:n], t.Reference.Price) // appends to a copy: past is shared
	}
	return list, nil
}

const (
	// cachedDays is the number of past days that are computed at once and cached until
	// midnight.
	cachedDays = 90
	// settleTime is how long after midnight the last sale of the day before is committed,
	// with a margin for the clocks of the nodes. Before that nothing is cached.
	settleTime = 5 * time.Minute
)

// pastPrices caches the reference prices at the ends of the days before today.
type pastPrices struct {
	mu    sync.Mutex // guards today and list
	today int64
	list  [][]int64 // by tier and day, the oldest first; never modified
}

// pastReferences returns the reference prices at the ends of at least so many days before
// today.
func (s *Service) pastReferences(ctx context.Context, tx *store.Tx, days int64) ([][]int64, error) {
	now := tx.Now()
	today := dayOf(now)
	s.past.mu.Lock()
	list, cachedOn := s.past.list, s.past.today
	s.past.mu.Unlock()
	if cachedOn == today && days <= cachedDays && len(list) == int(s.Ledger.Rules().Top()) {
		return list, nil
	}
	list, err := s.computePast(ctx, tx, today, max(days, cachedDays))
	if err != nil {
		return nil, err
	}
	if days <= cachedDays && now.Sub(startOf(today)) >= settleTime {
		s.past.mu.Lock()
		s.past.today, s.past.list = today, list
		s.past.mu.Unlock()
	}
	return list, nil
}

// computePast computes the reference prices at the ends of so many days before today. It
// reads from a month earlier on: the sales within the window of the first day.
func (s *Service) computePast(ctx context.Context, tx *store.Tx, today, days int64) ([][]int64, error) {
	first := today - days
	rows, err := q.New(tx).RecentOfDays(ctx, q.RecentOfDaysParams{
		FirstDay: first - int64(Month/Day) - 1, LastDay: today - 1})
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
			since := startOf(first + d + 1).Add(-Month)
			list[i][d] = reference(recent, since, rules.Tier(int64(i+1)).Value).Price
		}
	}
	return list, nil
}
