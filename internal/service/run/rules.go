package run

import (
	"time"

	"roshambo/chain"
	"roshambo/fair"
	"roshambo/game"
)

// The rules: what becomes of a run. They change the run they are called on, or
// return an error and leave it as it was; nothing here touches a database.

// throw plays the next throw. seed gives the house's seeds, top is the highest tier.
func (r *Run) throw(now time.Time, play Play, seed seedOf, top int64) (chain.Throw, error) {
	if r.Status != Active {
		return chain.Throw{}, &StateError{r.Status, "throw in"}
	}
	if wait := r.NextThrowAt().Sub(now); wait > 0 {
		return chain.Throw{}, &TooFastError{wait}
	}
	if r.Throws >= fair.Length {
		return chain.Throw{}, errManyThrows
	}
	n := int(r.Throws) + 1
	t := chain.Throw{N: n, Move: play.Move, Entropy: play.Entropy}
	var err error
	if t.Seed, err = seed(n); err != nil {
		return chain.Throw{}, err
	}
	t.House = fair.HouseMove(t.Seed, n, r.ClientSeed, play.Entropy)
	t.Outcome = t.Move.Against(t.House)

	r.Throws++
	r.Transcript = chain.AppendThrow(r.Transcript, t)
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
		r.endUnfinished(now) // no seed is left to go on with
	}
	return t, nil
}

// proceed risks the tier reached.
func (r *Run) proceed(now time.Time) error {
	if r.Status != Deciding {
		return &StateError{r.Status, "continue"}
	}
	r.Status, r.ActedAt = Active, now
	return nil
}

// claim banks the tier reached.
func (r *Run) claim(now time.Time) error {
	switch r.Status {
	case Deciding:
		r.ActedAt = now
		r.end(Claimed, now)
		return nil
	case Claimed:
		return ErrClaimed
	default:
		return &StateError{r.Status, "claim"}
	}
}

// abandon gives the run up; nothing is won.
func (r *Run) abandon(now time.Time) error {
	if r.Status.Over() {
		return &StateError{r.Status, "abandon"}
	}
	r.ActedAt = now
	r.end(Abandoned, now)
	return nil
}

// expire ends a run that was left alone: for its player when there is a tier to
// claim, otherwise without anything.
func (r *Run) expire(now time.Time) bool {
	if r.Status.Over() || now.Sub(r.ActedAt) < LeftAlone {
		return false
	}
	if r.Status == Deciding {
		r.end(Claimed, now)
	} else {
		r.end(Abandoned, now)
	}
	return true
}

// endUnfinished ends a run that has used all its seeds, as if claimed. Without a
// single win in 256 throws there is nothing to claim.
func (r *Run) endUnfinished(now time.Time) {
	if r.Cleared > 0 {
		r.end(Claimed, now)
	} else {
		r.end(Abandoned, now)
	}
}

func (r *Run) end(s Status, now time.Time) {
	r.Status = s
	r.EndedAt = &now
}
