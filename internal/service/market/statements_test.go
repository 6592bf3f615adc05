package market_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/market"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// reader counts the committed calls of each callback.
type reader map[string]int

func (r reader) read(ctx context.Context, tx *store.Tx, callback string) error {
	return storetest.Listen(ctx, tx, func() { r[callback]++ })
}

func (r reader) PrefetchParty(*store.Tx, chain.Address) {}
func (r reader) Party(ctx context.Context, tx *store.Tx, a chain.Address) (chain.Address, error) {
	return a, r.read(ctx, tx, "party")
}
func (r reader) Sold(ctx context.Context, tx *store.Tx, _ *market.Sale) error {
	return r.read(ctx, tx, "sold")
}
func (r reader) BoughtBack(ctx context.Context, tx *store.Tx, _ *market.Buyback) error {
	return r.read(ctx, tx, "bought back")
}
func (r reader) ListingChanged(ctx context.Context, tx *store.Tx, _ *market.Listing) error {
	return r.read(ctx, tx, "listing")
}
func (r reader) OfferChanged(ctx context.Context, tx *store.Tx, _ *market.Offer) error {
	return r.read(ctx, tx, "offer")
}

// TestEachStatement runs every use case once per statement, with that statement failing.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	e := newEconomyWith(t, ledgertest.Options{DB: store.Config{Faults: each.Faults()}})
	each.Use(t, e.DB, e.Location)
	each.Level = market.Isolation
	r, m := reader{}, e.market
	m.Parties, m.Listeners, m.Watchers = r, []market.Listener{r}, []market.Watcher{r}
	ann, bob := e.join(t), e.join(t)
	first, second, third := e.win(t, ann, 1), e.win(t, ann, 2), e.win(t, ann, 2)
	fourth, fifth := e.win(t, ann, 3), e.win(t, ann, 3)
	var sold, listed market.Listing
	var offered market.Offer
	do, page := storetest.Do, func() any { return e.firstPage(t) }
	each.Shown = page
	each.Run(t, []storetest.Case{
		{Name: "offer", Update: do(m.Offer, ann.Address, first.ID)},
		{Name: "offer again", Update: do(m.Offer, ann.Address, first.ID), Keep: &offered},
		{Name: "list a token with an offer", Update: do(m.List, ann.Address, first.ID, 100), Keep: &sold},
		{Name: "list twice", Update: do(m.List, ann.Address, first.ID, 1), Refused: ledger.ErrLocked},
		{Name: "list", Update: do(m.List, ann.Address, second.ID, 200), Keep: &listed},
	})
	each.Shown = nil // it would fill the cache
	each.Run(t, e.reads(ann.Address, listed, offered.ID))
	each.Shown = page
	each.Run(t, []storetest.Case{
		{Name: "buy", Update: do(m.Buy, bob.Address, sold.ID)},
		{Name: "cancel", Update: do(m.Cancel, ann.Address, listed.ID)},
		{Name: "offer to decline", Update: do(m.Offer, ann.Address, second.ID), Keep: &offered},
		{Name: "decline", Update: do(m.Respond, ann.Address, &offered.ID, false)},
		{Name: "offer to accept", Update: do(m.Offer, ann.Address, second.ID), Keep: &offered},
		{Name: "accept", Update: do(m.Respond, ann.Address, &offered.ID, true)},
		{Name: "list to cancel all", Update: do(m.List, ann.Address, fourth.ID, 300)},
		{Name: "list to cancel all", Update: do(m.List, ann.Address, fifth.ID, 300)},
		{Name: "cancel all", Update: do(m.CancelAll, ann.Address), Want: 2},
		{Name: "offer for a token that is burnt", Update: do(m.Offer, ann.Address, third.ID)},
		{Name: "burn", Call: do(e.Burn, t, ann.Player, third.OwnedToken)},
	})
	want := reader{"party": 2, "sold": 1, "bought back": 1, "listing": 8, "offer": 8}
	if !maps.Equal(r, want) {
		t.Errorf("callbacks %v, want %v", r, want)
	}
	e.SealAll(t)
	e.WantValid(t)
}

// firstPage returns what Browse caches: after a failed change it must still be the page of the stored
// state.
func (e *economy) firstPage(t *testing.T) (page *market.Page) {
	t.Helper()
	e.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		page, err = e.market.Browse(ctx, tx, market.BrowseOptions{Sort: market.ByPrice, Count: 10})
		return err
	})
	return page
}

// reads returns the read use cases, while two tokens are listed.
func (e *economy) reads(seller chain.Address, listed market.Listing, offer int64) []storetest.Case {
	m, do, uncached := e.market, storetest.Do, func() *market.Service { return &market.Service{Ledger: e.Ledger.Ledger} }
	references := func(c storetest.In) (any, error) { return uncached().References(c, c.Tx, 3) }
	stats := func(c storetest.In) (any, error) {
		e.Clock.Add(time.Minute) // the cache belongs to an earlier minute
		return m.Stats(c, c.Tx)
	}
	exists := func(l *market.Listing) bool { return l != nil }
	cases := []storetest.Case{
		{Name: "listing", View: do(m.Listing, listed.ID), Want: exists},
		{Name: "listing of", View: do(m.ListingOf, listed.TokenID), Want: exists},
		{Name: "own", View: do(m.ListingsBySeller, seller, int64(chain.MaxID), 10), Want: storetest.Len(2)},
		{Name: "sales", View: do(m.SalesOfToken, listed.TokenID), Want: storetest.Len(0)},
		{Name: "active of", View: do(m.ActiveBySeller, seller), Want: storetest.Len(2)},
		{Name: "get offer", View: do(m.GetOffer, seller, offer), Want: func(o *market.Offer) bool { return o != nil }},
		{Name: "prices", View: do(m.Prices, 0, 30)},
		{Name: "last sales", View: do(m.LastSales, 1, 10)},
		{Name: "stats", View: stats, Want: storetest.Len(16)},
		{Name: "references", View: references, Want: storetest.Len(16)},
		{Name: "check", View: do(m.Check), Want: storetest.Len(0)},
	}
	for _, tier := range []int64{0, 2} {
		for _, sort := range market.Sorts {
			cases = append(cases, storetest.Case{Name: fmt.Sprintf("browse %s %d", sort, tier),
				View: func(c storetest.In) (any, error) {
					return uncached().Browse(c, c.Tx, market.BrowseOptions{Tier: tier, Sort: sort, Count: 10})
				},
				Want: func(page *market.Page) bool { return len(page.Listings) == 2-int(tier/2) }})
		}
	}
	return cases
}

// TestEachStatementOfARename: a cached page shows a seller's new name at once; each statement fails once.
func TestEachStatementOfARename(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	e := newEconomyWith(t, ledgertest.Options{DB: store.Config{Faults: each.Faults()}})
	each.Use(t, e.DB, e.Location)
	ann := e.join(t)
	token := e.win(t, ann, 1)
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := e.market.List(ctx, tx, ann.Address, token.ID, 100)
		return err
	})
	before := e.firstPage(t)
	each.Run(t, []storetest.Case{{Name: "renamed", Update: func(c storetest.In) (any, error) {
		_, err := c.Tx.ExecContext(c, "UPDATE account SET username = 'renamed' WHERE address = $1", ann.Address[:])
		return nil, errors.Join(err, e.market.Renamed(c, c.Tx, ann.Address))
	}}})
	if after := e.firstPage(t); before == after {
		t.Error("the page from before the rename is cached still")
	}
}
