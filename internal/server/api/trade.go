package api

import (
	"context"

	"roshambo/internal/ledger"
	"roshambo/internal/service/market"
	"roshambo/internal/store"
)

// Operations that trade tokens; market.go has those that read the market.

// ListTokenIn is the body of POST /api/market/list.
type ListTokenIn struct {
	TokenID int64 `json:"token_id" required:"true" min:"0" max:"2147483647"`
	Price   int64 `json:"price" required:"true" min:"1" max:"2147483647" doc:"In coins; the fee is taken from it."`
}

// listToken puts a token of the caller up for sale and locks it.
func (a *call) listToken(ctx context.Context, in *body[ListTokenIn]) (*ListingOut, error) {
	address := a.caller.address
	return writeAt(ctx, a, market.Isolation, func(ctx context.Context, tx *store.Tx) (*ListingOut, error) {
		l, err := a.Market.List(ctx, tx, address, in.Body.TokenID, in.Body.Price)
		if err != nil {
			return nil, err
		}
		return &ListingOut{a.wireListing(l)}, nil
	})
}

// BoughtOut is the answer to buying.
type BoughtOut struct {
	Listing Listing `json:"listing"`
	Token   Token   `json:"token"`
	Fee     int64   `json:"fee" doc:"The part of the price that was destroyed; the seller got the rest."`
	Balance int64   `json:"balance" doc:"The buyer's balance afterwards."`
	TxHash  string  `json:"tx_hash"`
}

// buyListing transfers coins and token in one transaction. Errors: market.ErrNotForSale when
// another buyer was first.
func (a *call) buyListing(ctx context.Context, in *listingIn) (*BoughtOut, error) {
	address := a.caller.address
	return writeAt(ctx, a, market.Isolation, func(ctx context.Context, tx *store.Tx) (*BoughtOut, error) {
		b, err := a.Market.Buy(ctx, tx, address, in.ListingID)
		if err != nil {
			return nil, err
		}
		token := wireToken(a.Ledger.Rules(), b.Listing.TokenID, b.Listing.Tier, false)
		return &BoughtOut{Listing: a.wireListing(b.Listing), Token: token, Fee: b.Sale.Fee, Balance: b.Posted.Balance,
			TxHash: b.Posted.Hash.String()}, nil
	})
}

// cancelListing cancels an active listing of the caller and unlocks the token.
func (a *call) cancelListing(ctx context.Context, in *listingIn) (*ListingOut, error) {
	address := a.caller.address
	return writeAt(ctx, a, market.Isolation, func(ctx context.Context, tx *store.Tx) (*ListingOut, error) {
		l, err := a.Market.Cancel(ctx, tx, address, in.ListingID)
		if err != nil {
			return nil, err
		}
		return &ListingOut{a.wireListing(l)}, nil
	})
}

// Offer is an offer of the house to buy a token back.
type Offer struct {
	ID        int64   `json:"id"`
	TokenID   int64   `json:"token_id"`
	Tier      int64   `json:"tier"`
	Material  string  `json:"material"`
	Price     int64   `json:"price" doc:"In coins."`
	Bound     bool    `json:"bound" doc:"The token is bound, and so are the coins that it brings."`
	Status    string  `json:"status" enum:"open,accepted,declined,expired,void" doc:"Void once the token was listed or burnt."`
	OfferedAt Time    `json:"offered_at"`
	ExpiresAt Time    `json:"expires_at"`
	TxHash    *string `json:"tx_hash" doc:"Once accepted."`
}

// wireOffer returns the wire form of an offer.
func (a *API) wireOffer(o *market.Offer) Offer {
	return Offer{
		ID: o.ID, TokenID: o.TokenID, Tier: o.Tier, Material: a.material(o.Tier), Price: o.Price, Bound: o.Bound,
		Status:    string(o.Status),
		OfferedAt: Time{o.OfferedAt}, ExpiresAt: Time{o.ExpiresAt}, TxHash: optionalHash(o.Tx),
	}
}

// BuybackOfferIn is the body of POST /api/buyback/offer.
type BuybackOfferIn struct {
	TokenID int64 `json:"token_id" required:"true" min:"0" max:"2147483647"`
}

// OfferOut is an offer.
type OfferOut struct {
	Offer Offer `json:"offer"`
}

// offerBuyback makes an offer for a token of the caller, or returns the open one.
func (a *call) offerBuyback(ctx context.Context, in *body[BuybackOfferIn]) (*OfferOut, error) {
	address := a.caller.address
	return writeAt(ctx, a, market.Isolation, func(ctx context.Context, tx *store.Tx) (*OfferOut, error) {
		o, err := a.Market.Offer(ctx, tx, address, in.Body.TokenID)
		if err != nil {
			return nil, err
		}
		return &OfferOut{a.wireOffer(o)}, nil
	})
}

// BuybackResponseIn is the body of POST /api/buyback/{offer_id}/respond.
type BuybackResponseIn struct {
	Accept bool `json:"accept" required:"true"`
}

// respondIn names the offer and holds the response.
type respondIn struct {
	OfferID int64 `path:"offer_id" min:"0" max:"2147483647"`
	Body    BuybackResponseIn
}

// RespondedOut is the answer to a response.
type RespondedOut struct {
	Offer   Offer   `json:"offer"`
	Balance *int64  `json:"balance" doc:"Afterwards, when accepted."`
	TxHash  *string `json:"tx_hash" doc:"When accepted."`
}

// respondBuyback accepts or declines an offer to the caller. Acceptance destroys the token and
// pays.
func (a *call) respondBuyback(ctx context.Context, in *respondIn) (*RespondedOut, error) {
	address := a.caller.address
	return writeAt(ctx, a, market.Isolation, func(ctx context.Context, tx *store.Tx) (*RespondedOut, error) {
		o, posted, err := a.Market.Respond(ctx, tx, address, in.OfferID, in.Body.Accept)
		if err != nil {
			return nil, err
		}
		return &RespondedOut{Offer: a.wireOffer(o), TxHash: optional(posted, postedHash),
			Balance: optional(posted, func(p ledger.Posted) int64 { return p.Balance })}, nil
	})
}

// offerIn names an offer of the house.
type offerIn struct {
	OfferID int64 `path:"offer_id" min:"0" max:"2147483647"`
}

// getBuyback reads an offer to the caller. Errors: market.ErrForbidden for offers to others.
func (a *call) getBuyback(ctx context.Context, in *offerIn) (*OfferOut, error) {
	address := a.caller.address
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*OfferOut, error) {
		o, err := a.Market.GetOffer(ctx, tx, address, in.OfferID)
		if err != nil {
			return nil, err
		}
		return &OfferOut{a.wireOffer(o)}, nil
	})
}

// ListingEvent reports a listing that opened, or closed by a sale or a cancellation.
type ListingEvent struct {
	ListingID int64  `json:"listing_id"`
	TokenID   int64  `json:"token_id"`
	Tier      int64  `json:"tier"`
	Price     int64  `json:"price"`
	Seller    string `json:"seller"`
	Status    string `json:"status" enum:"active,sold,cancelled"`
}

// NewListingEvent returns the event that reports l.
func NewListingEvent(l *market.Listing) ListingEvent {
	return ListingEvent{
		ListingID: l.ID, TokenID: l.TokenID, Tier: l.Tier, Price: l.Price, Seller: l.Seller.String(),
		Status: string(l.Status),
	}
}

// OfferEvent reports to the owner of a token an offer of the house that opened or closed. There
// is none for an offer that expires: expires_at announces that.
type OfferEvent struct {
	OfferID   int64  `json:"offer_id"`
	TokenID   int64  `json:"token_id"`
	Price     int64  `json:"price"`
	Status    string `json:"status" enum:"open,accepted,declined,void"`
	ExpiresAt Time   `json:"expires_at"`
}

// NewOfferEvent returns the event that reports o.
func NewOfferEvent(o *market.Offer) OfferEvent {
	return OfferEvent{OfferID: o.ID, TokenID: o.TokenID, Price: o.Price, Status: string(o.Status),
		ExpiresAt: Time{o.ExpiresAt}}
}
