package api

import (
	"context"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// opponentOperations registers the operations on the caller's past opponents, and on challenges. mine and op are the
// same as in duelOperations.
func (a *API) opponentOperations(mine func(contract.Operation) contract.Operation,
	op func(id, method, path, summary string, errors ...string) contract.Operation) {
	list := op("listOpponents", "GET", "/api/duels/opponents", "The people whom the caller has played, the last first",
		"unauthenticated")
	list.Security = anyScheme
	list.Description = "With the results of the caller's duels against each. A duel without a round that two reveals " +
		"decided does not count. Behind them come the players whom the caller blocks and has not played."
	add(a, list, (*call).listOpponents)
	block := mine(op("blockOpponent", "POST", "/api/duels/opponents/{address}/block",
		"Take no more challenges of an opponent, or take them again", "not_found"))
	block.Description = "A player whom the caller has played, or who has challenged the caller yesterday or today. " +
		"Blocking declines the opponent's open challenge. The opponent is not told, but later challenges are refused."
	add(a, block, (*call).blockOpponent)
	emote := mine(op("emoteDuel", "POST", "/api/duels/{code}/emote", "Say one of four words to the other side",
		"not_found", "forbidden", "not_your_turn", "duel_closed"))
	emote.OptionalBody = false
	emote.Description = "During a duel and for 15 minutes after it. Both sides get the event emote; nothing else is kept."
	add(a, emote, (*call).emoteDuel)
	a.challengeOperations(mine, op)
}

// OpponentsOut is the answer to GET /api/duels/opponents.
type OpponentsOut struct {
	Opponents []DuelOpponent `json:"opponents"`
}

// DuelOpponent is a person that the caller has played, or a player that the caller blocks.
type DuelOpponent struct {
	PlayerName
	Wins           int64 `json:"wins" doc:"Of the caller."`
	Losses         int64 `json:"losses"`
	Draws          int64 `json:"draws"`
	LastPlayed     *Time `json:"last_played" doc:"Null for one whom the caller has not played."`
	ChallengeUntil *Time `json:"challenge_until" doc:"When the two have not met lately any more, unless they play before."`
	Blocked        bool  `json:"blocked" doc:"The caller takes no challenges of this player."`
}

// listOpponentsIn bounds the list of opponents.
type listOpponentsIn struct {
	Limit int64 `query:"limit" default:"20" min:"1" max:"100"`
}

// listOpponents reads the people that the caller has played.
func (a *call) listOpponents(ctx context.Context, in *listOpponentsIn) (*OpponentsOut, error) {
	me := a.caller.address
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*OpponentsOut, error) {
		list, err := a.Duels.Opponents(ctx, tx, me, in.Limit)
		return &OpponentsOut{mapped(list, func(o duel.Opponent) DuelOpponent {
			out := DuelOpponent{PlayerName: wireName(o.Address, o.Username), Wins: o.Wins, Losses: o.Losses, Draws: o.Draws,
				Blocked: o.Blocked}
			if !o.PlayedAt.IsZero() {
				out.LastPlayed, out.ChallengeUntil = &Time{o.PlayedAt}, &Time{o.PlayedAt.Add(duel.ChallengeWithin)}
			}
			return out
		})}, err
	})
}

// BlockIn is the body of POST /api/duels/opponents/{address}/block.
type BlockIn struct {
	Blocked bool `json:"blocked" default:"true" doc:"False takes challenges again."`
}

// blockIn is the input of blockOpponent.
type blockIn struct {
	Address string `path:"address"`
	Body    BlockIn
}

// blockOpponent sets whether the caller takes challenges of an opponent.
func (a *call) blockOpponent(ctx context.Context, in *blockIn) (*DoneOut, error) {
	me := a.caller.address
	opponent, err := chain.ParseAddress(in.Address)
	if err != nil {
		return nil, duel.ErrNoOpponent
	}
	return write(ctx, a, func(ctx context.Context, tx *store.Tx) (*DoneOut, error) {
		return &DoneOut{true}, a.Duels.Block(ctx, tx, me, opponent, in.Body.Blocked)
	})
}

// EmoteIn is the body of POST /api/duels/{code}/emote.
type EmoteIn struct {
	Emote string `json:"emote" required:"true" enum:"hello,nice,thanks,oops" example:"hello"`
}

// emoteIn is the input of emoteDuel.
type emoteIn struct {
	Code string `path:"code" doc:"8 characters, in any case."`
	Body EmoteIn
}

// emoteDuel publishes a word of the caller to both sides of a duel.
func (a *call) emoteDuel(ctx context.Context, in *emoteIn) (*DoneOut, error) {
	me := a.caller.address
	return write(ctx, a, func(ctx context.Context, tx *store.Tx) (*DoneOut, error) {
		return &DoneOut{true}, a.Duels.Emote(ctx, tx, me, in.Code, in.Body.Emote)
	})
}
