package ledger_test

import (
	"context"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestEachStatementOfLoss sees, declares and ends a loss, with each statement failing once.
func TestEachStatementOfLoss(t *testing.T) {
	t.Parallel()
	s := &scenario{}
	s.economy = newEconomy(t, ledgertest.Options{DB: store.Config{Faults: s.each.Faults()},
		File: remembering(t, t.TempDir())})
	s.each.Use(t, s.DB, s.Location)
	s.join(t)
	s.SealAll(t)
	s.Share()
	pass := func(context.Context, *store.Tx) error { return nil }
	s.each.Update(t, "check", func(ctx context.Context, tx *store.Tx) error { return s.CheckWritable(ctx, tx) })
	s.each.Call(t, "stored checkpoint", func(ctx context.Context) error {
		size, _, err := ledger.StoredCheckpoint(ctx, s.DB)
		if err == nil && size != 2 {
			t.Errorf("a checkpoint of %d", size)
		}
		return err
	})
	root := tlog.RecordHash([]byte("lost"))
	s.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO meta (name, value) VALUES ($1, $2)", layout.MetaRecovering,
			"3 "+root.String())
		return err
	})
	s.each.Call(t, "see the loss", s.UpdateHeadFile)
	s.each.Call(t, "declare the loss", func(ctx context.Context) error { return s.DeclareLost(ctx, pass, 0) })
	s.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM meta WHERE name = $1", layout.MetaRestored)
		return err
	})
	s.each.Call(t, "go on", func(ctx context.Context) error { return s.Resumed(ctx, pass) })
	s.each.Call(t, "sign", s.SignDeclared)
	s.each.Call(t, "note a cosigned size", func(ctx context.Context) error { return s.NoteCosigned(ctx, 9) })
	if !s.Recovering() {
		t.Error("not recovering")
	}
}
