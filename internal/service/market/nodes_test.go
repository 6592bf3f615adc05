package market_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/service/market"
	"roshambo/internal/store"
)

// useCase is a use case of the market on the token of a race.
type useCase func(ctx context.Context, tx *store.Tx, m *market.Service) error

// race is a token with an open offer of the house, or with a listing, that two nodes change
// concurrently.
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

// useCases returns the use cases that end the offer or listing, by name; any two exclude each
// other.
func (r *race) useCases() map[string]useCase {
	owner := r.owner.Address
	if r.listing != nil {
		return map[string]useCase{
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
	respond := func(accept bool) useCase {
		return func(ctx context.Context, tx *store.Tx, m *market.Service) error {
			_, _, err := m.Respond(ctx, tx, owner, r.offer.id, accept)
			return err
		}
	}
	return map[string]useCase{
		"list": func(ctx context.Context, tx *store.Tx, m *market.Service) error {
			_, err := m.List(ctx, tx, owner, r.token.ID, 50)
			return err
		},
		"accept": respond(true), "decline": respond(false),
	}
}

// lost reports whether err is the error of the use case that lost the race.
func lost(name string, err error) bool {
	_, closed := errors.AsType[*market.ClosedError](err)
	switch name {
	case "buy", "cancel":
		return errors.Is(err, market.ErrNotForSale)
	case "list":
		return errors.Is(err, ledger.ErrConflict) || errors.Is(err, ledger.ErrLocked) ||
			errors.Is(err, chain.ErrNotOwner)
	}
	return closed || errors.Is(err, ledger.ErrConflict)
}

// errRollback rolls back a race.
var errRollback = errors.New("roll back the race")

// TestInterleavedNodes runs a use case on one node, and another one on a second node of the same
// database at the first, second, … point at which the first reads its clock, looks up a party or
// has posted a transaction. At every point exactly one of the two succeeds, and the other
// returns the error of a lost race.
func TestInterleavedNodes(t *testing.T) {
	t.Parallel()
	interrupted := map[string]int{}
	for _, listed := range []bool{false, true} {
		r := newRace(t, listed)
		if !r.DB.Exclusive() {
			return // each needs a transaction of its own there, and the second would wait for the first
		}
		for first, do := range r.useCases() {
			for second, interrupt := range r.useCases() {
				for point := 1; ; point++ {
					reached, errFirst, errSecond := r.interleave(t, do, interrupt, point)
					if !reached {
						break
					}
					name := fmt.Sprintf("%s, and %s at point %d", first, second, point)
					declinedBeforeListing := first == "list" && second == "decline"
					switch {
					case errFirst == nil && errSecond == nil && !declinedBeforeListing:
						t.Errorf("%s: both succeeded", name)
					case errFirst != nil && errSecond != nil:
						t.Errorf("%s: neither succeeded: %v; %v", name, errFirst, errSecond)
					case errFirst != nil && !lost(first, errFirst), errSecond != nil && !lost(second, errSecond):
						t.Errorf("%s: got %v and %v", name, errFirst, errSecond)
					}
					interrupted[first]++
				}
			}
		}
		r.check(t)
	}
	for _, name := range []string{"list", "accept", "decline", "buy", "cancel"} {
		if interrupted[name] < 2 {
			t.Errorf("%s was interrupted %d times, want at least 2", name, interrupted[name])
		}
	}
}

// interleave runs a use case with another one at a point, and rolls both back. reached is false
// when the first use case has fewer points.
func (r *race) interleave(t *testing.T, do, interrupt useCase, point int) (reached bool, errFirst, errSecond error) {
	t.Helper()
	supply := r.supply
	defer func() { r.supply = supply }()
	err := r.DB.UpdateAt(t.Context(), market.Isolation, func(ctx context.Context, tx *store.Tx) error {
		reached, errFirst, errSecond = false, nil, nil
		left := point
		arrive := func() {
			if left--; left == 0 {
				reached = true
				errSecond = interrupt(ctx, tx, r.market)
			}
		}
		first := &market.Service{Ledger: r.Ledger.Ledger, Parties: r.economy}
		r.atPoint, r.Clock.Reading = arrive, arrive
		errFirst = do(ctx, tx, first)
		r.atPoint, r.Clock.Reading = nil, nil
		return errRollback
	})
	if !errors.Is(err, errRollback) {
		t.Fatal(err)
	}
	return reached, errFirst, errSecond
}

// TestClosedListing checks that a listing whose row another transaction has closed is neither
// sold nor cancelled, even if its token is still locked.
func TestClosedListing(t *testing.T) {
	t.Parallel()
	r := newRace(t, true)
	for name, do := range r.useCases() {
		var errClose error
		node := &market.Service{Ledger: r.Ledger.Ledger, Parties: r.economy}
		supply := r.supply
		// PostgreSQL reports at the commit that the row had changed.
		err := r.DB.UpdateAt(t.Context(), market.Isolation, func(ctx context.Context, tx *store.Tx) error {
			r.Clock.Reading = func() {
				_, errClose = tx.ExecContext(ctx, `UPDATE market_listing SET status = 'cancelled' WHERE listing_id = $1`,
					r.listing.id)
			}
			defer func() { r.Clock.Reading = nil }()
			return do(ctx, tx, node)
		})
		r.supply = supply
		if !errors.Is(err, market.ErrNotForSale) || errClose != nil {
			t.Errorf("%s: got %v, want %v; close: %v", name, err, market.ErrNotForSale, errClose)
		}
	}
}

// TestConcurrentInsert lists a token, and requests an offer for it, while another node does the
// same after the first one's read found no row. A trigger simulates the other node.
func TestConcurrentInsert(t *testing.T) {
	t.Parallel()
	for kind, trigger := range map[string]string{
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
			if kind == "offer" {
				_, err = e.market.Offer(ctx, tx, p.Address, k.ID)
			} else {
				_, err = e.market.List(ctx, tx, p.Address, k.ID, 10)
			}
			return err
		})
		if !errors.Is(err, ledger.ErrConflict) {
			t.Errorf("%s: got %v, want %v", kind, err, ledger.ErrConflict)
		}
	}
}
