package ledger_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestPeriods checks that hours and days add up to the totals of an audit.
func TestPeriods(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	s := e.Everything(t)
	for range 5 {
		e.SealAll(t)
		e.Clock.Add(20 * time.Minute)
		e.Faucets(t, s.Ann, 1)
	}
	e.SealAll(t)
	e.Clock.Add(30 * time.Hour)
	e.join(t)
	e.SealAll(t)
	read := func() (all [2][]ledger.Period) {
		e.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
			for i, length := range []time.Duration{ledger.Hourly, ledger.Daily} {
				if all[i], err = e.Periods(ctx, tx, length, ledger.Newest, 100); err != nil {
					return err
				}
			}
			return nil
		})
		return all
	}
	counted := read()
	v := e.WantValid(t)
	for i, want := range []int{4, 3} {
		list := counted[i]
		if len(list) != want {
			t.Fatalf("%d periods, want %d: %+v", len(list), want, list)
		}
		var sum ledger.Period
		for _, p := range slices.Backward(list) { // the oldest first
			sum.Blocks += p.Blocks
			sum.Transactions += p.Transactions
			sum.Created += p.Created
			sum.Destroyed += p.Destroyed
			if p.Supply != sum.Created-sum.Destroyed {
				t.Errorf("%+v: want a supply of %d", p, sum.Created-sum.Destroyed)
			}
		}
		want := ledger.Period{
			Blocks: v.Blocks, Transactions: v.Transactions, Created: v.Created, Destroyed: v.Destroyed,
		}
		if diff := cmp.Diff(want, sum); diff != "" {
			t.Error(diff)
		}
	}
}
