package run

import (
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/fair"
	"roshambo/game"
)

// This file holds the rules of runs. A rule changes its run, or returns an error and leaves
// the run unchanged. No rule accesses the database.

// throw plays the next throw. seed supplies the house's seeds, top is the highest tier.
// Errors: *StateError, *TooFastError, errNoSeed, and those of seed.
func (r *Run) throw(now time.Time, play Play, seed seedSource, top int64) (chain.Throw, error) {
	if r.Status != Active {
		return chain.Throw{}, &StateError{Status: r.Status, Action: "throw in"}
	}
	if wait := r.NextThrowAt().Sub(now); wait > 0 {
		return chain.Throw{}, &TooFastError{Wait: wait}
	}
	if r.Throws >= fair.Length {
		return chain.Throw{}, errNoSeed
	}
	n := int(r.Throws) + 1
	t := chain.Throw{N: n, Move: play.Move, EntropyHash: chain.HashText(play.Entropy)}
	var err error
	if t.Seed, err = seed(n); err != nil {
		return chain.Throw{}, err
	}
	t.House = fair.HouseMove(t.Seed, n, chain.HashText(r.ClientSeed), t.EntropyHash)
	t.Outcome = t.Move.Against(t.House)

	r.Throws++
	r.Transcript = chain.AppendThrow(r.Transcript, t)
	// A new slice: copies of the run, in the cache and in a retry, share the old one.
	r.Entropy = append(slices.Clip(r.Entropy), play.Entropy)
	r.ThrownAt, r.ActedAt = now, now
	switch t.Outcome {
	case game.Win:
		r.Cleared++
		r.Status = Deciding
		if r.Cleared == top {
			r.end(Claimed, now)
		}
	case game.Loss:
		r.end(Lost, now)
	case game.Tie:
	}
	if r.Throws == fair.Length && !r.Status.Over() {
		r.endOutOfSeeds(now)
	}
	return t, nil
}

// proceed risks the reached tier. Errors: *StateError.
func (r *Run) proceed(now time.Time) error {
	if r.Status != Deciding {
		return &StateError{Status: r.Status, Action: "continue"}
	}
	r.Status, r.ActedAt = Active, now
	return nil
}

// claim ends the run with the token of the reached tier. Errors: ErrClaimed, *StateError.
func (r *Run) claim(now time.Time) error {
	switch r.Status {
	case Deciding:
		r.ActedAt = now
		r.end(Claimed, now)
		return nil
	case Claimed:
		return ErrClaimed
	default:
		return &StateError{Status: r.Status, Action: "claim"}
	}
}

// abandon ends the run without a prize. Errors: *StateError.
func (r *Run) abandon(now time.Time) error {
	if r.Status.Over() {
		return &StateError{Status: r.Status, Action: "abandon"}
	}
	r.ActedAt = now
	r.end(Abandoned, now)
	return nil
}

// expire ends a run that has been idle for IdleTimeout and reports whether it did. A run in
// the state deciding claims its tier; any other is abandoned.
func (r *Run) expire(now time.Time) bool {
	if r.Status.Over() || now.Sub(r.ActedAt) < IdleTimeout {
		return false
	}
	if r.Status == Deciding {
		r.end(Claimed, now)
	} else {
		r.end(Abandoned, now)
	}
	return true
}

// endOutOfSeeds ends a run that has used all its seeds: it claims the reached tier, or is
// abandoned if none was reached in fair.Length throws.
func (r *Run) endOutOfSeeds(now time.Time) {
	if r.Cleared > 0 {
		r.end(Claimed, now)
	} else {
		r.end(Abandoned, now)
	}
}

// end puts the run into a final state.
func (r *Run) end(s Status, now time.Time) {
	r.Status = s
	r.EndedAt = &now
}
