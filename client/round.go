package client

import (
	"context"

	"roshambo/client/api"
	"roshambo/game"
)

// Sealed is the hand that a bot has chosen for a round, without its salt.
type Sealed struct {
	// Duel is the code of the duel, and Round the number of the round from 1.
	Duel  string
	Round int64
	Move  game.Move
}

// Sealed returns the newest hand of the bot, after a restart from BotOptions.State, and whether there is one. Its
// commitment may have been sent, so in its round no other move can be played.
func (b *Bot) Sealed() (s Sealed, ok bool) {
	if b.hand == nil {
		return s, false
	}
	move, err := game.ParseMove(b.hand.Move)
	return Sealed{Duel: b.hand.Duel, Round: b.hand.Round, Move: move}, err == nil
}

// PlayRound plays a move in the current round of a duel, to the end of the round: it commits, waits for the other
// side, checks the receipt, reveals, and waits. It returns the duel after the round, on error its last state; while
// further rounds follow, the duel is active. If the bot has a hand for the round already (Sealed), it plays that hand
// instead of the move. A duel that is not active is returned as it is. Errors: ErrReceipt, the error of ctx, errors
// of the service, and another one for a duel without an opponent or of other players.
func (b *Bot) PlayRound(ctx context.Context, d *api.Duel, move game.Move) (*api.Duel, error) {
	ctx = asSteps(ctx, boundsOf(d))
	me, _, err := sides(d)
	if err != nil || d.Status != api.DuelStatusActive {
		return d, err
	}
	n := lastRound(d).Round
	for d.Status == api.DuelStatusActive && lastRound(d).Round == n {
		next, err := b.advance(ctx, d, me, func(*api.Duel, *api.DuelRound) (game.Move, error) { return move, nil })
		if err != nil {
			return d, err
		}
		d = next
	}
	return d, nil
}

// lastRound returns the last round of a duel that has begun.
func lastRound(d *api.Duel) *api.DuelRound { return &d.Rounds[len(d.Rounds)-1] }
