package api

import (
	"context"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// duelEndOperations registers the operations that end a duel early and follow its end. mine and op
// are the same as in duelOperations.
func (a *API) duelEndOperations(mine func(contract.Operation) contract.Operation,
	op func(id, method, path, summary string, errors ...string) contract.Operation) {
	resign := mine(op("resignDuel", "POST", "/api/duels/{code}/resign", "Resign: the other side wins",
		"not_found", "forbidden", "duel_moved_on", "not_your_turn"))
	resign.Description = "The caller forfeits the current round and all later ones. What was committed stays hidden."
	add(a, resign, (*call).resignDuel)
	rematch := mine(op("rematchDuel", "POST", "/api/duels/{code}/rematch", "Offer, accept or withdraw a rematch",
		"not_found", "forbidden", "no_rematch", "opponent_short", "insufficient_funds", "limit_reached"))
	rematch.Description = "After a finished duel of two players, other than those of the arena. An offer stands for two " +
		"minutes. Once both sides have offered one, a casual, unlisted duel with the same stake and swapped sides " +
		"begins at once; `duel.rematch.duel_id` is its code. A repeated call returns the same code."
	add(a, rematch, (*call).rematchDuel)
}

// resignDuel ends a duel of the caller in favour of the other side.
func (a *call) resignDuel(ctx context.Context, in *duelIn) (*DuelOut, error) {
	counted := false // the closure may run again, and the call counts again once
	return a.changeDuel(ctx, settlement, func(ctx context.Context, tx *store.Tx, c *caller) (*duel.Duel, error) {
		d, err := a.Duels.Resign(ctx, tx, c.address, in.Code)
		if err != nil {
			return nil, err
		}
		if d.Kind == duel.Cup && !counted { // no call has begun the duel that is kept now
			counted = true
			if err := a.w.CountAgain(); err != nil {
				return nil, err
			}
		}
		return d, a.staking(d.Stake) // a stake would be given away: an error takes the resignation back
	})
}

// RematchIn is the body of POST /api/duels/{code}/rematch.
type RematchIn struct {
	Offer bool `json:"offer" default:"true" doc:"False withdraws the caller's offer, or declines the other side's."`
}

// rematchIn is the input of rematchDuel.
type rematchIn struct {
	Code string `path:"code" doc:"8 characters, in any case."`
	Body RematchIn
}

// rematchDuel stores the caller's offer; the second one begins the rematch, and counts as a new duel.
func (a *call) rematchDuel(ctx context.Context, in *rematchIn) (*DuelOut, error) {
	staked := func(d *duel.Duel) *chain.Hash { return d.RematchTx }
	out, err := a.changeDuel(ctx, staked, func(ctx context.Context, tx *store.Tx, c *caller) (*duel.Duel, error) {
		if in.Body.Offer {
			d, err := a.Duels.OfferRematch(ctx, tx, c.player(), in.Code)
			if err != nil {
				return nil, err
			}
			return d, a.staking(d.Stake) // an error takes the offer back
		}
		return a.Duels.WithdrawRematch(ctx, tx, c.address, in.Code)
	})
	if err == nil && (!in.Body.Offer || out.Duel.Rematch == nil || out.Duel.Rematch.DuelID == nil) {
		a.refundBudget(nil)
	}
	return out, err
}
