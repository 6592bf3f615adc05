package market

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roshambo/chain"
	"roshambo/internal/ledger"
)

var (
	noon         = time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC)
	seller       = chain.Address{1}
	buyer        = chain.Address{2}
	free         = ledger.TokenState{Token: chain.Token{Tier: 3, Owner: seller}}
	locked       = ledger.TokenState{Token: free.Token, Locked: true}
	bound        = ledger.TokenState{Token: chain.Token{Tier: 3, Owner: seller, Bound: true}}
	others       = ledger.TokenState{Token: chain.Token{Tier: 3, Owner: buyer}}
	othersLocked = ledger.TokenState{Token: others.Token, Locked: true}
	boundLocked  = ledger.TokenState{Token: bound.Token, Locked: true}
)

// wantError compares an error with the wanted one; nil for none.
func wantError(t *testing.T, name string, got, want error) {
	t.Helper()
	if (got == nil) != (want == nil) || !errors.Is(got, want) {
		t.Errorf("%s: error %v, want %v", name, got, want)
	}
}

// TestMayList checks which tokens may be listed, and which refusal comes first.
func TestMayList(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		token ledger.TokenState
		want  error
	}{
		"free": {free, nil}, "locked": {locked, ledger.ErrLocked}, "bound": {bound, chain.ErrTokenBound},
		"bound and locked": {boundLocked, ledger.ErrLocked}, "another's": {others, chain.ErrNotOwner},
		"another's, locked": {othersLocked, chain.ErrNotOwner}, "none": {ledger.TokenState{}, chain.ErrNotOwner},
	} {
		wantError(t, name, (&Listing{ID: 1, Seller: seller}).mayList(c.token), c.want)
	}
	for _, id := range []int64{0, chain.MaxID + 1} {
		if err := (&Listing{ID: id, Seller: seller}).mayList(free); err == nil {
			t.Errorf("listing %d: no error", id)
		}
	}
}

// TestListingRules checks which accounts may buy and cancel a listing in each status, and
// that a refusal changes nothing.
func TestListingRules(t *testing.T) {
	t.Parallel()
	for _, status := range []Status{Active, Sold, Cancelled} {
		for account, wanted := range map[chain.Address]struct{ buy, cancel error }{
			seller: {ErrOwnListing, nil}, buyer: {nil, ErrForbidden},
		} {
			if status != Active {
				wanted.buy = ErrNotForSale
				if account == seller {
					wanted.cancel = ErrNotForSale
				}
			}
			l := Listing{ID: 5, TokenID: 7, Tier: 3, Price: 100, Seller: seller, Status: status}
			before := l
			wantError(t, string(status)+", buy", l.mayBuy(account), wanted.buy)
			err := l.cancel(account, noon)
			wantError(t, string(status)+", cancel", err, wanted.cancel)
			if err != nil && l != before || err == nil && (l.Status != Cancelled || !l.ClosedAt.Equal(noon)) {
				t.Errorf("%s: cancel made %+v", status, l)
			}
		}
	}
}

// TestSaleTransaction checks that the chain takes the transaction of a sale at any price, that
// buyer and seller exchange the price less the fee, and that the closed listing names the sale.
func TestSaleTransaction(t *testing.T) {
	t.Parallel()
	rules := chain.Rules{MarketFeeBPS: 250, Tiers: make([]chain.Tier, 16)}
	rapid.Check(t, func(t *rapid.T) {
		rules.MarketFeeBPS = rapid.Int64Range(0, 10_000).Draw(t, "fee")
		l := &Listing{
			ID: 5, TokenID: 7, Tier: 3, Seller: seller, Status: Active,
			Price: rapid.OneOf(rapid.Int64Range(1, 50), rapid.Int64Range(1, chain.MaxID)).Draw(t, "price"),
		}
		fee := rules.MarketFee(l.Price)
		d := l.sale(buyer, fee)
		effects, err := rules.Effects(&chain.Tx{Actor: d.Actor, Transfers: d.Transfers, Data: d.Data})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range effects.Accounts {
			if want := map[chain.Address]int64{buyer: -l.Price, seller: l.Price - fee}[e.Address]; e.Delta != want {
				t.Fatalf("%v gets %d, want %d", e.Address, e.Delta, want)
			}
		}
		sale := l.sell(buyer, fee, chain.Hash{9}, noon)
		if l.Status != Sold || *l.Buyer != buyer || *l.SaleTx != sale.Tx || !l.ClosedAt.Equal(sale.At) ||
			sale != (Sale{5, 7, 3, l.Price, fee, seller, buyer, noon, chain.Hash{9}}) {
			t.Fatalf("listing %+v, sale %+v", l, sale)
		}
	})
}

// paying returns rules by which the house pays a price for each of three tiers.
func paying(price int64) *chain.Rules {
	tier := chain.Tier{Value: price}
	return &chain.Rules{BuybackBPS: 10_000, Tiers: []chain.Tier{tier, tier, tier}}
}

// TestDecideOffer checks when the house makes an offer, when the last one stands, and how the last
// one ends.
func TestDecideOffer(t *testing.T) {
	t.Parallel()
	last := func(price int64, age time.Duration) *Offer {
		return &Offer{ID: 4, Tier: 3, Price: price, Seller: seller, Status: Open, OfferedAt: noon.Add(-age),
			ExpiresAt: noon.Add(OfferTime - age)}
	}
	for name, c := range map[string]struct {
		token  ledger.TokenState
		last   *Offer
		price  int64
		stands bool
		lapsed OfferStatus
		want   error
	}{
		"first":                {token: free, price: 90},
		"first, bound":         {token: bound, price: 90},
		"stands":               {token: free, last: last(90, OfferTime-1), price: 90, stands: true},
		"expired":              {token: free, last: last(90, OfferTime), price: 90, lapsed: Expired},
		"of another price":     {token: free, last: last(80, 0), price: 90, lapsed: Void},
		"nothing is paid":      {token: free, price: 0, want: ErrNoOffer},
		"locked":               {token: locked, price: 90, want: ledger.ErrLocked},
		"another's":            {token: others, price: 90, want: chain.ErrNotOwner},
		"another's, no offer":  {token: others, price: 0, want: chain.ErrNotOwner},
		"locked, last stands":  {token: locked, last: last(90, 0), price: 90, want: ledger.ErrLocked},
		"no such token at all": {price: 0, want: chain.ErrNotOwner},
	} {
		o, err := decideOffer(seller, c.token, c.last, paying(c.price), noon)
		wantError(t, name, err, c.want)
		if err != nil {
			continue
		}
		if (o == c.last) != c.stands {
			t.Errorf("%s: offer %+v", name, o)
		}
		want := &Offer{Tier: 3, Price: 90, Bound: c.token.Bound, Seller: seller, Status: Open, OfferedAt: noon,
			ExpiresAt: noon.Add(OfferTime)}
		if !c.stands && !reflect.DeepEqual(o, want) {
			t.Errorf("%s: %+v, want %+v", name, o, want)
		}
		if c.lapsed == "" {
			continue
		}
		ended := map[OfferStatus]time.Time{Void: noon, Expired: c.last.ExpiresAt}[c.lapsed]
		if c.last.lapse(noon); c.last.Status != c.lapsed || !c.last.ClosedAt.Equal(ended) {
			t.Errorf("%s: lapsed to %+v", name, c.last)
		}
	}
}

// TestRespond checks the answers to an offer in each status.
func TestRespond(t *testing.T) {
	t.Parallel()
	for _, status := range []OfferStatus{Open, Accepted, Declined, Expired, Void} {
		for accept, want := range map[bool]OfferStatus{true: Accepted, false: Declined} {
			o := &Offer{Status: status}
			err := o.respond(accept, noon)
			closed, refused := errors.AsType[*ClosedError](err)
			switch {
			case refused != (status != Open) || refused != (err != nil):
				t.Errorf("%s: error %v", status, err)
			case refused && (closed.Status != status || *o != Offer{Status: status}):
				t.Errorf("%s: %v, offer %+v", status, err, o)
			case !refused && (o.Status != want || !o.ClosedAt.Equal(noon)):
				t.Errorf("%s, accept %v: %+v", status, accept, o)
			}
		}
	}
}
