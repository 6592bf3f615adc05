package cup

import (
	"time"

	"roshambo/chain"
)

// This file holds the rules of creating and joining a cup: functions of what Service has loaded, without
// the database. The statements that take a seat and store a player decide once more, against concurrent
// use cases. Package tables pairs the rounds.

// mayCreate returns nil if an account may open a cup that starts after a lead. Errors: ErrKind,
// ErrUnsecured, ErrLead.
func (e *Entrant) mayCreate(lead time.Duration) error {
	switch {
	case e.Kind == chain.Bot:
		return ErrKind
	case !e.Secured:
		return ErrUnsecured
	case lead < MinLead || lead > MaxLead:
		return ErrLead
	}
	return nil
}

// mayJoin returns nil if the cup has a seat for an account at a time. Errors: ErrKind, ErrStarted, ErrFull.
func (c *Cup) mayJoin(e *Entrant, now time.Time) error {
	switch {
	case (c.Kind == Bots) != (e.Kind == chain.Bot):
		return ErrKind
	case c.Status != Open || !now.Before(c.StartsAt):
		return ErrStarted
	case c.Players >= MaxPlayers:
		return ErrFull
	}
	return nil
}
