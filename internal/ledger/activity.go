package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// The lengths of periods that activity is counted by.
const (
	Hourly = time.Hour
	Daily  = 24 * time.Hour
)

// activity is what happens in some blocks.
type activity struct{ blocks, transactions, created, destroyed int64 }

func (a *activity) add(tx *chain.Tx) {
	a.transactions++
	for _, t := range tx.Transfers {
		switch {
		case t.Token:
		case t.From == (chain.Address{}):
			a.created += t.Amount
		case t.To == (chain.Address{}):
			a.destroyed += t.Amount
		}
	}
}

// store adds it to the hour and the day of a block's time. Blocks come one after the
// other, whoever seals them, and their time never goes back: the last period is that of
// the block, or before it.
func (a *activity) store(ctx context.Context, queries *q.Queries, ms int64) error {
	for _, length := range []time.Duration{Hourly, Daily} {
		seconds := int64(length / time.Second)
		last, err := queries.LastPeriod(ctx, seconds)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		err = queries.AddToPeriod(ctx, q.AddToPeriodParams{
			Seconds: seconds, Start: ms - ms%length.Milliseconds(), Blocks: a.blocks, Transactions: a.transactions,
			Created: a.created, Destroyed: a.destroyed, Supply: last.Supply + a.created - a.destroyed,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// countPeriods counts all blocks again when the periods do not know of all transactions:
// a program that knew nothing of periods may have sealed some.
func (l *Ledger) countPeriods(ctx context.Context) error {
	return l.db.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		queries := q.New(tx)
		if err := queries.LockHead(ctx); err != nil {
			return err
		}
		h, err := loadHead(ctx, tx)
		if err != nil {
			return err
		}
		known, err := queries.CountPeriods(ctx, int64(Daily/time.Second))
		if err != nil || known == h.nextPos {
			return err
		}
		if err := queries.DropPeriods(ctx); err != nil {
			return err
		}
		for next := int64(0); next <= h.height; {
			p, err := readPage(tx, next, min(blocksAtOnce, h.height+1-next))
			if err != nil {
				return err
			}
			for _, b := range p.blocks {
				if err := countBlock(ctx, queries, b.Header, b.Txs); err != nil {
					return fmt.Errorf("block %d: %w", next, err)
				}
				next++
			}
		}
		return nil
	})
}

func countBlock(ctx context.Context, queries *q.Queries, raw []byte, txs [][]byte) error {
	header, err := chain.ParseHeader(raw)
	if err != nil {
		return err
	}
	a := activity{blocks: 1}
	for _, raw := range txs {
		tx, err := chain.ParseTx(raw)
		if err != nil {
			return err
		}
		a.add(&tx)
	}
	return a.store(ctx, queries, header.Time)
}

// Period is an hour or a day in which blocks were sealed.
type Period struct {
	Start                int64 // Unix milliseconds
	Blocks, Transactions int64
	Created, Destroyed   int64 // coins
	Supply               int64 // coins that are there after its last block
}

// Periods returns up to count periods of a length, Hourly or Daily, that begin before a time
// in Unix milliseconds, the newest first. Those without a block are left out.
func (l *Ledger) Periods(ctx context.Context, tx *store.Tx, length time.Duration, before, count int64) ([]Period, error) {
	rows, err := q.New(tx).ListPeriods(ctx, q.ListPeriodsParams{Seconds: int64(length / time.Second), Before: before, Count: count})
	if err != nil {
		return nil, fmt.Errorf("ledger: periods: %w", err)
	}
	list := make([]Period, len(rows))
	for i, r := range rows {
		list[i] = Period(r)
	}
	return list, nil
}
