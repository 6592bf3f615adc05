package market

import (
	"context"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/marketq"
)

// Conversion between rows and listings or offers.

// writes returns the statements of this package, for outcomes that the use case assumes
// (store.Deferred).
func writes(tx *store.Tx) *q.Queries { return q.New(tx.Deferred()) }

// listingRow is the row type of every query of listings: sqlc names one type per query, all
// with these members.
type listingRow q.GetListingRow

// one returns the listing of a row. Errors: ErrNotFound for sql.ErrNoRows.
func one(row listingRow, err error, id int64) (*Listing, error) {
	if err != nil {
		return nil, store.Absent(err, ErrNotFound, "market: listing %d", id)
	}
	return row.listing(), nil
}

func (r *listingRow) listing() *Listing {
	l := &Listing{
		ID: r.ListingID, TokenID: r.TokenID, Tier: r.Tier, Price: r.Price, Status: Status(r.Status),
		ListedAt: column.Time(r.ListedAt), ClosedAt: column.OptionalTime(r.ClosedAt),
		SaleTx: column.OptionalHash(r.SaleTx),
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

// many returns the listings of rows; convert converts the row type of the query.
func many[R any](rows []R, err error, convert func(R) listingRow) ([]*Listing, error) {
	if err != nil {
		return nil, fmt.Errorf("market: listings: %w", err)
	}
	list := make([]*Listing, len(rows))
	for i, r := range rows {
		row := convert(r)
		list[i] = row.listing()
	}
	return list, nil
}

// closeListing stores the final status of an active listing. Errors: ErrNotForSale when a
// concurrent transaction closed it first.
func closeListing(ctx context.Context, tx *store.Tx, l *Listing) error {
	closed := l.ClosedAt.UnixMilli()
	p := q.CloseListingParams{ListingID: l.ID, Status: string(l.Status), ClosedAt: &closed}
	if l.Buyer != nil {
		p.Buyer = l.Buyer[:]
	}
	if l.SaleTx != nil {
		p.SaleTx = l.SaleTx[:]
	}
	n, err := writes(tx).CloseListing(ctx, p)
	if err != nil {
		return fmt.Errorf("market: close listing %d: %w", l.ID, err)
	}
	if n != 1 {
		return ErrNotForSale
	}
	return nil
}

// offerOf returns the offer of a row.
func offerOf(r q.BuybackOffer) *Offer {
	o := &Offer{
		ID: r.OfferID, TokenID: r.TokenID, Tier: r.Tier, Price: r.Price, Bound: r.Bound != 0, Status: OfferStatus(r.Status),
		OfferedAt: column.Time(r.OfferedAt), ExpiresAt: column.Time(r.ExpiresAt),
		ClosedAt: column.OptionalTime(r.ClosedAt), Tx: column.OptionalHash(r.Tx),
	}
	copy(o.Seller[:], r.Seller)
	return o
}

// insertOffer stores a new offer and sets its id. Errors: ledger.ErrConflict when a concurrent
// transaction has made one for the token.
func insertOffer(ctx context.Context, tx *store.Tx, o *Offer) (err error) {
	o.ID, err = q.New(tx).InsertOffer(ctx, q.InsertOfferParams{
		TokenID: o.TokenID, Tier: o.Tier, Price: o.Price, Seller: o.Seller[:],
		OfferedAt: o.OfferedAt.UnixMilli(), ExpiresAt: o.ExpiresAt.UnixMilli(), Bound: column.Bool(o.Bound),
	})
	switch {
	case store.IsUnique(err):
		return ledger.ErrConflict
	case err != nil:
		return fmt.Errorf("market: offer for token %d: %w", o.TokenID, err)
	case o.ID > chain.MaxID:
		return fmt.Errorf("market: offer for token %d: no offer id is left", o.TokenID)
	}
	return nil
}

// closeOffer stores the final status of an open offer, and reports whether its row was open.
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
