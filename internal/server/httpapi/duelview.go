package httpapi

import (
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/service/duel"
)

// Duel is a duel as the caller may see it.
type Duel struct {
	ID         string      `json:"id" doc:"Its code."`
	Status     string      `json:"status" enum:"open,active,finished,expired,cancelled"`
	Kind       string      `json:"kind" enum:"open,spar,ranked" doc:"How it came about: by code, against the sparring bot, in the arena."`
	You        *string     `json:"you" enum:"a,b" doc:"The caller's side; null for spectators."`
	A          DuelSide    `json:"a"`
	B          *DuelSide   `json:"b" doc:"Null until somebody joins."`
	Stake      int64       `json:"stake" doc:"Of each side, in coins."`
	Rated      bool        `json:"rated"`
	Rounds     []DuelRound `json:"rounds" doc:"The last one is the current one while the duel is active."`
	Wins       DuelWins    `json:"wins"`
	Winner     *string     `json:"winner" enum:"a,b" doc:"Once finished; null is a draw."`
	Version    int64       `json:"version" doc:"Rises with every change."`
	CreatedAt  Time        `json:"created_at"`
	StartedAt  *Time       `json:"started_at"`
	FinishedAt *Time       `json:"finished_at" doc:"When it ended, in whichever way."`
	ExpiresAt  *Time       `json:"expires_at" doc:"While open: until when somebody may join."`
	StakeTxA   *string     `json:"stake_tx_a" doc:"The transaction of a's stake."`
	StakeTxB   *string     `json:"stake_tx_b"`
	SettleTx   *string     `json:"settle_tx" doc:"The transaction that ended it on the chain, when it was staked or rated."`
}

// DuelSide is who plays a side.
type DuelSide struct {
	Username     string `json:"username" doc:"As it was when the duel began."`
	ShortAddress string `json:"short_address"`
	Address      string `json:"address"`
	Kind         string `json:"kind" enum:"guest,account,bot"`
}

// DuelRound is one round.
type DuelRound struct {
	Round       int64     `json:"round" doc:"From 1."`
	Committed   DuelFlags `json:"committed"`
	Revealed    DuelFlags `json:"revealed"`
	YouRevealed bool      `json:"you_revealed"`
	Outcome     string    `json:"outcome" enum:"pending,a,b,tie,void" doc:"void: both sides missed a deadline."`
	Deadline    *Time     `json:"deadline" doc:"Of the commit or reveal that is due; null once decided."`
	CommitmentA *string   `json:"commitment_a" doc:"Once both sides have committed; one's own at once."`
	CommitmentB *string   `json:"commitment_b"`
	MoveA       *string   `json:"move_a" enum:"rock,paper,scissors" doc:"Once revealed and the round is decided; one's own at once."`
	MoveB       *string   `json:"move_b" enum:"rock,paper,scissors"`
	SaltA       *string   `json:"salt_a" doc:"With the move."`
	SaltB       *string   `json:"salt_b"`
	ForfeitedBy *string   `json:"forfeited_by" enum:"a,b,both" doc:"Who missed a deadline."`
}

// DuelFlags say something of each side.
type DuelFlags struct {
	A bool `json:"a"`
	B bool `json:"b"`
}

// DuelWins counts the rounds won.
type DuelWins struct {
	A int64 `json:"a"`
	B int64 `json:"b"`
}

// wireDuel shows a duel to an account; the zero Address is a spectator's.
func wireDuel(d *duel.Duel, to chain.Address) Duel {
	you, score := d.Side(to), d.Score()
	out := Duel{
		ID: d.Code, Status: string(d.Status), Kind: string(d.Kind), You: sideName(you), A: wireSide(d.A),
		Stake: d.Stake, Rated: d.Rated, Rounds: []DuelRound{}, Wins: DuelWins{int64(score.WinsA), int64(score.WinsB)},
		Winner: sideName(d.Winner), Version: d.Version, CreatedAt: Time{d.CreatedAt},
		StartedAt: optionalTime(d.StartedAt), FinishedAt: optionalTime(d.EndedAt),
		StakeTxA: optionalHash(d.StakeTx[0]), StakeTxB: optionalHash(d.StakeTx[1]), SettleTx: optionalHash(d.SettleTx),
	}
	if d.B.Address != (chain.Address{}) {
		b := wireSide(d.B)
		out.B = &b
	}
	if d.Status == duel.Open {
		out.ExpiresAt = &Time{d.Deadline}
	}
	for _, r := range d.Seen(you) {
		out.Rounds = append(out.Rounds, wireRound(&r, you))
	}
	return out
}

func wireSide(p duel.Player) DuelSide {
	return DuelSide{p.Username, p.Address.Short(), p.Address.String(), string(p.Kind)}
}

func wireRound(r *duel.RoundSeen, you game.Side) DuelRound {
	a, b := &r.Hands[0], &r.Hands[1]
	out := DuelRound{
		Round: int64(r.N), Committed: DuelFlags{a.Committed, b.Committed}, Revealed: DuelFlags{r.Revealed[0], r.Revealed[1]},
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

// wireHand writes what of a hand is not hidden. No commitment hashes to zeros.
func wireHand(h *chain.DuelHand) (commitment, move, salt *string) {
	if h.Commitment != (chain.Hash{}) {
		commitment = optionalHash(&h.Commitment)
	}
	if h.HasMove {
		name, text := h.Move.String(), h.Salt
		move, salt = &name, &text
	}
	return commitment, move, salt
}

func sideName(s game.Side) *string {
	if s == game.NoSide {
		return nil
	}
	name := s.String()
	return &name
}

func optionalTime(t *time.Time) *Time {
	if t == nil {
		return nil
	}
	return &Time{*t}
}

func optionalHash(h *chain.Hash) *string {
	if h == nil {
		return nil
	}
	text := h.String()
	return &text
}
