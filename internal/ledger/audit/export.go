package audit

import (
	"context"
	"errors"
	"fmt"
	"io"

	"roshambo/chain/export"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// ExportOptions say what Export writes.
type ExportOptions struct {
	// Witnessed ends the export at the checkpoint with the most cosignatures, of several the newest, instead
	// of the head: witnesses cosign a moment after a block, so the head usually has no cosignature.
	Witnessed bool
	// Progress, when set, is called after each read with the number of blocks and transactions so far.
	Progress func(blocks, transactions int64)
}

// ErrNotWitnessed reports that no witness has cosigned a checkpoint yet.
var ErrNotWitnessed = errors.New("ledger: no checkpoint is cosigned yet")

// Export writes the chain from genesis to the present head, or to a cosigned checkpoint, in the format of
// package export. Sealed blocks never change, so it reads a few at a time, each in a snapshot of its own,
// and needs neither much memory nor a long snapshot. It writes nothing when it returns ErrNotWitnessed.
func Export(ctx context.Context, d *store.DB, w io.Writer, o ExportOptions) error {
	info, note, err := exportEnd(ctx, d, o.Witnessed)
	if err != nil {
		return fmt.Errorf("ledger: export: end of the chain: %w", err)
	}
	if _, err := w.Write(export.AppendInfo(nil, info)); err != nil {
		return err
	}
	var buffer []byte
	transactions := int64(0)
	for next := int64(0); next < info.Blocks; {
		buffer = buffer[:0]
		var p layout.Page
		err := d.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			if p, err = layout.ReadPage(tx, next, min(layout.BlocksPerRead, info.Blocks-next)); err != nil {
				return err
			}
			last := next + int64(len(p.Blocks))
			kept, err := q.New(tx).ListKeptOf(ctx, q.ListKeptOfParams{First: next + 1, Last: last})
			for _, row := range kept {
				p.Blocks[row.Size-1-next].Kept = row.Checkpoint
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("ledger: export: %w", err)
		}
		if _, err := w.Write(p.AppendLines(buffer)); err != nil {
			return err
		}
		next += int64(len(p.Blocks))
		if transactions += p.Transactions; o.Progress != nil {
			o.Progress(next, transactions)
		}
	}
	_, err = w.Write(export.AppendCheckpoint(nil, note))
	return err
}

// exportEnd returns the first line of an export, and the checkpoint in its last one.
func exportEnd(ctx context.Context, d *store.DB, witnessed bool) (info export.Info, note string, err error) {
	err = d.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		head, err := q.New(tx).GetHead(ctx)
		if err != nil {
			return err
		}
		info = export.Info{Blocks: head.Height + 1, Transactions: head.NextPos}
		if note = head.Note; witnessed {
			list, err := q.New(tx).ListCosignatures(ctx)
			if err != nil {
				return err
			}
			signed, size := layout.Witnessed(list)
			if signed == nil {
				return ErrNotWitnessed
			}
			last, err := q.New(tx).GetBlock(ctx, size-1)
			if err != nil {
				return fmt.Errorf("the cosigned block %d: %w", size-1, err)
			}
			info, note = export.Info{Blocks: size, Transactions: last.FirstPos + last.TxCount}, string(signed)
		}
		info.VerifierKey, err = q.New(tx).GetMeta(ctx, layout.MetaChain)
		return err
	})
	return info, note, err
}
