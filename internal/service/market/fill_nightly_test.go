//go:build nightly

package market_test

import (
	"context"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/internal/service/market"
	"roshambo/internal/store"
)

// TestFill checks that a generated market has consistent statistics.
func TestFill(t *testing.T) {
	t.Parallel()
	e := newEconomy(t)
	p := e.join(t)
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		f := market.FillOptions{
			Listings: 1003, Sales: 2005, Sellers: []chain.Address{p.Address}, Tiers: e.Rules().Top(),
			Now: e.Clock.Now(),
		}
		if err := market.Fill(ctx, tx, f); err != nil {
			return err
		}
		stats, err := e.market.Stats(ctx, tx)
		if err != nil {
			return err
		}
		var depth, month int64
		for _, s := range stats {
			depth += s.Depth
			month += s.Month.Sales
			if s.Reference.N != 20 || s.Floor == nil {
				t.Errorf("tier %d: %+v", s.Tier, s)
			}
		}
		if depth != 1003 || month != 2005 {
			t.Errorf("%d for sale and %d sold, want 1003 and 2005", depth, month)
		}
		// Measurements compare releases, so the same options must fill the same market.
		for query, want := range map[string]string{
			`SELECT count(*) || ' ' || sum(tier * token_id) || ' ' || sum(locked) || ' ' || count(DISTINCT owner)
				FROM ledger_token WHERE token_id < CAST($1 AS BIGINT)`: "1003 4273546 1003 1",
			`SELECT count(*) || ' ' || sum(tier * depth) || ' ' || sum(tier * sales) || ' ' || sum(tier * version) ||
				' ' || sum(coins) FROM market_tier WHERE tier < CAST($1 AS BIGINT)`: "16 8498 17015 25513 779810",
			`SELECT count(*) || ' ' || sum(price) || ' ' || sum(tier * listing_id) || ' ' || min(price) || ' ' ||
				max(token_id) || ' ' || sum(tier + tier_down) FROM market_listing
				WHERE listed_at = $1`: "1003 926157 4273546 50 1003 0",
			`SELECT count(*) || ' ' || sum(price) || ' ' || sum(tier * n) || ' ' || max(coins) || ' ' || min(listing_id) ||
				' ' || max(token_id) || ' ' || ($1 - min(at)) || ' ' || ($1 - max(at))
				FROM market_sale`: "2005 779810 1072890 86125 1004 3008 2591999840 1292768",
		} {
			var got string
			if err := tx.QueryRowContext(ctx, query, e.Clock.Now().UnixMilli()).Scan(&got); err != nil {
				return err
			}
			if got != want {
				t.Errorf("got %q, want %q of %s", got, want, query)
			}
		}
		wrong, err := e.market.Check(ctx, tx)
		for _, d := range wrong {
			if !strings.Contains(d.What, "by day") { // Fill generates no prices by day
				t.Errorf("%s: expected %s, found %s", d.What, d.Expected, d.Found)
			}
		}
		return err
	})
}

// TestFillFew checks that Fill spreads its sales over the last 30 days, however few.
func TestFillFew(t *testing.T) {
	t.Parallel()
	for sales := int64(1); sales <= 3; sales++ {
		e := newEconomy(t)
		e.Update(t, func(ctx context.Context, tx *store.Tx) error {
			f := market.FillOptions{Sales: sales, Tiers: 1, Now: e.Clock.Now()}
			if err := market.Fill(ctx, tx, f); err != nil {
				return err
			}
			var n, first int64
			err := tx.QueryRowContext(ctx, "SELECT count(*), min(at) FROM market_sale").Scan(&n, &first)
			if want := e.Clock.Now().Add(-market.Month).UnixMilli(); n != sales || first != want {
				t.Errorf("%d sales from %d on, want %d from %d on", n, first, sales, want)
			}
			return err
		})
	}
}

// TestFillSellers checks that the sellers of a generated market take turns.
func TestFillSellers(t *testing.T) {
	t.Parallel()
	e := newEconomy(t)
	sellers := []chain.Address{{1}, {2}, {3}}
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		f := market.FillOptions{Listings: 7, Sellers: sellers, Tiers: 2, Now: e.Clock.Now()}
		if err := market.Fill(ctx, tx, f); err != nil {
			return err
		}
		for i := range f.Listings {
			l, err := e.market.Listing(ctx, tx, i+1)
			if err != nil {
				return err
			}
			if l.Seller != sellers[i%3] || l.TokenID != i+1 || l.Tier != i%2+1 || l.Status != market.Active {
				t.Errorf("listing %d: %+v", i+1, l)
			}
		}
		return nil
	})
}
