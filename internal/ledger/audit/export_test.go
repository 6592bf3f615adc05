package audit

import (
	"context"

	"roshambo/internal/store"
)

// Waiting returns the number of callers that wait for the pass under way, and -1 without a pass.
func (a *Auditor) Waiting() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running == nil {
		return -1
	}
	return a.running.waiting
}

// VerifyAlone audits with a single transaction, as an engine does that has no second one to spare.
func (a *Auditor) VerifyAlone(ctx context.Context) (v Verification, err error) {
	err = a.db.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		v, err = verifyTables(ctx, []*store.Tx{tx}, a.key, nil)
		return err
	})
	return v, err
}

// VerifyParts audits with the replayed state split into parts.
func (a *Auditor) VerifyParts(ctx context.Context, parts int) (v Verification, err error) {
	err = a.db.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		v, err = verifyParts(readers{chain: tablesOf(ctx, tx)}, a.key, parts)
		return err
	})
	return v, err
}
