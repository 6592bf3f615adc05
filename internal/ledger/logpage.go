package ledger

import (
	"context"
	"fmt"

	"roshambo/canon"
	"roshambo/chain/export"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
)

// A page of the log ends with the block that reaches one of these numbers.
const (
	logPageBlocks       = 256
	logPageTransactions = 2000
	logPageTranscripts  = 4 << 20 // bytes
)

// LogPage returns blocks from height first on as lines of package export, without transcripts. full
// reports that more blocks follow; a full page never changes. Errors: ErrNotFound when there is no
// such block.
func (l *Ledger) LogPage(ctx context.Context, tx *store.Tx, first int64) (lines []byte, full bool, err error) {
	return logPage(ctx, tx, first, func(lines []byte, b export.Block) []byte {
		b.Transcripts = nil
		return export.AppendBlock(lines, b)
	})
}

// LogGames returns the transcripts of the games that end in the blocks of a page, and the tables of the cups and
// seasons that close, in the order of the transactions that pin them, one per line. It is otherwise LogPage.
func (l *Ledger) LogGames(ctx context.Context, tx *store.Tx, first int64) (lines []byte, full bool, err error) {
	return logPage(ctx, tx, first, func(lines []byte, b export.Block) []byte {
		return export.AppendTranscripts(lines, b.Transcripts)
	})
}

// logPage returns what add makes of the blocks of a page.
func logPage(
	ctx context.Context, tx *store.Tx, first int64, add func(lines []byte, b export.Block) []byte,
) (lines []byte, full bool, err error) {
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
	read, transactions, transcripts := int64(0), 0, 0
	// The blocks of a page do not depend on the head, or a full page could change.
	for next := first; next <= h.height; next += layout.BlocksPerRead {
		p, err := layout.ReadPage(tx, next, min(layout.BlocksPerRead, h.height+1-next))
		if err != nil {
			return nil, false, fmt.Errorf("ledger: blocks of the log: %w", err)
		}
		for _, b := range p.Blocks {
			lines = add(lines, b)
			read++
			transactions += len(b.Txs)
			for _, raw := range b.Transcripts {
				transcripts += len(raw)
			}
			if pageIsFull(read, transactions, transcripts) {
				return lines, first+read <= h.height, nil
			}
		}
	}
	return lines, false, nil
}

// pageIsFull reports whether a page with some blocks, transactions, and bytes of transcripts ends.
func pageIsFull(blocks int64, transactions, transcripts int) bool {
	return blocks >= logPageBlocks || transactions >= logPageTransactions || transcripts >= logPageTranscripts
}
