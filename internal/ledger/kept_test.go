package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/audit"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/verify"
)

// kept returns the lines of the kept checkpoints from a number on.
func (e *economy) kept(t *testing.T, first int64) (lines string) {
	t.Helper()
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		page, _, err := e.LogKept(ctx, tx, first)
		lines = string(page)
		return err
	})
	return lines
}

// wantKept fails the test unless n checkpoints are kept.
func (e *economy) wantKept(t *testing.T, what string, n int) {
	t.Helper()
	if got := strings.Count(e.kept(t, 0), "\n"); got != n {
		t.Errorf("%s: %d checkpoints are kept, want %d", what, got, n)
	}
}

// TestKeeps checks which cosigned checkpoints are kept: the first one of an hour that a quorum has cosigned, at times
// that fit the clock and the blocks; and that an export with them is valid for a reader who knows the witnesses.
func TestKeeps(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{Quorum: 2})
	ann := e.join(t)
	e.SealAll(t)
	next := func(d time.Duration) {
		t.Helper()
		e.Clock.Add(d)
		e.Faucets(t, ann, 1)
		e.SealAll(t)
	}
	cosign := func(name string, offset time.Duration) { e.Keep(t, e.CosignatureAt(t, name, offset)) }
	cosign("one", 0)
	e.wantKept(t, "one of two", 0)
	cosign("two", -31*time.Second)
	e.wantKept(t, "before the blocks", 0)
	cosign("two", 31*time.Second)
	e.wantKept(t, "ahead of the clock", 0)
	cosign("two", 30*time.Second)
	e.wantKept(t, "the first", 1)
	cosign("three", 0)
	if got := strings.Count(e.kept(t, 0), "— three "); got != 1 {
		t.Errorf("%d lines of a third witness are added", got)
	}
	next(time.Minute)
	cosign("one", 0)
	cosign("two", 0)
	e.wantKept(t, "the same hour", 1)
	next(time.Hour)
	e.Faucets(t, ann, 1) // waits longer than the cosignature allows
	e.Clock.Add(40 * time.Second)
	cosign("one", 0)
	cosign("two", 0)
	e.wantKept(t, "while a transaction waits for long", 1)
	e.SealAll(t)
	cosign("one", 0)
	cosign("two", 30*time.Second)
	e.wantKept(t, "the next hour", 2)
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		if lines, full, err := e.LogKept(ctx, tx, 2); len(lines) > 0 || full || err != nil {
			t.Errorf("behind the last one: %q, %v, %v", lines, full, err)
		}
		_, _, err := e.LogKept(ctx, tx, 3)
		if !errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("further behind: %v", err)
		}
		return nil
	})
	// The clock falls back behind the cosignatures: the next block must not.
	least := e.Clock.Now().Truncate(time.Second).UnixMilli()
	next(-20 * time.Second)
	if at := e.Newest(t).Block.Header.Time; at < least {
		t.Errorf("a block at %d, want it from %d on", at, least)
	}
	e.WantValid(t)
	var text bytes.Buffer
	if err := audit.Export(t.Context(), e.DB, &text, audit.ExportOptions{Witnessed: true}); err != nil {
		t.Fatal(err)
	}
	keys := []string{e.Cosignature(t, "one").Witness, e.Cosignature(t, "two").Witness}
	report, err := verify.Export(&text, verify.ChainOptions{Witnesses: keys})
	if err != nil || !report.Valid || report.Kept.Count != 2 || report.Kept.Cosigned != 2 || report.Kept.Without != 0 {
		t.Errorf("the export: %+v, %+v, %v", report.Kept, report.Problems, err)
	}
}

// TestRulesWaitForWitnesses checks that the first checkpoint with announced rules is kept, and that the rules begin a
// day after it.
func TestRulesWaitForWitnesses(t *testing.T) {
	t.Parallel()
	o := ledgertest.Options{Quorum: 1}
	e := newEconomy(t, o)
	cosign := func() { e.Keep(t, e.CosignatureAt(t, "one", 0)) }
	cosign()
	e.wantKept(t, "genesis", 1)
	e.Clock.Add(2 * time.Hour)
	dearer := ledgertest.Rules()
	dearer.EntryFee++
	o.Rules = &dearer
	e, err := e.reopen(t, o)
	if err != nil {
		t.Fatal(err)
	}
	e.SealAll(t)
	begin := func(d time.Duration, begun bool) {
		t.Helper()
		e.Clock.Add(d)
		if err := e.BeginRules(t.Context()); err != nil || (e.Rules().EntryFee == dearer.EntryFee) != begun {
			t.Errorf("entry fee %d, error %v, begun %v wanted", e.Rules().EntryFee, err, begun)
		}
		e.SealAll(t)
	}
	begin(25*time.Hour, false) // no witness has seen them
	e.join(t)
	e.SealAll(t)
	cosign()
	e.wantKept(t, "the announcement", 2)
	begin(24*time.Hour, false)
	begin(2*time.Second, true)
	cosign()
	e.WantValid(t)
	var text bytes.Buffer
	if err := audit.Export(t.Context(), e.DB, &text, audit.ExportOptions{Witnessed: true}); err != nil {
		t.Fatal(err)
	}
	report, err := verify.Export(&text, verify.ChainOptions{Witnesses: []string{e.Cosignature(t, "one").Witness}})
	if err != nil || !report.Valid {
		t.Errorf("the export: %+v, %v", report.Problems, err)
	}
}

// TestKeepsRecoveries checks that the first cosigned checkpoint that covers a recovery is kept, whatever the hour.
func TestKeepsRecoveries(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{Quorum: 1})
	cosign := func(what string, n int) {
		t.Helper()
		e.Keep(t, e.CosignatureAt(t, "one", 0))
		e.wantKept(t, what, n)
	}
	cosign("genesis", 1)
	for i := range 2 {
		e.Update(t, func(ctx context.Context, tx *store.Tx) error { return e.Recover(ctx, tx, "a test") })
		cosign("while a recovery waits for its block", 1+i)
		e.SealAll(t)
		cosign("a recovery", 2+i)
		e.join(t)
		e.SealAll(t)
		cosign("behind a recovery", 2+i)
	}
}
