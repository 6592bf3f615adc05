package run_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
)

// options returns the ways to start a run that an account is offered.
func (h *fixture) options(t testing.TB, who chain.Address) (list []run.Entry) {
	t.Helper()
	h.View(t, func(ctx context.Context, tx *store.Tx) error {
		o, err := h.Overview(ctx, tx, who)
		list = o.Entries
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

// TestFee checks that a run for a fee takes the coins, which a later run then lacks, and that the
// refused start leaves nothing.
func TestFee(t *testing.T) {
	t.Parallel()
	rules := ledgertest.Rules()
	rules.EntryFee = 600
	h := newFixture(t, ledgertest.Options{Rules: &rules})
	ann := h.join(t)
	if started, err := h.start(t, ann, run.StartOptions{Entry: chain.EntryFee}); err != nil ||
		started.Posted.Balance != 400 {
		t.Fatalf("balance %d, error %v", started.Posted.Balance, err)
	}
	if _, err := h.abandon(t, ann, h.unfinished(t, ann)); err != nil {
		t.Fatal(err)
	}
	before := h.Dump(t)
	_, err := h.start(t, ann, run.StartOptions{Entry: chain.EntryFee})
	if funds, ok := errors.AsType[*chain.InsufficientFundsError](err); !ok || funds.Needed != 600 || funds.Balance != 400 {
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
	if o := h.options(t, ann)[2]; o.Available || o.TokenID != nil {
		t.Errorf("nothing but the highest tier: option %+v", o)
	}
	three, one, two, theirs := h.token(t, ann, 3), h.token(t, ann, 1), h.token(t, ann, 2), h.token(t, bob, 1)
	for id, want := range map[int64]error{top.ID: run.ErrNoToken, theirs.ID: chain.ErrNotOwner,
		99: chain.ErrNotOwner, -1: chain.ErrNotOwner} {
		if _, err := h.start(t, ann, named(id)); !errors.Is(err, want) {
			t.Errorf("token %d: error %v, want %v", id, err, want)
		}
	}
	if o := h.options(t, ann)[2]; !o.Available || *o.TokenID != one.ID {
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
