package audit_test

import (
	"context"
	"io"
	"testing"

	"roshambo/internal/ledger/audit"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestEachStatement runs an audit and an export once per statement, with that statement failing:
// neither reports a result that rests on rows that were not read.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	e := newEconomy(t, ledgertest.Options{DB: store.Config{Faults: each.Faults()}})
	e.Everything(t)
	e.SealAll(t)
	e.Cosign(t, "one")
	e.join(t)
	each.Use(t, e.DB, e.Location)
	each.Call(t, "verify", func(ctx context.Context) error {
		v, err := audit.VerifyTables(ctx, e.DB, "", nil)
		if err == nil && !v.Valid() {
			t.Errorf("%+v", v.Problems)
		}
		return err
	})
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE ledger_account SET nonce = nonce + 1")
		return err
	})
	each.Call(t, "verify and name the rows that differ", func(ctx context.Context) error {
		v, err := audit.VerifyTables(ctx, e.DB, "", nil)
		if err == nil && v.Valid() {
			t.Error("the changed rows are valid")
		}
		return err
	})
	each.Call(t, "export", func(ctx context.Context) error {
		return audit.Export(ctx, e.DB, io.Discard, audit.ExportOptions{})
	})
	each.Call(t, "witnessed export", func(ctx context.Context) error {
		return audit.Export(ctx, e.DB, io.Discard, audit.ExportOptions{Witnessed: true})
	})
}
