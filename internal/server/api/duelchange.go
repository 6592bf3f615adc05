package api

import (
	"context"
	"errors"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// DuelOut is a duel.
type DuelOut struct {
	Duel     Duel      `json:"duel"`
	TxHash   *string   `json:"tx_hash" doc:"Set when the call moved coins or recorded the end of the duel on the chain."`
	Receipts []Receipt `json:"receipts,omitempty" doc:"With Prefer: receipt: the current round's, as soon as both sides have committed. Reveal nothing without it."`
	// Warning is set in answers to a commit or reveal only.
	Warning string `json:"warning,omitempty" doc:"After a commit or reveal: the opponent can guess the move, because the commitment or the salt was used before in this duel, or the salt was empty."`
	// SaltMaxBytes is set in answers to a commit only: a longer salt shows at the reveal alone, which refuses it.
	SaltMaxBytes int64 `json:"salt_max_bytes,omitempty" doc:"After a commit: the most bytes of UTF-8 that the salt may have. The reveal of a longer one is refused, so the round would be lost."`
}

func (o *DuelOut) held() *Duel { return &o.Duel }

// duelAction is a use case that changes a duel on behalf of the caller.
type duelAction func(context.Context, *store.Tx, *caller) (*duel.Duel, error)

// player returns the caller, which its use case has authorised, as a side of a duel.
func (c *caller) player() duel.Player {
	if !c.known {
		panic("api: an operation that is missing in needsAccount asks for its caller's account")
	}
	return duel.Player{Address: c.address, Username: c.account.Username, Kind: c.account.Kind}
}

// changeDuel runs change in a transaction and answers with the changed duel. moved returns the hash
// of the transaction that change posted, nil for none.
func (a *call) changeDuel(
	ctx context.Context, moved func(*duel.Duel) *chain.Hash, change duelAction,
) (*DuelOut, error) {
	return a.changeDuelNoting(ctx, moved, func(*DuelOut, *duel.Duel, game.Side) {}, change)
}

// duelNote adds to an answer what the caller, a side of the duel, should know about its step.
type duelNote func(out *DuelOut, d *duel.Duel, side game.Side)

// changeDuelNoting is changeDuel with a note in the answer.
func (a *call) changeDuelNoting(ctx context.Context, moved func(*duel.Duel) *chain.Hash, note duelNote,
	change duelAction) (*DuelOut, error) {
	c := a.caller
	return writeAt(ctx, a, duel.Isolation, func(ctx context.Context, tx *store.Tx) (*DuelOut, error) {
		d, err := change(ctx, tx, c)
		if err != nil {
			return nil, err
		}
		receipts, err := a.receipts(roundStatements(d, tx.Now())...)
		out := &DuelOut{Duel: wireDuel(d, c.address), TxHash: optionalHash(moved(d)), Receipts: receipts}
		note(out, d, d.Side(c.address))
		return out, err
	})
}

// stakeOfA, stakeOfB and settlement return the transaction that a use case of a duel may post.
func stakeOfA(d *duel.Duel) *chain.Hash   { return d.StakeTx[0] }
func stakeOfB(d *duel.Duel) *chain.Hash   { return d.StakeTx[1] }
func settlement(d *duel.Duel) *chain.Hash { return d.SettleTx }

// duelIn names a duel.
type duelIn struct {
	Code string `path:"code" doc:"8 characters, in any case."`
}

// current returns a duel after applying and storing all passed deadlines. It reads again after each
// write, also when another node has applied the deadline first. Errors: duel.ErrNotFound, those about the
// caller.
func (a *call) current(ctx context.Context, code string) (d *duel.Duel, err error) {
	for {
		// Reading decides whether a deadline has passed; most reads need no write.
		var due bool
		d, err = readOnce(ctx, a, func(ctx context.Context, tx *store.Tx) (d *duel.Duel, err error) {
			d, due, err = a.Duels.Get(ctx, tx, code)
			return d, err
		})
		if err != nil || !due {
			return d, err
		}
		err = a.DB.UpdateAt(ctx, duel.Isolation, func(ctx context.Context, tx *store.Tx) error {
			_, err := a.Duels.ApplyDeadlines(ctx, tx, code)
			return err
		})
		// On a conflict another caller applied the deadline: read its result.
		if err != nil && !errors.Is(err, ledger.ErrConflict) {
			return d, err
		}
	}
}
