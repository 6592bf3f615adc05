package operator

import (
	"context"
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
	Closed int64 // the last season that was closed before

	Restored *Restored // nil while the result is void
}

// Restored takes a Void back, once.
type Restored struct {
	At     time.Time
	Reason string // public
	Tx     chain.Hash
}

// Errors of voids.
var (
	ErrVoidAlready = errors.New("operator: the result was declared void before")
	ErrNotVoid     = errors.New("operator: the result is not void")
)

// StoreVoid stores a declaration, in the transaction that posts it to the chain. Errors:
// ErrVoidAlready.
func StoreVoid(ctx context.Context, tx *store.Tx, v Void) error {
	err := q.New(tx).InsertVoid(ctx, q.InsertVoidParams{
		Game: v.Game, At: v.At.UnixMilli(), Reason: v.Reason, Tx: v.Tx[:], Closed: v.Closed})
	if store.IsUnique(err) {
		return ErrVoidAlready
	}
	if err != nil {
		return fmt.Errorf("operator: void %s: %w", v.Game, err)
	}
	return nil
}

// StoreRestored takes a declaration back, in the transaction that posts it to the chain. Errors: ErrNotVoid.
func StoreRestored(ctx context.Context, tx *store.Tx, game string, r Restored) error {
	at := r.At.UnixMilli()
	n, err := q.New(tx).RestoreVoid(ctx, q.RestoreVoidParams{
		Game: game, At: &at, Reason: &r.Reason, Tx: r.Tx[:]})
	if err != nil {
		return fmt.Errorf("operator: restore %s: %w", game, err)
	}
	if n == 0 {
		return ErrNotVoid
	}
	return nil
}

// VoidOf returns the declaration about a game, also a restored one. Errors: ErrNotVoid.
func VoidOf(ctx context.Context, tx *store.Tx, game string) (Void, error) {
	row, err := q.New(tx).GetVoid(ctx, game)
	if err != nil {
		return Void{}, store.Absent(err, ErrNotVoid, "operator: void of %s", game)
	}
	return voidOfRow(row), nil
}

// voidOfRow returns the declaration of a row.
func voidOfRow(row q.OperatorVoid) Void {
	v := Void{Game: row.Game, At: time.UnixMilli(row.At).UTC(), Reason: row.Reason, Tx: chain.Hash(row.Tx),
		Closed: row.Closed}
	if row.RestoredAt != nil {
		v.Restored = &Restored{At: time.UnixMilli(*row.RestoredAt).UTC(), Reason: *row.RestoredReason,
			Tx: chain.Hash(row.RestoredTx)}
	}
	return v
}

// Voids returns the declarations since a time, by game, also restored ones.
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
