package api

import (
	"context"
	"errors"

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

// wireVoided returns the wire form of a declaration. The operator's name stays out: the log of acts
// names operators, and nothing public does.
func wireVoided(v operator.Void) *Voided {
	return &Voided{At: Time{v.At}, Reason: v.Reason, TxHash: v.Tx.String()}
}
