package ledger

import (
	"context"
	"fmt"
	"math"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// Backlog describes how far the sealer is behind.
type Backlog struct {
	Height   int64     // of the newest block
	SealedAt time.Time // of the newest block
	Pending  int64     // transactions that are in no block
	Oldest   time.Time // time of the first pending transaction; zero when there is none
}

// Backlog reads the newest block and the pending transactions.
func (l *Ledger) Backlog(ctx context.Context, tx *store.Tx) (b Backlog, err error) {
	queries := q.New(tx)
	head, err := queries.GetHead(ctx)
	if err != nil {
		return b, fmt.Errorf("ledger: backlog: %w", err)
	}
	b.Height, b.SealedAt = head.Height, time.UnixMilli(head.Time)
	if b.Pending, err = queries.CountPending(ctx); err != nil {
		return b, fmt.Errorf("ledger: backlog: %w", err)
	}
	list, err := queries.ListPending(ctx, q.ListPendingParams{First: math.MinInt64, Count: 1})
	if err != nil || len(list) == 0 {
		return b, err
	}
	first, err := chain.ParseTx(list[0].Raw)
	if err != nil {
		return b, fmt.Errorf("ledger: backlog: %w", err)
	}
	b.Oldest = time.UnixMilli(first.Time)
	return b, nil
}
