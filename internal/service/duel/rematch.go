package duel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/platform/event"
	"roshambo/internal/store"
)

// RematchTimeout is how long the offer of a rematch stands. It is short, because accepting
// begins a duel with deadlines at once: the side that offered must still be there.
const RematchTimeout = 2 * time.Minute

// Rematch is the offer of a rematch after a finished duel, and the rematch once it began.
type Rematch struct {
	By    game.Side // the side that offers one; the zero Side for none
	Until time.Time // when the offer lapses
	Code  string    // of the rematch; "" until it began
}

// Errors of rematches.
var (
	ErrNoRematch     = errors.New("duel: no rematch is possible")
	ErrOpponentFunds = errors.New("duel: the other side cannot pay the stake")
)

// mayRematch returns nil if a side may offer, accept or withdraw a rematch. Errors:
// ErrForbidden, ErrNoRematch.
func (d *Duel) mayRematch(side game.Side) error {
	switch {
	case side == game.NoSide:
		return ErrForbidden
	case d.Status != Finished || d.Kind == Sparring || d.Kind == Ranked || d.Kind == Cup:
		return ErrNoRematch
	}
	return nil
}

// askRematch stores a side's consent to a rematch and reports whether the other side's offer
// stands, so that the rematch begins.
func (d *Duel) askRematch(side game.Side, now time.Time) (begins bool) {
	if d.Rematch.By == side.Other() && now.Before(d.Rematch.Until) {
		return true
	}
	d.Rematch.By, d.Rematch.Until = side, now.Add(RematchTimeout)
	return false
}

// OfferRematch offers the other side of a finished duel a rematch, or accepts its offer: then a
// duel with the same stake and time for a step, and with swapped sides, begins at once, casual and unlisted. The result
// is the finished duel; its Rematch.Code names the new one. A call after the rematch has begun
// changes nothing. Errors: ErrNotFound, ErrForbidden, ErrNoRematch, ErrOpponentFunds,
// ErrUnfinished, *chain.InsufficientFundsError.
//
// The offer is a swap of the finished duel's row, and the new duel is stored in the transaction
// of the swap that names it: a crash before the commit leaves the offer, one after it one
// rematch, and of two concurrent acceptances one begins it.
func (s *Service) OfferRematch(ctx context.Context, tx *store.Tx, p Player, code string) (*Duel, error) {
	d, side, err := s.loadRematch(ctx, tx, p.Address, code)
	if err != nil || d.Rematch.Code != "" {
		return d, err
	}
	if !d.askRematch(side, tx.Now()) {
		if err := s.saveRematch(ctx, tx, d); err != nil {
			return nil, err
		}
		return d, s.publish(ctx, tx, d, event.DuelRematch, event.Account(d.player(side.Other()).Address))
	}
	next, err := s.beginRematch(ctx, tx, d, side, p)
	if err != nil {
		return nil, err
	}
	d.Rematch.Code = next.Code
	if err := s.saveRematch(ctx, tx, d); err != nil {
		return nil, err
	}
	d.RematchTx = next.StakeTx[next.Side(p.Address).Index()]
	return d, nil
}

// WithdrawRematch withdraws the caller's offer of a rematch, or declines the other side's. A
// rematch that has begun goes on. Errors: ErrNotFound, ErrForbidden, ErrNoRematch.
func (s *Service) WithdrawRematch(ctx context.Context, tx *store.Tx, caller chain.Address, code string) (*Duel, error) {
	d, _, err := s.loadRematch(ctx, tx, caller, code)
	if err != nil || d.Rematch.Code != "" || d.Rematch.By == game.NoSide {
		return d, err
	}
	d.Rematch = Rematch{}
	return d, s.saveRematch(ctx, tx, d)
}

// loadRematch reads a duel, applies passed deadlines and checks that the caller may ask for a
// rematch.
func (s *Service) loadRematch(
	ctx context.Context, tx *store.Tx, caller chain.Address, code string,
) (*Duel, game.Side, error) {
	d, err := s.ApplyDeadlines(ctx, tx, code)
	if err != nil {
		return nil, game.NoSide, err
	}
	side := d.Side(caller)
	err = d.mayRematch(side)
	return d, side, err
}

// beginRematch begins the duel that follows d. p is the side that accepts. Each account writes
// its own row of the ledger, as countUnfinished requires.
func (s *Service) beginRematch(ctx context.Context, tx *store.Tx, d *Duel, side game.Side, p Player) (*Duel, error) {
	other := d.player(side.Other())
	if s.HoldOpponent != nil {
		if err := s.HoldOpponent(ctx, tx, other.Address); err != nil {
			return nil, err
		}
	}
	mine, err := s.countUnfinished(ctx, tx, p.Address)
	if err != nil {
		return nil, err
	}
	theirs, err := s.countUnfinished(ctx, tx, other.Address)
	if err != nil {
		return nil, err
	}
	switch {
	case mine >= MaxUnfinished:
		return nil, ErrUnfinished
	case theirs >= MaxUnfinished:
		return nil, ErrNoRematch
	}
	if d.Stake == 0 {
		for _, account := range [...]chain.Address{p.Address, other.Address} {
			if err := s.Ledger.TouchAccount(ctx, tx, account); err != nil {
				return nil, err
			}
		}
	}
	now := tx.Now()
	return s.add(ctx, tx, func(code string) *Duel { return d.rematch(code, side, p, now) })
}

// rematch returns the duel that follows d, with swapped sides. p is the side that accepts, with its
// current name.
func (d *Duel) rematch(code string, side game.Side, p Player, now time.Time) *Duel {
	sides := [2]Player{d.B, d.A}
	sides[side.Other().Index()] = p
	won := d.SeriesScore()
	next := &Duel{
		Code: code, Kind: ByCode, A: sides[0], Stake: d.Stake, RematchOf: d.Code, CreatedAt: now, payer: p.Address,
		Series: [2]int64{won[1], won[0]}, Step: d.Step,
	}
	next.start(sides[1], false, now)
	return next
}

// saveRematch stores the offer and the code of the rematch.
func (s *Service) saveRematch(ctx context.Context, tx *store.Tx, d *Duel) error {
	if err := updateRematch(ctx, tx, d); err != nil {
		return fmt.Errorf("duel: rematch of %s: %w", d.Code, err)
	}
	d.Version++
	tx.AfterCommit(func() { s.Events.Hub.Wake(event.Duel(d.Code)) })
	return nil
}

// player returns the player of a side, A or B.
func (d *Duel) player(side game.Side) Player { return [2]Player{d.A, d.B}[side.Index()] }
