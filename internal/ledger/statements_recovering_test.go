package ledger_test

import (
	"context"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestEachStatementOfLoss sees, declares and ends a loss, with each statement failing once.
func TestEachStatementOfLoss(t *testing.T) {
	t.Parallel()
	s := scenarioOn(t, ledgertest.Options{File: remembering(t, t.TempDir())})
	s.join(t)
	s.SealAll(t)
	s.Share()
	do, pass := storetest.Do, func(context.Context, *store.Tx) error { return nil }
	lost := "3 " + tlog.RecordHash([]byte("lost")).String() + " 2"
	s.each.Run(t, []storetest.Case{
		{Name: "check", Update: do(s.CheckWritable)},
		{Name: "stored checkpoint", Call: do(ledger.StoredCheckpoint, s.DB),
			Want: func(size int64, _ []byte) bool { return size == 2 }},
		{Before: func() {
			storetest.Exec(t, s.DB, "INSERT INTO meta (name, value) VALUES ($1, $2)", layout.MetaRecovering, lost)
		}},
		{Name: "see the loss", Call: do(s.UpdateHeadFile)},
		{Name: "declare the loss", Call: do(s.DeclareLost, pass, 0)},
		{Before: func() { storetest.Exec(t, s.DB, "DELETE FROM meta WHERE name = $1", layout.MetaRestored) }},
		{Name: "go on", Call: do(s.Resumed, pass)},
		{Name: "sign", Call: do(s.SignDeclared)},
		{Name: "note a cosigned size", Call: do(s.NoteCosigned, 9)},
	})
	if !s.Recovering() {
		t.Error("not recovering")
	}
}
