package api

import (
	"context"
	"errors"
	"time"

	"roshambo/internal/service/operator"
	"roshambo/internal/store"
)

// Voided says why a result does not count.
type Voided struct {
	At     Time   `json:"at"`
	Reason string `json:"reason" doc:"Why an operator declared the result void. The result.void transaction has its hash."`
	TxHash string `json:"tx_hash"`
}

// voidOf returns the declaration that the result of a game is void; nil for none, or a restored one.
func voidOf(ctx context.Context, tx *store.Tx, game string) (*Voided, error) {
	v, err := operator.VoidOf(ctx, tx, game)
	if errors.Is(err, operator.ErrNotVoid) || err == nil && v.Restored != nil {
		return nil, nil // most results are valid
	}
	return wireVoided(v), err
}

// eachVoid calls f with each game whose result is void, of those that ended at oldest or later; with none if that is
// zero. A declaration is not older than its game, so one statement reads them for a whole list.
func eachVoid(ctx context.Context, tx *store.Tx, oldest time.Time, f func(game string, v *Voided)) error {
	if oldest.IsZero() {
		return nil
	}
	voids, err := operator.Voids(ctx, tx, oldest)
	for _, v := range voids {
		if v.Restored == nil {
			f(v.Game, wireVoided(v))
		}
	}
	return err
}

// wireVoided returns the wire form of a declaration. The operator's name stays out: the log of acts
// names operators, and nothing public does.
func wireVoided(v operator.Void) *Voided {
	return &Voided{At: Time{v.At}, Reason: v.Reason, TxHash: v.Tx.String()}
}
