// Package market is where tokens change hands for coins: listings that anybody may buy,
// and the house's offers to buy a token back.
//
// A token that is listed stays in its owner's wallet, locked in the ledger: until it is
// sold or its listing cancelled it can neither be burnt, nor listed again, nor offered to
// the house. A sale is one transaction of the chain that moves coins, fee and token; a
// buyback is one, too. Of everything that might become of a listing or an offer at the
// same time exactly one does: each swaps the row from active, or from open.
//
// A player and the bots that belong to them are one party: what one of them has listed
// the others cannot buy, as that would make a price without a buyer.
//
// # Prices
//
// The rules' value of a tier never moves; the reference price follows what is paid: the
// median of the last 20 sales of the tier within 30 days, or the rules' value while there
// are fewer than 5. The house's offers follow the rules alone: prices can be pumped.
//
// Nothing is counted when the market is read. Every tier has a row with its depth, its
// sums and its last sales, and every sale a running sum, of which the volume of any time
// is a difference.
package market

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/marketq"
)

// Isolation is that of the use cases of the market. Each decides by one token, with its
// listing or offer, and writes the token's row or that of the listing or offer, which
// whatever else becomes of them writes, too; coins are compared and swapped where they are,
// and a tier is counted by statements that change its row.
const Isolation = store.Snapshot

// Service is the use cases of the market. Its fields are set once, before use.
type Service struct {
	Ledger  *ledger.Ledger
	Parties Parties
	Now     func() time.Time
	// Listeners are told of what was sold, and Watchers of every change.
	Listeners []Listener
	Watchers  []Watcher

	seen seen
	kept pastPrices
}

// Parties knows which accounts act for one and the same person.
type Parties interface {
	// Party returns the owner of a bot, and any other address itself.
	Party(ctx context.Context, tx *store.Tx, a chain.Address) (chain.Address, error)
	// AheadOfParty announces that Party will be asked, see store.Tx.Ahead.
	AheadOfParty(tx *store.Tx, a chain.Address)
}

// Listener is told of sales within their database transaction: what it writes is stored
// with them, and its error takes them back.
type Listener interface {
	Sold(ctx context.Context, tx *store.Tx, s *Sale) error
	BoughtBack(ctx context.Context, tx *store.Tx, b *Buyback) error
}

// Watcher is told of listings and offers as they come and change, likewise within their
// database transaction.
type Watcher interface {
	ListingChanged(ctx context.Context, tx *store.Tx, l *Listing) error
	OfferChanged(ctx context.Context, tx *store.Tx, o *Offer) error
}

// Sale is a token that somebody bought.
type Sale struct {
	ListingID, TokenID, Tier int64
	Price, Fee               int64 // coins; the seller got Price less Fee, which is destroyed
	Seller, Buyer            chain.Address
	At                       time.Time
	Tx                       chain.Hash
}

// Buyback is a token that the house bought, and destroyed.
type Buyback struct {
	OfferID, TokenID, Tier int64
	Price                  int64
	Seller                 chain.Address
	At                     time.Time
	Tx                     chain.Hash
}

// Errors of the use cases. Others are chain.ErrNotOwner, ledger.ErrLocked (the token is
// listed) and *chain.InsufficientFundsError.
var (
	ErrNotFound   = errors.New("market: no such listing or offer")
	ErrForbidden  = errors.New("market: somebody else's")
	ErrNotForSale = errors.New("market: the listing was sold or cancelled")
	ErrOwnListing = errors.New("market: the caller's own listing")
	ErrNoOffer    = errors.New("market: the house pays nothing for this tier")
	errPrice      = errors.New("market: a price is 1 to 2147483647 coins")
)

// ClosedError says that an offer is not open any more.
type ClosedError struct{ Status OfferStatus }

func (e *ClosedError) Error() string { return "market: the offer is " + string(e.Status) }

// now returns the time as it is stored, in whole milliseconds.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// sameParty says whether two addresses act for the same person.
func (s *Service) sameParty(ctx context.Context, tx *store.Tx, a, b chain.Address) (bool, error) {
	if a == b {
		return true, nil
	}
	of := [2]chain.Address{a, b}
	for i := range of {
		var err error
		if of[i], err = s.Parties.Party(ctx, tx, of[i]); err != nil {
			return false, fmt.Errorf("market: whom %v belongs to: %w", of[i], err)
		}
	}
	return of[0] == of[1], nil
}

// changed tells the watchers of a listing that came or changed.
func (s *Service) changed(ctx context.Context, tx *store.Tx, l *Listing) error {
	for _, w := range s.Watchers {
		if err := w.ListingChanged(ctx, tx, l); err != nil {
			return err
		}
	}
	return nil
}

// offerChanged tells the watchers of an offer that came or changed.
func (s *Service) offerChanged(ctx context.Context, tx *store.Tx, o *Offer) error {
	for _, w := range s.Watchers {
		if err := w.OfferChanged(ctx, tx, o); err != nil {
			return err
		}
	}
	return nil
}

// Listing returns a listing, whatever became of it.
func (s *Service) Listing(ctx context.Context, tx *store.Tx, id int64) (*Listing, error) {
	row, err := q.New(tx).GetListing(ctx, id)
	return one(listingRow(row), err, id)
}

// ListingOf returns the active listing of a token, or nil.
func (s *Service) ListingOf(ctx context.Context, tx *store.Tx, token int64) (*Listing, error) {
	row, err := q.New(tx).ActiveListingOf(ctx, token)
	l, err := one(listingRow(row), err, token)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return l, err
}
