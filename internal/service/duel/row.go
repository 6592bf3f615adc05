package duel

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/duelq"
)

// This file converts between Duel and its row. The update functions are compare-and-swaps
// on the version: they return ledger.ErrConflict if the row has changed since it was read.

// writes returns the statements of this package, for outcomes that the use case assumes
// (store.Deferred).
func writes(tx *store.Tx) *q.Queries { return q.New(tx.Deferred()) }

// insert stores a new duel and returns its position in lists. Errors: sql.ErrNoRows if the
// code is taken.
func insert(ctx context.Context, tx *store.Tx, d *Duel) (seq int64, err error) {
	return q.New(tx).InsertDuel(ctx, q.InsertDuelParams{
		Code: d.Code, Kind: string(d.Kind), Status: string(d.Status),
		A: d.A.Address[:], AName: d.A.Username, AKind: string(d.A.Kind),
		B: address(d.B), BName: d.B.Username, BKind: string(d.B.Kind),
		Stake: d.Stake, Rated: column.Bool(d.Rated), Rounds: rounds(d),
		CommitmentA: commitment(d.Hands[0]), CommitmentB: commitment(d.Hands[1]),
		Deadline: d.Deadline.UnixMilli(), Winner: winner(d.Winner), CreatedAt: d.CreatedAt.UnixMilli(),
		StartedAt: column.Millis(d.StartedAt), Version: d.Version,
		Listed: column.Bool(d.Listed), RematchOf: d.RematchOf, Network: d.Network,
		Invited: address(d.Invited), InvitedName: d.Invited.Username, SeriesA: d.Series[0], SeriesB: d.Series[1],
		StepMs: d.Step.Milliseconds(),
	})
}

// updateStep stores a duel that goes on after a step or a passed deadline.
func updateStep(ctx context.Context, tx *store.Tx, d *Duel) error {
	return ledger.OneRow(writes(tx).StepDuel(ctx, q.StepDuelParams{
		Seq: d.seq, Version: d.Version, Rounds: rounds(d), Deadline: d.Deadline.UnixMilli(),
		CommitmentA: commitment(d.Hands[0]), CommitmentB: commitment(d.Hands[1]),
		RevealA: reveal(d.Hands[0]), RevealB: reveal(d.Hands[1]),
	}))
}

// updateJoin stores a duel that an opponent has joined.
func updateJoin(ctx context.Context, tx *store.Tx, d *Duel) error {
	return ledger.OneRow(writes(tx).JoinDuel(ctx, q.JoinDuelParams{
		Seq: d.seq, Version: d.Version, Status: string(d.Status),
		B: address(d.B), BName: d.B.Username, BKind: string(d.B.Kind), Rated: column.Bool(d.Rated),
		Deadline: d.Deadline.UnixMilli(), StartedAt: column.Millis(d.StartedAt), StakeATx: column.Hash(d.StakeTx[0]),
		StakeBTx: column.Hash(d.StakeTx[1]),
	}))
}

// updateEnd stores a duel that has ended, and clears its hidden hands.
func updateEnd(ctx context.Context, tx *store.Tx, d *Duel) error {
	return ledger.OneRow(writes(tx).EndDuel(ctx, q.EndDuelParams{
		Seq:      d.seq,
		Version:  d.Version,
		Status:   string(d.Status),
		Rounds:   rounds(d),
		Deadline: d.Deadline.UnixMilli(),
		Winner: winner(
			d.Winner,
		),
		Rated:    column.Bool(d.Rated),
		Listed:   column.Bool(d.Listed),
		EndedAt:  column.Millis(d.EndedAt),
		SettleTx: column.Hash(d.SettleTx),
	}))
}

// setStakes stores the stakes of a duel that this transaction has inserted.
func setStakes(ctx context.Context, tx *store.Tx, d *Duel) error {
	return writes(tx).SetStakes(ctx, q.SetStakesParams{
		Seq: d.seq, StakeATx: column.Hash(d.StakeTx[0]), StakeBTx: column.Hash(d.StakeTx[1]),
	})
}

// updateRematch stores the offer of a rematch and the code of the rematch.
func updateRematch(ctx context.Context, tx *store.Tx, d *Duel) error {
	until := int64(0)
	if !d.Rematch.Until.IsZero() {
		until = d.Rematch.Until.UnixMilli()
	}
	return ledger.OneRow(writes(tx).SetRematch(ctx, q.SetRematchParams{
		Seq: d.seq, Version: d.Version, RematchBy: winner(d.Rematch.By), RematchUntil: until, Rematch: d.Rematch.Code,
	}))
}

func rounds(d *Duel) string { return string(chain.AppendDuelRounds(nil, d.Rounds)) }

// address returns p's address, nil for the zero Player.
func address(p Player) []byte {
	if p.Address == (chain.Address{}) {
		return nil
	}
	return p.Address[:]
}

// commitment returns a hand's commitment, nil if there is none.
func commitment(h chain.DuelHand) []byte {
	if !h.Committed {
		return nil
	}
	return h.Commitment[:]
}

// reveal returns the text behind a hand's commitment, move ":" salt; nil before the reveal.
func reveal(h chain.DuelHand) []byte {
	if !h.HasMove {
		return nil
	}
	return []byte(h.Move.String() + ":" + h.Salt)
}

// winner returns "a" or "b", "" for a draw.
func winner(s game.Side) string {
	if s == game.NoSide {
		return ""
	}
	return s.String()
}

// side is the inverse of winner.
func side(name string) game.Side {
	switch name {
	case "a":
		return game.A
	case "b":
		return game.B
	}
	return game.NoSide
}

// fromRow returns the duel of a row. It returns an error for damaged rounds or hands.
func (s *Service) fromRow(row q.Duel) (*Duel, error) {
	d := &Duel{
		Code: row.Code, Kind: Kind(row.Kind), Status: Status(row.Status),
		A:     Player{Username: row.AName, Kind: chain.AccountKind(row.AKind)},
		B:     Player{Username: row.BName, Kind: chain.AccountKind(row.BKind)},
		Stake: row.Stake, Rated: row.Rated != 0, Deadline: column.Time(row.Deadline), CreatedAt: column.Time(row.CreatedAt),
		StartedAt: column.OptionalTime(row.StartedAt), EndedAt: column.OptionalTime(row.EndedAt), Version: row.Version,
		StakeTx:  [2]*chain.Hash{column.OptionalHash(row.StakeATx), column.OptionalHash(row.StakeBTx)},
		SettleTx: column.OptionalHash(row.SettleTx), seq: row.Seq, drawHand: s.drawHand,
		Listed: row.Listed != 0, RematchOf: row.RematchOf, Rematch: Rematch{By: side(row.RematchBy), Code: row.Rematch},
		Network: row.Network, Invited: Player{Username: row.InvitedName}, Series: [2]int64{row.SeriesA, row.SeriesB},
		Step: time.Duration(row.StepMs) * time.Millisecond,
	}
	if row.RematchUntil != 0 {
		d.Rematch.Until = column.Time(row.RematchUntil)
	}
	copy(d.A.Address[:], row.A)
	copy(d.B.Address[:], row.B)
	copy(d.Invited.Address[:], row.Invited)
	d.Winner = side(row.Winner)
	var err error
	if d.Rounds, err = chain.ParseDuelRounds([]byte(row.Rounds)); err != nil {
		return nil, fmt.Errorf("duel: %s: %w", row.Code, err)
	}
	if d.Hands[0], err = fromHand(row.CommitmentA, row.RevealA); err != nil {
		return nil, fmt.Errorf("duel: %s: hand of a: %w", row.Code, err)
	}
	if d.Hands[1], err = fromHand(row.CommitmentB, row.RevealB); err != nil {
		return nil, fmt.Errorf("duel: %s: hand of b: %w", row.Code, err)
	}
	return d, nil
}

// fromHand returns the hand of two columns; either may be nil.
func fromHand(commitment, reveal []byte) (h chain.DuelHand, err error) {
	h.Committed = commitment != nil
	copy(h.Commitment[:], commitment)
	if reveal == nil {
		return h, nil
	}
	move, salt, _ := bytes.Cut(reveal, []byte(":"))
	h.HasMove, h.HasSalt, h.Salt = true, true, string(salt)
	h.Move, err = game.ParseMove(string(move))
	return h, err
}
