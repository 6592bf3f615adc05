package app

import (
	"context"

	"roshambo/internal/ledger"
	"roshambo/internal/platform/event"
	"roshambo/internal/server/api"
	"roshambo/internal/service/market"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// eventPoster posts blocks and changes of the market to the log of events, in the wire form of
// GET /api/events. Each event is stored with the change that it reports or not at all.
type eventPoster struct{ log *event.Log }

// Sealed implements ledger.SealListener.
func (p eventPoster) Sealed(ctx context.Context, tx *store.Tx, b ledger.Block) error {
	return p.log.Post(ctx, tx, event.Event{Topic: event.Blocks, Kind: event.BlockSealed, Body: api.NewBlockEvent(b)})
}

// ListingChanged implements market.Watcher. A sale is posted to the seller as well, because an
// account's followers need not follow the market.
func (p eventPoster) ListingChanged(ctx context.Context, tx *store.Tx, l *market.Listing) error {
	body := api.NewListingEvent(l)
	err := p.log.Post(ctx, tx, event.Event{Topic: event.Market, Kind: event.ListingChanged, Body: body})
	if err != nil || l.Status != market.Sold {
		return err
	}
	return p.log.Post(ctx, tx, event.Event{Topic: event.Account(l.Seller), Kind: event.Sold, Body: body})
}

// OfferChanged implements market.Watcher.
func (p eventPoster) OfferChanged(ctx context.Context, tx *store.Tx, o *market.Offer) error {
	return p.log.Post(ctx, tx, event.Event{Topic: event.Account(o.Seller), Kind: event.OfferChanged,
		Body: api.NewOfferEvent(o)})
}

// feedPoster implements score.Feed: it posts the feed to the log of events, in the wire form of
// GET /api/feed.
type feedPoster struct {
	log    *event.Log
	ledger *ledger.Ledger // for the names of the tiers
}

// Notable posts one item of the feed.
func (p feedPoster) Publish(ctx context.Context, tx *store.Tx, item *score.FeedItem) error {
	return p.log.Post(ctx, tx, event.Event{Topic: event.Feed, Kind: event.FeedItem,
		Body: api.NewFeedEvent(item, p.material)})
}

// material returns the name of a tier's material.
func (p feedPoster) material(tier int64) string { return p.ledger.Rules().Tier(tier).Material }
