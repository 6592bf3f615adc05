package app

import (
	"context"
	"errors"
	"net/http"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/service/account"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/operator"
	"roshambo/internal/service/run"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// gameResult is the result of a rated duel ("duel": its code) or of a daily run ("run": its id) that a call
// names.
type gameResult struct {
	score.Void

	game    string        // as on the chain
	duel    *arena.Voided // nil for a run
	players []chain.Address
	endedAt time.Time
}

// resultConfirmed checks that the operator has typed the username of a player of the result. Errors: *operatorError,
// with what the act would hit.
func (c *operatorCall) resultConfirmed(ctx context.Context, tx *store.Tx, r *gameResult) error {
	hits := make([]map[string]string, len(r.players))
	for i, address := range r.players {
		a, err := c.s.Accounts.Get(ctx, tx, address)
		if err != nil {
			return err
		}
		if c.values["confirm"] == a.Username {
			return nil
		}
		hits[i] = map[string]string{"address": a.Address.String(), "username": a.Username}
	}
	return &operatorError{http.StatusBadRequest, "send the username of a player as confirm: the act hits this result",
		map[string]any{"game": r.game, "ended_at": r.endedAt, "players": hits}}
}

// void declares a result void, with a public reason. Coins and tokens stay where they are.
//
// Ratings, boards, the transaction on the chain, the reason and the entry of the log are one
// transaction: a crash leaves all of them or none.
func (c *operatorCall) void(ctx context.Context) (any, error) {
	return c.result(ctx, func(ctx context.Context, tx *store.Tx, r *gameResult) error {
		if _, err := operator.VoidOf(ctx, tx, r.game); !errors.Is(err, operator.ErrNotVoid) {
			return errors.Join(err, operator.ErrVoidAlready)
		}
		closed, err := c.s.Score.LastClosed(ctx, tx)
		if err != nil {
			return err
		}
		if r.duel != nil {
			if err := c.s.Arena.VoidDuel(ctx, tx, *r.duel); err != nil {
				return err
			}
		}
		posted, err := c.s.Ledger.Post(ctx, tx, ledger.Draft{
			Data: &chain.ResultVoid{Game: r.game, ReasonHash: chain.HashText(r.Reason)}})
		if err != nil {
			return err
		}
		r.Tx = posted.Hash
		err = operator.StoreVoid(ctx, tx, operator.Void{
			Game: r.game, At: r.At, Reason: r.Reason, Tx: r.Tx, Closed: closed})
		if err != nil {
			return err
		}
		return c.s.Score.VoidResult(ctx, tx, r.Void)
	})
}

// restoreResult takes a void back, once, before the season in which the result counts closes: its final table
// stands. It is one transaction, like void.
func (c *operatorCall) restoreResult(ctx context.Context) (any, error) {
	return c.result(ctx, func(ctx context.Context, tx *store.Tx, r *gameResult) error {
		if err := c.restorable(ctx, tx, r); err != nil {
			return err
		}
		if r.duel != nil {
			if err := c.s.Arena.RestoreDuel(ctx, tx, *r.duel); err != nil {
				return err
			}
		}
		posted, err := c.s.Ledger.Post(ctx, tx, ledger.Draft{
			Data: &chain.ResultRestore{Game: r.game, ReasonHash: chain.HashText(r.Reason)}})
		if err != nil {
			return err
		}
		r.Tx = posted.Hash
		err = operator.StoreRestored(ctx, tx, r.game, operator.Restored{At: r.At, Reason: r.Reason, Tx: r.Tx})
		if err != nil {
			return err
		}
		return c.s.Score.RestoreResult(ctx, tx, r.Void)
	})
}

// errClosed reports that the final table of a season stands without a result.
var errClosed = errors.New("the season of the result has closed")

// restorable checks that a result may be restored, and keeps its season open until then. Cups need no check:
// their duels are unrated and never void. Errors: operator.ErrNotVoid, errClosed.
func (c *operatorCall) restorable(ctx context.Context, tx *store.Tx, r *gameResult) error {
	void, err := operator.VoidOf(ctx, tx, r.game)
	if err != nil {
		return err
	}
	if void.Restored != nil {
		return operator.ErrNotVoid
	}
	closed, err := c.s.Score.LastClosed(ctx, tx)
	if err != nil {
		return err
	}
	if closed != void.Closed || c.s.Score.SeasonAt(r.endedAt).Number <= closed {
		return errClosed
	}
	return nil
}

// result does an act on the result that the call names, for a reason.
func (c *operatorCall) result(
	ctx context.Context, act func(context.Context, *store.Tx, *gameResult) error,
) (any, error) {
	if err := c.reason(); err != nil {
		return nil, err
	}
	code, id := c.values["duel"], c.values["run"]
	if (code == "") == (id == "") {
		return nil, refusedCall("name a duel or a run")
	}
	out, err := c.do(ctx, "", func(ctx context.Context, tx *store.Tx, _ account.Account) (any, error) {
		find := c.runResult
		if code != "" {
			find = c.duelResult
		}
		r, err := find(ctx, tx, code+id)
		if err != nil {
			return nil, err
		}
		if err := c.resultConfirmed(ctx, tx, r); err != nil {
			return nil, err
		}
		if err := act(ctx, tx, r); err != nil {
			return nil, err
		}
		return map[string]any{"game": r.game, "tx_hash": r.Tx.String()}, nil
	})
	switch {
	case errors.Is(err, operator.ErrVoidAlready):
		err = &operatorError{status: http.StatusConflict, text: "the result is void already, or was restored, which is final"}
	case errors.Is(err, operator.ErrNotVoid):
		err = &operatorError{status: http.StatusConflict, text: "the result is not void"}
	case errors.Is(err, errClosed):
		err = &operatorError{status: http.StatusConflict, text: errClosed.Error()}
	case errors.Is(err, score.ErrNotCounted):
		err = &operatorError{status: http.StatusServiceUnavailable, text: "the result is not counted yet: try again"}
	case errors.Is(err, duel.ErrNotFound), errors.Is(err, run.ErrNotFound):
		err = &operatorError{status: http.StatusNotFound, text: "there is no such game"}
	}
	return out, err
}

// duelResult returns the result of a rated duel. Errors: *operatorError, duel.ErrNotFound, score.ErrNotCounted.
func (c *operatorCall) duelResult(ctx context.Context, tx *store.Tx, code string) (*gameResult, error) {
	d, due, err := c.s.Duels.Get(ctx, tx, code)
	if err != nil {
		return nil, err
	}
	if d.Status != duel.Finished || !d.Rated {
		return nil, refusedCall("not a finished rated duel")
	}
	if due { // ended by a deadline a moment ago: its end and its ratings are not stored yet
		return nil, score.ErrNotCounted
	}
	now := tx.Now()
	r := &gameResult{
		Void: score.Void{DuelID: d.Code, Reason: c.values["reason"], At: now},
		game: chain.DuelGameID(d.Code), endedAt: *d.EndedAt,
		players: []chain.Address{d.A.Address, d.B.Address},
		duel:    &arena.Voided{Duel: d.Code, Pool: arena.Pool(d.Pool()), A: d.A.Address, B: d.B.Address, At: now},
	}
	if d.Pool() == duel.Human { // bots are on no board of points
		r.Accounts = []chain.Address{d.A.Address, d.B.Address}
	}
	return r, nil
}

// runResult returns the result of a daily run. Errors: *operatorError, run.ErrNotFound.
func (c *operatorCall) runResult(ctx context.Context, tx *store.Tx, id string) (*gameResult, error) {
	r, err := c.s.Runs.Get(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	if r.Entry != chain.EntryDaily || r.EndedAt == nil || r.Status == run.Void { // a recovery's counts nowhere
		return nil, refusedCall("not a daily run that has ended with a result")
	}
	return &gameResult{
		Void: score.Void{RunID: r.ID, Accounts: []chain.Address{r.Account}, Reason: c.values["reason"], At: tx.Now()},
		game: chain.RunGameID(r.ID), endedAt: *r.EndedAt, players: []chain.Address{r.Account},
	}, nil
}
