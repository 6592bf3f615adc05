package httpapi

import (
	"context"
	"errors"
	"time"

	"roshambo/chain"
	"roshambo/internal/service/duel"
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
		return nil, nil //nolint:nilnil // most results are valid
	}
	return wireVoided(v), err
}

// markVoid adds the declarations that results are void to the duels of a list, by one query: no
// declaration is older than the oldest result. The latest results need few of them; a page of old
// results reads all declarations since, which are as rare as the operators' acts.
func markVoid(ctx context.Context, tx *store.Tx, duels []Duel) error {
	rated := map[string]*Duel{}
	var oldest time.Time
	for i := range duels {
		d := &duels[i]
		if !d.Rated || d.Status != string(duel.Finished) {
			continue
		}
		rated[chain.DuelGameID(d.ID)] = d
		if oldest.IsZero() || d.FinishedAt.Before(oldest) {
			oldest = d.FinishedAt.Time
		}
	}
	if len(rated) == 0 {
		return nil
	}
	voids, err := operator.Voids(ctx, tx, oldest)
	for _, v := range voids {
		if d := rated[v.Game]; d != nil && v.Restored == nil {
			d.Voided = wireVoided(v)
		}
	}
	return err
}

// wireVoided returns the wire form of a declaration. The operator who made it stays out: the log of
// acts names operators, and nothing public does.
func wireVoided(v operator.Void) *Voided {
	return &Voided{At: Time{v.At}, Reason: v.Reason, TxHash: v.Tx.String()}
}
