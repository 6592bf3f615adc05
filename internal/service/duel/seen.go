package duel

import (
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/game"
)

// Hand is a move with the salt that it was committed to with.
type Hand struct {
	Move game.Move
	Salt string
}

// RoundSeen is a round as somebody may see it.
type RoundSeen struct {
	chain.DuelRound           // without what is hidden
	Revealed        [2]bool   // who has revealed, also where the hand is hidden
	Decided         bool      // otherwise there is no outcome yet
	Deadline        time.Time // of what is due; zero once decided
}

// Seen returns the rounds as a side, or Nobody for spectators, may see them: the
// commitments of the round that is played once both are in, moves and salts once it is
// decided. One's own are always there.
func (d *Duel) Seen(by game.Side) []RoundSeen {
	list := make([]RoundSeen, 0, len(d.Rounds)+1)
	for _, r := range d.Rounds {
		list = append(list, RoundSeen{DuelRound: r, Revealed: revealed(r.Hands), Decided: true})
	}
	if d.Status != Active {
		return list
	}
	now := RoundSeen{Revealed: revealed(d.Hands), Deadline: d.Deadline}
	now.N, now.Hands = d.round(), d.Hands
	for i := range now.Hands {
		if by == game.A+game.Side(i) {
			continue
		}
		h := chain.DuelHand{Committed: d.Hands[i].Committed}
		if d.both() {
			h.Commitment = d.Hands[i].Commitment
		}
		now.Hands[i] = h
	}
	return slices.Clip(append(list, now))
}

func revealed(hands [2]chain.DuelHand) [2]bool { return [2]bool{hands[0].HasMove, hands[1].HasMove} }
