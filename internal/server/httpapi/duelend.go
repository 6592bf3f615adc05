package httpapi

import (
	"context"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// duelEndOperations registers the operations that end a duel early and follow its end. mine and op
// are those of duelOperations.
func (a *API) duelEndOperations(mine func(contract.Operation) contract.Operation,
	op func(id, method, path, summary string, errors ...string) contract.Operation) {
	resign := mine(op("resignDuel", "POST", "/api/duels/{code}/resign", "Resign: the other side wins",
		"not_found", "forbidden", "duel_moved_on", "not_your_turn"))
	resign.Description = "The caller forfeits the current round and all later ones. What was committed stays hidden."
	contract.Add(a.contract, resign, a.resignDuel)
	rematch := mine(op("rematchDuel", "POST", "/api/duels/{code}/rematch", "Offer, accept or withdraw a rematch",
		"not_found", "forbidden", "no_rematch", "opponent_short", "insufficient_funds", "limit_reached"))
	rematch.Description = "After a finished duel of two players, other than those of the arena. An offer stands for two " +
		"minutes. Once both sides have offered one, a casual, unlisted duel with the same stake and swapped sides " +
		"begins at once; `duel.rematch.duel_id` is its code. A repeated call returns the same code."
	contract.Add(a.contract, rematch, a.rematchDuel)
}

// resignDuel ends a duel of the caller in favour of the other side.
func (a *API) resignDuel(ctx context.Context, in *duelIn) (*DuelOut, error) {
	return a.changeDuel(ctx, settlement, func(ctx context.Context, tx *store.Tx, c *caller) (*duel.Duel, error) {
		d, err := a.Duels.Resign(ctx, tx, c.address, in.Code)
		if err != nil {
			return nil, err
		}
		return d, staking(ctx, d.Stake) // a stake would be given away: an error takes the resignation back
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

// rematchDuel stores the caller's offer; the second one begins the rematch.
func (a *API) rematchDuel(ctx context.Context, in *rematchIn) (*DuelOut, error) {
	staked := func(d *duel.Duel) *chain.Hash { return d.RematchTx }
	return a.changeDuel(ctx, staked, func(ctx context.Context, tx *store.Tx, c *caller) (*duel.Duel, error) {
		if in.Body.Offer {
			d, err := a.Duels.OfferRematch(ctx, tx, c.player(), in.Code)
			if err != nil {
				return nil, err
			}
			return d, staking(ctx, d.Stake) // an error takes the offer back
		}
		return a.Duels.WithdrawRematch(ctx, tx, c.address, in.Code)
	})
}

// DuelRematch is the offer of a rematch after a finished duel.
type DuelRematch struct {
	OfferedBy *string `json:"offered_by" enum:"a,b" doc:"The side that offers a rematch; null for none."`
	Until     *Time   `json:"until" doc:"When the offer lapses."`
	DuelID    *string `json:"duel_id" doc:"The rematch, once both sides have offered one."`
}

// wireRematch returns the wire form of the rematch after a duel; nil for a spectator, and for a
// duel without an offer.
func wireRematch(d *duel.Duel, you bool) *DuelRematch {
	if !you || d.Rematch == (duel.Rematch{}) {
		return nil
	}
	out := &DuelRematch{OfferedBy: sideName(d.Rematch.By)}
	if !d.Rematch.Until.IsZero() {
		out.Until = &Time{d.Rematch.Until}
	}
	if d.Rematch.Code != "" {
		out.DuelID = &d.Rematch.Code
	}
	return out
}
