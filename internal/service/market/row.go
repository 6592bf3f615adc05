package market

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/marketq"
)

// Rows and listings, offers: the only place that knows both.

// listingRow is a listing as every query of listings returns it.
type listingRow q.GetListingRow

func one(row listingRow, err error, id int64) (*Listing, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("market: listing %d: %w", id, err)
	}
	return row.listing(), nil
}

func (r *listingRow) listing() *Listing {
	l := &Listing{
		ID: r.ListingID, TokenID: r.TokenID, Tier: r.Tier, Price: r.Price, Status: Status(r.Status),
		ListedAt: column.Time(r.ListedAt), ClosedAt: column.OptionalTime(r.ClosedAt), SaleTx: column.OptionalHash(r.SaleTx),
	}
	copy(l.Seller[:], r.Seller)
	if r.Username != nil {
		l.SellerName = *r.Username
	}
	if r.Buyer != nil {
		l.Buyer = new(chain.Address)
		copy(l.Buyer[:], r.Buyer)
	}
	return l
}

// many turns the rows of any query of listings into listings.
func many[R any](rows []R, err error, row func(R) listingRow) ([]*Listing, error) {
	if err != nil {
		return nil, fmt.Errorf("market: listings: %w", err)
	}
	list := make([]*Listing, len(rows))
	for i, r := range rows {
		one := row(r)
		list[i] = one.listing()
	}
	return list, nil
}

// closeListing stores that an active listing is not active any more.
func closeListing(ctx context.Context, tx *store.Tx, l *Listing) error {
	closed := l.ClosedAt.UnixMilli()
	p := q.CloseListingParams{ListingID: l.ID, Status: string(l.Status), ClosedAt: &closed}
	if l.Buyer != nil {
		p.Buyer = l.Buyer[:]
	}
	if l.SaleTx != nil {
		p.SaleTx = l.SaleTx[:]
	}
	n, err := q.New(tx.Deferred()).CloseListing(ctx, p)
	if err != nil {
		return fmt.Errorf("market: close listing %d: %w", l.ID, err)
	}
	if n != 1 { // somebody was faster
		return ErrNotForSale
	}
	return nil
}

func offerOf(r q.BuybackOffer) *Offer {
	o := &Offer{
		ID: r.OfferID, TokenID: r.TokenID, Tier: r.Tier, Price: r.Price, Status: OfferStatus(r.Status),
		OfferedAt: column.Time(r.OfferedAt), ExpiresAt: column.Time(r.ExpiresAt), ClosedAt: column.OptionalTime(r.ClosedAt),
		Tx: column.OptionalHash(r.Tx),
	}
	copy(o.Seller[:], r.Seller)
	return o
}

// closeOffer stores that an open offer is not open any more, and says whether it was.
func closeOffer(ctx context.Context, queries *q.Queries, o *Offer) (bool, error) {
	closed := o.ClosedAt.UnixMilli()
	p := q.CloseOfferParams{OfferID: o.ID, Status: string(o.Status), ClosedAt: &closed}
	if o.Tx != nil {
		p.Tx = o.Tx[:]
	}
	n, err := queries.CloseOffer(ctx, p)
	if err != nil {
		return false, fmt.Errorf("market: close offer %d: %w", o.ID, err)
	}
	return n == 1, nil
}
