package audit_test

import (
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
	do, verify := storetest.Do, storetest.Do(audit.VerifyTables, e.DB, "", nil)
	each.Run(t, []storetest.Case{
		{Name: "verify", Call: verify, Want: audit.Verification.Valid},
		{Before: func() { storetest.Exec(t, e.DB, "UPDATE ledger_account SET nonce = nonce + 1") }},
		{Name: "verify and name the rows that differ", Call: verify,
			Want: func(v audit.Verification) bool { return !v.Valid() }},
		{Name: "export", Call: do(audit.Export, e.DB, io.Discard, audit.ExportOptions{})},
		{Name: "witnessed export", Call: do(audit.Export, e.DB, io.Discard, audit.ExportOptions{Witnessed: true})},
	})
}
