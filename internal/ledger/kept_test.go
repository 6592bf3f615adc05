package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/audit"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
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
// that fit the clock and the blocks; and that an export with them is valid for a reader with the witnesses' keys.
func TestKeeps(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{Quorum: 2, Witnesses: []string{"one", "two", "three"}})
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
	if v := e.WantValid(t); v.Kept != 2 {
		t.Errorf("the audit counts %d, want 2", v.Kept)
	}
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

// announceDearer opens the service again with rules of a higher entry fee, which announces them.
func (e *economy) announceDearer(t *testing.T, o ledgertest.Options) (*economy, chain.Rules) {
	t.Helper()
	dearer := ledgertest.Rules()
	dearer.EntryFee++
	o.Rules = &dearer
	e, err := e.reopen(t, o)
	if err != nil {
		t.Fatal(err)
	}
	e.SealAll(t)
	return e, dearer
}

// TestRulesWaitForWitnesses checks that the first checkpoint with announced rules is kept, and that the rules begin a
// day after it.
func TestRulesWaitForWitnesses(t *testing.T) {
	t.Parallel()
	o := ledgertest.Options{Quorum: 1, Witnesses: []string{"one"}}
	e := newEconomy(t, o)
	cosign := func() { e.Keep(t, e.CosignatureAt(t, "one", 0)) }
	cosign()
	e.wantKept(t, "genesis", 1)
	e.Clock.Add(2 * time.Hour)
	e, dearer := e.announceDearer(t, o)
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

// TestNoticeForAllWitnesses checks that rules wait until the newest line on the kept checkpoint with them is a day old,
// so that a reader that demands more of the witnesses than the quorum finds their notice.
func TestNoticeForAllWitnesses(t *testing.T) {
	t.Parallel()
	o := ledgertest.Options{Quorum: 2, Witnesses: []string{"one", "two", "three"}}
	e := newEconomy(t, o)
	e.Clock.Add(2 * time.Hour)
	e, dearer := e.announceDearer(t, o)
	e.Keep(t, e.CosignatureAt(t, "one", 0))
	e.Keep(t, e.CosignatureAt(t, "two", 0))
	e.wantKept(t, "the announcement", 1)
	e.Keep(t, e.CosignatureAt(t, "three", 20*time.Second))
	for _, tt := range []struct {
		later time.Duration
		begun bool
	}{{24*time.Hour + 2*time.Second, false}, {20 * time.Second, true}} {
		e.Clock.Add(tt.later)
		if err := e.BeginRules(t.Context()); err != nil || (e.Rules().EntryFee == dearer.EntryFee) != tt.begun {
			t.Errorf("entry fee %d, error %v, begun %v wanted", e.Rules().EntryFee, err, tt.begun)
		}
		e.SealAll(t)
	}
	e.wantWitnessed(t, o.Witnesses...)
}

// TestWitnessKeysParsed checks that a witness's key in a spelling that its lines do not have is refused.
func TestWitnessKeysParsed(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	key := e.Cosignature(t, "one").Witness
	parts := strings.Split(key, "+")
	for _, tt := range []struct {
		key   string
		valid bool
	}{{key, true}, {"one+" + strings.ToUpper(parts[1]) + "+" + parts[2], false}, {e.Key.Verifier, false}, {"one", false}} {
		_, err := ledger.Open(t.Context(), ledger.Config{
			DB: e.DB, Rules: *e.Rules(), Signer: e.Key.Signer, VerifierKey: e.Key.Verifier, Quorum: 1,
			Witnesses: []string{tt.key}, Logger: slog.New(slog.DiscardHandler), Now: e.Clock.Now,
		})
		if (err == nil) != tt.valid {
			t.Errorf("%q: %v", tt.key, err)
		}
	}
}

// TestKeepsRecoveries checks that the first cosigned checkpoint that covers a recovery is kept, whatever the hour.
func TestKeepsRecoveries(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{Quorum: 1, Witnesses: []string{"one"}})
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

// TestKeepsLinesOfOneTree checks that a quorum meets on one tree, that a line which came later is added to the newest
// kept checkpoint although the witnesses of its other lines have gone on, and that no kept line is replaced.
func TestKeepsLinesOfOneTree(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{Quorum: 2, Witnesses: []string{"one", "two", "three"}})
	ann := e.join(t)
	next := func() {
		t.Helper()
		e.Clock.Add(time.Second)
		e.Faucets(t, ann, 1)
		e.SealAll(t)
	}
	next()
	e.Keep(t, e.CosignatureAt(t, "one", 0))
	next()
	e.Keep(t, e.CosignatureAt(t, "two", 0))
	e.wantKept(t, "of two trees", 0)
	e.Keep(t, e.CosignatureAt(t, "four", 0))
	e.wantKept(t, "one of two, and a stranger", 0)
	e.Keep(t, e.CosignatureAt(t, "one", 0))
	before := e.kept(t, 0)
	e.wantKept(t, "of one tree", 1)
	e.Clock.Add(5 * time.Second)
	e.Keep(t, e.CosignatureAt(t, "one", 0)) // asked again, as after a restart
	if now := e.kept(t, 0); now != before {
		t.Errorf("the kept line became\n%s, it was\n%s", now, before)
	}
	late := e.CosignatureAt(t, "three", -2*time.Second)
	next()
	e.Keep(t, e.CosignatureAt(t, "one", 0))
	e.Keep(t, late)
	for name, want := range map[string]int{"one": 1, "two": 1, "three": 1, "four": 0} {
		if got := strings.Count(e.kept(t, 0), "— "+name+" "); got != want {
			t.Errorf("%d kept lines of %s, want %d", got, name, want)
		}
	}
	e.WantValid(t)
}

// TestKeepsSlowWitness checks that a quorum meets on a tree whose cosignature by a slow witness comes when a quick one
// has cosigned later trees, and that no warning names the quick one because the slow one is late.
func TestKeepsSlowWitness(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	e := newEconomy(t, ledgertest.Options{Quorum: 2, Witnesses: []string{"quick", "slow"}, Log: &log})
	ann := e.join(t)
	var late []ledger.Cosignature
	for range 3 {
		e.Clock.Add(time.Second)
		e.Faucets(t, ann, 1)
		e.SealAll(t)
		late = append(late, e.CosignatureAt(t, "slow", 0))
		e.Keep(t, e.CosignatureAt(t, "quick", 0))
	}
	e.wantKept(t, "by the quick witness alone", 0)
	e.Clock.Add(time.Minute)
	e.Keep(t, late[0])
	e.wantKept(t, "by both, too late", 0)
	if text := log.String(); strings.Contains(text, "quick") || strings.Count(text, "slow") != 1 {
		t.Errorf("logged: %s", text)
	}
	e.Clock.Add(-time.Minute)
	e.Keep(t, late[0])
	e.wantKept(t, "by both", 1)
	e.WantValid(t)
}

// TestNoticeOfNewWitnesses checks that rules wait until the witnesses of today have seen them for a day, where
// earlier ones have seen them before.
func TestNoticeOfNewWitnesses(t *testing.T) {
	t.Parallel()
	o := ledgertest.Options{Quorum: 1, Witnesses: []string{"old"}}
	e := newEconomy(t, o)
	dearer := ledgertest.Rules()
	dearer.EntryFee++
	o.Rules = &dearer
	e.Clock.Add(2 * time.Hour)
	e, err := e.reopen(t, o)
	if err != nil {
		t.Fatal(err)
	}
	e.SealAll(t)
	e.Keep(t, e.CosignatureAt(t, "old", 0))
	e.wantKept(t, "by the old witness", 1)
	e.Clock.Add(23 * time.Hour)
	o.Witnesses = []string{"new"}
	if e, err = e.reopen(t, o); err != nil {
		t.Fatal(err)
	}
	e.join(t)
	e.SealAll(t)
	e.Keep(t, e.CosignatureAt(t, "new", 0))
	e.wantKept(t, "by the new witness", 2)
	for _, tt := range []struct {
		later time.Duration
		begun bool
	}{{2 * time.Hour, false}, {22*time.Hour + 2*time.Second, true}} {
		e.Clock.Add(tt.later)
		if err := e.BeginRules(t.Context()); err != nil || (e.Rules().EntryFee == dearer.EntryFee) != tt.begun {
			t.Errorf("entry fee %d, error %v, begun %v wanted", e.Rules().EntryFee, err, tt.begun)
		}
	}
	e.SealAll(t)
	e.wantWitnessed(t, "new")
}

// TestSignedBlockFitsKept checks that no cosignature is kept which a signed block that is made again would be too
// early for: an empty one, whose time is the only thing that remembers it.
func TestSignedBlockFitsKept(t *testing.T) {
	t.Parallel()
	folder, faults := t.TempDir(), new(ledgertest.Faults)
	o := ledgertest.Options{DB: store.Config{Faults: faults.Config()}, File: remembering(t, folder), Quorum: 1,
		Witnesses: []string{"one"}}
	e := newEconomy(t, o)
	e.Clock.Add(ledger.QuietInterval)
	play := sync.OnceFunc(func() {
		faults.Play(ledgertest.Mishap{Commits: []store.Fault{store.NotStored, store.NotStored}})
	})
	ended, stop := context.WithCancel(t.Context())
	stop()
	e.Seal(ended, func(context.Context, *store.Tx) error {
		play()
		return nil
	})
	e.Clock.Add(5 * time.Minute)
	o.File = remembering(t, folder)
	e, err := e.reopen(t, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, signed := o.File.Sizes(); signed != 2 {
		t.Fatalf("a tree of %d blocks is signed, want the one with the empty block", signed)
	}
	e.Keep(t, e.CosignatureAt(t, "one", 0))
	e.SealAll(t)
	if h := e.Newest(t).Block.Header.Height; h != 1 {
		t.Errorf("block %d, want the signed one", h)
	}
	e.wantWitnessed(t, "one")
}

// TestKeptMeanwhile checks that a block is not stored which is too early for a checkpoint that another node has kept
// since the block was built, and that the next one fits. The sealer's own node keeps no such checkpoint meanwhile.
func TestKeptMeanwhile(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{false, true} {
		e := newEconomy(t, ledgertest.Options{
			Quorum: 1, Witnesses: []string{"one"}, DB: store.Config{Faults: storetest.ViewsOnce()},
		}) // the test counts the calls of Now
		var log bytes.Buffer
		var sealer *ledger.Ledger
		calls := -100
		sealer, err := ledger.Open(t.Context(), ledger.Config{
			DB: e.DB, Rules: *e.Rules(), Signer: e.Key.Signer, VerifierKey: e.Key.Verifier,
			Witnesses: []string{e.Cosignature(t, "one").Witness}, Quorum: 1,
			Logger: slog.New(slog.NewTextHandler(&log, nil)),
			Now: func() time.Time {
				now := e.Clock.Now()
				// While the block is built again, since other Updates have ended, after the kept checkpoints were read.
				if calls++; calls == 5 {
					e.Clock.Add(2 * time.Minute)
					keeper := map[bool]*ledger.Ledger{false: e.Ledger.Ledger, true: sealer}[own]
					e.Update(t, func(ctx context.Context, tx *store.Tx) error {
						return keeper.KeepCosignature(ctx, tx, e.CosignatureAt(t, "one", 0))
					})
				}
				return now
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		e.Clock.Add(ledger.QuietInterval)
		ended, stop := context.WithCancel(t.Context())
		stop()
		var heights []int64
		for i := range 2 {
			calls = 10 * i
			sealer.Seal(ended, nil)
			heights = append(heights, e.Newest(t).Block.Header.Height)
		}
		want, refusals, kept := []int64{0, 1}, 1, 1
		if own {
			want, refusals, kept = []int64{1, 1}, 0, 0
		}
		if got := strings.Count(log.String(), "dated back of the kept cosignatures"); got != refusals ||
			!slices.Equal(heights, want) {
			t.Errorf("own %v: blocks %d, want %d; %d refusals, want %d: %s", own, heights, want, got, refusals, &log)
		}
		e.wantKept(t, "meanwhile", kept)
		e.wantWitnessed(t, "one")
	}
}

// wantWitnessed fails the test unless an export is valid for a reader that demands all of these witnesses.
func (e *economy) wantWitnessed(t *testing.T, names ...string) {
	t.Helper()
	var keys []string
	for _, name := range names {
		c := e.CosignatureAt(t, name, 0)
		e.Keep(t, c)
		keys = append(keys, c.Witness)
	}
	var text bytes.Buffer
	if err := audit.Export(t.Context(), e.DB, &text, audit.ExportOptions{Witnessed: true}); err != nil {
		t.Fatal(err)
	}
	report, err := verify.Export(&text, verify.ChainOptions{Witnesses: keys})
	if err != nil || !report.Valid {
		t.Errorf("the export: %+v, %v", report.Problems, err)
	}
}

// TestKeptInProgress checks that a block is not stored when another node keeps a checkpoint at the same time for which
// the block is too early: the block's transaction, which cannot see the checkpoint, runs again. SQLite has one writer,
// so that the checkpoint is kept after the block there.
func TestKeptInProgress(t *testing.T) {
	t.Parallel()
	o := ledgertest.Options{Quorum: 1, Witnesses: []string{"one"}}
	e := newEconomy(t, o)
	e.Clock.Add(ledger.QuietInterval)
	ended, stop := context.WithCancel(t.Context())
	stop()
	keep := func() {}
	wantRuns, wantHeight := 1, int64(1)
	if storetest.Postgres() {
		o.DB, o.Key, o.Clock = e.Location, e.Key, e.Clock
		keeper := ledgertest.Open(t, o)
		keep = func() {
			e.Clock.Add(2 * time.Minute)
			keeper.Keep(t, keeper.CosignatureAt(t, "one", 0))
		}
		wantRuns, wantHeight = 2, 0
	}
	runs := 0
	e.Seal(ended, func(ctx context.Context, tx *store.Tx) error {
		_, err := e.Head(ctx, tx) // from here on the transaction sees nothing new
		if runs++; runs == 1 {
			keep()
		}
		return err
	})
	if h := e.Newest(t).Block.Header.Height; runs != wantRuns || h != wantHeight {
		t.Errorf("block %d after %d runs, want %d after %d", h, runs, wantHeight, wantRuns)
	}
	e.Seal(ended, nil)
	if h := e.Newest(t).Block.Header.Height; h != 1 {
		t.Errorf("block %d, want 1", h)
	}
	e.wantWitnessed(t, "one")
	e.wantKept(t, "in progress", 1)
}
