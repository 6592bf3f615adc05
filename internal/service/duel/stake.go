package duel

import (
	"context"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

// stake moves a side's stake into the duel's escrow.
func (s *Service) stake(ctx context.Context, tx *store.Tx, d *Duel, side game.Side) error {
	posted, err := s.Ledger.Post(ctx, tx, d.staking([2]Player{d.A, d.B}[side.Index()]))
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
// winner, or back to both sides. An open duel that ends without a stake has nothing to settle. The
// settlement and the end commit together: a crash before the commit leaves the duel in play, and a
// crash after it leaves both.
func (s *Service) settle(ctx context.Context, tx *store.Tx, d *Duel) error {
	if d.Status != Finished && d.Stake == 0 {
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
