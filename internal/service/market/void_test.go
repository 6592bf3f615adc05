package market_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"roshambo/internal/service/market"
	"roshambo/internal/store"
)

// watcher counts the offers that it is shown, by status.
type watcher map[market.OfferStatus]int

func (watcher) ListingChanged(context.Context, *store.Tx, *market.Listing) error { return nil }
func (w watcher) OfferChanged(_ context.Context, _ *store.Tx, o *market.Offer) error {
	w[o.Status]++
	return nil
}

// TestVoidTwice checks that watchers are shown an offer that becomes void once, and not by a request that
// finds it closed; nor one that expires, of which they know the time.
func TestVoidTwice(t *testing.T) {
	t.Parallel()
	e := newEconomy(t)
	w := watcher{}
	e.market.Watchers = []market.Watcher{w}
	p := e.join(t)
	for _, c := range []struct {
		later time.Duration
		want  watcher
	}{
		{market.OfferTime - time.Millisecond, watcher{market.Open: 1, market.Void: 1}},
		{market.OfferTime, watcher{market.Open: 2, market.Void: 1}},
	} {
		k := e.win(t, p, 2)
		e.Update(t, func(ctx context.Context, tx *store.Tx) error {
			o, err := e.market.Offer(ctx, tx, p.Address, k.ID)
			if err != nil {
				return err
			}
			stale := *o
			for _, offer := range []*market.Offer{o, &stale, nil} {
				if err := e.market.VoidOffer(ctx, tx, offer, o.OfferedAt.Add(c.later)); err != nil {
					return err
				}
				if w[market.Open] != c.want[market.Open] || w[market.Void] != c.want[market.Void] ||
					w[market.Expired] != 0 {
					t.Errorf("after %v the watchers were shown %v, want %v", c.later, w, c.want)
				}
			}
			return nil
		})
	}
}

// TestUnknownOffer checks that an offer which does not exist is not found.
func TestUnknownOffer(t *testing.T) {
	t.Parallel()
	e := newEconomy(t)
	p := e.join(t)
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		if o, err := e.market.GetOffer(ctx, tx, p.Address, 99); o != nil || !errors.Is(err, market.ErrNotFound) {
			t.Errorf("offer %+v, error %v", o, err)
		}
		return nil
	})
}
