package api

import (
	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/service/duel"
)

// A side is present at its duel while its client reads the duel, waits for its next version or has a
// stream that names it. Only the sides see it. Bots are always there or lose by a deadline, so they are not tracked.

// presenceKey names a side of a duel for package presence.
func presenceKey(code string, side game.Side) string { return code + "/" + side.String() }

// attend marks the caller's side as present while the caller reads the duel, and returns the
// function that ends it.
func (a *API) attend(d *duel.Duel, you game.Side) (leave func()) {
	if a.Presence == nil || you == game.NoSide || playsAsBot(d, you) {
		return func() {}
	}
	return a.Presence.Enter(presenceKey(d.Code, you))
}

// presenceAt returns the presence of both sides; nil for a spectator.
func (a *API) presenceAt(d *duel.Duel, you game.Side) *DuelPresence {
	if a.Presence == nil || you == game.NoSide {
		return nil
	}
	of := func(side game.Side) SidePresence {
		return wirePresence(a.Presence.State(presenceKey(d.Code, side)))
	}
	return &DuelPresence{A: of(game.A), B: of(game.B)}
}

// playsAsBot reports whether a bot has the side.
func playsAsBot(d *duel.Duel, side game.Side) bool {
	return [2]duel.Player{d.A, d.B}[side.Index()].Kind == chain.Bot
}
