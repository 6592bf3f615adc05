//go:build nightly

package market

import (
	"context"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
)

// FillOptions sets the size of the market that Fill generates.
type FillOptions struct {
	Listings, Sales int64
	Sellers         []chain.Address // of the listings, in rotation
	Tiers           int64           // from 1
	Behind          int64           // the ids of its tokens and listings, all of which are greater
	Now             time.Time
}

// Fill generates listings, and sales of the last 30 days, in an empty market, for
// measurements. It stores the rows that List and Buy store, of tokens that do not exist on
// the chain, and no prices by day.
func Fill(ctx context.Context, tx *store.Tx, f FillOptions) error {
	now := f.Now.UnixMilli()
	var tokens, listed, sold, counted [][]any
	for i := range f.Listings {
		tier, seller := i%f.Tiers+1, f.Sellers[i%int64(len(f.Sellers))]
		price := 50*tier + i*7919%1000
		tokens = append(tokens, []any{f.Behind + i + 1, tier, seller[:], 1})
		listed = append(listed, []any{f.Behind + i + 1, f.Behind + i + 1, tier, -tier, price, seller[:], string(Active), now})
	}
	step := Month.Milliseconds() / max(f.Sales, 1)
	for tier := int64(1); tier <= f.Tiers; tier++ {
		t := filledTier{tier: tier, recent: []byte{}} // not NULL, for a tier without a sale
		for i := tier - 1; i < f.Sales; i += f.Tiers {
			trade := Trade{Price: 40*tier + i*31%100, At: column.Time(now - (f.Sales-i)*step)}
			sold = append(sold, t.sell(trade, f.Behind+f.Listings+i+1))
		}
		depth := (f.Listings + f.Tiers - tier) / f.Tiers
		counted = append(counted, []any{tier, depth, t.sales, t.coins, t.recent, depth + t.sales})
	}
	for _, t := range []struct {
		table   string
		columns []string
		rows    [][]any
	}{
		{"ledger_token", []string{"token_id", "tier", "owner", "locked"}, tokens},
		{
			"market_listing",
			[]string{"listing_id", "token_id", "tier", "tier_down", "price", "seller", "status", "listed_at"},
			listed,
		},
		{"market_sale", []string{"tier", "n", "at", "price", "coins", "token_id", "listing_id"}, sold},
		{"market_tier", []string{"tier", "depth", "sales", "coins", "recent", "version"}, counted},
	} {
		if err := store.BulkInsert(ctx, tx, t.table, t.columns, t.rows); err != nil {
			return fmt.Errorf("market: fill: %w", err)
		}
	}
	return nil
}

// filledTier accumulates the row of a tier.
type filledTier struct {
	tier, sales, coins int64
	recent             []byte
}

// sell adds a sale and returns its row of market_sale.
func (t *filledTier) sell(trade Trade, id int64) []any {
	t.sales++
	t.coins += trade.Price
	t.recent = addTrade(t.recent, trade)
	return []any{t.tier, t.sales, trade.At.UnixMilli(), trade.Price, t.coins, id, id}
}
