package audit

import (
	"context"

	"roshambo/internal/store"
)

// Waiting returns the number of callers that wait for the pass under way.
func (a *Auditor) Waiting() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running == nil {
		return 0
	}
	return a.running.waiting
}

// VerifyParts audits with the replayed state split into parts.
func (a *Auditor) VerifyParts(ctx context.Context, parts int) (v Verification, err error) {
	err = a.db.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		v, err = verifyParts(readers{chain: tablesOf(ctx, tx)}, a.key, parts)
		return err
	})
	return v, err
}
