package httpapi

import (
	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/platform/presence"
	"roshambo/internal/service/duel"
)

// A side is present at its duel while its client reads the duel, waits for its next version or has a
// stream that names it. Only the sides see it. Bots are always there or lose by a deadline, so they are not tracked.

// DuelPresence is the presence of both sides.
type DuelPresence struct {
	A SidePresence `json:"a"`
	B SidePresence `json:"b"`
}

// SidePresence is the presence of one side.
type SidePresence struct {
	Watching  bool  `json:"watching" doc:"The side has the duel open."`
	GoneSince *Time `json:"gone_since" doc:"When it left; null while it watches, and if that is unknown."`
}

// presenceKey names a side of a duel for package presence.
func presenceKey(code string, side game.Side) string { return code + "/" + side.String() }

// attend marks the caller's side as present while the caller reads the duel, and returns the
// function that ends it.
func (a *API) attend(d *duel.Duel, you game.Side) (leave func()) {
	if a.Presence == nil || you == game.NoSide || [2]duel.Player{d.A, d.B}[you.Index()].Kind == chain.Bot {
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

// wirePresence returns the wire form of the presence of one side.
func wirePresence(s presence.State) SidePresence {
	out := SidePresence{Watching: s.Present}
	if !s.Since.IsZero() {
		out.GoneSince = &Time{s.Since}
	}
	return out
}

// watching returns which sides watch, in the form of the query parameter watching.
func (p *DuelPresence) watching() string {
	switch {
	case p.A.Watching && p.B.Watching:
		return "both"
	case p.A.Watching:
		return "a"
	case p.B.Watching:
		return "b"
	}
	return "none"
}
