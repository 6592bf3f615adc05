package run_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
)

// option is the checked part of an Entry.
type option struct {
	Entry     chain.Entry
	Available bool
	Left      int64 // -1 without a limit
	Token     int64 // 0 for none
}

func (h *fixture) options(t testing.TB, who chain.Address) (list []option) {
	t.Helper()
	h.View(t, func(ctx context.Context, tx *store.Tx) error {
		list = nil
		o, err := h.Overview(ctx, tx, who)
		for _, e := range o.Entries {
			one := option{e.Entry, e.Available, -1, 0}
			if e.Left != nil {
				one.Left = *e.Left
			}
			if e.TokenID != nil {
				one.Token = *e.TokenID
			}
			if e.Available != (e.Reason == "") || (e.Cost != 0) != (e.Entry == chain.EntryFee) {
				t.Errorf("entry %+v", e)
			}
			list = append(list, one)
		}
		return err
	})
	return list
}

// play starts a run and abandons it.
func (h *fixture) play(t testing.TB, who chain.Address, o run.StartOptions) (*run.Run, error) {
	t.Helper()
	started, err := h.start(t, who, o)
	if err != nil {
		return nil, err
	}
	if _, err := h.abandon(t, who, started.Run.ID); err != nil {
		t.Fatal(err)
	}
	return started.Run, nil
}

// TestDailyLimits checks the limits of three free runs and one daily run per account and
// day, which ends at midnight UTC. Without an entry Start uses free first, then fee.
func TestDailyLimits(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	ann, bob := h.join(t), h.join(t)
	h.Clock.Set(time.Date(2026, time.June, 30, 23, 59, 59, 999_000_000, time.UTC))
	for day := range 3 {
		for _, want := range []chain.Entry{chain.EntryFree, chain.EntryFree, chain.EntryFree, chain.EntryFee,
			chain.EntryFee} {
			r, err := h.play(t, ann, run.StartOptions{})
			if err != nil || r.Entry != want {
				t.Fatalf("day %d: started %+v, error %v, want %s", day, r, err, want)
			}
		}
		if _, err := h.play(t, ann, run.StartOptions{Entry: chain.EntryDaily}); err != nil {
			t.Errorf("day %d: daily: %v", day, err)
		}
		for _, entry := range []chain.Entry{chain.EntryFree, chain.EntryDaily} {
			if _, err := h.start(t, ann, run.StartOptions{Entry: entry}); !errors.Is(err, run.ErrEntryUsed) {
				t.Errorf("day %d: %s once more: error %v", day, entry, err)
			}
		}
		want := []option{{chain.EntryFree, false, 0, 0}, {chain.EntryFee, true, -1, 0}, {chain.EntryBurn, false, -1, 0},
			{chain.EntryDaily, false, 0, 0}}
		if diff := cmp.Diff(want, h.options(t, ann)); diff != "" {
			t.Errorf("day %d:\n%s", day, diff)
		}
		want = []option{{chain.EntryFree, true, 3, 0}, {chain.EntryFee, true, -1, 0}, {chain.EntryBurn, false, -1, 0},
			{chain.EntryDaily, true, 1, 0}}
		if diff := cmp.Diff(want, h.options(t, bob)); diff != "" {
			t.Errorf("day %d, bob:\n%s", day, diff)
		}
		h.Clock.Add([]time.Duration{time.Millisecond, 24*time.Hour - time.Millisecond, time.Millisecond}[day])
		if day == 1 { // the last millisecond of the same day
			if _, err := h.start(t, ann, run.StartOptions{Entry: chain.EntryDaily}); !errors.Is(err, run.ErrEntryUsed) {
				t.Errorf("before midnight: error %v", err)
			}
			h.Clock.Add(time.Millisecond)
		}
	}
	h.SealAll(t)
	h.WantValid(t)
}

// TestFee checks that a run for a fee requires and takes the coins.
func TestFee(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	ann := h.join(t)
	for n := range int64(20) {
		if o := h.options(t, ann)[1]; !o.Available {
			t.Errorf("run %d: option %+v", n, o)
		}
		started, err := h.start(t, ann, run.StartOptions{Entry: chain.EntryFee})
		if err != nil || started.Posted.Balance != 1000-50*(n+1) {
			t.Fatalf("run %d: balance %d, error %v", n, started.Posted.Balance, err)
		}
		if _, err := h.abandon(t, ann, started.Run.ID); err != nil {
			t.Fatal(err)
		}
	}
	before := h.Dump(t)
	_, err := h.start(t, ann, run.StartOptions{Entry: chain.EntryFee})
	if funds, ok := errors.AsType[*chain.InsufficientFundsError](err); !ok || funds.Needed != 50 || funds.Balance != 0 {
		t.Errorf("without coins: error %v", err)
	}
	if diff := cmp.Diff(before, h.Dump(t)); diff != "" {
		t.Errorf("the refused start changed the database:\n%s", diff)
	}
	if o := h.options(t, ann)[1]; o.Available {
		t.Errorf("option %+v", o)
	}
}

// TestBurn checks that a run for a token begins at the tier of the named or the cheapest
// token, and that a token of the highest tier is refused.
func TestBurn(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	ann, bob := h.join(t), h.join(t)
	burn := run.StartOptions{Entry: chain.EntryBurn}
	named := func(id int64) run.StartOptions { return run.StartOptions{Entry: chain.EntryBurn, TokenID: &id} }
	if _, err := h.start(t, ann, burn); !errors.Is(err, run.ErrNoToken) {
		t.Errorf("nothing to burn: error %v", err)
	}
	top := h.token(t, ann, 16)
	if _, err := h.start(t, ann, burn); !errors.Is(err, run.ErrNoToken) {
		t.Errorf("nothing but the highest tier: error %v", err)
	}
	if o := h.options(t, ann)[2]; o.Available || o.Token != 0 {
		t.Errorf("nothing but the highest tier: option %+v", o)
	}
	three, one, two, theirs := h.token(t, ann, 3), h.token(t, ann, 1), h.token(t, ann, 2), h.token(t, bob, 1)
	for id, want := range map[int64]error{top.ID: run.ErrNoToken, theirs.ID: chain.ErrNotOwner,
		99: chain.ErrNotOwner, -1: chain.ErrNotOwner} {
		if _, err := h.start(t, ann, named(id)); !errors.Is(err, want) {
			t.Errorf("token %d: error %v, want %v", id, err, want)
		}
	}
	if o := h.options(t, ann)[2]; !o.Available || o.Token != one.ID {
		t.Errorf("option %+v, want token %d", o, one.ID)
	}

	id := h.begin(t, ann, burn)
	if r := h.get(t, id); r.FirstTier != 1 || r.Cleared != 1 || r.Status != run.Active {
		t.Errorf("burnt the cheapest: %+v", r)
	}
	if _, err := h.claim(t, ann, id); err == nil {
		t.Error("claimed the burnt tier without a throw")
	}
	h.climb(t, ann, id, 1)
	won, err := h.claim(t, ann, id)
	if err != nil || won.Cleared != 2 {
		t.Fatalf("double or nothing: %+v, error %v", won, err)
	}
	h.SealAll(t)
	h.wantProven(t, id)
	if _, err := h.start(t, ann, named(one.ID)); !errors.Is(err, chain.ErrNotOwner) {
		t.Errorf("burnt already: error %v", err)
	}
	r, err := h.play(t, ann, named(three.ID))
	if err != nil || r.FirstTier != 3 {
		t.Errorf("burnt the one named: %+v, error %v", r, err)
	}
	want := []ledger.OwnedToken{top, two, {ID: *won.TokenID, Tier: 2}}
	if diff := cmp.Diff(want, h.tokens(t, ann)); diff != "" {
		t.Errorf("wallet:\n%s", diff)
	}
	h.SealAll(t)
	h.WantValid(t)
}
