package market_test

import (
	"context"
	"slices"
	"testing"

	"roshambo/internal/service/market"
	"roshambo/internal/store"
)

// TestReferencesOfPastDays checks that the price at the end of a day follows from the sales up to then, in each tier,
// whatever was sold since, and that it stays the same until the day after.
func TestReferencesOfPastDays(t *testing.T) {
	t.Parallel()
	e := newEconomy(t)
	seller, buyer := e.join(t), e.join(t)
	sell := func(tier, price int64) {
		t.Helper()
		for range 5 { // with fewer sales the price is the rules'
			e.buy(t, buyer, e.list(t, seller, e.win(t, seller, tier), price))
		}
	}
	references := func(days int64) (first, second []int64) {
		t.Helper()
		e.View(t, func(ctx context.Context, tx *store.Tx) error {
			list, err := e.market.References(ctx, tx, days)
			if err == nil {
				first, second = list[0], list[1]
			}
			return err
		})
		return first, second
	}
	want := func(days int64, first, second []int64) {
		t.Helper()
		if a, b := references(days); !slices.Equal(a, first) || !slices.Equal(b, second) {
			t.Errorf("prices %v and %v, want %v and %v", a, b, first, second)
		}
	}
	value := func(tier int64) int64 { return e.market.Ledger.Rules().Tier(tier).Value }
	want(2, []int64{value(1), value(1)}, []int64{value(2), value(2)})
	sell(2, 30)
	e.Clock.Add(market.Day)
	sell(1, 20)
	want(2, []int64{value(1), 20}, []int64{30, 30})
	e.Clock.Add(market.Day)
	sell(1, 10)
	want(3, []int64{value(1), 20, 15}, []int64{30, 30, 30})
	e.Clock.Add(market.Month + market.Day)
	want(2, []int64{value(1), value(1)}, []int64{value(2), value(2)})
}
