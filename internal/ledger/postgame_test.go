package ledger_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
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

// TestPostGameRefuses checks that only the start and the end of one actor's game are posted at once, each
// with the error that Post has, and that a refused end leaves no start.
func TestPostGameRefuses(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann, bob := e.join(t), e.join(t)
	start := ledgertest.Start(ann, "a run", chain.EntryFree, e.NewHash())
	tooHigh := ledgertest.Lose(ann, "a run", 3)
	tooHigh.Data.(*chain.RunEnd).Throws = 1
	cheap := ledgertest.Start(ann, "a run", chain.EntryFee, e.NewHash())
	cheap.Transfers[0].Amount--
	other := ledgertest.Start(ann, "a run", chain.EntryFree, e.NewHash())
	other.Data.(*chain.RunStart).Commitment = e.NewHash()
	recorded := start
	recorded.Transcript = []byte(chain.EmptyTranscript)
	wrong := ledgertest.Lose(ann, "a run", 0)
	wrong.Transcript = []byte(chain.EmptyTranscript)
	lost := ledgertest.Lose(ann, "a run", 0)
	lost.Transcript = []byte(chain.EmptyTranscript)
	lost.Data.(*chain.RunEnd).TranscriptHash = chain.HashTranscript(lost.Transcript)
	bound := ledgertest.Lose(ann, "a run", 0)
	bound.Data.(*chain.RunEnd).Bound = true
	const noGame, unread = "not the start and the end", "has not loaded"
	before := e.Dump(t)
	for name, c := range map[string]struct {
		start, end ledger.Draft
		text       string
	}{
		"another run":        {start, ledgertest.Lose(ann, "another run", 0), noGame},
		"another actor":      {start, ledgertest.Lose(bob, "a run", 0), noGame},
		"no start":           {lost, ledgertest.Lose(ann, "a run", 0), unread},
		"no end":             {start, start, "is not over"},
		"no game":            {start, ledgertest.Faucet(ann), noGame},
		"an end too high":    {start, tooHigh, "does not follow"},
		"an end of its own":  {start, bound, "bound"},
		"a smaller fee":      {cheap, ledgertest.Lose(ann, "a run", 0), "its transfers are not those of its kind"},
		"another commitment": {other, ledgertest.Lose(ann, "a run", 0), "outstanding"},
		"a recorded start":   {recorded, ledgertest.Lose(ann, "a run", 0), "a transcript that the transaction does not pin"},
		"another transcript": {start, wrong, "the transcript is not the one"},
	} {
		err := e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			state, err := e.LoadActor(ctx, tx, ann.Address)
			if err != nil {
				t.Fatal(err)
			}
			c.start.State = &state
			return e.PostGame(ctx, tx, c.start, c.end)
		})
		if err == nil || errors.Is(err, ledger.ErrConflict) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.text)
		}
	}
	if diff := cmp.Diff(before, e.Dump(t)); diff != "" {
		t.Errorf("something was left behind:\n%s", diff)
	}
}

// TestPostGameElsewhere checks that a whole game is posted by no rules that another node has changed.
func TestPostGameElsewhere(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	e.Share()
	ann := e.join(t)
	generous := ledgertest.Rules()
	generous.FaucetAmount = 300
	if _, err := ledger.Open(t.Context(), ledger.Config{
		DB: e.DB, Rules: generous, Signer: e.Key.Signer, VerifierKey: e.Key.Verifier, Now: e.Clock.Now,
		Logger: slog.New(slog.DiscardHandler),
	}); err != nil {
		t.Fatal(err)
	}
	start := ledgertest.Start(ann, "a run", chain.EntryFree, e.NewHash())
	for _, want := range []error{ledger.ErrConflict, nil} {
		err := e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			state, err := e.LoadActor(ctx, tx, ann.Address)
			if err != nil {
				return err
			}
			start.State = &state
			return e.PostGame(ctx, tx, start, ledgertest.Lose(ann, "a run", 0))
		})
		if !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
	}
	e.SealAll(t)
	e.WantValid(t)
}

// TestCounted checks that each transaction that is stored counts once for the next block, both of a whole
// game.
func TestCounted(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	want := func(what string, n int64) {
		t.Helper()
		if got := e.Unsealed(); got != n {
			t.Errorf("%s: %d transactions are counted, want %d", what, got, n)
		}
	}
	ann := e.join(t)
	want("an account", 1)
	e.Win(t, &ann, 1)
	want("a whole game", 3)
	_ = e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if _, err := e.Post(ctx, tx, ledgertest.Faucet(ann)); err != nil {
			t.Error(err)
		}
		return errStatement
	})
	want("a transaction that was rolled back", 3)
}
