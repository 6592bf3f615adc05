// Package run implements house runs: one player against the house, up a ladder of tiers.
//
// A run starts with a commitment that the player has seen before. Each throw reveals the
// next seed of the chain behind the commitment (package fair). A win reaches the next tier
// and puts the run into the state deciding: the player claims the tier's token, or continues
// and risks it. A tie changes nothing, a loss ends the run, and reaching the highest tier
// claims its token. A run is one row that every action replaces by a compare-and-swap, so
// of two concurrent actions exactly one takes effect.
//
// The rules are pure functions on Run (rules.go); Service loads a run, applies a rule and
// stores the result, inside the caller's database transaction.
package run

import (
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/fair"
)

// Status is the state of a run.
type Status string

// The states of a run; those from Claimed on are final.
const (
	Active    Status = "active"   // waits for the next throw
	Deciding  Status = "deciding" // the last throw won: claim or continue
	Claimed   Status = "claimed"
	Lost      Status = "lost"
	Abandoned Status = "abandoned"
	Void      Status = "void" // in play at a recovery
)

// Over reports whether the run has ended.
func (s Status) Over() bool { return s != Active && s != Deciding }

// Run is a house run, without its unrevealed seeds.
type Run struct {
	ID         string
	Account    chain.Address
	Status     Status
	Entry      chain.Entry
	ClientSeed string
	Commitment chain.Hash
	Bound      bool     // it wins a bound token
	Unranked   bool     // a daily run that is not on the day's board
	FirstTier  int64    // tier of the burnt token, otherwise 0
	Cleared    int64    // the reached tier
	Throws     int64    // number of throws so far
	Transcript []byte   // raw, see chain.AppendThrow
	Entropy    []string // text of each throw, "" for none; the transcript holds its hash
	TokenID    *int64   // the claimed token; nil before
	CommitTx   chain.Hash
	StartTx    chain.Hash
	EndTx      *chain.Hash // nil before the end
	StartedAt  time.Time
	ThrownAt   time.Time // the last throw, or the last one of the run before within ThrowInterval of the start; or zero
	ActedAt    time.Time // the player's last action
	EndedAt    *time.Time
	version    int64  // of the stored row; each change adds one
	sealed     []byte // two seeds of the chain, encrypted
}

// ThrowInterval is the minimum time between two throws of an account, in one run or in two. A start with
// a throw is a start: it follows a throw of the run before at once.
const ThrowInterval = 250 * time.Millisecond

// IdleTimeout is how long a run waits for its player's next action.
const IdleTimeout = 24 * time.Hour

// NextThrowAt returns when the next throw is accepted. The last throw may be a throw in the account's
// run before.
func (r *Run) NextThrowAt() time.Time {
	if r.ThrownAt.IsZero() {
		return r.StartedAt
	}
	return r.ThrownAt.Add(ThrowInterval)
}

// Errors of this package. The ledger defines the errors of insufficient funds.
var (
	ErrNotFound  = errors.New("run: not found")
	ErrForbidden = errors.New("run: the run belongs to another account")
	ErrRunActive = errors.New("run: another run is not finished")
	ErrClaimed   = errors.New("run: the tier was claimed before")
	ErrNoToken   = errors.New("run: no token that can be burnt")
	ErrEntryUsed = errors.New("run: this entry is used up for today")
	errNoSeed    = errors.New("run: no seed is left")
)

// StateError reports an action that the run's state does not allow.
type StateError struct {
	Status Status
	Action string
}

func (e *StateError) Error() string {
	return fmt.Sprintf("run: cannot %s a run that is %s", e.Action, e.Status)
}

// TooFastError reports a throw before ThrowInterval has passed; Wait is the remaining time.
type TooFastError struct{ Wait time.Duration }

func (e *TooFastError) Error() string {
	return fmt.Sprintf("run: the next throw is possible in %v", e.Wait)
}

// seedSource returns the house's seed for throw n, from 1 to fair.Length.
type seedSource func(n int) (fair.Seed, error)
