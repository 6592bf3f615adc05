package duel

import (
	"context"
	"errors"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

// due returns the sides whose stakes have to move now, in the order a, b: the creator's when a
// listed duel opens, both when a duel is in play.
func (d *Duel) due() (sides []game.Side) {
	if d.Stake == 0 {
		return nil
	}
	if d.StakeTx[0] == nil && (d.Listed || d.Status == Active) {
		sides = append(sides, game.A)
	}
	if d.StakeTx[1] == nil && d.Status == Active {
		sides = append(sides, game.B)
	}
	return sides
}

// prefetchStakes makes the database read what payStakes is going to read.
func (s *Service) prefetchStakes(tx *store.Tx, d *Duel) {
	for _, side := range d.due() {
		s.Ledger.Prefetch(tx, d.staking(d.player(side)))
	}
}

// payStakes moves the stakes that are due. Errors: *chain.InsufficientFundsError of the payer, the
// caller, or of the only side; ErrOpponentFunds if the other side is short.
func (s *Service) payStakes(ctx context.Context, tx *store.Tx, d *Duel, payer chain.Address) error {
	s.prefetchStakes(tx, d)
	for _, side := range d.due() {
		err := s.stake(ctx, tx, d, side)
		var short *chain.InsufficientFundsError
		if errors.As(err, &short) && payer != (chain.Address{}) && d.player(side).Address != payer {
			return ErrOpponentFunds
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stake moves a side's stake into the duel's escrow.
func (s *Service) stake(ctx context.Context, tx *store.Tx, d *Duel, side game.Side) error {
	posted, err := s.Ledger.Post(ctx, tx, d.staking(d.player(side)))
	if err != nil {
		return err
	}
	d.StakeTx[side.Index()] = &posted.Hash
	return nil
}

// staking returns the transaction that moves a player's stake into escrow.
func (d *Duel) staking(p Player) ledger.Draft {
	return ledger.Draft{
		Actor: p.Address, Data: &chain.DuelStake{DuelID: d.Code},
		Transfers: []chain.Transfer{{From: p.Address, To: chain.Escrow(d.Code), Amount: d.Stake}},
	}
}

// settle posts the settlement of a duel that has ended, if it has one, and sets d.SettleTx. The
// settlement and the end commit together: a crash before the commit leaves the duel in play, and a
// crash after it leaves both.
func (s *Service) settle(ctx context.Context, tx *store.Tx, d *Duel) error {
	if d.Status != Finished && d.StakeTx[0] == nil { // ended open, without a stake in escrow
		return nil
	}
	posted, err := s.Ledger.Post(ctx, tx, d.settlement())
	if err != nil {
		return err
	}
	d.SettleTx = &posted.Hash
	return nil
}

// settlement returns the transaction that settles a duel: the stakes go to the winner, or back to
// both sides.
func (d *Duel) settlement() ledger.Draft {
	raw := d.Transcript()
	return ledger.Draft{Transfers: d.payout(), Transcript: raw, Data: &chain.DuelSettle{
		A: d.A.Address, B: d.B.Address, DuelID: d.Code, Rated: d.Rated, Void: d.Status == Void,
		TranscriptHash: chain.HashTranscript(raw), Winner: winner(d.Winner),
	}}
}

// payout returns the transfers that empty the escrow of an ended duel; nil without a stake.
func (d *Duel) payout() []chain.Transfer {
	escrow := chain.Escrow(d.Code)
	pay := func(p Player, amount int64) chain.Transfer {
		return chain.Transfer{From: escrow, To: p.Address, Amount: amount}
	}
	switch {
	case d.Stake == 0:
		return nil
	case d.B.Address == chain.Address{}:
		return []chain.Transfer{pay(d.A, d.Stake)}
	case d.Winner == game.A:
		return []chain.Transfer{pay(d.A, 2*d.Stake)}
	case d.Winner == game.B:
		return []chain.Transfer{pay(d.B, 2*d.Stake)}
	}
	return []chain.Transfer{pay(d.A, d.Stake), pay(d.B, d.Stake)}
}
