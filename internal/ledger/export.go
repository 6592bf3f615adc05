package ledger

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"roshambo/canon"
	"roshambo/chain/export"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// Export writes the whole chain up to its present head, as package export has it. It
// reads a few blocks at a time, so that neither memory nor a long snapshot is needed:
// sealed blocks never change. progress, when not nil, is told now and then how far it is.
func Export(ctx context.Context, d *store.DB, w io.Writer, progress func(blocks, transactions int64)) error {
	var head q.GetHeadRow
	var key string
	err := d.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if head, err = q.New(tx).GetHead(ctx); err != nil {
			return err
		}
		key, err = q.New(tx).GetMeta(ctx, metaChain)
		return err
	})
	if err != nil {
		return fmt.Errorf("ledger: export: head of the chain: %w", err)
	}
	blocks := head.Height + 1
	if _, err := w.Write(export.AppendInfo(nil, export.Info{Blocks: blocks, Transactions: head.NextPos, VerifierKey: key})); err != nil {
		return err
	}
	var buffer []byte
	transactions := int64(0)
	for next := int64(0); next < blocks; {
		buffer = buffer[:0]
		var p page
		err := d.View(ctx, func(_ context.Context, tx *store.Tx) (err error) {
			p, err = readPage(tx, next, min(blocksAtOnce, blocks-next))
			return err
		})
		if err != nil {
			return fmt.Errorf("ledger: export: %w", err)
		}
		if _, err := w.Write(p.append(buffer)); err != nil {
			return err
		}
		next += int64(len(p.blocks))
		if transactions += p.transactions; progress != nil {
			progress(next, transactions)
		}
	}
	_, err = w.Write(export.AppendCheckpoint(nil, head.Note))
	return err
}

const (
	// Log pages end with the block that brings them to so many blocks or transactions.
	logPageBlocks       = 256
	logPageTransactions = 2000
)

// LogPage returns some blocks from first on, as lines of package export, and whether
// there are more than that: such a page never changes. Without a block there it is
// ErrNotFound.
func (l *Ledger) LogPage(ctx context.Context, tx *store.Tx, first int64) (lines []byte, full bool, err error) {
	if first < 0 || first > canon.MaxInt {
		return nil, false, ErrNotFound
	}
	h, err := loadHead(ctx, tx)
	if err != nil {
		return nil, false, err
	}
	if first > h.height {
		return nil, false, ErrNotFound
	}
	read, transactions := int64(0), int64(0)
	for first+read <= h.height && read < logPageBlocks && transactions < logPageTransactions {
		p, err := readPage(tx, first+read, min(blocksAtOnce, h.height+1-first-read))
		if err != nil {
			return nil, false, fmt.Errorf("ledger: blocks of the log: %w", err)
		}
		lines = p.append(lines)
		read += int64(len(p.blocks))
		transactions += p.transactions
	}
	return lines, first+read <= h.height, nil
}

// page is some blocks in order.
type page struct {
	blocks       []export.Block
	transactions int64
}

// readPage reads blocks that must be there.
func readPage(tx *store.Tx, first, count int64) (p page, err error) {
	_, _, read := readBlocks(tx, first, count, func(b *storedBlock) {
		if err == nil && int64(len(p.blocks)) < count {
			err = p.add(b, first+int64(len(p.blocks)))
		}
	})
	if read != nil {
		return page{}, read
	}
	if err == nil && int64(len(p.blocks)) != count {
		err = fmt.Errorf("block %d: %w", first+int64(len(p.blocks)), errDamaged)
	}
	return p, err
}

// add adds the block that must be of a height.
func (p *page) add(b *storedBlock, height int64) error {
	out := export.Block{Header: b.Header}
	for _, c := range b.chunks {
		raws, err := splitChunk(c.body)
		if err != nil {
			return fmt.Errorf("block %d: %w", height, err)
		}
		out.Txs = append(out.Txs, raws...)
	}
	// What is written must at least be read again as the same lines.
	newline := slices.ContainsFunc(append(out.Txs, b.Header), func(raw []byte) bool { return bytes.IndexByte(raw, '\n') >= 0 })
	if b.Height != height || int64(len(out.Txs)) != b.TxCount || newline {
		return fmt.Errorf("block %d: %w", height, errDamaged)
	}
	p.blocks = append(p.blocks, out)
	p.transactions += b.TxCount
	return nil
}

func (p *page) append(b []byte) []byte {
	for _, block := range p.blocks {
		b = export.AppendBlock(b, block)
	}
	return b
}
