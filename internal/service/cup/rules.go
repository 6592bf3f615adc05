package cup

import (
	"time"

	"roshambo/chain"
)

// This file holds the rules of creating and joining a cup: functions of what Service has loaded, without
// the database. The statements that take a seat and store a player decide once more, against concurrent
// use cases. Package tables pairs the rounds.

// mayCreate returns nil if an account that has opened a number of unfinished cups may open one that starts after a
// lead. Errors: ErrKind, ErrUnsecured, ErrLead, ErrHosted.
func (e *Entrant) mayCreate(lead time.Duration, hosted int) error {
	switch {
	case e.Kind == chain.Bot:
		return ErrKind
	case !e.Secured:
		return ErrUnsecured
	case lead < MinLead || lead > MaxLead:
		return ErrLead
	case hosted >= MaxHosted:
		return ErrHosted
	}
	return nil
}

// mayJoin returns nil if the cup has a seat for an account with a code at a time. Its host needs no code. Errors:
// ErrKind, ErrStarted, ErrPrivate, ErrFull.
func (c *Cup) mayJoin(e *Entrant, code string, now time.Time) error {
	host := c.Creator != nil && *c.Creator == e.Party()
	switch {
	case (c.Kind == Bots) != (e.Kind == chain.Bot):
		return ErrKind
	case c.Status != Open || !now.Before(c.StartsAt):
		return ErrStarted
	case c.Private() && !host && parseCode(code) != c.Code:
		return ErrPrivate
	case c.Players >= c.Seats:
		return ErrFull
	}
	return nil
}

// startNow lets an open cup start: one for bots after Call. Errors: ErrState, ErrFew.
func (c *Cup) startNow(now time.Time) error {
	at, needed := now.Add(c.call()), int64(MinPlayers)
	if c.HouseBots {
		needed = 1
	}
	switch {
	case c.Status != Open || !c.ByHand && !at.Before(c.StartsAt):
		return ErrState
	case c.Players < needed:
		return ErrFew
	}
	c.StartsAt, c.ByHand = at, false
	return nil
}

// call returns the time that the players of a cup have to end other duels before a round.
func (c *Cup) call() time.Duration {
	if c.Kind == Bots {
		return Call
	}
	return 0
}

// Paused reports whether the next round waits for the host at a time.
func (c *Cup) Paused(now time.Time) bool {
	return c.pausedUntil != nil && now.Before(c.pausedUntil.Add(-c.call()))
}

// NextRound returns when the next round begins after the last result, if no game goes on; nil while the cup is paused.
func (c *Cup) NextRound(last, now time.Time) *time.Time {
	if c.Status != Running || c.Paused(now) {
		return nil
	}
	return new(c.nextRound(last))
}

// nextRound returns when the next round may begin after the last result.
func (c *Cup) nextRound(last time.Time) time.Time {
	at := last.Add(Pause)
	if c.pausedUntil != nil && c.pausedUntil.After(at) {
		at = *c.pausedUntil
	}
	return at
}

// pause pauses a running cup until MaxPause after its start, however often it is paused: a resumed cup may be paused
// again before a round begins. The house's bots wait for no host. Errors: ErrState.
func (c *Cup) pause(now time.Time) error {
	end := c.StartsAt.Add(MaxPause)
	if c.Status != Running || c.Paused(now) || c.HouseBots || !now.Before(end.Add(-c.call())) {
		return ErrState
	}
	c.pausedUntil = &end
	return nil
}

// resume ends a pause. Errors: ErrState.
func (c *Cup) resume(now time.Time) error {
	if !c.Paused(now) {
		return ErrState
	}
	c.pausedUntil = new(now.Add(c.call()))
	return nil
}
