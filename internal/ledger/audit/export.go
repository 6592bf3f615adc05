package audit

import (
	"context"
	"fmt"
	"io"

	"roshambo/chain/export"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// Export writes the chain from genesis to the present head in the format of package export.
// Sealed blocks never change, so it reads a few at a time, each in a snapshot of its own, and
// needs neither much memory nor a long snapshot. progress, when not nil, is called after each
// read with the number of blocks and transactions so far.
func Export(ctx context.Context, d *store.DB, w io.Writer, progress func(blocks, transactions int64)) error {
	var head q.GetHeadRow
	var key string
	err := d.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if head, err = q.New(tx).GetHead(ctx); err != nil {
			return err
		}
		key, err = q.New(tx).GetMeta(ctx, layout.MetaChain)
		return err
	})
	if err != nil {
		return fmt.Errorf("ledger: export: head of the chain: %w", err)
	}
	blocks := head.Height + 1
	info := export.Info{Blocks: blocks, Transactions: head.NextPos, VerifierKey: key}
	if _, err := w.Write(export.AppendInfo(nil, info)); err != nil {
		return err
	}
	var buffer []byte
	transactions := int64(0)
	for next := int64(0); next < blocks; {
		buffer = buffer[:0]
		var p layout.Page
		err := d.View(ctx, func(_ context.Context, tx *store.Tx) (err error) {
			p, err = layout.ReadPage(tx, next, min(layout.BlocksPerRead, blocks-next))
			return err
		})
		if err != nil {
			return fmt.Errorf("ledger: export: %w", err)
		}
		if _, err := w.Write(p.AppendLines(buffer)); err != nil {
			return err
		}
		next += int64(len(p.Blocks))
		if transactions += p.Transactions; progress != nil {
			progress(next, transactions)
		}
	}
	_, err = w.Write(export.AppendCheckpoint(nil, head.Note))
	return err
}
