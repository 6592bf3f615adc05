package duel

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/ledger"
	q "roshambo/internal/query/duelq"
)

// Rows and duels: the only place that knows both.

func insert(ctx context.Context, queries *q.Queries, d *Duel) (seq int64, err error) {
	return queries.InsertDuel(ctx, q.InsertDuelParams{
		Code: d.Code, Kind: string(d.Kind), Status: string(d.Status),
		A: d.A.Address[:], AName: d.A.Username, AKind: string(d.A.Kind),
		B: address(d.B), BName: d.B.Username, BKind: string(d.B.Kind),
		Stake: d.Stake, Rated: integer(d.Rated), Rounds: rounds(d),
		CommitmentA: commitment(d.Hands[0]), CommitmentB: commitment(d.Hands[1]),
		Deadline: d.Deadline.UnixMilli(), Winner: winner(d.Winner), CreatedAt: d.CreatedAt.UnixMilli(),
		StartedAt: millis(d.StartedAt), Version: d.Version,
	})
}

func updateStep(ctx context.Context, queries *q.Queries, d *Duel) error {
	return oneRow(queries.StepDuel(ctx, q.StepDuelParams{
		Seq: d.seq, Version: d.Version, Rounds: rounds(d), Deadline: d.Deadline.UnixMilli(),
		CommitmentA: commitment(d.Hands[0]), CommitmentB: commitment(d.Hands[1]),
		RevealA: reveal(d.Hands[0]), RevealB: reveal(d.Hands[1]),
	}))
}

func updateJoin(ctx context.Context, queries *q.Queries, d *Duel) error {
	return oneRow(queries.JoinDuel(ctx, q.JoinDuelParams{
		Seq: d.seq, Version: d.Version, Status: string(d.Status),
		B: address(d.B), BName: d.B.Username, BKind: string(d.B.Kind), Rated: integer(d.Rated),
		Deadline: d.Deadline.UnixMilli(), StartedAt: millis(d.StartedAt), StakeBTx: hash(d.StakeTx[1]),
	}))
}

func updateEnd(ctx context.Context, queries *q.Queries, d *Duel) error {
	return oneRow(queries.EndDuel(ctx, q.EndDuelParams{
		Seq: d.seq, Version: d.Version, Status: string(d.Status), Rounds: rounds(d), Deadline: d.Deadline.UnixMilli(),
		Winner: winner(d.Winner), EndedAt: millis(d.EndedAt), SettleTx: hash(d.SettleTx),
	}))
}

// oneRow turns a compare-and-swap that found another version into ErrConflict.
func oneRow(n int64, err error) error {
	if err == nil && n != 1 {
		return ledger.ErrConflict
	}
	return err
}

func rounds(d *Duel) string { return string(chain.AppendDuelRounds(nil, d.Rounds)) }

func address(p Player) []byte {
	if p.Address == (chain.Address{}) {
		return nil
	}
	return p.Address[:]
}

func commitment(h chain.DuelHand) []byte {
	if !h.Committed {
		return nil
	}
	return h.Commitment[:]
}

// reveal returns the text behind the commitment.
func reveal(h chain.DuelHand) []byte {
	if !h.HasMove {
		return nil
	}
	return []byte(h.Move.String() + ":" + h.Salt)
}

func hash(h *chain.Hash) []byte {
	if h == nil {
		return nil
	}
	return h[:]
}

func winner(s game.Side) string {
	if s == game.Nobody {
		return ""
	}
	return s.String()
}

func integer(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func millis(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
}

func (s *Service) fromRow(row q.Duel) (*Duel, error) {
	d := &Duel{
		Code: row.Code, Kind: Kind(row.Kind), Status: Status(row.Status),
		A:     Player{Username: row.AName, Kind: chain.AccountKind(row.AKind)},
		B:     Player{Username: row.BName, Kind: chain.AccountKind(row.BKind)},
		Stake: row.Stake, Rated: row.Rated != 0, Deadline: fromMillis(row.Deadline), CreatedAt: fromMillis(row.CreatedAt),
		StartedAt: optionalTime(row.StartedAt), EndedAt: optionalTime(row.EndedAt), Version: row.Version,
		StakeTx: [2]*chain.Hash{optionalHash(row.StakeATx), optionalHash(row.StakeBTx)}, SettleTx: optionalHash(row.SettleTx),
		seq: row.Seq, deal: s.deal,
	}
	copy(d.A.Address[:], row.A)
	copy(d.B.Address[:], row.B)
	switch row.Winner {
	case "a":
		d.Winner = game.A
	case "b":
		d.Winner = game.B
	}
	var err error
	if d.Rounds, err = chain.ParseDuelRounds([]byte(row.Rounds)); err != nil {
		return nil, fmt.Errorf("duel: %s: %w", row.Code, err)
	}
	if d.Hands[0], err = fromHand(row.CommitmentA, row.RevealA); err == nil {
		d.Hands[1], err = fromHand(row.CommitmentB, row.RevealB)
	}
	if err != nil {
		return nil, fmt.Errorf("duel: %s: %w", row.Code, err)
	}
	return d, nil
}

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

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func optionalTime(ms *int64) *time.Time {
	if ms == nil {
		return nil
	}
	t := fromMillis(*ms)
	return &t
}

func optionalHash(b []byte) *chain.Hash {
	if b == nil {
		return nil
	}
	var h chain.Hash
	copy(h[:], b)
	return &h
}
