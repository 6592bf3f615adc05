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
	q "roshambo/internal/store/query/marketq"
)

// OfferTime is how long an offer of the house stands.
const OfferTime = 60 * time.Second

// OfferStatus is what has become of an offer.
type OfferStatus string

// The statuses. An offer is void once its token was listed or burnt, which its row says
// from that moment on, and expired once its time is over, whether the row says so or not.
const (
	Open     OfferStatus = "open"
	Accepted OfferStatus = "accepted"
	Declined OfferStatus = "declined"
	Expired  OfferStatus = "expired"
	Void     OfferStatus = "void"
)

// Offer is what the house would pay for a token.
type Offer struct {
	ID, TokenID, Tier, Price int64
	Seller                   chain.Address // who may accept
	Status                   OfferStatus
	OfferedAt, ExpiresAt     time.Time
	ClosedAt                 *time.Time
	Tx                       *chain.Hash // once accepted
}

// at returns the status of an offer at a time, while the rules have the house pay price.
func (o *Offer) at(now time.Time, price int64) OfferStatus {
	switch {
	case o.Status != Open:
		return o.Status
	case !now.Before(o.ExpiresAt):
		return Expired
	case o.Price != price:
		return Void // other rules are in force; the chain would refuse it
	}
	return Open
}

// lapse ends an open offer that nobody has answered: it is expired when its time is over,
// and otherwise void.
func (o *Offer) lapse(now time.Time) {
	o.Status, o.ClosedAt = Void, &now
	if !now.Before(o.ExpiresAt) {
		o.Status, o.ClosedAt = Expired, &o.ExpiresAt
	}
}

// Offer returns what the house pays for a token of the caller's: a new offer, or the
// one that is open. Errors: chain.ErrNotOwner, ledger.ErrLocked, ErrNoOffer.
func (s *Service) Offer(ctx context.Context, tx *store.Tx, caller chain.Address, token int64) (*Offer, error) {
	state, _, err := s.Ledger.Token(ctx, tx, token)
	if errors.Is(err, ledger.ErrNotFound) || err == nil && state.Owner != caller {
		return nil, chain.ErrNotOwner
	}
	if err != nil {
		return nil, err
	}
	locked, err := s.Ledger.Locked(ctx, tx, token)
	if err == nil && locked {
		err = ledger.ErrLocked
	}
	if err != nil {
		return nil, err
	}
	price := s.Ledger.Rules().BuybackPrice(state.Tier)
	if price < 1 {
		return nil, ErrNoOffer
	}
	now := s.now()
	before, err := s.openOffer(ctx, tx, token)
	if err != nil {
		return nil, err
	}
	if before != nil {
		if before.at(now, price) == Open {
			return before, nil
		}
		before.lapse(now)
		if _, err := closeOffer(ctx, q.New(tx), before); err != nil {
			return nil, err
		}
	}
	// Whoever burns it meanwhile shall find the offer, to make it void.
	if err := s.Ledger.TouchToken(ctx, tx, caller, token); err != nil {
		return nil, err
	}
	o := &Offer{TokenID: token, Tier: state.Tier, Price: price, Seller: caller, Status: Open, OfferedAt: now, ExpiresAt: now.Add(OfferTime)}
	o.ID, err = q.New(tx).InsertOffer(ctx, q.InsertOfferParams{
		TokenID: token, Tier: state.Tier, Price: price, Seller: caller[:],
		OfferedAt: now.UnixMilli(), ExpiresAt: o.ExpiresAt.UnixMilli(),
	})
	switch {
	case store.IsUnique(err): // made by somebody who was not to be seen yet
		return nil, ledger.ErrConflict
	case err != nil:
		return nil, fmt.Errorf("market: offer for token %d: %w", token, err)
	case o.ID > chain.MaxID:
		return nil, fmt.Errorf("market: offer for token %d: no offer id is left", token)
	}
	return o, s.offerChanged(ctx, tx, o)
}

// GetOffer returns an offer of the caller's, with its status as it is now. Errors:
// ErrNotFound, ErrForbidden.
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
	o.Status = o.at(s.now(), s.Ledger.Rules().BuybackPrice(o.Tier))
	return o, nil
}

// Respond accepts or declines an offer. Accepting destroys the token and pays; posted is
// nil otherwise. Errors: ErrNotFound, ErrForbidden, *ClosedError.
func (s *Service) Respond(ctx context.Context, tx *store.Tx, caller chain.Address, id int64, accept bool) (*Offer, *ledger.Posted, error) {
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
	was, err := closeOffer(ctx, q.New(tx), o)
	if err != nil {
		return nil, nil, err
	}
	if !was { // answered, or made void, by somebody who was not to be seen yet
		return nil, nil, ledger.ErrConflict
	}
	return o, posted, s.offerChanged(ctx, tx, o)
}

// buyBack destroys the token and pays for it.
func (s *Service) buyBack(ctx context.Context, tx *store.Tx, o *Offer) (ledger.Posted, error) {
	posted, err := s.Ledger.Post(ctx, tx, ledger.Draft{
		Actor: o.Seller, Data: &chain.Buyback{OfferID: o.ID},
		Transfers: []chain.Transfer{{Token: true, TokenID: o.TokenID, From: o.Seller}, {Amount: o.Price, To: o.Seller}},
	})
	if errors.Is(err, chain.ErrNotOwner) || errors.Is(err, ledger.ErrLocked) {
		return posted, &ClosedError{Void} // listed or burnt since it was looked at
	}
	if err != nil {
		return posted, err
	}
	fact := Buyback{OfferID: o.ID, TokenID: o.TokenID, Tier: o.Tier, Price: o.Price, Seller: o.Seller, At: *o.ClosedAt, Tx: posted.Hash}
	for _, listener := range s.Listeners {
		if err := listener.BoughtBack(ctx, tx, &fact); err != nil {
			return posted, err
		}
	}
	return posted, nil
}

// Posted makes the offers for tokens that were burnt void. It is called as a listener of
// the ledger; sales come after a listing, and buybacks are the offer's own end.
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

// voidOffer makes the open offer for a token, if any, void: it was listed, or burnt.
func (s *Service) voidOffer(ctx context.Context, tx *store.Tx, token int64, now time.Time) error {
	o, err := s.openOffer(ctx, tx, token)
	if err != nil || o == nil {
		return err
	}
	o.lapse(now)
	was, err := closeOffer(ctx, q.New(tx), o)
	if err != nil || !was || o.Status == Expired {
		return err
	}
	return s.offerChanged(ctx, tx, o)
}

// openOffer returns the offer for a token whose row says that it is open, or nil.
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
