// Package duel plays duels: best of five between two sides, each of whose moves is
// committed to before it is shown.
//
// In a round both sides commit to H(move ":" salt), then both reveal. Until both have
// committed nobody sees a commitment of the other's, and until the round is decided
// nobody sees a move or a salt but their own: the one who reveals second has nothing to
// decide by.
//
// What is due is due by a deadline. Whoever misses it forfeits the round; when both do,
// the round is void. Deadlines that have passed are applied by whatever touches the duel
// first, a call or the sweep, always as of the deadline itself: the next round begins
// then and not when somebody looked. So where a duel stands at a time does not depend on
// who looked at it before.
//
// A duel is one row, changed by one compare-and-swap: of two steps at the same time one
// counts first. What happens is decided by pure functions on Duel (rules.go); Service
// loads, decides and stores, inside the caller's database transaction. Stakes lie at the
// duel's escrow address on the chain; they get there and leave it in the same
// transaction as the step that moves them.
package duel

import (
	"context"
	"errors"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/store"
)

// Status is where a duel stands.
type Status string

// The states of a duel; those from Finished on are its ends.
const (
	Open      Status = "open"   // waits for an opponent
	Active    Status = "active" // is played
	Finished  Status = "finished"
	Expired   Status = "expired"   // nobody joined in time
	Cancelled Status = "cancelled" // by its creator, before anybody joined
)

// Over says whether the duel has ended.
func (s Status) Over() bool { return s != Open && s != Active }

// Kind is how a duel came about.
type Kind string

// The kinds of duel.
const (
	ByCode   Kind = "open"   // created by one, joined by another who knows the code
	Sparring Kind = "spar"   // practice against the sparring bot
	Ranked   Kind = "ranked" // made by the arena
)

// Pool is the rating that a duel counts for.
type Pool string

// The pools.
const (
	Unrated Pool = ""
	Human   Pool = "human"
	Bots    Pool = "bots"
)

// Player is who plays a side. The name is the one that they came in with.
type Player struct {
	Address  chain.Address
	Username string
	Kind     chain.AccountKind
}

// Duel is a duel with all that is hidden; Seen says what of it may be shown to whom.
type Duel struct {
	Code     string
	Kind     Kind
	Status   Status
	A, B     Player // B is the zero Player until somebody joins
	Stake    int64  // of each side, in coins; 0 for none
	Rated    bool
	Rounds   []chain.DuelRound // decided
	Hands    [2]chain.DuelHand // of a and b, in the round that is played
	Deadline time.Time         // while open, to join; while active, to commit or to reveal
	Winner   game.Side         // A, B or Nobody

	CreatedAt          time.Time
	StartedAt, EndedAt *time.Time

	StakeTx  [2]*chain.Hash // of a and b
	SettleTx *chain.Hash
	Version  int64 // of the stored duel; each change adds one

	seq  int64
	deal dealer // of a sparring duel
}

// Limits of duels.
const (
	// OpenFor is how long a duel waits for an opponent.
	OpenFor = 10 * time.Minute
	// MaxUnfinished is how many duels an account may have open or active before it can
	// begin no other; the arena takes no notice of it. Calls at the same time may pass it
	// by a few.
	MaxUnfinished = 20
	// MaxRated is how many rated duels a day count between two people.
	MaxRated = 3
)

// How long a side may take to commit, and again to reveal.
const (
	ForBots     = 15 * time.Second
	ForPeople   = 60 * time.Second
	ForSparring = 10 * time.Minute
)

// patience returns how long a side may take.
func (d *Duel) patience() time.Duration {
	switch {
	case d.Kind == Sparring:
		return ForSparring
	case d.A.Kind == chain.Bot && d.B.Kind == chain.Bot:
		return ForBots
	}
	return ForPeople
}

// Pool returns the rating that the duel counts for.
func (d *Duel) Pool() Pool {
	switch {
	case !d.Rated:
		return Unrated
	case d.Kind == Ranked:
		return Bots
	}
	return Human
}

// Side returns the side that an account plays, or Nobody.
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

// Score counts the decided rounds.
func (d *Duel) Score() (score game.BestOfFive) {
	for _, r := range d.Rounds {
		score.Add(r.Outcome)
	}
	return score
}

// Transcript returns what is hashed of the duel: its decided rounds.
func (d *Duel) Transcript() []byte {
	t := chain.DuelTranscript{
		A: d.A.Address, B: d.B.Address, DuelID: d.Code, Rounds: d.Rounds, Stake: d.Stake, Winner: d.Winner,
	}
	return t.Raw()
}

// Listener is told of duels that were played to an end, inside the transaction of the
// step that ended them. Its error takes the step back.
type Listener interface {
	DuelFinished(ctx context.Context, tx *store.Tx, d *Duel) error
}

// Errors of this package. Those of funds are the ledger's.
var (
	ErrNotFound   = errors.New("duel: not found")
	ErrForbidden  = errors.New("duel: for the duel's sides alone")
	ErrOwn        = errors.New("duel: one's own duel cannot be joined")
	ErrFull       = errors.New("duel: somebody has joined already")
	ErrClosed     = errors.New("duel: the duel is over")
	ErrMovedOn    = errors.New("duel: the duel has moved on")
	ErrNotYet     = errors.New("duel: it is not this step's turn yet")
	ErrCopied     = errors.New("duel: the opponent made this commitment")
	ErrMismatch   = errors.New("duel: move and salt are not what was committed to")
	ErrUnfinished = errors.New("duel: too many duels are not finished")
)
