// Package run plays house runs: one player against the house, up a ladder of tiers.
//
// A run starts with the commitment that the player was shown before. Each throw
// opens the next seed of the chain behind it (package fair). A win reaches the next
// tier and leaves the run deciding: claim the tier's token, or continue, and risk
// it. A tie changes nothing, a loss ends the run, and the highest tier claims by
// itself. A run is one row, changed by one compare-and-swap, so that of two actions
// at the same time one counts.
//
// What happens is decided by pure functions on Run (rules.go); Service loads,
// decides and stores, inside the caller's database transaction.
package run

import (
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/fair"
)

// Status is where a run stands.
type Status string

// The states of a run; those from Claimed on are its ends.
const (
	Active    Status = "active"   // the next throw is due
	Deciding  Status = "deciding" // the last throw won: claim or continue
	Claimed   Status = "claimed"
	Lost      Status = "lost"
	Abandoned Status = "abandoned"
)

// Over says whether the run has ended.
func (s Status) Over() bool { return s != Active && s != Deciding }

// Run is a house run, without the seeds that nobody has seen yet.
type Run struct {
	ID         string
	Account    chain.Address
	Status     Status
	Entry      chain.Entry
	ClientSeed string
	Commitment chain.Hash
	FirstTier  int64 // that of the burnt token, otherwise 0
	Cleared    int64 // the tier reached
	Throws     int64
	Transcript []byte // raw, see chain.AppendThrow
	TokenID    *int64 // once claimed
	CommitTx   chain.Hash
	StartTx    chain.Hash
	EndTx      *chain.Hash
	StartedAt  time.Time
	ThrownAt   time.Time // the last throw; zero before the first
	ActedAt    time.Time // the player's last action
	EndedAt    *time.Time
	version    int64
	sealed     []byte // the last seed, encrypted
}

// Spacing is the least time between two throws of a run.
const Spacing = 250 * time.Millisecond

// LeftAlone is how long a run waits for its player.
const LeftAlone = 24 * time.Hour

// NextThrowAt returns when the next throw is accepted.
func (r *Run) NextThrowAt() time.Time {
	if r.ThrownAt.IsZero() {
		return r.StartedAt
	}
	return r.ThrownAt.Add(Spacing)
}

// Errors of this package. Those of funds are the ledger's.
var (
	ErrNotFound   = errors.New("run: not found")
	ErrForbidden  = errors.New("run: somebody else's run")
	ErrRunActive  = errors.New("run: another run is not finished")
	ErrClaimed    = errors.New("run: the tier was claimed before")
	ErrNoToken    = errors.New("run: no token that can be burnt")
	ErrEntryUsed  = errors.New("run: this entry is used up for today")
	errManyThrows = errors.New("run: no seed is left")
)

// StateError says that the run is in a state in which the action is not possible.
type StateError struct {
	Status Status
	Action string
}

func (e *StateError) Error() string {
	return fmt.Sprintf("run: cannot %s a run that is %s", e.Action, e.Status)
}

// TooFastError says that a throw came too soon after the one before.
type TooFastError struct{ Wait time.Duration }

func (e *TooFastError) Error() string {
	return fmt.Sprintf("run: the next throw is possible in %v", e.Wait)
}

// seedOf returns the seed of a throw, for the rules.
type seedOf func(n int) (fair.Seed, error)
