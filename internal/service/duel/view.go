package duel

import (
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/game"
)

// Hand is a move with the salt of its commitment.
type Hand struct {
	Move game.Move
	Salt string
}

// RoundView is a round as one viewer may see it.
type RoundView struct {
	chain.DuelRound           // without hidden commitments and hands
	Revealed        [2]bool   // the sides that have revealed, even if their hands are hidden
	Decided         bool      // the outcome is valid
	Deadline        time.Time // of the next step; zero once decided
}

// RoundsFor returns the rounds as viewer, a side or the zero Side for a spectator, may see
// them. In the current round commitments are visible once both sides have committed; moves
// and salts are visible once the round is decided. A side always sees its own hand.
func (d *Duel) RoundsFor(viewer game.Side) []RoundView {
	list := make([]RoundView, 0, len(d.Rounds)+1)
	for _, r := range d.Rounds {
		list = append(list, RoundView{DuelRound: r, Revealed: revealed(r.Hands), Decided: true})
	}
	if d.Status != Active {
		return list
	}
	current := RoundView{Revealed: revealed(d.Hands), Deadline: d.Deadline}
	current.N, current.Hands = d.round(), d.Hands
	for i := range current.Hands {
		if viewer == game.A+game.Side(i) {
			continue
		}
		h := chain.DuelHand{Committed: d.Hands[i].Committed}
		if d.bothCommitted() {
			h.Commitment = d.Hands[i].Commitment
		}
		current.Hands[i] = h
	}
	return slices.Clip(append(list, current))
}

// OwnDeadline returns when a side has to have committed or revealed; zero when the duel waits for the other side
// alone, or is not in play.
func (d *Duel) OwnDeadline(side game.Side) time.Time {
	if side == game.NoSide || d.Status != Active {
		return time.Time{}
	}
	if mine := &d.Hands[side.Index()]; mine.HasMove || mine.Committed && !d.bothCommitted() {
		return time.Time{}
	}
	return d.Deadline
}

// revealed reports for each side whether it has revealed.
func revealed(hands [2]chain.DuelHand) [2]bool { return [2]bool{hands[0].HasMove, hands[1].HasMove} }
