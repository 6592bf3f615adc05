// Package duel plays duels: best of five between two sides that commit to each move before
// they reveal it.
//
// In each round both sides commit to H(move ":" salt), then both reveal. A side sees the
// other's commitment only once both have committed, and the other's move and salt only once
// the round is decided, so the side that reveals second gains nothing.
//
// Every step has a deadline. A side that misses it forfeits the round; if both miss it, the
// round is void. The first access after a deadline, a call or the sweep, applies it as of
// the deadline itself: the next round begins at the deadline, not at the access. So the
// state of a duel at a given time does not depend on when it was read before.
//
// A duel is one row that every step replaces by a compare-and-swap, so concurrent steps
// take effect one after the other. The rules are pure functions on Duel (rules.go); Service
// loads a duel, applies a rule and stores the result, inside the caller's database
// transaction. Stakes are held at the duel's escrow address on the chain; they move there
// and back in the transaction of the step that causes it.
package duel

import (
	"context"
	"errors"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/store"
)

// Status is the state of a duel.
type Status string

// The states of a duel; those from Finished on are final.
const (
	Open      Status = "open"      // waits for an opponent
	Active    Status = "active"    // in play
	Finished  Status = "finished"  // played to its end
	Expired   Status = "expired"   // no opponent joined in time
	Cancelled Status = "cancelled" // by its creator, before an opponent joined
	Declined  Status = "declined"  // by the invited player
	Void      Status = "void"      // in play with a stake at a recovery: both stakes went back
)

// Over reports whether the duel has ended.
func (s Status) Over() bool { return s != Open && s != Active }

// Kind is the origin of a duel.
type Kind string

// The kinds of duel.
const (
	ByCode   Kind = "open"   // created by one player, joined by another with its code
	Sparring Kind = "spar"   // practice against the sparring bot
	Ranked   Kind = "ranked" // started by the arena
	Quick    Kind = "quick"  // two people, paired by the service
	Cup      Kind = "cup"    // a game of a cup
)

// Pool is a rating pool.
type Pool string

// The pools.
const (
	Unrated Pool = ""
	Human   Pool = "human"
	Bots    Pool = "bots"
)

// Player is the player of a side, with the username at the time of joining.
type Player struct {
	Address  chain.Address
	Username string
	Kind     chain.AccountKind
}

// Duel is a duel with its hidden hands. RoundsFor returns the part that a viewer may see.
type Duel struct {
	Code     string
	Kind     Kind
	Status   Status
	A, B     Player            // B is the zero Player while the duel is open
	Stake    int64             // of each side, in coins; 0 for none
	Rated    bool              // changes ratings; false at the end of a draw that neither side has played
	Listed   bool              // in public lists; an unlisted duel is found by its code alone
	Invited  Player            // the only player that may join, without Kind; the zero Player for none
	Network  fairshare.Tag     // that is charged with a listed duel or an open challenge; nil for none
	Rounds   []chain.DuelRound // the decided rounds
	Hands    [2]chain.DuelHand // of a and b, in the current round
	Deadline time.Time         // to join while open; to commit or reveal while active
	Winner   game.Side         // A or B; the zero Side without a winner

	CreatedAt          time.Time
	StartedAt, EndedAt *time.Time

	StakeTx   [2]*chain.Hash // of a and b
	SettleTx  *chain.Hash
	Rematch   Rematch       // after a finished duel
	RematchOf string        // code of the duel that this one follows; "" for none
	RematchTx *chain.Hash   // the caller's stake in the rematch that OfferRematch began
	Series    [2]int64      // duels that a and b have won in the chain of rematches before this one
	Step      time.Duration // the time for a step that the host of its cup or its creator chose; 0 for the usual one
	Version   int64         // of the stored row; each change adds one

	// Above is by how many points the loser was rated above the winner (arena.RecordDuel). The Rating listener sets it
	// for the other listeners; it is not stored.
	Above int64

	seq      int64
	payer    chain.Address // of a new duel with two stakes: the caller, whose shortage is its own error
	drawHand handSource    // of a sparring duel
}

// Limits of duels.
const (
	// JoinTimeout is how long an open duel waits for an opponent.
	JoinTimeout = 10 * time.Minute
	// DayTimeout is JoinTimeout for an invitation of a day.
	DayTimeout = 24 * time.Hour
	// MaxUnfinished is the maximum number of open and active duels with which an account
	// may begin another one. Ranked duels count, but begin regardless of the limit, so an
	// account may exceed it.
	MaxUnfinished = 20
	// MaxRated is the maximum number of rated duels between two players per UTC day.
	MaxRated = 3
)

// The time that a side has to commit, and again to reveal.
const (
	BotStepTimeout      = 15 * time.Second // both sides are bots
	HumanStepTimeout    = 60 * time.Second // at least one side is a person
	SparringStepTimeout = 10 * time.Minute
	// MinStep and MaxStep bound the time that a creator or a host chooses.
	MinStep = 5 * time.Second
	MaxStep = 300 * time.Second
	// ArriveTimeout is the time for the first commitment in a duel that was joined later than JoinTimeout after its
	// creation: its creator does not sit before it any more.
	ArriveTimeout = 10 * time.Minute
)

// stepTimeout returns the time that a side has for a step.
func (d *Duel) stepTimeout() time.Duration {
	bots := d.A.Kind == chain.Bot && d.B.Kind == chain.Bot
	switch {
	case d.Kind == Sparring:
		return SparringStepTimeout
	case !bots && d.round() == 1 && !d.bothCommitted() && d.StartedAt.Sub(d.CreatedAt) > JoinTimeout:
		return ArriveTimeout // a creator who has left would miss a chosen time, too
	case d.Step != 0:
		return d.Step
	case bots:
		return BotStepTimeout
	}
	return HumanStepTimeout
}

// SeriesScore returns the duels that a and b have won in the chain of rematches up to this one.
func (d *Duel) SeriesScore() [2]int64 {
	won := d.Series
	if d.Winner != game.NoSide {
		won[d.Winner.Index()]++
	}
	return won
}

// Pool returns the rating pool of the duel.
func (d *Duel) Pool() Pool {
	switch {
	case !d.Rated:
		return Unrated
	case d.Kind == Ranked:
		return Bots
	}
	return Human
}

// Side returns the side that an account plays, or the zero Side.
func (d *Duel) Side(account chain.Address) game.Side {
	switch account {
	case chain.Address{}:
		return game.NoSide
	case d.A.Address:
		return game.A
	case d.B.Address:
		return game.B
	}
	return game.NoSide
}

// Score returns the score of the decided rounds.
func (d *Duel) Score() (score game.BestOfFive) {
	for _, r := range d.Rounds {
		score.Add(r.Outcome, r.Forfeit)
	}
	return score
}

// Resigned returns the side that resigned, or the zero Side.
func (d *Duel) Resigned() game.Side {
	if len(d.Rounds) == 0 {
		return game.NoSide
	}
	return d.Rounds[len(d.Rounds)-1].Resigned()
}

// Transcript returns the transcript of the decided rounds in the form that the settlement
// hashes.
func (d *Duel) Transcript() []byte {
	t := chain.DuelTranscript{
		A: d.A.Address, B: d.B.Address, DuelID: d.Code, Rounds: d.Rounds, Stake: d.Stake, Winner: d.Winner,
	}
	return t.Raw()
}

// Listener receives finished duels inside the transaction of the step that ends them. Its
// error rolls the step back.
type Listener interface {
	DuelFinished(ctx context.Context, tx *store.Tx, d *Duel) error
}

// Errors of this package. The ledger defines the errors of insufficient funds.
var (
	ErrNotFound   = errors.New("duel: not found")
	ErrForbidden  = errors.New("duel: the caller plays no side of the duel")
	ErrOwn        = errors.New("duel: the creator cannot join the duel")
	ErrFull       = errors.New("duel: an opponent has already joined")
	ErrClosed     = errors.New("duel: the duel is over")
	ErrMovedOn    = errors.New("duel: the duel is past this step")
	ErrNotYet     = errors.New("duel: this step is not possible yet")
	ErrMismatch   = errors.New("duel: move and salt do not match the commitment")
	ErrUnfinished = errors.New("duel: too many unfinished duels")
)
