package run

import (
	"context"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/runq"
)

// DataPosition is a position in the runs that have ended. The zero DataPosition is the start.
type DataPosition struct {
	At int64 // in milliseconds: the end of the last run, and of one player its start
	ID string
}

// DataPage selects a page of runs that have ended.
type DataPage struct {
	Of     *chain.Address // an account's alone; nil for all
	After  DataPosition
	Before time.Time
	Count  int64
}

// NamedRun is a run with the current name of its player.
type NamedRun struct {
	*Run

	Username string
}

// Position returns the position of a run in pages like p.
func (p *DataPage) Position(r *Run) DataPosition {
	if p.Of != nil {
		return DataPosition{r.StartedAt.UnixMilli(), r.ID}
	}
	return DataPosition{r.EndedAt.UnixMilli(), r.ID}
}

// EndedBetween returns a page of the runs that ended after a position and before a time, in the order of their ends.
// That is the order of their starts, too, for one account, which has one unfinished run at a time.
func (s *Service) EndedBetween(ctx context.Context, tx *store.Tx, p DataPage) (list []NamedRun, err error) {
	var rows []q.EndedBetweenRow
	if p.Of == nil {
		rows, err = q.New(tx).EndedBetween(ctx, q.EndedBetweenParams{
			Since: p.After.At, After: p.After.ID, Until: p.Before.UnixMilli(), Count: p.Count})
	} else {
		var own []q.EndedBetweenOfRow
		own, err = q.New(tx).EndedBetweenOf(ctx, q.EndedBetweenOfParams{
			Account: p.Of[:], Since: p.After.At, After: p.After.ID, Until: p.Before.UnixMilli(), Count: p.Count})
		for _, r := range own {
			rows = append(rows, q.EndedBetweenRow(r))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("run: ended: %w", err)
	}
	for _, row := range rows {
		r, err := fromRow(row.Run)
		if err != nil {
			return nil, err
		}
		list = append(list, NamedRun{r, row.Username})
	}
	return list, nil
}
