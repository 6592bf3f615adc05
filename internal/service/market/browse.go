package market

import (
	"context"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/marketq"
)

// Sort is an order of listings. Ties are ordered by id, the oldest listing first.
type Sort string

// The orders.
const (
	ByPrice     Sort = "price"
	ByPriceDown Sort = "price_desc"
	ByTier      Sort = "tier"      // and within a tier by price
	ByTierDown  Sort = "tier_desc" // likewise: the cheapest of each first
	Newest      Sort = "newest"
)

// Sorts lists all orders.
var Sorts = []Sort{ByPrice, ByPriceDown, ByTier, ByTierDown, Newest}

// Cursor is the position of a listing in any order. A page starts behind a cursor.
type Cursor struct{ Tier, Price, ID int64 }

// BrowseOptions selects active listings.
type BrowseOptions struct {
	Tier  int64 // 0 for all
	Sort  Sort
	After *Cursor // nil for the first page
	Count int64
}

// Cursor returns the cursor of a listing.
func (l *Listing) Cursor() Cursor { return Cursor{Tier: l.Tier, Price: l.Price, ID: l.ID} }

// Page is a page of listings with the statistics of all tiers.
type Page struct {
	Stats    []TierStats
	Listings []*Listing
}

// Browse returns a page of active listings, and the prices of every tier. First pages are
// cached and shared until the market changes: the caller must not modify a Page.
func (s *Service) Browse(ctx context.Context, tx *store.Tx, b BrowseOptions) (*Page, error) {
	queries := q.New(tx)
	now, err := s.state(ctx, tx)
	if err != nil {
		return nil, err
	}
	read := func() (*Page, error) {
		stats, err := s.statsOf(ctx, queries, now)
		if err != nil {
			return nil, err
		}
		list, err := browse(ctx, queries, b)
		return &Page{Stats: stats, Listings: list}, err
	}
	if b.After != nil { // later pages are rarely requested twice
		return read()
	}
	return cached(&s.cache, now, b, read)
}

// browse reads a page. Without a cursor it starts behind one that precedes every listing in
// the order.
func browse(ctx context.Context, queries *q.Queries, b BrowseOptions) ([]*Listing, error) {
	after := Cursor{Tier: -1, Price: -1, ID: -1}
	if b.Sort == ByTierDown {
		after.Tier = chain.MaxID // above every tier
	}
	if b.Sort == ByPriceDown || b.Sort == Newest {
		after = Cursor{Price: chain.MaxID + 1, ID: chain.MaxID + 1}
	}
	if b.After != nil {
		after = *b.After
	}
	if b.Tier != 0 {
		return browseTier(ctx, queries, b, after)
	}
	switch b.Sort {
	case ByPrice:
		rows, err := queries.ByPrice(ctx, q.ByPriceParams{Price: after.Price, ListingID: after.ID, Count: b.Count})
		return many(rows, err, func(r q.ByPriceRow) listingRow { return listingRow(r) })
	case ByPriceDown:
		rows, err := queries.ByPriceDown(ctx, q.ByPriceDownParams{
			Price: after.Price, ListingID: after.ID, Count: b.Count,
		})
		return many(rows, err, func(r q.ByPriceDownRow) listingRow { return listingRow(r) })
	case ByTier:
		rows, err := queries.ByTier(ctx, q.ByTierParams{
			Tier: after.Tier, Price: after.Price, ListingID: after.ID, Count: b.Count})
		return many(rows, err, func(r q.ByTierRow) listingRow { return listingRow(r) })
	case ByTierDown:
		rows, err := queries.ByTierDown(ctx, q.ByTierDownParams{
			TierDown: -after.Tier, Price: after.Price, ListingID: after.ID, Count: b.Count})
		return many(rows, err, func(r q.ByTierDownRow) listingRow { return listingRow(r) })
	case Newest:
		rows, err := queries.Newest(ctx, q.NewestParams{ListingID: after.ID, Count: b.Count})
		return many(rows, err, func(r q.NewestRow) listingRow { return listingRow(r) })
	}
	return nil, fmt.Errorf("market: unknown order %q", b.Sort)
}

// browseTier reads a page of one tier. An order by tier is an order by price there.
func browseTier(ctx context.Context, queries *q.Queries, b BrowseOptions, after Cursor) ([]*Listing, error) {
	switch b.Sort {
	case ByPrice, ByTier, ByTierDown:
		rows, err := queries.OfTierByPrice(ctx, q.OfTierByPriceParams{
			Tier: b.Tier, Price: after.Price, ListingID: after.ID, Count: b.Count})
		return many(rows, err, func(r q.OfTierByPriceRow) listingRow { return listingRow(r) })
	case ByPriceDown:
		rows, err := queries.OfTierByPriceDown(ctx, q.OfTierByPriceDownParams{
			Tier: b.Tier, Price: after.Price, ListingID: after.ID, Count: b.Count})
		return many(rows, err, func(r q.OfTierByPriceDownRow) listingRow { return listingRow(r) })
	case Newest:
		rows, err := queries.NewestOfTier(ctx, q.NewestOfTierParams{Tier: b.Tier, ListingID: after.ID, Count: b.Count})
		return many(rows, err, func(r q.NewestOfTierRow) listingRow { return listingRow(r) })
	}
	return nil, fmt.Errorf("market: unknown order %q", b.Sort)
}

// ListingsBySeller returns up to count listings of a seller with ids below before, of any
// status, the newest first.
func (s *Service) ListingsBySeller(
	ctx context.Context, tx *store.Tx, seller chain.Address, before, count int64,
) ([]*Listing, error) {
	rows, err := q.New(tx).OfSeller(ctx, q.OfSellerParams{Seller: seller[:], ListingID: before, Count: count})
	return many(rows, err, func(r q.OfSellerRow) listingRow { return listingRow(r) })
}

// maxSales bounds the result of SalesOfToken.
const maxSales = 200

// SalesOfToken returns the listings through which a token was sold, the oldest first, at most
// maxSales.
func (s *Service) SalesOfToken(ctx context.Context, tx *store.Tx, token int64) ([]*Listing, error) {
	rows, err := q.New(tx).SalesOfToken(ctx, q.SalesOfTokenParams{TokenID: token, Count: maxSales})
	return many(rows, err, func(r q.SalesOfTokenRow) listingRow { return listingRow(r) })
}

// ActiveBySeller returns the active listings of a seller, by token id.
func (s *Service) ActiveBySeller(
	ctx context.Context, tx *store.Tx, seller chain.Address,
) (map[int64]OwnListing, error) {
	rows, err := q.New(tx).ActiveOfSeller(ctx, seller[:])
	if err != nil {
		return nil, fmt.Errorf("market: listings of %v: %w", seller, err)
	}
	list := make(map[int64]OwnListing, len(rows))
	for _, r := range rows {
		list[r.TokenID] = OwnListing{ID: r.ListingID, Price: r.Price}
	}
	return list, nil
}

// OwnListing is the id and price of an active listing, for its seller.
type OwnListing struct{ ID, Price int64 }
