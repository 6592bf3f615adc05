// Package market trades tokens for coins: players buy one another's listings, and the house
// offers to buy a token back.
//
// A listed token stays in its owner's wallet, locked in the ledger: until it is sold or the
// listing is cancelled, it can be neither burnt, nor listed again, nor sold to the house. A
// sale is one transaction of the chain that moves coins, fee and token; a buyback is one
// too. Of concurrent requests that close the same listing or offer exactly one succeeds:
// each swaps the row's status from active, or from open.
//
// A player and their bots are one party. A party cannot buy its own listing: that would set
// a price without a buyer.
//
// # Prices
//
// The rules fix a value for each tier. The reference price follows the sales: the median of
// the last 20 sales of the tier within 30 days, or the rules' value while there are fewer
// than 5. The house's offers follow the rules only, because players can inflate prices by
// trading with one another.
//
// Reads count nothing. Every tier has a row with its depth, its sums and its last sales, and
// every sale holds a running sum: the volume of a period is the difference of two of them.
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

// Isolation is the isolation level of the use cases. Snapshot is enough: each use case
// decides by one token and its listing or offer, and writes one of these rows, as every
// conflicting use case does; balances are compared and swapped in place, and tiers are
// counted by statements that update their row.
const Isolation = store.Snapshot

// Service implements the use cases of the market. Its fields are set once, before use.
type Service struct {
	Ledger    *ledger.Ledger
	Parties   Parties
	Listeners []Listener // receive sales and buybacks
	Watchers  []Watcher  // receive every change of a listing or offer

	cache pageCache
	past  pastPrices
}

// Parties maps accounts to the player that they act for.
type Parties interface {
	// Party returns the owner of a bot, and any other address itself.
	Party(ctx context.Context, tx *store.Tx, a chain.Address) (chain.Address, error)
	// PrefetchParty prefetches the row that Party reads, see store.Tx.Prefetch.
	PrefetchParty(tx *store.Tx, a chain.Address)
}

// Listener receives sales and buybacks inside their database transaction: its writes are
// stored with them, and its error rolls them back.
type Listener interface {
	Sold(ctx context.Context, tx *store.Tx, s *Sale) error
	BoughtBack(ctx context.Context, tx *store.Tx, b *Buyback) error
}

// Watcher receives new and changed listings and offers inside their database transaction,
// with the same guarantees as a Listener.
type Watcher interface {
	ListingChanged(ctx context.Context, tx *store.Tx, l *Listing) error
	OfferChanged(ctx context.Context, tx *store.Tx, o *Offer) error
}

// Sale is the sale of a listed token.
type Sale struct {
	ListingID, TokenID, Tier int64
	Price, Fee               int64 // coins; the seller receives Price less Fee, the fee is destroyed
	Seller, Buyer            chain.Address
	At                       time.Time
	Tx                       chain.Hash
}

// Buyback is the sale of a token to the house, which destroys the token.
type Buyback struct {
	OfferID, TokenID, Tier int64
	Price                  int64 // coins
	Seller                 chain.Address
	At                     time.Time
	Tx                     chain.Hash
}

// Errors of the use cases. They also return chain.ErrNotOwner, ledger.ErrLocked (the token is
// listed), ledger.ErrConflict and *chain.InsufficientFundsError.
var (
	ErrNotFound   = errors.New("market: no such listing or offer")
	ErrForbidden  = errors.New("market: the listing or offer belongs to another account")
	ErrNotForSale = errors.New("market: the listing was sold or cancelled")
	ErrOwnListing = errors.New("market: the caller's own listing")
	ErrNoOffer    = errors.New("market: the house pays nothing for this tier")
	errPrice      = fmt.Errorf("market: a price is %d to %d coins", minPrice, maxPrice)
)

// The bounds of a price in coins. The chain refuses any other.
const (
	minPrice = 1
	maxPrice = chain.MaxID
)

// ClosedError reports that an offer is no longer open.
type ClosedError struct{ Status OfferStatus }

func (e *ClosedError) Error() string { return "market: the offer is " + string(e.Status) }

// sameParty reports whether two accounts act for the same player.
func (s *Service) sameParty(ctx context.Context, tx *store.Tx, a, b chain.Address) (bool, error) {
	parties := [2]chain.Address{a, b}
	for i, account := range parties {
		party, err := s.Parties.Party(ctx, tx, account)
		if err != nil {
			return false, fmt.Errorf("market: party of %v: %w", account, err)
		}
		parties[i] = party
	}
	return parties[0] == parties[1], nil
}

// listingChanged passes a new or changed listing to the watchers.
func (s *Service) listingChanged(ctx context.Context, tx *store.Tx, l *Listing) error {
	for _, w := range s.Watchers {
		if err := w.ListingChanged(ctx, tx, l); err != nil {
			return err
		}
	}
	return nil
}

// offerChanged passes a new or changed offer to the watchers.
func (s *Service) offerChanged(ctx context.Context, tx *store.Tx, o *Offer) error {
	for _, w := range s.Watchers {
		if err := w.OfferChanged(ctx, tx, o); err != nil {
			return err
		}
	}
	return nil
}

// Listing returns a listing of any status. Errors: ErrNotFound.
func (s *Service) Listing(ctx context.Context, tx *store.Tx, id int64) (*Listing, error) {
	row, err := q.New(tx).GetListing(ctx, id)
	return one(listingRow(row), err, id)
}

// ListingOf returns the active listing of a token; nil for none.
func (s *Service) ListingOf(ctx context.Context, tx *store.Tx, token int64) (*Listing, error) {
	row, err := q.New(tx).ActiveListingOf(ctx, token)
	l, err := one(listingRow(row), err, token)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return l, err
}
