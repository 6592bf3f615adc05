package market_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/service/market"
	"roshambo/internal/store"
)

// deed is something that a node does with a token that its first player owns.
type deed func(ctx context.Context, tx *store.Tx, m *market.Service) error

// race is a token with an open offer of the house, or with a listing, and what two nodes do
// with it at once.
type race struct {
	*economy
	owner, buyer *player
	token        *token
	listing      *listing
	offer        *offer
}

func newRace(t *testing.T, listed bool) *race {
	t.Helper()
	e := newEconomy(t)
	r := &race{economy: e, owner: e.join(t), buyer: e.join(t)}
	r.token = e.win(t, r.owner, 2)
	if listed {
		r.listing = e.list(t, r.owner, r.token, 100)
		return r
	}
	e.offer(t, r.owner, r.token)
	for _, o := range e.offers {
		r.offer = o
	}
	return r
}

// deeds are what may become of the token, by name; any two exclude one another.
func (r *race) deeds() map[string]deed {
	owner := r.owner.Address
	if r.listing != nil {
		return map[string]deed{
			"buy": func(ctx context.Context, tx *store.Tx, m *market.Service) error {
				_, err := m.Buy(ctx, tx, r.buyer.Address, r.listing.id)
				return err
			},
			"cancel": func(ctx context.Context, tx *store.Tx, m *market.Service) error {
				_, err := m.Cancel(ctx, tx, owner, r.listing.id)
				return err
			},
		}
	}
	respond := func(accept bool) deed {
		return func(ctx context.Context, tx *store.Tx, m *market.Service) error {
			_, _, err := m.Respond(ctx, tx, owner, r.offer.id, accept)
			return err
		}
	}
	return map[string]deed{
		"list": func(ctx context.Context, tx *store.Tx, m *market.Service) error {
			_, err := m.List(ctx, tx, owner, r.token.ID, 50)
			return err
		},
		"accept": respond(true), "decline": respond(false),
	}
}

// late reports whether err is how a deed is refused that was too late.
func late(name string, err error) bool {
	_, closed := errors.AsType[*market.ClosedError](err)
	switch name {
	case "buy", "cancel":
		return errors.Is(err, market.ErrNotForSale)
	case "list":
		return errors.Is(err, ledger.ErrConflict) || errors.Is(err, ledger.ErrLocked) || errors.Is(err, chain.ErrNotOwner)
	}
	return closed || errors.Is(err, ledger.ErrConflict)
}

// errEnough takes back what a race has stored.
var errEnough = errors.New("the race is over")

// TestAnotherNodeIsFaster has one node do something with a token or an offer, and another node
// something else at the first, second, … moment at which the first one reads its clock, asks whom an
// account belongs to or has posted a transaction, on the same database. Wherever the other one comes in, only one of the
// two succeeds, and the one that was too late is told so.
func TestAnotherNodeIsFaster(t *testing.T) {
	t.Parallel()
	met := map[string]int{}
	for _, listed := range []bool{false, true} {
		r := newRace(t, listed)
		if !r.DB.Exclusive() {
			return // both would need a transaction of their own, and the second one would wait for the first
		}
		for first, do := range r.deeds() {
			for second, interrupt := range r.deeds() {
				for moment := 1; ; moment++ {
					came, errFirst, errSecond := r.meet(t, do, interrupt, moment)
					if !came {
						break
					}
					name := fmt.Sprintf("%s, and %s at moment %d", first, second, moment)
					declinedBeforeListing := first == "list" && second == "decline"
					switch {
					case errFirst == nil && errSecond == nil && !declinedBeforeListing:
						t.Errorf("%s: both succeeded", name)
					case errFirst != nil && errSecond != nil:
						t.Errorf("%s: neither succeeded: %v; %v", name, errFirst, errSecond)
					case errFirst != nil && !late(first, errFirst), errSecond != nil && !late(second, errSecond):
						t.Errorf("%s: got %v and %v", name, errFirst, errSecond)
					}
					met[first]++
				}
			}
		}
		r.check(t)
	}
	for _, name := range []string{"list", "accept", "decline", "buy", "cancel"} {
		if met[name] < 2 {
			t.Errorf("%s was interrupted %d times, want at each of its moments", name, met[name])
		}
	}
}

// meet has a node do something and another one interrupt it at a moment, and takes it all back.
// came is false when the first one has fewer moments.
func (r *race) meet(t *testing.T, do, interrupt deed, moment int) (came bool, errFirst, errSecond error) {
	t.Helper()
	supply := r.supply
	defer func() { r.supply = supply }()
	err := r.DB.UpdateAt(t.Context(), market.Isolation, func(ctx context.Context, tx *store.Tx) error {
		came, errFirst, errSecond = false, nil, nil
		left := moment
		arrive := func() {
			if left--; left == 0 {
				came = true
				errSecond = interrupt(ctx, tx, r.market)
			}
		}
		first := &market.Service{Ledger: r.Ledger.Ledger, Parties: r.economy, Now: func() time.Time { arrive(); return r.Clock.Now() }}
		r.moment = arrive
		errFirst = do(ctx, tx, first)
		r.moment = nil
		return errEnough
	})
	if !errors.Is(err, errEnough) {
		t.Fatal(err)
	}
	return came, errFirst, errSecond
}

// TestMadeOnAnotherNode lists a token, and asks for an offer for it, while another node does the
// same: its row comes behind the read that finds none. A trigger stands for the other node.
func TestMadeOnAnotherNode(t *testing.T) {
	t.Parallel()
	for what, trigger := range map[string]string{
		"offer": `CREATE TRIGGER other_node BEFORE INSERT ON buyback_offer BEGIN
			INSERT INTO buyback_offer (token_id, tier, price, seller, status, offered_at, expires_at)
			VALUES (NEW.token_id, NEW.tier, NEW.price, NEW.seller, 'open', NEW.offered_at, NEW.expires_at); END`,
		"listing": `CREATE TRIGGER other_node BEFORE INSERT ON market_listing BEGIN
			INSERT INTO market_listing (token_id, tier, tier_down, price, seller, status, listed_at)
			VALUES (NEW.token_id, NEW.tier, NEW.tier_down, NEW.price, NEW.seller, 'active', NEW.listed_at); END`,
	} {
		e := newEconomy(t)
		if !e.DB.Exclusive() {
			return // the triggers are written for SQLite
		}
		p := e.join(t)
		k := e.win(t, p, 3)
		e.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, trigger)
			return err
		})
		err := e.DB.UpdateAt(t.Context(), market.Isolation, func(ctx context.Context, tx *store.Tx) (err error) {
			if what == "offer" {
				_, err = e.market.Offer(ctx, tx, p.Address, k.ID)
			} else {
				_, err = e.market.List(ctx, tx, p.Address, k.ID, 10)
			}
			return err
		})
		if !errors.Is(err, ledger.ErrConflict) {
			t.Errorf("%s: got %v, want %v", what, err, ledger.ErrConflict)
		}
	}
}
