package agent

import (
	"time"

	"roshambo/client/api"
)

// The types of this file are what tools answer with. They are made member by member from the service's answers, so
// that no salt, receipt or key can pass, and no text of another person outside of Words.

// Move is a hand.
type Move string

// The moves.
const (
	Rock     Move = "rock"
	Paper    Move = "paper"
	Scissors Move = "scissors"
)

// Player is a player or a bot.
type Player struct {
	Address string `json:"address"`
	Kind    string `json:"kind,omitempty" jsonschema:"guest, account or bot"`
	Name    Words  `json:"name"`
}

// Side is one side of a duel.
type Side string

// The sides.
const (
	SideA Side = "a"
	SideB Side = "b"
)

// Duel is a duel as the caller sees it.
type Duel struct {
	Duel   string `json:"duel" jsonschema:"the code of the duel"`
	Kind   string `json:"kind" jsonschema:"spar: practice; ranked; cup; quick: against a stranger; open: joined by its code"`
	Status string `json:"status" jsonschema:"open: waits for an opponent; active; finished; expired; cancelled"`
	You    Side   `json:"you,omitempty" jsonschema:"your side; absent if you only watch"`
	// Opponent is absent for spectators, which see A and B.
	Opponent    *Player `json:"opponent,omitempty"`
	A           *Player `json:"a,omitempty" jsonschema:"of a duel that you watch"`
	B           *Player `json:"b,omitempty"`
	Stake       int64   `json:"stake" jsonschema:"coins of each side"`
	WinsA       int64   `json:"wins_a" jsonschema:"rounds won by side a: three win the duel"`
	WinsB       int64   `json:"wins_b"`
	Round       int64   `json:"round" jsonschema:"the current or last round, from 1; 0 before the start"`
	Waits       Waits   `json:"waits" jsonschema:"your_move: call play; opponent: call wait_turn; opponent_joins: call wait_turn; lost_hand: another program sealed your move of this round, which plays on or lapses; over; watching"`
	StepSeconds *int64  `json:"move_seconds,omitempty" jsonschema:"the time for each commitment and each reveal, if it was chosen for this duel"`
	SecondsLeft *int64  `json:"seconds_left,omitempty" jsonschema:"until the deadline of what waits: a side that misses it loses the round"`
	Sealed      Move    `json:"sealed,omitempty" jsonschema:"your move of this round, committed and hidden from the others until both have committed"`
	Result      string  `json:"result,omitempty" jsonschema:"won, lost or drawn, once it is finished and you played it"`
	Rounds      []Round `json:"rounds" jsonschema:"the newest 20 rounds that are decided"`
	Page        string  `json:"page" jsonschema:"its page for people; a path of the service if that does not know its address"`
}

// Waits is what a duel waits for, as its caller sees it.
type Waits string

// What a duel can wait for.
const (
	YourMove      Waits = "your_move"
	TheOpponent   Waits = "opponent"
	OpponentJoins Waits = "opponent_joins"
	LostHand      Waits = "lost_hand"
	Over          Waits = "over"
	Watching      Waits = "watching"
)

// Round is a decided round.
type Round struct {
	Round       int64  `json:"round"`
	MoveA       Move   `json:"move_a,omitempty" jsonschema:"absent if it was not revealed"`
	MoveB       Move   `json:"move_b,omitempty"`
	Outcome     string `json:"outcome" jsonschema:"a, b, tie or void: void rounds are replayed"`
	ForfeitedBy Side   `json:"forfeited_by,omitempty" jsonschema:"the side that missed a deadline"`
}

// maxRounds is how many rounds an answer shows: a duel can have 60.
const maxRounds = 20

// Run is a run against the house.
type Run struct {
	Run       string  `json:"run" jsonschema:"its id"`
	Status    string  `json:"status" jsonschema:"active: throw; deciding: the last throw won, claim or continue; claimed; lost; abandoned; void"`
	Entry     string  `json:"entry"`
	Cleared   int64   `json:"cleared" jsonschema:"the tier reached; the next win reaches the next one"`
	Claimable *Tier   `json:"claimable,omitempty" jsonschema:"what a claim gives now, or gave"`
	Bound     bool    `json:"bound" jsonschema:"it wins a token that cannot be sold to players"`
	Token     *int64  `json:"token,omitempty" jsonschema:"the number of the token, once claimed"`
	Throws    []Throw `json:"throws" jsonschema:"the newest 20"`
	Page      string  `json:"page" jsonschema:"its page for people; a path of the service if that does not know its address"`
}

// Tier is a step of the ladder.
type Tier struct {
	Tier     int64  `json:"tier"`
	Material string `json:"material"`
	Value    int64  `json:"value" jsonschema:"base value in coins"`
}

// Throw is a throw of a run.
type Throw struct {
	Number  int64  `json:"n"`
	Move    Move   `json:"move"`
	House   Move   `json:"house"`
	Outcome string `json:"outcome" jsonschema:"win, loss or tie"`
}

// player returns a player of the service's answer.
func player(address, kind, username string) *Player {
	return &Player{Address: plain(address), Kind: plain(kind), Name: words(username)}
}

// named is player for an answer without a kind; nil for none.
func named(p *api.PlayerName) *Player {
	if p == nil {
		return nil
	}
	return player(p.Address, "", p.Username)
}

// viewDuel returns a duel, without what depends on this program: Waits and Sealed.
func (a *Agent) viewDuel(d *api.Duel) *Duel {
	v := &Duel{Duel: plain(d.ID), Kind: plain(d.Kind), Status: plain(d.Status), Stake: d.Stake,
		WinsA: d.Wins.A, WinsB: d.Wins.B, StepSeconds: d.MoveSeconds, Rounds: []Round{}, Page: a.URL + "/d/" + plain(d.ID)}
	sideA := player(d.A.Address, d.A.Kind, d.A.Username)
	var sideB *Player
	if d.B != nil {
		sideB = player(d.B.Address, d.B.Kind, d.B.Username)
	}
	switch v.You = sideOf(d); v.You {
	case SideA:
		v.Opponent = sideB
	case SideB:
		v.Opponent = sideA
	default:
		v.A, v.B = sideA, sideB
	}
	if v.You != "" && d.Status == api.DuelStatusFinished {
		v.Result = resultOf(d)
	}
	for i := range d.Rounds {
		if d.Rounds[i].Outcome != api.DuelRoundOutcomePending {
			v.Rounds = append(v.Rounds, viewRound(&d.Rounds[i]))
		}
	}
	v.Rounds = v.Rounds[max(0, len(v.Rounds)-maxRounds):]
	if r := lastRound(d); r != nil {
		v.Round = r.Round
		if r.Deadline != nil && d.Status == api.DuelStatusActive {
			v.SecondsLeft = a.secondsUntil(*r.Deadline)
		}
	}
	if d.Status == api.DuelStatusOpen && d.ExpiresAt != nil {
		v.SecondsLeft = a.secondsUntil(*d.ExpiresAt)
	}
	return v
}

// viewRound returns a decided round.
func viewRound(r *api.DuelRound) Round {
	return Round{Round: r.Round, MoveA: Move(plain(deref(r.MoveA))), MoveB: Move(plain(deref(r.MoveB))),
		Outcome: plain(r.Outcome), ForfeitedBy: Side(plain(deref(r.ForfeitedBy)))}
}

// sideOf returns the caller's side; "" for a spectator.
func sideOf(d *api.Duel) Side {
	switch deref(d.You) {
	case api.DuelYouA:
		return SideA
	case api.DuelYouB:
		return SideB
	}
	return ""
}

// resultOf returns the result of a finished duel for its caller, one of its players.
func resultOf(d *api.Duel) string {
	switch {
	case d.Winner == nil:
		return "drawn"
	case Side(*d.Winner) == sideOf(d):
		return "won"
	}
	return "lost"
}

// lastRound returns the current round of a duel, or the last one; nil before the start.
func lastRound(d *api.Duel) *api.DuelRound {
	if len(d.Rounds) == 0 {
		return nil
	}
	return &d.Rounds[len(d.Rounds)-1]
}

// roundOf returns a round of a duel; nil if the answer does not have it.
func roundOf(d *api.Duel, n int64) *api.DuelRound {
	for i := range d.Rounds {
		if d.Rounds[i].Round == n {
			return &d.Rounds[i]
		}
	}
	return nil
}

// viewRun returns a run.
func (a *Agent) viewRun(r *api.Run) *Run {
	v := &Run{Run: plain(r.ID), Status: plain(r.Status), Entry: plain(r.Entry), Cleared: r.Cleared, Bound: r.Bound,
		Token: r.TokenID, Throws: []Throw{}, Page: a.URL + "/r/" + plain(r.ID)}
	if t := r.ClaimableTier; t != nil {
		v.Claimable = &Tier{t.Tier, plain(t.Material), t.Value}
	}
	for _, t := range r.Throws[max(0, len(r.Throws)-maxRounds):] {
		v.Throws = append(v.Throws, Throw{t.N, Move(plain(t.Move)), Move(plain(t.House)), plain(t.Outcome)})
	}
	return v
}

// secondsUntil returns the whole seconds until a time of the service, 0 if it has passed.
func (a *Agent) secondsUntil(t time.Time) *int64 {
	left := max(0, int64(t.Sub(a.now())/time.Second))
	return &left
}

// roundResult returns the result of a round for a side; "" while it goes on.
func roundResult(r *api.DuelRound, you Side) string {
	switch r.Outcome {
	case api.DuelRoundOutcomePending:
		return ""
	case api.DuelRoundOutcomeTie, api.DuelRoundOutcomeVoid:
		return string(r.Outcome)
	case api.DuelRoundOutcome(you):
		return "won"
	}
	return "lost"
}

// theirMove returns the move of the other side in a decided round; "" if it was not revealed.
func theirMove(r *api.DuelRound, you Side) Move {
	v := viewRound(r)
	switch {
	case r.Outcome == api.DuelRoundOutcomePending:
		return ""
	case you == SideA:
		return v.MoveB
	}
	return v.MoveA
}
