package ledger

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"time"

	"golang.org/x/mod/sumdb/note"

	"roshambo/chain"
	"roshambo/chain/export"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// Exists reports whether the database has a chain.
func Exists(ctx context.Context, d *store.DB) (bool, error) {
	key, err := store.Read(ctx, d, func(ctx context.Context, tx *store.Tx) (string, error) {
		return found(q.New(tx).GetMeta(ctx, layout.MetaChain))
	})
	return key != "", err
}

// Inspect opens the chain of a database for reading. It needs no signing key and creates nothing;
// the Ledger can neither post nor seal.
func Inspect(ctx context.Context, d *store.DB, now func() time.Time) (*Ledger, error) {
	l := &Ledger{db: d, now: now, log: slog.New(slog.DiscardHandler)}
	err := d.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if l.key, err = q.New(tx).GetMeta(ctx, layout.MetaChain); err != nil {
			return err
		}
		if l.public, err = note.NewVerifier(l.key); err != nil {
			return err
		}
		rules, err := l.loadRules(ctx, tx)
		l.rules.Store(rules)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("ledger: inspect: %w", err)
	}
	return l, nil
}

// Each calls fn for every transaction in the order of the chain, and then for the pending ones, with the
// transcript or table that the transaction pins; nil if it pins none, or if it is missing.
// It reads few blocks at a time.
func (l *Ledger) Each(ctx context.Context, tx *store.Tx, fn func(t *chain.Tx, transcript []byte)) error {
	h, err := loadHead(ctx, tx)
	if err != nil {
		return err
	}
	for next := int64(0); next <= h.height; next += layout.BlocksPerRead {
		p, err := layout.ReadPage(tx, next, min(layout.BlocksPerRead, h.height+1-next))
		if err != nil {
			return fmt.Errorf("ledger: transactions: %w", err)
		}
		for _, b := range p.Blocks {
			if err := eachOf(b, fn); err != nil {
				return err
			}
		}
	}
	for first := int64(math.MinInt64); ; {
		rows, err := q.New(tx).ListPending(ctx, q.ListPendingParams{First: first, Count: MaxBlock})
		if err != nil {
			return fmt.Errorf("ledger: pending transactions: %w", err)
		}
		for _, r := range rows {
			parsed, err := chain.ParseTx(r.Raw)
			if err != nil {
				return fmt.Errorf("ledger: pending transaction %x: %w", r.Hash, err)
			}
			fn(&parsed, r.Transcript)
			first = r.Seq + 1
		}
		if len(rows) < MaxBlock {
			return nil
		}
	}
}

// eachOf calls fn for each transaction of a block. The transcripts are in the order of the transactions
// that pin them.
func eachOf(b export.Block, fn func(t *chain.Tx, transcript []byte)) error {
	rest := b.Transcripts
	for _, raw := range b.Txs {
		parsed, err := chain.ParseTx(raw)
		if err != nil {
			return fmt.Errorf("ledger: transaction %v: %w", chain.HashTx(raw), err)
		}
		var transcript []byte
		if pinned, ok := chain.PinnedBy(parsed.Data); ok && len(rest) > 0 && chain.HashPinned(rest[0]) == pinned {
			transcript, rest = rest[0], rest[1:]
		}
		fn(&parsed, transcript)
	}
	return nil
}
