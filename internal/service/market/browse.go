package market

import (
	"context"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/marketq"
)

// Sort is an order of listings. Those of the same price, or of the same tier and price,
// come as they were listed.
type Sort string

// The orders.
const (
	ByPrice     Sort = "price"
	ByPriceDown Sort = "price_desc"
	ByTier      Sort = "tier"      // and within a tier by price
	ByTierDown  Sort = "tier_desc" // likewise: the cheapest of each first
	Newest      Sort = "newest"
)

// Sorts are all orders.
var Sorts = []Sort{ByPrice, ByPriceDown, ByTier, ByTierDown, Newest}

// Place is where in an order a listing stands: the page after it begins there.
type Place struct{ Tier, Price, ID int64 }

// Browsing says which listings are wanted.
type Browsing struct {
	Tier  int64 // 0 for all
	Sort  Sort
	After *Place // nil from the start
	Count int64
}

// Place returns where l stands.
func (l *Listing) Place() Place { return Place{l.Tier, l.Price, l.ID} }

// Page is what somebody sees of the market. Two that ask for the same get the same Page as
// long as the market is as it was.
type Page struct {
	Stats    []TierStats
	Listings []*Listing
}

// Browse returns listings that are for sale, and the prices of every tier. The caller must
// change nothing of it.
func (s *Service) Browse(ctx context.Context, tx *store.Tx, b Browsing) (*Page, error) {
	queries := q.New(tx)
	now, err := s.state(ctx, queries)
	if err != nil {
		return nil, err
	}
	look := func() (*Page, error) {
		stats, err := s.statsOf(ctx, queries, now)
		if err != nil {
			return nil, err
		}
		list, err := browse(ctx, queries, b)
		return &Page{stats, list}, err
	}
	if b.After != nil { // few are at the same place
		return look()
	}
	return remember(&s.seen, now, b, look)
}

func browse(ctx context.Context, queries *q.Queries, b Browsing) ([]*Listing, error) {
	after := Place{Tier: -1, Price: -1, ID: -1}
	if b.Sort == ByTierDown {
		after.Tier = chain.MaxID // no tier is that high
	}
	if b.Sort == ByPriceDown || b.Sort == Newest {
		after = Place{Price: chain.MaxID + 1, ID: chain.MaxID + 1}
	}
	if b.After != nil {
		after = *b.After
	}
	if b.Tier != 0 {
		return ofTier(ctx, queries, b, after)
	}
	switch b.Sort {
	case ByPrice:
		rows, err := queries.ByPrice(ctx, q.ByPriceParams{Price: after.Price, ListingID: after.ID, Count: b.Count})
		return many(rows, err, func(r q.ByPriceRow) listingRow { return listingRow(r) })
	case ByPriceDown:
		rows, err := queries.ByPriceDown(ctx, q.ByPriceDownParams{Price: after.Price, ListingID: after.ID, Count: b.Count})
		return many(rows, err, func(r q.ByPriceDownRow) listingRow { return listingRow(r) })
	case ByTier:
		rows, err := queries.ByTier(ctx, q.ByTierParams{Tier: after.Tier, Price: after.Price, ListingID: after.ID, Count: b.Count})
		return many(rows, err, func(r q.ByTierRow) listingRow { return listingRow(r) })
	case ByTierDown:
		rows, err := queries.ByTierDown(ctx, q.ByTierDownParams{TierDown: -after.Tier, Price: after.Price, ListingID: after.ID, Count: b.Count})
		return many(rows, err, func(r q.ByTierDownRow) listingRow { return listingRow(r) })
	case Newest:
		rows, err := queries.Newest(ctx, q.NewestParams{ListingID: after.ID, Count: b.Count})
		return many(rows, err, func(r q.NewestRow) listingRow { return listingRow(r) })
	}
	return nil, fmt.Errorf("market: no order %q", b.Sort)
}

// ofTier is Browse of one tier, where an order by tier is one by price.
func ofTier(ctx context.Context, queries *q.Queries, b Browsing, after Place) ([]*Listing, error) {
	switch b.Sort {
	case ByPrice, ByTier, ByTierDown:
		rows, err := queries.OfTierByPrice(ctx, q.OfTierByPriceParams{Tier: b.Tier, Price: after.Price, ListingID: after.ID, Count: b.Count})
		return many(rows, err, func(r q.OfTierByPriceRow) listingRow { return listingRow(r) })
	case ByPriceDown:
		rows, err := queries.OfTierByPriceDown(ctx, q.OfTierByPriceDownParams{Tier: b.Tier, Price: after.Price, ListingID: after.ID, Count: b.Count})
		return many(rows, err, func(r q.OfTierByPriceDownRow) listingRow { return listingRow(r) })
	case Newest:
		rows, err := queries.NewestOfTier(ctx, q.NewestOfTierParams{Tier: b.Tier, ListingID: after.ID, Count: b.Count})
		return many(rows, err, func(r q.NewestOfTierRow) listingRow { return listingRow(r) })
	}
	return nil, fmt.Errorf("market: no order %q", b.Sort)
}

// Own returns up to count listings of a seller with ids below before, of any status, the
// newest first.
func (s *Service) Own(ctx context.Context, tx *store.Tx, seller chain.Address, before, count int64) ([]*Listing, error) {
	rows, err := q.New(tx).OfSeller(ctx, q.OfSellerParams{Seller: seller[:], ListingID: before, Count: count})
	return many(rows, err, func(r q.OfSellerRow) listingRow { return listingRow(r) })
}

// maxSales bounds what SalesOf returns.
const maxSales = 200

// SalesOf returns the listings by which a token was sold, the oldest first, at most 200.
func (s *Service) SalesOf(ctx context.Context, tx *store.Tx, token int64) ([]*Listing, error) {
	rows, err := q.New(tx).SalesOfToken(ctx, q.SalesOfTokenParams{TokenID: token, Count: maxSales})
	return many(rows, err, func(r q.SalesOfTokenRow) listingRow { return listingRow(r) })
}

// ActiveOf returns the active listings of a seller, by token.
func (s *Service) ActiveOf(ctx context.Context, tx *store.Tx, seller chain.Address) (map[int64]OwnListing, error) {
	rows, err := q.New(tx).ActiveOfSeller(ctx, seller[:])
	if err != nil {
		return nil, fmt.Errorf("market: listings of %v: %w", seller, err)
	}
	list := make(map[int64]OwnListing, len(rows))
	for _, r := range rows {
		list[r.TokenID] = OwnListing{r.ListingID, r.Price}
	}
	return list, nil
}

// OwnListing is what an owner must know of the listing of a token.
type OwnListing struct{ ID, Price int64 }
