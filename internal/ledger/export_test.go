package ledger

import "context"

// Share makes the ledger one of several nodes on its database.
func (l *Ledger) Share() { l.shared = true }

// CountPeriods rebuilds chain_period unless it covers all transactions.
func (l *Ledger) CountPeriods(ctx context.Context) error { return l.countPeriods(ctx) }

// SetStored makes a file remember a tree that the database does not have.
func (f *HeadFile) SetStored(size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept.Stored = treeHead{Size: size}
}

// Remember gives the ledger a head file.
func (l *Ledger) Remember(f *HeadFile) { l.file = f }

// LogSealing logs an error of sealing.
func (l *Ledger) LogSealing(ctx context.Context, err error) { l.logSealing(ctx, err) }
