package httpapi

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

// voidOf returns the declaration that the result of a game is void; nil for none.
func voidOf(ctx context.Context, tx *store.Tx, game string) (*Voided, error) {
	v, err := operator.VoidOf(ctx, tx, game)
	if errors.Is(err, operator.ErrNotVoid) {
		return nil, nil //nolint:nilnil // most results are valid
	}
	return &Voided{At: Time{v.At}, Reason: v.Reason, TxHash: v.Tx.String()}, err
}
