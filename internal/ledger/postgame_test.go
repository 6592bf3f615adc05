package ledger_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestPostGame checks that a game that is posted at once leaves the rows that two posts leave.
func TestPostGame(t *testing.T) {
	t.Parallel()
	dumps := make([][]string, 2)
	for i := range dumps {
		e := newEconomy(t, ledgertest.Options{})
		ann, next := e.NewPlayer(), e.NewHash()
		e.MustPost(t, ledgertest.Create(ann))
		e.Update(t, func(ctx context.Context, tx *store.Tx) error {
			id, err := e.NewTokenID(ctx, tx)
			if err != nil {
				return err
			}
			start := ledgertest.Start(ann, "a run", chain.EntryFree, next)
			end := ledgertest.Claim(ann, "a run", ledger.OwnedToken{ID: id, Tier: 2})
			if i == 0 {
				_, err = e.Post(ctx, tx, start)
				if err == nil {
					_, err = e.Post(ctx, tx, end)
				}
				return err
			}
			state, err := e.LoadActor(ctx, tx, ann.Address)
			if err != nil {
				return err
			}
			start.State = &state
			return e.PostGame(ctx, tx, start, end)
		})
		// Checkpoints and the transactions of genesis are signed with keys of their own.
		for _, line := range e.Dump(t) {
			if table := tableOf(line); table == "ledger_account" || table == "ledger_game" || table == "ledger_token" ||
				table == "chain_pending" {
				dumps[i] = append(dumps[i], line)
			}
		}
		e.SealAll(t)
		e.WantValid(t)
	}
	if diff := cmp.Diff(dumps[0], dumps[1]); diff != "" || len(dumps[0]) < 6 {
		t.Errorf("posted at once (+) and one after the other (-), %d rows:\n%s", len(dumps[0]), diff)
	}
}

// tableOf returns the table of a line of a dump.
func tableOf(line string) string {
	for i, c := range line {
		if c == ':' {
			return line[:i]
		}
	}
	return ""
}

// TestPostGameRefuses checks that only the start and the end of one actor's game are posted at once,
// and that a refused end leaves no start.
func TestPostGameRefuses(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann, bob := e.join(t), e.join(t)
	start := ledgertest.Start(ann, "a run", chain.EntryFree, e.NewHash())
	tooHigh := ledgertest.Lose(ann, "a run", 3)
	tooHigh.Data.(*chain.RunEnd).Throws = 1
	before := e.Dump(t)
	for name, drafts := range map[string][2]ledger.Draft{
		"another run":     {start, ledgertest.Lose(ann, "another run", 0)},
		"another actor":   {start, ledgertest.Lose(bob, "a run", 0)},
		"no start":        {ledgertest.Lose(ann, "a run", 0), ledgertest.Lose(ann, "a run", 0)},
		"no end":          {start, start},
		"no game":         {start, ledgertest.Faucet(ann)},
		"an end too high": {start, tooHigh},
	} {
		err := e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			state, err := e.LoadActor(ctx, tx, ann.Address)
			if err != nil {
				t.Fatal(err)
			}
			drafts[0].State = &state
			return e.PostGame(ctx, tx, drafts[0], drafts[1])
		})
		if err == nil || errors.Is(err, ledger.ErrConflict) {
			t.Errorf("%s: error %v, want a refusal", name, err)
		}
	}
	if diff := cmp.Diff(before, e.Dump(t)); diff != "" {
		t.Errorf("something was left behind:\n%s", diff)
	}
}
