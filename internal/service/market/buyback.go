package market

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
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
	Seller                   chain.Address // the owner, who may accept
	Status                   OfferStatus
	OfferedAt, ExpiresAt     time.Time
	ClosedAt                 *time.Time
	Tx                       *chain.Hash // nil unless accepted
}

// statusAt returns the status of an offer at a time; price is what the rules pay now.
func (o *Offer) statusAt(now time.Time, price int64) OfferStatus {
	switch {
	case o.Status != Open:
		return o.Status
	case !now.Before(o.ExpiresAt):
		return Expired
	case o.Price != price:
		return Void // the rules have changed: the chain would refuse the old price
	}
	return Open
}

// lapse ends an open offer without an answer: as expired when its time is over, otherwise as
// void. It does not store the offer.
func (o *Offer) lapse(now time.Time) {
	o.Status, o.ClosedAt = Void, &now
	if !now.Before(o.ExpiresAt) {
		o.Status, o.ClosedAt = Expired, &o.ExpiresAt
	}
}

// Offer returns the open offer for a token of the caller, or makes a new one. Errors:
// chain.ErrNotOwner, ledger.ErrLocked, ErrNoOffer, ledger.ErrConflict.
func (s *Service) Offer(ctx context.Context, tx *store.Tx, caller chain.Address, token int64) (*Offer, error) {
	state, _, err := s.Ledger.Token(ctx, tx, token)
	if errors.Is(err, ledger.ErrNotFound) || err == nil && state.Owner != caller {
		return nil, chain.ErrNotOwner
	}
	if err != nil {
		return nil, err
	}
	locked, err := s.Ledger.Locked(ctx, tx, token)
	if err != nil {
		return nil, err
	}
	if locked {
		return nil, ledger.ErrLocked
	}
	price := s.Ledger.Rules().BuybackPrice(state.Tier)
	if price < 1 {
		return nil, ErrNoOffer
	}
	now := s.now()
	last, err := s.openOffer(ctx, tx, token)
	if err != nil {
		return nil, err
	}
	if last != nil {
		if last.statusAt(now, price) == Open {
			return last, nil
		}
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
	o := &Offer{
		TokenID: token, Tier: state.Tier, Price: price, Bound: state.Bound, Seller: caller, Status: Open,
		OfferedAt: now, ExpiresAt: now.Add(OfferTime),
	}
	o.ID, err = q.New(tx).InsertOffer(ctx, q.InsertOfferParams{
		TokenID: token, Tier: state.Tier, Price: price, Seller: caller[:],
		OfferedAt: now.UnixMilli(), ExpiresAt: o.ExpiresAt.UnixMilli(), Bound: column.Bool(o.Bound),
	})
	switch {
	case store.IsUnique(err): // made by a concurrent transaction
		return nil, ledger.ErrConflict
	case err != nil:
		return nil, fmt.Errorf("market: offer for token %d: %w", token, err)
	case o.ID > chain.MaxID:
		return nil, fmt.Errorf("market: offer for token %d: no offer id is left", token)
	}
	return o, s.offerChanged(ctx, tx, o)
}

// GetOffer returns an offer to the caller, with its current status. Errors: ErrNotFound,
// ErrForbidden.
func (s *Service) GetOffer(ctx context.Context, tx *store.Tx, caller chain.Address, id int64) (*Offer, error) {
	row, err := q.New(tx).GetOffer(ctx, id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("market: offer %d: %w", id, err)
	}
	o := offerOf(row)
	if o.Seller != caller {
		return nil, ErrForbidden
	}
	o.Status = o.statusAt(s.now(), s.Ledger.Rules().BuybackPrice(o.Tier))
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
	if o.Status != Open {
		return nil, nil, &ClosedError{o.Status}
	}
	now := s.now()
	o.Status, o.ClosedAt = Declined, &now
	var posted *ledger.Posted
	if accept {
		o.Status = Accepted
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
	posted, err := s.Ledger.Post(ctx, tx, ledger.Draft{
		Actor: o.Seller, Data: &chain.Buyback{Bound: o.Bound, OfferID: o.ID},
		Transfers: []chain.Transfer{
			{Token: true, TokenID: o.TokenID, From: o.Seller}, {Amount: o.Price, To: o.Seller},
		},
	})
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
		if err := s.voidOffer(ctx, tx, t.ID, s.now()); err != nil {
			return err
		}
	}
	return nil
}

// voidOffer voids the open offer, if any, for a token that was listed or burnt.
func (s *Service) voidOffer(ctx context.Context, tx *store.Tx, token int64, now time.Time) error {
	o, err := s.openOffer(ctx, tx, token)
	if err != nil || o == nil {
		return err
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
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("market: offer for token %d: %w", token, err)
	}
	return offerOf(row), nil
}
