package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// Hourly and Daily are the lengths of periods.
const (
	Hourly = layout.Hourly
	Daily  = layout.Daily
)

// storeActivity adds what a block does to the hour and the day of its time, in Unix
// milliseconds. Sealers append blocks one after the other and block times never decrease, so
// the newest period is the block's own or precedes it.
func storeActivity(ctx context.Context, queries *q.Queries, a layout.Activity, ms int64) error {
	for _, length := range layout.PeriodLengths {
		seconds := int64(length / time.Second)
		last, err := queries.LastPeriod(ctx, seconds)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		err = queries.AddToPeriod(ctx, q.AddToPeriodParams{
			Seconds: seconds, Start: layout.PeriodStart(ms, length), Blocks: a.Blocks, Transactions: a.Transactions,
			Created: a.Created, Destroyed: a.Destroyed, Supply: last.Supply + a.Created - a.Destroyed,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Period is an hour or a day in which blocks were sealed.
type Period struct {
	Start                int64 // Unix milliseconds
	Blocks, Transactions int64
	Created, Destroyed   int64 // coins
	Supply               int64 // coins in existence after its last block
}

// Periods returns up to count periods of a length, Hourly or Daily, that begin before a time in
// Unix milliseconds, the newest first. It omits periods without a block.
func (l *Ledger) Periods(
	ctx context.Context, tx *store.Tx, length time.Duration, before, count int64,
) ([]Period, error) {
	rows, err := q.New(tx).ListPeriods(ctx, q.ListPeriodsParams{
		Seconds: int64(length / time.Second), Before: before, Count: count,
	})
	if err != nil {
		return nil, fmt.Errorf("ledger: periods: %w", err)
	}
	list := make([]Period, len(rows))
	for i, r := range rows {
		list[i] = Period(r)
	}
	return list, nil
}
