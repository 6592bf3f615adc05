package market

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/marketq"
)

// Status is what has become of a listing.
type Status string

// The statuses.
const (
	Active    Status = "active"
	Sold      Status = "sold"
	Cancelled Status = "cancelled"
)

// Listing is a token at a price.
type Listing struct {
	ID, TokenID, Tier, Price int64
	Seller                   chain.Address
	SellerName               string         // "" where none is known
	Buyer                    *chain.Address // once sold
	Status                   Status
	ListedAt                 time.Time
	ClosedAt                 *time.Time  // when it was sold or cancelled
	SaleTx                   *chain.Hash // once sold
}

// List puts a token up for sale. An offer of the house for it is void from then on.
// Errors: chain.ErrNotOwner, ledger.ErrLocked.
func (s *Service) List(ctx context.Context, tx *store.Tx, seller chain.Address, token, price int64) (*Listing, error) {
	if price < 1 || price > chain.MaxID {
		return nil, errPrice
	}
	now := s.now()
	s.Ledger.PrefetchToken(tx, token)
	tx.Ahead(q.OpenOfferOf, token)
	row, errInsert := q.New(tx).InsertListing(ctx, q.InsertListingParams{TokenID: token, Price: price, Seller: seller[:], ListedAt: now.UnixMilli()})
	if store.IsUnique(errInsert) { // listed by somebody who was not to be seen yet
		return nil, ledger.ErrConflict
	}
	if errInsert != nil && !errors.Is(errInsert, sql.ErrNoRows) {
		return nil, fmt.Errorf("market: list token %d: %w", token, errInsert)
	}
	state, err := s.Ledger.Lock(ctx, tx, seller, token)
	if err != nil {
		return nil, err
	}
	if errInsert != nil {
		return nil, fmt.Errorf("market: list token %d, which can be locked: %w", token, errInsert)
	}
	if err := s.voidOffer(ctx, tx, token, now); err != nil {
		return nil, err
	}
	if row.ListingID > chain.MaxID {
		return nil, fmt.Errorf("market: list token %d: no listing id is left", token)
	}
	l := &Listing{
		ID: row.ListingID, TokenID: token, Tier: state.Tier, Price: price, Seller: seller, SellerName: row.Username,
		Status: Active, ListedAt: now,
	}
	if err := s.changed(ctx, tx, l); err != nil {
		return nil, err
	}
	return l, count(ctx, tx, state.Tier, 1)
}

// Bought is a listing that the caller has bought.
type Bought struct {
	Listing *Listing
	Sale    Sale
	Posted  ledger.Posted
}

// Buy buys a listing. Errors: ErrNotFound, ErrNotForSale, ErrOwnListing,
// *chain.InsufficientFundsError.
func (s *Service) Buy(ctx context.Context, tx *store.Tx, buyer chain.Address, id int64) (*Bought, error) {
	l, err := s.Listing(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	if l.Status != Active {
		return nil, ErrNotForSale
	}
	if buyer == l.Seller {
		return nil, ErrOwnListing
	}
	if err := s.unlock(ctx, tx, l); err != nil {
		return nil, err
	}
	fee := s.Ledger.Rules().MarketFee(l.Price)
	draft := ledger.Draft{Actor: buyer, Data: &chain.MarketSale{ListingID: l.ID}, Transfers: saleTransfers(l, buyer, fee)}
	for _, a := range [...]chain.Address{buyer, l.Seller} {
		s.Parties.AheadOfParty(tx, a)
	}
	s.Ledger.Prefetch(tx, draft)
	sums, err := q.New(tx).CountSale(ctx, q.CountSaleParams{Tier: l.Tier, Price: l.Price})
	if err != nil {
		return nil, fmt.Errorf("market: count the sale of listing %d: %w", l.ID, err)
	}
	own, err := s.sameParty(ctx, tx, buyer, l.Seller)
	if err == nil && own {
		err = ErrOwnListing
	}
	if err != nil {
		return nil, err
	}
	posted, err := s.Ledger.Post(ctx, tx, draft)
	if err != nil {
		return nil, err
	}
	now := s.now()
	l.Status, l.Buyer, l.ClosedAt, l.SaleTx = Sold, &buyer, &now, &posted.Hash
	sale := Sale{
		ListingID: l.ID, TokenID: l.TokenID, Tier: l.Tier, Price: l.Price, Fee: fee,
		Seller: l.Seller, Buyer: buyer, At: now, Tx: posted.Hash,
	}
	if err := s.sold(ctx, tx, l, &sale); err != nil {
		return nil, err
	}
	return &Bought{l, sale, posted}, record(ctx, tx, &sale, sums)
}

// sold stores that a listing was sold, and tells whom the sale concerns.
func (s *Service) sold(ctx context.Context, tx *store.Tx, l *Listing, sale *Sale) error {
	if err := closeListing(ctx, tx, l); err != nil {
		return err
	}
	for _, listener := range s.Listeners {
		if err := listener.Sold(ctx, tx, sale); err != nil {
			return err
		}
	}
	return s.changed(ctx, tx, l)
}

// saleTransfers are the transfers of a sale, as the chain wants them: those of no coins
// are left out.
func saleTransfers(l *Listing, buyer chain.Address, fee int64) (list []chain.Transfer) {
	if l.Price > fee {
		list = append(list, chain.Transfer{Amount: l.Price - fee, From: buyer, To: l.Seller})
	}
	if fee > 0 {
		list = append(list, chain.Transfer{Amount: fee, From: buyer})
	}
	return append(list, chain.Transfer{Token: true, TokenID: l.TokenID, From: l.Seller, To: buyer})
}

// Cancel takes a listing back. Errors: ErrNotFound, ErrForbidden, ErrNotForSale.
func (s *Service) Cancel(ctx context.Context, tx *store.Tx, caller chain.Address, id int64) (*Listing, error) {
	l, err := s.Listing(ctx, tx, id)
	switch {
	case err != nil:
		return nil, err
	case l.Seller != caller:
		return nil, ErrForbidden
	case l.Status != Active:
		return nil, ErrNotForSale
	}
	if err := s.unlock(ctx, tx, l); err != nil {
		return nil, err
	}
	now := s.now()
	l.Status, l.ClosedAt = Cancelled, &now
	if err := closeListing(ctx, tx, l); err != nil {
		return nil, err
	}
	if err := s.changed(ctx, tx, l); err != nil {
		return nil, err
	}
	return l, count(ctx, tx, l.Tier, -1)
}

// unlock frees the token of an active listing. Whoever comes second, when two would end
// a listing at the same time, finds the token free already.
func (s *Service) unlock(ctx context.Context, tx *store.Tx, l *Listing) error {
	err := s.Ledger.Unlock(ctx, tx, l.TokenID)
	if errors.Is(err, ledger.ErrConflict) {
		return ErrNotForSale
	}
	return err
}
