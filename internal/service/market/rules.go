package market

import (
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
)

// This file holds the rules of listings and offers. A rule makes or changes one of them, or returns
// an error and leaves it unchanged. No rule accesses the database: Service loads what a rule needs
// and stores its result.

// mayList returns nil if the seller may list the token, whose state is given. Errors:
// chain.ErrNotOwner, ledger.ErrLocked, chain.ErrTokenBound.
func (l *Listing) mayList(token ledger.TokenState) error {
	if err := token.MayMove(l.Seller); err != nil {
		return err
	}
	switch {
	case token.Bound:
		return chain.ErrTokenBound
	case l.ID < 1:
		return fmt.Errorf("market: token %d was free to list, but has no listing", l.TokenID)
	case l.ID > chain.MaxID:
		return fmt.Errorf("market: list token %d: no listing id is left", l.TokenID)
	}
	return nil
}

// mayBuy returns nil if an account may buy, as far as the listing shows: another account of the
// seller's may not either. Errors: ErrNotForSale, ErrOwnListing.
func (l *Listing) mayBuy(buyer chain.Address) error {
	switch {
	case l.Status != Active:
		return ErrNotForSale
	case buyer == l.Seller:
		return ErrOwnListing
	}
	return nil
}

// sale returns the transaction of a sale. Its transfers are in the order that the chain demands:
// price less fee, the fee, the token. Transfers of zero coins are left out.
func (l *Listing) sale(buyer chain.Address, fee int64) ledger.Draft {
	d := ledger.Draft{Actor: buyer, Data: &chain.MarketSale{ListingID: l.ID}}
	if l.Price > fee {
		d.Transfers = append(d.Transfers, chain.Transfer{Amount: l.Price - fee, From: buyer, To: l.Seller})
	}
	if fee > 0 {
		d.Transfers = append(d.Transfers, chain.Transfer{Amount: fee, From: buyer})
	}
	d.Transfers = append(d.Transfers, chain.Transfer{Token: true, TokenID: l.TokenID, From: l.Seller, To: buyer})
	return d
}

// sell closes the listing as sold by the transaction tx, and returns the sale.
func (l *Listing) sell(buyer chain.Address, fee int64, tx chain.Hash, now time.Time) Sale {
	l.Status, l.Buyer, l.ClosedAt, l.SaleTx = Sold, &buyer, &now, &tx
	return Sale{
		ListingID: l.ID, TokenID: l.TokenID, Tier: l.Tier, Price: l.Price, Fee: fee,
		Seller: l.Seller, Buyer: buyer, At: now, Tx: tx,
	}
}

// cancel closes the listing without a sale. Errors: ErrForbidden, ErrNotForSale.
func (l *Listing) cancel(caller chain.Address, now time.Time) error {
	switch {
	case l.Seller != caller:
		return ErrForbidden
	case l.Status != Active:
		return ErrNotForSale
	}
	l.Status, l.ClosedAt = Cancelled, &now
	return nil
}

// decideOffer returns the offer for a token of the caller at the price that the rules r pay: last, if
// that still stands, and otherwise a new one, without an id. last is nil for none. Errors:
// chain.ErrNotOwner, ledger.ErrLocked, ErrNoOffer.
func decideOffer(
	caller chain.Address, token ledger.TokenState, last *Offer, r *chain.Rules, now time.Time,
) (*Offer, error) {
	if err := token.MayMove(caller); err != nil { // also if there is no such token, which has no price
		return nil, err
	}
	price := r.BuybackPrice(token.Tier)
	if price < 1 {
		return nil, ErrNoOffer
	}
	if last != nil && last.statusAt(now, price) == Open {
		return last, nil
	}
	return &Offer{
		Tier: token.Tier, Price: price, Bound: token.Bound, Seller: caller, Status: Open,
		OfferedAt: now, ExpiresAt: now.Add(OfferTime),
	}, nil
}

// statusAt returns the status of an offer at a time; price is what the rules pay now.
func (o *Offer) statusAt(now time.Time, price int64) OfferStatus {
	switch {
	case o.Status != Open:
		return o.Status
	case !now.Before(o.ExpiresAt):
		return Expired
	case o.Price != price:
		return Void // the rules have changed: the chain would refuse the old price
	}
	return Open
}

// lapse ends an open offer without an answer: as expired when its time is over, otherwise as
// void.
func (o *Offer) lapse(now time.Time) {
	o.Status, o.ClosedAt = Void, &now
	if !now.Before(o.ExpiresAt) {
		o.Status, o.ClosedAt = Expired, &o.ExpiresAt
	}
}

// respond accepts or declines an offer with its current status. Errors: *ClosedError.
func (o *Offer) respond(accept bool, now time.Time) error {
	if o.Status != Open {
		return &ClosedError{o.Status}
	}
	o.Status, o.ClosedAt = Declined, &now
	if accept {
		o.Status = Accepted
	}
	return nil
}

// buyback returns the transaction that destroys the token of an offer and pays for it.
func (o *Offer) buyback() ledger.Draft {
	return ledger.Draft{
		Actor: o.Seller, Data: &chain.Buyback{Bound: o.Bound, OfferID: o.ID},
		Transfers: []chain.Transfer{
			{Token: true, TokenID: o.TokenID, From: o.Seller}, {Amount: o.Price, To: o.Seller},
		},
	}
}
