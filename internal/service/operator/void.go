package operator

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/operatorq"
)

// Void declares the result of a game void.
type Void struct {
	Game   string // as on the chain: chain.DuelGameID or chain.RunGameID
	At     time.Time
	Reason string // public
	Tx     chain.Hash
}

// Errors of voids.
var (
	ErrVoidAlready = errors.New("operator: the result is void already")
	ErrNotVoid     = errors.New("operator: the result is not void")
)

// StoreVoid stores a declaration, in the transaction that posts it to the chain. Errors:
// ErrVoidAlready.
func StoreVoid(ctx context.Context, tx *store.Tx, v Void) error {
	err := q.New(tx).InsertVoid(ctx, q.InsertVoidParams{
		Game: v.Game, At: v.At.UnixMilli(), Reason: v.Reason, Tx: v.Tx[:]})
	if store.IsUnique(err) {
		return ErrVoidAlready
	}
	if err != nil {
		return fmt.Errorf("operator: void %s: %w", v.Game, err)
	}
	return nil
}

// VoidOf returns the declaration about a game. Errors: ErrNotVoid.
func VoidOf(ctx context.Context, tx *store.Tx, game string) (Void, error) {
	row, err := q.New(tx).GetVoid(ctx, game)
	if errors.Is(err, sql.ErrNoRows) {
		return Void{}, ErrNotVoid
	}
	if err != nil {
		return Void{}, fmt.Errorf("operator: void of %s: %w", game, err)
	}
	return voidOfRow(row), nil
}

// voidOfRow returns the declaration of a row.
func voidOfRow(row q.OperatorVoid) Void {
	return Void{Game: row.Game, At: time.UnixMilli(row.At).UTC(), Reason: row.Reason, Tx: chain.Hash(row.Tx)}
}

// Voids returns the declarations since a time, by game.
func Voids(ctx context.Context, tx *store.Tx, since time.Time) ([]Void, error) {
	rows, err := q.New(tx).ListVoids(ctx, since.UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("operator: voids: %w", err)
	}
	list := make([]Void, len(rows))
	for i, row := range rows {
		list[i] = voidOfRow(row)
	}
	return list, nil
}
