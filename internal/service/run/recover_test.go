package run_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"roshambo/chain"
	"roshambo/fair"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestRecover restores an older state, in which the players know all seeds. A run in play whose last throw
// won is claimed, every other one is void and gives its entry back, and no later run uses a seed that was
// known.
func TestRecover(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	payer, burner, guest, idle, winner := h.join(t), h.join(t), h.join(t), h.join(t), h.join(t)
	burnt := h.token(t, burner, 2)
	before := map[chain.Address]chain.Account{}
	players := []chain.Address{payer, burner, guest, idle}
	for _, who := range players {
		before[who] = h.account(t, who)
	}
	runs := map[chain.Address]string{
		payer:  h.begin(t, payer, run.StartOptions{Entry: chain.EntryFee}),
		burner: h.begin(t, burner, run.StartOptions{Entry: chain.EntryBurn}),
		guest:  h.begin(t, guest, run.StartOptions{Entry: chain.EntryFree}),
	}
	won := h.begin(t, winner, run.StartOptions{Entry: chain.EntryFree})
	h.climb(t, winner, won, 2)
	known := map[chain.Address]chain.Hash{}
	for _, who := range players {
		known[who] = h.account(t, who).Commitment
	}
	if err := ledger.MarkRestored(t.Context(), h.Ledger.DB, "a test"); err != nil {
		t.Fatal(err)
	}
	h.restart(t)
	for _, want := range []run.Recovered{{Recovered: true, Voided: 3, Claimed: 1, Rotated: 5}, {}} {
		if got, err := h.Recover(t.Context()); err != nil || got != want {
			t.Fatalf("got %+v, %v, want %+v", got, err, want)
		}
	}
	for _, who := range players {
		got, was := h.account(t, who), before[who]
		if got.Balance != was.Balance || got.Free != was.Free || got.Playing != "" {
			t.Errorf("%v: got %+v, before the run it was %+v", who, got, was)
		}
		if got.Commitment == known[who] || got.Commitment == was.Commitment {
			t.Errorf("%v: the commitment is still %v", who, got.Commitment)
		}
	}
	if wallet := h.tokens(t, burner); len(wallet) != 1 || wallet[0].Tier != burnt.Tier || wallet[0].ID == burnt.ID {
		t.Errorf("after the burnt token %+v, the wallet has %+v", burnt, wallet)
	}
	for who, id := range runs {
		if got := h.get(t, id); got.Status != run.Void || got.TokenID != nil {
			t.Errorf("%v: got %+v", who, got)
		}
		h.wantProven(t, id)
	}
	if got := h.get(t, won); got.Status != run.Claimed || got.TokenID == nil {
		t.Errorf("a run whose last throw won: got %+v", got)
	}
	// The commitment of a start is in an earlier block: the house must not choose it with the client seed.
	if _, err := h.start(t, idle, run.StartOptions{}); !errors.Is(err, ledger.ErrRecovering) {
		t.Errorf("a start before its rotation is in a block: error %v, want ErrRecovering", err)
	}
	if newcomer := h.join(t); h.begin(t, newcomer, run.StartOptions{}) == "" {
		t.Error("a new account is held up")
	}
	h.SealAll(t)
	h.winNothing(t, idle, known[idle])
	h.SealAll(t)
	h.WantValid(t)
	runs[winner] = won
	for _, id := range runs {
		h.wantProven(t, id)
	}
}

// TestRecoverEndsRememberedRuns: a node that remembers runs of the lost state changes none that a recovery has ended,
// although the end has the version that the node remembers of the run in play.
func TestRecoverEndsRememberedRuns(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	for name, act := range map[string]func(who chain.Address, id string) error{
		"continue": func(who chain.Address, id string) error { _, err := h.proceed(t, who, id); return err },
		"claim":    func(who chain.Address, id string) error { _, err := h.claim(t, who, id); return err },
		"abandon":  func(who chain.Address, id string) error { _, err := h.abandon(t, who, id); return err },
	} {
		who := h.join(t)
		id := h.begin(t, who, run.StartOptions{Entry: chain.EntryFree})
		h.climb(t, who, id, 1)
		// The last commit is lost. Its content stays, so that the run is claimed.
		storetest.Exec(t, h.Ledger.DB, "UPDATE run SET version = version - 1 WHERE id = $1", id)
		if err := ledger.MarkRestored(t.Context(), h.Ledger.DB, "a test"); err != nil {
			t.Fatal(err)
		}
		if got, err := h.Recover(t.Context()); err != nil || got.Claimed != 1 {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}
		err := act(who, id)
		if name == "claim" && !errors.Is(err, run.ErrClaimed) {
			t.Errorf("claim: error %v", err)
		}
		if name != "claim" {
			wantState(t, err, run.Claimed)
		}
		if got := h.get(t, id); got.Status != run.Claimed || got.TokenID == nil {
			t.Errorf("%s: got %+v", name, got)
		}
		h.wantProven(t, id)
	}
	h.SealAll(t)
	h.WantValid(t)
}

// TestRecoverAwaitsOthers: a recovery begins after the end of an Update that runs, which may have begun before the mark
// that refuses others, and would be stored in its midst.
func TestRecoverAwaitsOthers(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	h.join(t)
	if err := ledger.MarkRestored(t.Context(), h.Ledger.DB, "a test"); err != nil {
		t.Fatal(err)
	}
	waits := func() bool { return h.Ledger.DB.Stats().Queue > 0 }
	if storetest.Postgres() {
		raw := storetest.Raw(t, h.Location)
		waits = func() (waiting bool) {
			const query = `SELECT count(*) > 0 FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`
			if err := raw.QueryRowContext(t.Context(), query).Scan(&waiting); err != nil {
				t.Error(err)
				return true
			}
			return waiting
		}
	}
	recovered := make(chan error, 1)
	h.Update(t, func(ctx context.Context, tx *store.Tx) error {
		if _, err := ledger.Marked(ctx, tx); err != nil { // from here on the transaction runs
			return err
		}
		go func() {
			_, err := h.Recover(t.Context())
			recovered <- err
		}()
		for len(recovered) == 0 && !waits() {
			runtime.Gosched()
		}
		if len(recovered) > 0 {
			t.Error("the recovery is stored beside another transaction")
		}
		return nil
	})
	if err := <-recovered; err != nil {
		t.Error(err)
	}
	h.SealAll(t)
	h.WantValid(t)
}

// account returns an account of the ledger.
func (h *fixture) account(t testing.TB, who chain.Address) (a chain.Account) {
	t.Helper()
	h.View(t, func(ctx context.Context, tx *store.Tx) error {
		actor, err := h.LoadActor(ctx, tx, who)
		a = actor.Account
		return err
	})
	return a
}

// winNothing plays runs with the moves that beat the seeds behind a commitment. They win as often as any
// others, and no revealed seed is one of them.
func (h *fixture) winNothing(t *testing.T, who chain.Address, commitment chain.Hash) {
	t.Helper()
	seeds, wins := h.drawn.behind(commitment), 0
	const throws = 40
	for n, id := 1, ""; n <= throws; n++ {
		if id == "" || h.get(t, id).Status.Over() {
			if h.account(t, who).Balance < h.Rules().EntryFee {
				return
			}
			id = h.begin(t, who, run.StartOptions{Entry: chain.EntryFee})
		}
		h.Clock.Add(run.ThrowInterval)
		next := int(h.get(t, id).Throws) + 1
		theirs := fair.HouseMove(seeds.Seed(next), next, fair.HashText(""), fair.HashText(""))
		play := run.Play{Move: beats(theirs), Then: run.ThenContinue}
		var thrown run.Thrown
		err := h.do(t, func(ctx context.Context, tx *store.Tx) (err error) {
			thrown, err = h.Throw(ctx, tx, who, id, play)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if thrown.Throw.Seed == seeds.Seed(next) {
			t.Fatalf("throw %d of a run reveals a seed that the player knew", next)
		}
		if thrown.Throw.Outcome == game.Win {
			wins++
		}
	}
	if wins > throws*2/3 {
		t.Errorf("%d of %d throws win", wins, throws)
	}
}

// beats returns the move that wins against another.
func beats(theirs game.Move) game.Move {
	for _, ours := range []game.Move{game.Rock, game.Paper, game.Scissors} {
		if ours.Against(theirs) == game.Win {
			return ours
		}
	}
	panic("no such move")
}
