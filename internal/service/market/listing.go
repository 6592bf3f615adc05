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
	l := &Listing{TokenID: token, Price: price, Seller: seller, Status: Active, ListedAt: tx.Now()}
	state, offer, err := s.loadList(ctx, tx, l)
	if err != nil {
		return nil, err
	}
	if err := l.mayList(state); err != nil {
		return nil, err
	}
	if err := s.Ledger.Lock(ctx, tx, seller, token); err != nil {
		return nil, err
	}
	if err := s.voidOffer(ctx, tx, offer, l.ListedAt); err != nil {
		return nil, err
	}
	if err := s.listingChanged(ctx, tx, l); err != nil {
		return nil, err
	}
	return l, countListing(ctx, tx, l.Tier, 1)
}

// loadList loads the token of a new listing and the offer for it, nil for none. In the same round
// trip it inserts the listing and sets its id, tier and the name of its seller: a statement that
// finds no row for a token that cannot be listed. A refusal rolls it back.
func (s *Service) loadList(ctx context.Context, tx *store.Tx, l *Listing) (ledger.TokenState, *Offer, error) {
	ledger.PrefetchToken(tx, l.TokenID)
	tx.Prefetch(q.OpenOfferOf, l.TokenID)
	row, err := q.New(tx).InsertListing(ctx, q.InsertListingParams{
		TokenID: l.TokenID, Price: l.Price, Seller: l.Seller[:], ListedAt: l.ListedAt.UnixMilli()})
	switch {
	case store.IsUnique(err): // listed by a concurrent transaction
		return ledger.TokenState{}, nil, ledger.ErrConflict
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return ledger.TokenState{}, nil, fmt.Errorf("market: list token %d: %w", l.TokenID, err)
	}
	state, err := s.Ledger.LoadToken(ctx, tx, l.TokenID)
	if err != nil {
		return state, nil, err
	}
	l.ID, l.SellerName, l.Tier = row.ListingID, row.Username, state.Tier
	offer, err := s.openOffer(ctx, tx, l.TokenID)
	return state, offer, err
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
	if err := l.mayBuy(buyer); err != nil {
		return nil, err
	}
	if err := s.unlock(ctx, tx, l); err != nil { // before Post reads the token
		return nil, err
	}
	fee := s.Ledger.Rules().MarketFee(l.Price)
	draft := l.sale(buyer, fee)
	own, sums, err := s.loadBuy(ctx, tx, l, draft)
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
	sale := l.sell(buyer, fee, posted.Hash, tx.Now())
	if err := s.closeSold(ctx, tx, l, &sale); err != nil {
		return nil, err
	}
	return &Bought{Listing: l, Sale: sale, Posted: posted}, recordSale(ctx, tx, &sale, sums)
}

// loadBuy loads whether buyer and seller act for the same player, and counts the sale, together with
// the reads of the draft. Counting locks the row of the tier until the commit: sales of one tier
// follow one another.
func (s *Service) loadBuy(
	ctx context.Context, tx *store.Tx, l *Listing, draft ledger.Draft,
) (own bool, sums q.CountSaleRow, err error) {
	s.Parties.PrefetchParty(tx, draft.Actor)
	s.Parties.PrefetchParty(tx, l.Seller)
	s.Ledger.Prefetch(tx, draft)
	sums, err = q.New(tx).CountSale(ctx, q.CountSaleParams{Tier: l.Tier, Price: l.Price})
	if err != nil {
		return false, sums, fmt.Errorf("market: count the sale of listing %d: %w", l.ID, err)
	}
	own, err = s.sameParty(ctx, tx, draft.Actor, l.Seller)
	return own, sums, err
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

// Cancel cancels an active listing of the caller. Errors: ErrNotFound, ErrForbidden,
// ErrNotForSale.
func (s *Service) Cancel(ctx context.Context, tx *store.Tx, caller chain.Address, id int64) (*Listing, error) {
	l, err := s.Listing(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	if err := l.cancel(caller, tx.Now()); err != nil {
		return nil, err
	}
	if err := s.unlock(ctx, tx, l); err != nil {
		return nil, err
	}
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
