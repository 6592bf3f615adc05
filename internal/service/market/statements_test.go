package market_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/market"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// reader runs a query in every callback, as real listeners do: its error must roll back the
// use case. It counts the committed calls.
type reader struct{ calls map[string]int }

func (r reader) read(ctx context.Context, tx *store.Tx, callback string) error {
	var one int
	if err := tx.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return err
	}
	tx.AfterCommit(func() { r.calls[callback]++ })
	return nil
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
	r, m := reader{calls: map[string]int{}}, e.market
	m.Parties, m.Listeners, m.Watchers = r, []market.Listener{r}, []market.Watcher{r}
	ann, bob := e.join(t), e.join(t)
	first, second, third := e.win(t, ann, 1), e.win(t, ann, 2), e.win(t, ann, 2)
	each.Shown = func() any { return e.firstPage(t) }
	var listed *market.Listing
	list := func(name string, token int64, price int64) int64 {
		t.Helper()
		each.Update(t, name, func(ctx context.Context, tx *store.Tx) (err error) {
			listed, err = m.List(ctx, tx, ann.Address, token, price)
			return err
		})
		return listed.ID
	}
	var offered *market.Offer
	offer := func(name string, token int64) int64 {
		t.Helper()
		each.Update(t, name, func(ctx context.Context, tx *store.Tx) (err error) {
			offered, err = m.Offer(ctx, tx, ann.Address, token)
			return err
		})
		return offered.ID
	}
	offer("offer", first.ID)
	offer("offer again", first.ID)
	sold := list("list a token with an offer", first.ID, 100)
	each.Refused(t, "list twice", ledger.ErrLocked, func(ctx context.Context, tx *store.Tx) error {
		_, err := m.List(ctx, tx, ann.Address, first.ID, 1)
		return err
	})
	cancelled := list("list", second.ID, 200)
	e.viewEach(t, &each, ann.Address, listed, offered.ID)
	each.Update(t, "buy", func(ctx context.Context, tx *store.Tx) error {
		_, err := m.Buy(ctx, tx, bob.Address, sold)
		return err
	})
	each.Update(t, "cancel", func(ctx context.Context, tx *store.Tx) error {
		_, err := m.Cancel(ctx, tx, ann.Address, cancelled)
		return err
	})
	for _, accept := range []bool{false, true} {
		id := offer("offer", second.ID)
		each.Update(t, "respond", func(ctx context.Context, tx *store.Tx) error {
			_, _, err := m.Respond(ctx, tx, ann.Address, id, accept)
			return err
		})
	}
	for range 2 {
		list("list to cancel all", e.win(t, ann, 3).ID, 300)
	}
	each.Update(t, "cancel all", func(ctx context.Context, tx *store.Tx) error {
		_, err := m.CancelAll(ctx, tx, ann.Address)
		return err
	})
	offer("offer for a token that is burnt", third.ID)
	each.Call(t, "burn", func(context.Context) error { return e.Burn(t, ann.Player, third.OwnedToken) })
	want := map[string]int{"party": 2, "sold": 1, "bought back": 1, "listing": 8, "offer": 8}
	if !maps.Equal(r.calls, want) {
		t.Errorf("callbacks %v, want %v", r.calls, want)
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

// viewEach runs every read use case while two tokens are listed.
func (e *economy) viewEach(
	t *testing.T, each *storetest.Statements, seller chain.Address, listed *market.Listing, offer int64,
) {
	t.Helper()
	shown := each.Shown
	each.Shown = nil // it would fill the cache
	defer func() { each.Shown = shown }()
	views := e.reads(seller, listed, offer)
	for _, tier := range []int64{0, 2} {
		for _, sort := range market.Sorts {
			name := fmt.Sprintf("browse %s %d", sort, tier)
			views[name] = func(ctx context.Context, tx *store.Tx) (bool, error) {
				fresh := &market.Service{Ledger: e.Ledger.Ledger}
				page, err := fresh.Browse(ctx, tx, market.BrowseOptions{Tier: tier, Sort: sort, Count: 10})
				return page != nil && len(page.Listings) == 2-int(tier/2), err
			}
		}
	}
	each.Views(t, views)
}

// reads returns the read use cases, by name.
func (e *economy) reads(
	seller chain.Address, listed *market.Listing, offer int64,
) map[string]func(ctx context.Context, tx *store.Tx) (bool, error) {
	m := e.market
	return map[string]func(ctx context.Context, tx *store.Tx) (bool, error){
		"listing": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := m.Listing(ctx, tx, listed.ID)
			return l != nil, err
		},
		"listing of": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := m.ListingOf(ctx, tx, listed.TokenID)
			return l != nil, err
		},
		"own": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := m.ListingsBySeller(ctx, tx, seller, chain.MaxID, 10)
			return len(l) == 2, err
		},
		"sales": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := m.SalesOfToken(ctx, tx, listed.TokenID)
			return len(l) == 0, err
		},
		"active of": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := m.ActiveBySeller(ctx, tx, seller)
			return len(l) == 2, err
		},
		"get offer": func(ctx context.Context, tx *store.Tx) (bool, error) {
			o, err := m.GetOffer(ctx, tx, seller, offer)
			return o != nil, err
		},
		"prices": func(ctx context.Context, tx *store.Tx) (bool, error) {
			_, err := m.Prices(ctx, tx, 0, 30)
			return true, err
		},
		"last sales": func(ctx context.Context, tx *store.Tx) (bool, error) {
			_, err := m.LastSales(ctx, tx, 1, 10)
			return true, err
		},
		"stats": func(ctx context.Context, tx *store.Tx) (bool, error) {
			e.Clock.Add(60_000_000_000) // the cache belongs to an earlier minute
			l, err := m.Stats(ctx, tx)
			return len(l) == 16, err
		},
		"references": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := (&market.Service{Ledger: e.Ledger.Ledger}).References(ctx, tx, 3)
			return len(l) == 16, err
		},
		"check": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := m.Check(ctx, tx)
			return len(l) == 0, err
		},
	}
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
	each.Update(t, "renamed", func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE account SET username = 'renamed' WHERE address = $1", ann.Address[:])
		if err != nil {
			return err
		}
		return e.market.Renamed(ctx, tx, ann.Address)
	})
	if after := e.firstPage(t); before == after {
		t.Error("the page from before the rename is cached still")
	}
}
