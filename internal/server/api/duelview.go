package api

import (
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/platform/presence"
	"roshambo/internal/service/duel"
)

// A round is shown in three steps, so that no side learns the other's move early: before both
// commitments, a side sees only its own; then both commitments; after the decision, moves and
// salts. duel.Seen makes that decision. The functions in this file only translate its result.

// Duel is a duel as the caller may see it: duel.Seen decides which moves and salts it shows.
type Duel struct {
	ID         string        `json:"id" doc:"Its code."`
	Status     string        `json:"status" enum:"open,active,finished,expired,cancelled"`
	Kind       string        `json:"kind" known:"open,spar,ranked,quick,cup" doc:"open: joined by its code; spar: against the sparring bot; ranked: matched in the arena; quick: two people whom the service paired; cup: a game of a cup."`
	You        *string       `json:"you" enum:"a,b" doc:"The caller's side; null for spectators."`
	A          DuelSide      `json:"a"`
	B          *DuelSide     `json:"b" doc:"Null until an opponent joins."`
	Stake      int64         `json:"stake" doc:"Of each side, in coins."`
	Rated      bool          `json:"rated"`
	Listed     bool          `json:"listed" doc:"Shown in public lists. Only its code joins an unlisted duel."`
	Invited    *PlayerName   `json:"invited,omitempty" doc:"While open: the only player who may join."`
	Declined   bool          `json:"declined,omitempty" doc:"Of a cancelled duel: the player whom it was for has declined it."`
	Rounds     []DuelRound   `json:"rounds" doc:"The last one is the current one while the duel is active."`
	Wins       DuelWins      `json:"wins"`
	Winner     *string       `json:"winner" enum:"a,b" doc:"Once finished; null is a draw."`
	Voided     *Voided       `json:"voided,omitempty" doc:"Of a rated duel whose result an operator declared void: it changes no rating and gives no points."`
	ResignedBy *string       `json:"resigned_by" enum:"a,b" doc:"The side that resigned."`
	Rematch    *DuelRematch  `json:"rematch,omitempty" doc:"For the sides of a finished duel: the offer of a rematch."`
	Presence   *DuelPresence `json:"presence,omitempty" doc:"For the sides, in answers to a read of the duel: who watches."`
	RematchOf  string        `json:"rematch_of,omitempty" doc:"The duel that this one follows."`
	Series     *DuelWins     `json:"series,omitempty" doc:"Of a rematch: the duels that each side has won in the chain of rematches up to this one."`
	Version    int64         `json:"version" doc:"Rises with every change."`
	CreatedAt  Time          `json:"created_at"`
	StartedAt  *Time         `json:"started_at"`
	FinishedAt *Time         `json:"finished_at" doc:"When it finished, expired or was cancelled."`
	ExpiresAt  *Time         `json:"expires_at" doc:"While open: the deadline for joining."`
	StakeTxA   *string       `json:"stake_tx_a" doc:"The transaction of a's stake."`
	StakeTxB   *string       `json:"stake_tx_b"`
	SettleTx   *string       `json:"settle_tx" doc:"The transaction that settled it on the chain: of every finished duel, and of a staked one that found no opponent."`

	MoveSeconds *int64 `json:"move_seconds,omitempty" doc:"The time for each commitment and each reveal, if its creator or the host of its cup chose one."`
}

// DuelSide is the player of a side.
type DuelSide struct {
	Username     string `json:"username" doc:"At the start of the duel."`
	ShortAddress string `json:"short_address"`
	Address      string `json:"address"`
	Kind         string `json:"kind" known:"guest,account,bot"`
}

// DuelRound is one round.
type DuelRound struct {
	Round       int64     `json:"round" doc:"From 1."`
	Committed   DuelFlags `json:"committed"`
	Revealed    DuelFlags `json:"revealed"`
	YouRevealed bool      `json:"you_revealed"`
	Outcome     string    `json:"outcome" enum:"pending,a,b,tie,void" doc:"void: both sides missed a deadline, or their commitments were equal."`
	Deadline    *Time     `json:"deadline" doc:"Of the commit or reveal that is due; null once decided."`
	CommitmentA *string   `json:"commitment_a" doc:"Visible once both sides have committed; the caller's own at once."`
	CommitmentB *string   `json:"commitment_b"`
	MoveA       *string   `json:"move_a" enum:"rock,paper,scissors" doc:"Visible once the round is decided; the caller's own at once."`
	MoveB       *string   `json:"move_b" enum:"rock,paper,scissors"`
	SaltA       *string   `json:"salt_a" doc:"With the move, except in lists and on TV, whose answers stay small whatever salts players choose."`
	SaltB       *string   `json:"salt_b"`
	ForfeitedBy *string   `json:"forfeited_by" enum:"a,b,both" doc:"The side that missed a deadline."`
}

// DuelFlags are a property of both sides.
type DuelFlags struct {
	A bool `json:"a"`
	B bool `json:"b"`
}

// DuelWins are the rounds that each side has won.
type DuelWins struct {
	A int64 `json:"a"`
	B int64 `json:"b"`
}

// wireDuelStatus returns the status of a duel in answers. A duel that a recovery made void was cancelled by
// the house: its status is its own in the proof alone. A declined one was cancelled by the invited player.
func wireDuelStatus(s duel.Status) string {
	if s == duel.Void || s == duel.Declined {
		s = duel.Cancelled
	}
	return string(s)
}

// wireDuel returns the wire form of a duel for a viewer; the zero address is a spectator.
func wireDuel(d *duel.Duel, to chain.Address) Duel {
	you, score := d.Side(to), d.Score()
	out := Duel{
		ID: d.Code, Status: wireDuelStatus(d.Status), Kind: string(d.Kind), You: sideName(you), A: wireSide(d.A),
		Stake: d.Stake, Rated: d.Rated, Listed: d.Listed, Rounds: []DuelRound{},
		Wins:   DuelWins{A: int64(score.WinsA), B: int64(score.WinsB)},
		Winner: sideName(d.Winner), Version: d.Version, CreatedAt: Time{d.CreatedAt},
		StartedAt: optionalTime(d.StartedAt), FinishedAt: optionalTime(d.EndedAt),
		StakeTxA: optionalHash(d.StakeTx[0]), StakeTxB: optionalHash(d.StakeTx[1]), SettleTx: optionalHash(d.SettleTx),
		MoveSeconds: given(int64(d.Step / time.Second)),
	}
	out.ResignedBy, out.RematchOf, out.Declined = sideName(d.Resigned()), d.RematchOf, d.Status == duel.Declined
	if d.RematchOf != "" {
		won := d.SeriesScore()
		out.Series = &DuelWins{A: won[0], B: won[1]}
	}
	out.Rematch = wireRematch(d, you != game.NoSide)
	if d.B.Address != (chain.Address{}) {
		out.B = new(wireSide(d.B))
	}
	if d.Status == duel.Open {
		out.ExpiresAt = &Time{d.Deadline}
		if d.Invited.Address != (chain.Address{}) {
			out.Invited = new(wireName(d.Invited.Address, d.Invited.Username))
		}
	}
	for _, r := range d.RoundsFor(you) {
		out.Rounds = append(out.Rounds, wireRound(&r, you))
	}
	return out
}

// withoutSalts removes the salts from a duel that is shown among others or to visitors: 60 rounds with long
// salts have 360 KB, because JSON writes a control character with six.
func (d *Duel) withoutSalts() {
	for i := range d.Rounds {
		d.Rounds[i].SaltA, d.Rounds[i].SaltB = nil, nil
	}
}

// wireSide returns the wire form of a side's player.
func wireSide(p duel.Player) DuelSide {
	return DuelSide{Username: p.Username, ShortAddress: p.Address.Short(), Address: p.Address.String(),
		Kind: string(p.Kind)}
}

// wireRound returns the wire form of a round as the side you may see it.
func wireRound(r *duel.RoundView, you game.Side) DuelRound {
	a, b := &r.Hands[0], &r.Hands[1]
	out := DuelRound{
		Round: int64(r.N), Committed: DuelFlags{A: a.Committed, B: b.Committed},
		Revealed:    DuelFlags{A: r.Revealed[0], B: r.Revealed[1]},
		YouRevealed: you != game.NoSide && r.Revealed[you.Index()], Outcome: "pending", ForfeitedBy: sideName(r.Forfeit),
	}
	if r.Decided {
		out.Outcome = r.Outcome.String()
	} else {
		out.Deadline = &Time{r.Deadline}
	}
	out.CommitmentA, out.MoveA, out.SaltA = wireHand(a)
	out.CommitmentB, out.MoveB, out.SaltB = wireHand(b)
	return out
}

// wireHand returns the visible parts of a hand, nil for hidden ones. No commitment hashes to zeros.
func wireHand(h *chain.DuelHand) (commitment, move, salt *string) {
	if h.HasMove {
		move, salt = new(h.Move.String()), new(h.Salt)
	}
	return optionalHash(given(h.Commitment)), move, salt
}

// sideName returns the name of a side, "a" or "b"; nil for game.NoSide.
func sideName(s game.Side) *string {
	return optional(given(s), game.Side.String)
}

// optionalTime returns the wire form of a time; nil for nil.
func optionalTime(t *time.Time) *Time {
	return optional(t, func(t time.Time) Time { return Time{t} })
}

// optionalHash returns the hex text of a hash; nil for nil.
func optionalHash(h *chain.Hash) *string { return optional(h, chain.Hash.String) }

// DuelRematch is the offer of a rematch after a finished duel.
type DuelRematch struct {
	OfferedBy *string `json:"offered_by" enum:"a,b" doc:"The side that offers a rematch; null for none."`
	Until     *Time   `json:"until" doc:"When the offer lapses."`
	DuelID    *string `json:"duel_id" doc:"The rematch, once both sides have offered one."`
}

// wireRematch returns the wire form of the rematch after a duel; nil for a spectator, and for a
// duel without an offer.
func wireRematch(d *duel.Duel, you bool) *DuelRematch {
	if !you || d.Rematch == (duel.Rematch{}) {
		return nil
	}
	out := &DuelRematch{OfferedBy: sideName(d.Rematch.By), DuelID: given(d.Rematch.Code)}
	if !d.Rematch.Until.IsZero() {
		out.Until = &Time{d.Rematch.Until}
	}
	return out
}

// DuelPresence is the presence of both sides.
type DuelPresence struct {
	A SidePresence `json:"a"`
	B SidePresence `json:"b"`
}

// SidePresence is the presence of one side.
type SidePresence struct {
	Watching  bool  `json:"watching" doc:"The side has the duel open."`
	GoneSince *Time `json:"gone_since" doc:"When it left; null while it watches, and if that is unknown."`
}

// wirePresence returns the wire form of the presence of one side.
func wirePresence(s presence.State) SidePresence {
	out := SidePresence{Watching: s.Present}
	if !s.Since.IsZero() {
		out.GoneSince = &Time{s.Since}
	}
	return out
}

// watching returns which sides watch, in the form of the query parameter watching.
func (p *DuelPresence) watching() string {
	switch {
	case p.A.Watching && p.B.Watching:
		return "both"
	case p.A.Watching:
		return "a"
	case p.B.Watching:
		return "b"
	}
	return "none"
}
