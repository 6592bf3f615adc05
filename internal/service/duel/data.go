package duel

import (
	"context"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/duelq"
)

// DataPosition is a position in the finished duels by their end. The zero DataPosition is the start.
type DataPosition struct {
	EndedAt int64 // in milliseconds
	Seq     int64
}

// DataPosition returns the position of a finished duel.
func (d *Duel) DataPosition() DataPosition { return DataPosition{d.EndedAt.UnixMilli(), d.seq} }

// DataPage selects a page of finished duels.
type DataPage struct {
	Of     *chain.Address // an account's alone; nil for all
	After  DataPosition
	Before time.Time
	Count  int64
}

// FinishedBetween returns a page of the finished duels that ended after a position and before a time, in the order of
// their ends. They are the duels that the public lists show and the rated ones: duels by
// code alone, and results that a network's newer ones have displaced, are not among them.
func (s *Service) FinishedBetween(ctx context.Context, tx *store.Tx, p DataPage) (list []*Duel, err error) {
	var rows []q.Duel
	if p.Of == nil {
		rows, err = q.New(tx).FinishedBetween(ctx, q.FinishedBetweenParams{
			Since: p.After.EndedAt, After: p.After.Seq, Until: p.Before.UnixMilli(), Count: p.Count})
	} else {
		rows, err = q.New(tx).FinishedBetweenOf(ctx, q.FinishedBetweenOfParams{
			Account: p.Of[:], Since: p.After.EndedAt, After: p.After.Seq, Until: p.Before.UnixMilli(), Count: p.Count})
	}
	if err != nil {
		return nil, fmt.Errorf("duel: finished: %w", err)
	}
	for _, row := range rows {
		d, err := s.fromRow(row)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}
