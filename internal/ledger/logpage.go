package ledger

import (
	"context"
	"fmt"

	"roshambo/canon"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
)

// A page of the log ends with the block that reaches one of these numbers.
const (
	logPageBlocks       = 256
	logPageTransactions = 2000
)

// LogPage returns blocks from height first on as lines of package export. full reports that more
// blocks follow; a full page never changes. Errors: ErrNotFound when there is no such block.
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
		p, err := layout.ReadPage(tx, first+read, min(layout.BlocksPerRead, h.height+1-first-read))
		if err != nil {
			return nil, false, fmt.Errorf("ledger: blocks of the log: %w", err)
		}
		lines = p.AppendLines(lines)
		read += int64(len(p.Blocks))
		transactions += p.Transactions
	}
	return lines, first+read <= h.height, nil
}
