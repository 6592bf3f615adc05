package market

import (
	"context"
	"errors"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/marketq"
)

// OfferTime is the time for which an offer of the house is open.
const OfferTime = 60 * time.Second

// OfferStatus is the state of an offer.
type OfferStatus string

// The statuses. An offer becomes void when its token is listed or burnt: the same transaction
// updates its row. It expires by time alone: its row may still say open.
const (
	Open     OfferStatus = "open"
	Accepted OfferStatus = "accepted"
	Declined OfferStatus = "declined"
	Expired  OfferStatus = "expired"
	Void     OfferStatus = "void"
)

// Offer is an offer of the house to buy a token.
type Offer struct {
	ID, TokenID, Tier, Price int64
	Bound                    bool          // the token is bound: the house pays bound coins
	Seller                   chain.Address // the owner, with the right to accept
	Status                   OfferStatus
	OfferedAt, ExpiresAt     time.Time
	ClosedAt                 *time.Time
	Tx                       *chain.Hash // nil unless accepted
}

// Offer returns the open offer for a token of the caller, or makes a new one. Errors:
// chain.ErrNotOwner, ledger.ErrLocked, ErrNoOffer, ledger.ErrConflict.
func (s *Service) Offer(ctx context.Context, tx *store.Tx, caller chain.Address, token int64) (*Offer, error) {
	state, last, err := s.loadOffer(ctx, tx, token)
	if err != nil {
		return nil, err
	}
	now := tx.Now()
	o, err := decideOffer(caller, state, last, s.Ledger.Rules(), now)
	if err != nil || o == last {
		return o, err
	}
	if last != nil {
		last.lapse(now)
		if _, err := closeOffer(ctx, q.New(tx), last); err != nil {
			return nil, err
		}
	}
	// The lock makes a concurrent burn wait for this commit, so that it finds the offer and
	// voids it.
	if err := s.Ledger.TouchToken(ctx, tx, caller, token); err != nil {
		return nil, err
	}
	o.TokenID = token
	if err := insertOffer(ctx, tx, o); err != nil {
		return nil, err
	}
	return o, s.offerChanged(ctx, tx, o)
}

// loadOffer loads a token and the offer for it, nil for none.
func (s *Service) loadOffer(ctx context.Context, tx *store.Tx, token int64) (ledger.TokenState, *Offer, error) {
	tx.Prefetch(q.OpenOfferOf, token)
	state, err := s.Ledger.LoadToken(ctx, tx, token)
	if err != nil {
		return state, nil, err
	}
	last, err := s.openOffer(ctx, tx, token)
	return state, last, err
}

// GetOffer returns an offer to the caller, with its current status. Errors: ErrNotFound,
// ErrForbidden.
func (s *Service) GetOffer(ctx context.Context, tx *store.Tx, caller chain.Address, id int64) (*Offer, error) {
	row, err := q.New(tx).GetOffer(ctx, id)
	if err != nil {
		return nil, store.Absent(err, ErrNotFound, "market: offer %d", id)
	}
	o := offerOf(row)
	if o.Seller != caller {
		return nil, ErrForbidden
	}
	o.Status = o.statusAt(tx.Now(), s.Ledger.Rules().BuybackPrice(o.Tier))
	return o, nil
}

// Respond accepts or declines an open offer. Accepting destroys the token, pays the caller,
// and returns the transaction, which is nil otherwise. Errors: ErrNotFound, ErrForbidden,
// *ClosedError, ledger.ErrConflict.
func (s *Service) Respond(
	ctx context.Context, tx *store.Tx, caller chain.Address, id int64, accept bool,
) (*Offer, *ledger.Posted, error) {
	o, err := s.GetOffer(ctx, tx, caller, id)
	if err != nil {
		return nil, nil, err
	}
	if err := o.respond(accept, tx.Now()); err != nil {
		return nil, nil, err
	}
	var posted *ledger.Posted
	if accept {
		p, err := s.buyBack(ctx, tx, o)
		if err != nil {
			return nil, nil, err
		}
		posted, o.Tx = &p, &p.Hash
	}
	wasOpen, err := closeOffer(ctx, q.New(tx), o)
	if err != nil {
		return nil, nil, err
	}
	if !wasOpen { // closed by a concurrent transaction
		return nil, nil, ledger.ErrConflict
	}
	return o, posted, s.offerChanged(ctx, tx, o)
}

// buyBack destroys the token of an offer, pays for it, and passes the buyback to the
// listeners. Errors: *ClosedError when the token was listed or burnt since it was read.
func (s *Service) buyBack(ctx context.Context, tx *store.Tx, o *Offer) (ledger.Posted, error) {
	posted, err := s.Ledger.Post(ctx, tx, o.buyback())
	if errors.Is(err, chain.ErrNotOwner) || errors.Is(err, ledger.ErrLocked) {
		return posted, &ClosedError{Void}
	}
	if err != nil {
		return posted, err
	}
	buyback := Buyback{
		OfferID: o.ID, TokenID: o.TokenID, Tier: o.Tier, Price: o.Price,
		Seller: o.Seller, At: *o.ClosedAt, Tx: posted.Hash,
	}
	for _, listener := range s.Listeners {
		if err := listener.BoughtBack(ctx, tx, &buyback); err != nil {
			return posted, err
		}
	}
	return posted, nil
}

// Posted implements ledger.Listener: it voids the offers for burnt tokens, which only the
// start of a run burns. Other transfers need no check: a sale follows a listing, which voids
// the offer, and a buyback closes its own.
func (s *Service) Posted(ctx context.Context, tx *store.Tx, f *ledger.Fact) error {
	if f.Tx.Kind() != chain.KindRunStart {
		return nil
	}
	for _, t := range f.Tokens {
		o, err := s.openOffer(ctx, tx, t.ID)
		if err != nil {
			return err
		}
		if err := s.voidOffer(ctx, tx, o, tx.Now()); err != nil {
			return err
		}
	}
	return nil
}

// voidOffer voids the open offer, nil for none, for a token that was listed or burnt.
func (s *Service) voidOffer(ctx context.Context, tx *store.Tx, o *Offer, now time.Time) error {
	if o == nil {
		return nil
	}
	o.lapse(now)
	wasOpen, err := closeOffer(ctx, q.New(tx), o)
	if err != nil || !wasOpen || o.Status == Expired { // watchers know the time of expiry
		return err
	}
	return s.offerChanged(ctx, tx, o)
}

// openOffer returns the offer for a token whose row is open, though it may have expired; nil
// for none.
func (s *Service) openOffer(ctx context.Context, tx *store.Tx, token int64) (*Offer, error) {
	row, err := q.New(tx).OpenOfferOf(ctx, token)
	if err != nil {
		return nil, store.Absent(err, nil, "market: offer for token %d", token)
	}
	return offerOf(row), nil
}
