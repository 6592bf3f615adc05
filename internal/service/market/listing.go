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

// Status is the state of a listing: active, then sold or cancelled for good.
type Status string

// The statuses.
const (
	Active    Status = "active"
	Sold      Status = "sold"
	Cancelled Status = "cancelled"
)

// Listing is a token for sale at a price.
type Listing struct {
	ID, TokenID, Tier, Price int64
	Seller                   chain.Address
	SellerName               string         // "" for an account without a name
	Buyer                    *chain.Address // nil unless sold
	Status                   Status
	ListedAt                 time.Time
	ClosedAt                 *time.Time  // when it was sold or cancelled
	SaleTx                   *chain.Hash // nil unless sold
}

// List puts a token up for sale, and voids an open offer of the house for it. Errors:
// chain.ErrNotOwner, chain.ErrTokenBound, ledger.ErrLocked, ledger.ErrConflict.
func (s *Service) List(ctx context.Context, tx *store.Tx, seller chain.Address, token, price int64) (*Listing, error) {
	if price < minPrice || price > maxPrice {
		return nil, errPrice
	}
	now := s.now()
	s.Ledger.PrefetchToken(tx, token)
	tx.Prefetch(q.OpenOfferOf, token)
	row, errInsert := q.New(tx).InsertListing(ctx, q.InsertListingParams{
		TokenID: token, Price: price, Seller: seller[:], ListedAt: now.UnixMilli()})
	if store.IsUnique(errInsert) { // listed by a concurrent transaction
		return nil, ledger.ErrConflict
	}
	// The insert finds no row when the token is not the seller's, or is locked or bound; Lock then
	// returns the reason, or the bound token.
	if errInsert != nil && !errors.Is(errInsert, sql.ErrNoRows) {
		return nil, fmt.Errorf("market: list token %d: %w", token, errInsert)
	}
	state, err := s.Ledger.Lock(ctx, tx, seller, token)
	if err != nil {
		return nil, err
	}
	if state.Bound {
		return nil, chain.ErrTokenBound // the caller rolls the lock back
	}
	if errInsert != nil {
		return nil, fmt.Errorf("market: list token %d, which was free to lock: %w", token, errInsert)
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
	if err := s.listingChanged(ctx, tx, l); err != nil {
		return nil, err
	}
	return l, countListing(ctx, tx, state.Tier, 1)
}

// Bought is the result of Buy.
type Bought struct {
	Listing *Listing
	Sale    Sale
	Posted  ledger.Posted // the transaction on the chain
}

// Buy sells an active listing to the caller. Errors: ErrNotFound, ErrNotForSale,
// ErrOwnListing, *chain.InsufficientFundsError.
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
	draft := ledger.Draft{
		Actor: buyer, Data: &chain.MarketSale{ListingID: l.ID}, Transfers: saleTransfers(l, buyer, fee),
	}
	for _, a := range [...]chain.Address{buyer, l.Seller} {
		s.Parties.PrefetchParty(tx, a)
	}
	s.Ledger.Prefetch(tx, draft)
	// Counting locks the row of the tier until the commit: sales of one tier follow one another.
	sums, err := q.New(tx).CountSale(ctx, q.CountSaleParams{Tier: l.Tier, Price: l.Price})
	if err != nil {
		return nil, fmt.Errorf("market: count the sale of listing %d: %w", l.ID, err)
	}
	own, err := s.sameParty(ctx, tx, buyer, l.Seller)
	if err != nil {
		return nil, err
	}
	if own {
		return nil, ErrOwnListing
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
	if err := s.closeSold(ctx, tx, l, &sale); err != nil {
		return nil, err
	}
	return &Bought{Listing: l, Sale: sale, Posted: posted}, recordSale(ctx, tx, &sale, sums)
}

// closeSold closes a sold listing, and passes the sale to the listeners and watchers.
func (s *Service) closeSold(ctx context.Context, tx *store.Tx, l *Listing, sale *Sale) error {
	if err := closeListing(ctx, tx, l); err != nil {
		return err
	}
	for _, listener := range s.Listeners {
		if err := listener.Sold(ctx, tx, sale); err != nil {
			return err
		}
	}
	return s.listingChanged(ctx, tx, l)
}

// saleTransfers returns the transfers of a sale in the order that the chain demands: price
// less fee, the fee, the token. Transfers of zero coins are left out.
func saleTransfers(l *Listing, buyer chain.Address, fee int64) (list []chain.Transfer) {
	if l.Price > fee {
		list = append(list, chain.Transfer{Amount: l.Price - fee, From: buyer, To: l.Seller})
	}
	if fee > 0 {
		list = append(list, chain.Transfer{Amount: fee, From: buyer})
	}
	return append(list, chain.Transfer{Token: true, TokenID: l.TokenID, From: l.Seller, To: buyer})
}

// Cancel cancels an active listing of the caller. Errors: ErrNotFound, ErrForbidden,
// ErrNotForSale.
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
	if err := s.listingChanged(ctx, tx, l); err != nil {
		return nil, err
	}
	return l, countListing(ctx, tx, l.Tier, -1)
}

// unlock unlocks the token of an active listing. Errors: ErrNotForSale when a concurrent
// transaction closed the listing and unlocked the token first.
func (s *Service) unlock(ctx context.Context, tx *store.Tx, l *Listing) error {
	err := s.Ledger.Unlock(ctx, tx, l.TokenID)
	if errors.Is(err, ledger.ErrConflict) {
		return ErrNotForSale
	}
	return err
}
