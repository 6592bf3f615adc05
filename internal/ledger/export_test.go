package ledger

import (
	"context"

	"roshambo/internal/store"
)

// Waiting returns how many callers wait for the verification under way.
func (l *Ledger) Waiting() int {
	l.verifier.mu.Lock()
	defer l.verifier.mu.Unlock()
	if l.verifier.running == nil {
		return 0
	}
	return l.verifier.running.waiting
}

// Share makes the ledger one of several nodes on its database.
func (l *Ledger) Share() { l.shared = true }

// VerifyParts verifies with a state that is split into parts.
func (l *Ledger) VerifyParts(ctx context.Context, parts int) (v Verification, err error) {
	err = l.db.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		v, err = verifyParts(lanes{state: tablesOf(ctx, tx)}, l.key, parts)
		return err
	})
	return v, err
}

// CountPeriods counts periods again unless they fit.
func (l *Ledger) CountPeriods(ctx context.Context) error { return l.countPeriods(ctx) }

// SetStored has a file remember a tree that the database does not have.
func (f *HeadFile) SetStored(size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept.Stored = treeHead{Size: size}
}
