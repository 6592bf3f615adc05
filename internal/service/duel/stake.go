package duel

import (
	"context"
	"errors"
	"fmt"

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

// checkFunds returns *chain.InsufficientFundsError if an account's free coins are below a stake that
// is due later. They may change until then: the payment itself is checked again.
func (s *Service) checkFunds(ctx context.Context, tx *store.Tx, account chain.Address, stake int64) error {
	if stake == 0 {
		return nil
	}
	a, _, err := s.Ledger.Account(ctx, tx, account)
	if err != nil {
		return fmt.Errorf("duel: balance of %v: %w", account, err)
	}
	if a.Balance-a.Bound < stake {
		return &chain.InsufficientFundsError{Balance: a.Balance, Bound: a.Bound, Needed: stake, Free: a.Balance >= stake}
	}
	return nil
}

// payStakes moves the stakes of sides. Errors: *chain.InsufficientFundsError of the payer, who
// calls, or of the only side; ErrOpponentFunds if the other side is short.
func (s *Service) payStakes(ctx context.Context, tx *store.Tx, d *Duel, sides []game.Side, payer chain.Address) error {
	for _, side := range sides {
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

// settle posts the settlement of a duel that has ended, and sets d.SettleTx. The stakes go to the
// winner, or back to both sides. An open duel that ends without a stake in escrow has nothing to settle. The
// settlement and the end commit together: a crash before the commit leaves the duel in play, and a
// crash after it leaves both.
func (s *Service) settle(ctx context.Context, tx *store.Tx, d *Duel) error {
	if d.Status != Finished && d.StakeTx[0] == nil {
		return nil
	}
	raw := d.Transcript()
	posted, err := s.Ledger.Post(ctx, tx, ledger.Draft{Transfers: d.payout(), Transcript: raw, Data: &chain.DuelSettle{
		A: d.A.Address, B: d.B.Address, DuelID: d.Code, Rated: d.Rated,
		TranscriptHash: chain.HashTranscript(raw), Winner: winner(d.Winner),
	}})
	if err != nil {
		return err
	}
	d.SettleTx = &posted.Hash
	return nil
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
