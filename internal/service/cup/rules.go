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
	at, needed := now, int64(MinPlayers)
	if c.Kind == Bots {
		at = now.Add(Call)
	}
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

// pause pauses a running cup. The house's bots wait for no host. Errors: ErrState.
func (c *Cup) pause(now time.Time) error {
	if c.Status != Running || c.PausedAt != nil && now.Before(c.PausedAt.Add(MaxPause)) || c.HouseBots {
		return ErrState
	}
	c.PausedAt = &now
	return nil
}

// resume ends a pause. Errors: ErrState.
func (c *Cup) resume() error {
	if c.PausedAt == nil {
		return ErrState
	}
	c.PausedAt = nil
	return nil
}
