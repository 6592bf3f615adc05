package app

import (
	"context"
	"errors"
	"net/http"

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

// void declares the result of a rated duel ("duel": its code) or of a daily run ("run": its id) void,
// with a public reason. Coins and tokens stay where they are.
//
// Ratings, boards, the transaction on the chain, the reason and the entry of the log are one
// transaction: a crash leaves all of them or none.
func (c *operatorCall) void(ctx context.Context) (any, error) {
	reason, code, id := c.values["reason"], c.values["duel"], c.values["run"]
	if err := c.reason(); err != nil {
		return nil, err
	}
	if (code == "") == (id == "") {
		return nil, refusedCall("name a duel or a run")
	}
	out, err := c.do(ctx, "", func(ctx context.Context, tx *store.Tx, _ account.Account) (any, error) {
		v := score.Void{Reason: reason, At: c.s.config.Now()}
		var game string
		var err error
		if code != "" {
			game, err = c.voidDuel(ctx, tx, code, &v)
		} else {
			game, err = c.voidRun(ctx, tx, id, &v)
		}
		if err != nil {
			return nil, err
		}
		posted, err := c.s.Ledger.Post(ctx, tx, ledger.Draft{
			Data: &chain.ResultVoid{Game: game, ReasonHash: chain.HashText(reason)}})
		if err != nil {
			return nil, err
		}
		v.Tx = posted.Hash
		err = operator.StoreVoid(ctx, tx, operator.Void{Game: game, At: v.At, Reason: reason, Tx: v.Tx})
		if err != nil {
			return nil, err
		}
		return map[string]any{"game": game, "tx_hash": v.Tx.String()}, c.s.Score.VoidResult(ctx, tx, v)
	})
	switch {
	case errors.Is(err, operator.ErrVoidAlready):
		err = &operatorError{status: http.StatusConflict, text: "the result is void already"}
	case errors.Is(err, score.ErrNotCounted):
		err = &operatorError{status: http.StatusServiceUnavailable, text: "the result is not counted yet: try again"}
	case errors.Is(err, duel.ErrNotFound), errors.Is(err, run.ErrNotFound):
		err = &operatorError{status: http.StatusNotFound, text: "there is no such game"}
	}
	return out, err
}

// checkVoid returns ErrVoidAlready when the result of a game is void.
func checkVoid(ctx context.Context, tx *store.Tx, game string) error {
	_, err := operator.VoidOf(ctx, tx, game)
	if errors.Is(err, operator.ErrNotVoid) {
		return nil
	}
	if err != nil {
		return err
	}
	return operator.ErrVoidAlready
}

// voidDuel takes back what a rated duel changed, completes v, and returns the game.
func (c *operatorCall) voidDuel(ctx context.Context, tx *store.Tx, code string, v *score.Void) (string, error) {
	d, due, err := c.s.Duels.Get(ctx, tx, code)
	if err != nil {
		return "", err
	}
	if d.Status != duel.Finished || !d.Rated {
		return "", refusedCall("not a finished rated duel")
	}
	if due { // ended by a deadline a moment ago: its end and its ratings are not stored yet
		return "", score.ErrNotCounted
	}
	game := chain.DuelGameID(d.Code)
	if err := checkVoid(ctx, tx, game); err != nil {
		return "", err
	}
	v.DuelID = d.Code
	if d.Pool() == duel.Human { // bots are on no board of points
		v.Accounts = []chain.Address{d.A.Address, d.B.Address}
	}
	return game, c.s.Arena.VoidDuel(ctx, tx, arena.Voided{
		Duel: d.Code, Pool: arena.Pool(d.Pool()), A: d.A.Address, B: d.B.Address, At: v.At})
}

// voidRun checks that a run is a daily one, completes v, and returns the game.
func (c *operatorCall) voidRun(ctx context.Context, tx *store.Tx, id string, v *score.Void) (string, error) {
	r, err := c.s.Runs.Get(ctx, tx, id)
	if err != nil {
		return "", err
	}
	if r.Entry != chain.EntryDaily || r.EndedAt == nil || r.Status == run.Void { // a recovery's counts nowhere
		return "", refusedCall("not a daily run that has ended with a result")
	}
	game := chain.RunGameID(r.ID)
	v.RunID, v.Accounts = r.ID, []chain.Address{r.Account}
	return game, checkVoid(ctx, tx, game)
}
