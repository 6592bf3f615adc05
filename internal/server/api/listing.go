package api

import (
	"roshambo/chain"
	"roshambo/internal/service/market"
)

// listingIn names a listing.
type listingIn struct {
	ListingID int64 `path:"listing_id" min:"0" max:"2147483647"`
}

// Listing is a token offered at a price.
type Listing struct {
	ID         int64   `json:"id"`
	TokenID    int64   `json:"token_id"`
	Tier       int64   `json:"tier"`
	Material   string  `json:"material"`
	Price      int64   `json:"price" doc:"In coins."`
	Seller     string  `json:"seller" doc:"Address."`
	SellerName *string `json:"seller_name" doc:"Username; null where none is known."`
	Buyer      *string `json:"buyer" doc:"Address, once sold."`
	Status     string  `json:"status" enum:"active,sold,cancelled"`
	ListedAt   Time    `json:"listed_at"`
	ClosedAt   *Time   `json:"closed_at" doc:"When it was sold or cancelled."`
	TxHash     *string `json:"tx_hash" doc:"Of the sale."`
}

// wireListing returns the wire form of a listing.
func (a *API) wireListing(l *market.Listing) Listing {
	return Listing{
		ID: l.ID, TokenID: l.TokenID, Tier: l.Tier, Material: a.material(l.Tier), Price: l.Price,
		Seller: l.Seller.String(), Status: string(l.Status), ListedAt: Time{l.ListedAt}, ClosedAt: optionalTime(l.ClosedAt),
		TxHash: optionalHash(l.SaleTx), SellerName: given(l.SellerName), Buyer: optional(l.Buyer, chain.Address.String),
	}
}

// ListingOut is a listing.
type ListingOut struct {
	Listing Listing `json:"listing"`
}
