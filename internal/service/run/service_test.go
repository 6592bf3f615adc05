package run_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
)

// TestRun plays a run from the commitment to the token and checks its records.
func TestRun(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	ann := h.join(t)
	account := func() (a chain.Account) {
		h.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
			a, _, err = h.Account(ctx, tx, ann)
			return err
		})
		return a
	}
	promised := account().Commitment
	started, err := h.start(t, ann, run.StartOptions{ClientSeed: "my seed ✓"})
	if err != nil {
		t.Fatal(err)
	}
	r := started.Run
	if r.Commitment != promised || started.NextCommitment != account().Commitment || started.NextCommitment == promised {
		t.Errorf("promised %v, used %v, next %v", promised, r.Commitment, started.NextCommitment)
	}
	if r.Status != run.Active || r.Entry != chain.EntryFree || r.ClientSeed != "my seed ✓" ||
		r.StartTx != started.Posted.Hash {
		t.Errorf("started %+v", r)
	}
	h.wantProven(t, r.ID) // while all is pending
	h.climb(t, ann, r.ID, 3)
	h.SealAll(t)
	h.wantProven(t, r.ID)
	claimed, err := h.claim(t, ann, r.ID)
	if err != nil || claimed.Status != run.Claimed || claimed.Cleared != 3 {
		t.Errorf("claimed %+v, error %v", claimed, err)
	}
	if diff := cmp.Diff([]ledger.OwnedToken{{ID: *claimed.TokenID, Tier: 3}}, h.tokens(t, ann)); diff != "" {
		t.Errorf("wallet:\n%s", diff)
	}
	h.SealAll(t)
	h.wantProven(t, r.ID)
	h.View(t, func(ctx context.Context, tx *store.Tx) error {
		if active, err := h.Unfinished(ctx, tx, ann); err != nil || active != nil {
			t.Errorf("unfinished %+v, error %v", active, err)
		}
		if _, won, err := h.Token(ctx, tx, *claimed.TokenID); err != nil || won != r.ID {
			t.Errorf("the token was won in %q, error %v", won, err)
		}
		return nil
	})
	h.WantValid(t)
}

// tieCost plays a tie and returns the number of its statements.
func (h *fixture) tieCost(t *testing.T, who chain.Address, id string) (n int) {
	t.Helper()
	h.Clock.Add(run.ThrowInterval)
	play := run.Play{Move: h.moveFor(h.get(t, id), game.Tie, "")}
	err := h.do(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := h.Throw(ctx, tx, who, id, play)
		n = tx.Statements()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestCachedRunIsNotRead checks that a throw does not read a run which this node has started, with
// or without a first throw, or changed, and reads it after ClearCache.
func TestCachedRunIsNotRead(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	ann, bob := h.join(t), h.join(t)
	id := h.begin(t, ann, run.StartOptions{})
	started, thrown := h.tieCost(t, ann, id), h.tieCost(t, ann, id)
	h.ClearCache()
	cleared, again := h.tieCost(t, ann, id), h.tieCost(t, ann, id)
	if started != thrown || cleared != started+1 || again != started {
		t.Errorf("%d and %d statements from memory, %d after ClearCache, then %d; want one more after ClearCache alone",
			started, thrown, cleared, again)
	}
	tie := h.moveFor(&run.Run{Commitment: h.account(t, bob).Commitment}, game.Tie, "")
	id = h.begin(t, bob, run.StartOptions{First: &run.Play{Move: tie}})
	if got := h.tieCost(t, bob, id); got != started {
		t.Errorf("%d statements after a start with a throw, want %d", got, started)
	}
}

// TestFirstThrow starts runs with a throw of each outcome and each decision, and ends those that go on: the
// start is on the chain before the end, and the proof of the run holds.
func TestFirstThrow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		outcome game.Outcome
		then    run.Then
		want    run.Status
	}{
		"tie":               {game.Tie, run.ThenClaim, run.Active},
		"win":               {game.Win, "", run.Deciding},
		"win, then go on":   {game.Win, run.ThenContinue, run.Active},
		"win, then claim":   {game.Win, run.ThenClaim, run.Claimed},
		"loss":              {game.Loss, run.ThenClaim, run.Lost},
		"loss, no decision": {game.Loss, "", run.Lost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t, ledgertest.Options{})
			ann := h.join(t)
			move := h.moveFor(&run.Run{Commitment: h.account(t, ann).Commitment}, c.outcome, "")
			started, err := h.start(t, ann, run.StartOptions{First: &run.Play{Move: move, Then: c.then}})
			if err != nil {
				t.Fatal(err)
			}
			r := h.get(t, started.Run.ID)
			first := started.First
			if r.Status != c.want || r.Throws != 1 || r.StartTx != started.Posted.Hash || r.StartTx == (chain.Hash{}) ||
				first.Throw.Outcome != c.outcome || first.Run.ID != r.ID || (first.Posted != nil) != c.want.Over() {
				t.Errorf("started %+v with %+v by %v", r, first, started.Posted.Hash)
			}
			if playing := h.account(t, ann).Playing; (playing == "") != c.want.Over() {
				t.Errorf("on the chain the account plays %q", playing)
			}
			h.wantProven(t, r.ID)
			if !r.Status.Over() {
				if _, err := h.abandon(t, ann, r.ID); err != nil {
					t.Error(err)
				}
			}
			h.SealAll(t)
			h.wantProven(t, r.ID)
			h.WantValid(t)
		})
	}
}

// TestEveryEnd checks the proof of a run for each way in which it can end.
func TestEveryEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, h *fixture, ann chain.Address, id string) (want run.Status){
		"lost": func(t *testing.T, h *fixture, ann chain.Address, id string) run.Status {
			if thrown, err := h.throw(t, ann, id, game.Loss); err != nil || thrown.Posted == nil {
				t.Errorf("thrown %+v, error %v", thrown, err)
			}
			return run.Lost
		},
		"abandoned": func(t *testing.T, h *fixture, ann chain.Address, id string) run.Status {
			if _, err := h.abandon(t, ann, id); err != nil {
				t.Error(err)
			}
			return run.Abandoned
		},
		"abandoned with a tier": func(t *testing.T, h *fixture, ann chain.Address, id string) run.Status {
			h.climb(t, ann, id, 2)
			if _, err := h.abandon(t, ann, id); err != nil {
				t.Error(err)
			}
			return run.Abandoned
		},
		"claimed at the top": func(t *testing.T, h *fixture, ann chain.Address, id string) run.Status {
			h.climb(t, ann, id, 16)
			if _, err := h.claim(t, ann, id); !errors.Is(err, run.ErrClaimed) {
				t.Errorf("claimed again after the automatic claim: error %v", err)
			}
			return run.Claimed
		},
		"abandoned out of seeds": func(t *testing.T, h *fixture, ann chain.Address, id string) run.Status {
			for range 256 {
				h.Clock.Add(run.ThrowInterval)
				if _, err := h.throw(t, ann, id, game.Tie); err != nil {
					t.Fatal(err)
				}
			}
			return run.Abandoned
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t, ledgertest.Options{})
			ann := h.join(t)
			id := h.begin(t, ann, run.StartOptions{})
			want := end(t, h, ann, id)
			r := h.get(t, id)
			if r.Status != want || r.EndTx == nil || r.EndedAt == nil || (r.TokenID != nil) != (want == run.Claimed) {
				t.Errorf("ended %+v", r)
			}
			h.wantOver(t, ann, r)
			h.SealAll(t)
			h.wantProven(t, id)
			h.WantValid(t)
		})
	}
}

// wantOver checks that an ended run refuses every action, and that another run can begin.
func (h *fixture) wantOver(t *testing.T, who chain.Address, r *run.Run) {
	t.Helper()
	before := h.Dump(t)
	h.Clock.Add(time.Second)
	_, err := h.throw(t, who, r.ID, game.Win)
	wantState(t, err, r.Status)
	_, err = h.proceed(t, who, r.ID)
	wantState(t, err, r.Status)
	_, err = h.abandon(t, who, r.ID)
	wantState(t, err, r.Status)
	if _, err = h.claim(t, who, r.ID); r.Status == run.Claimed {
		if !errors.Is(err, run.ErrClaimed) {
			t.Errorf("claimed again: error %v", err)
		}
	} else {
		wantState(t, err, r.Status)
	}
	if diff := cmp.Diff(before, h.Dump(t)); diff != "" {
		t.Errorf("a refused action changed the database:\n%s", diff)
	}
	h.begin(t, who, run.StartOptions{})
}

// TestStrangers checks that every action on another account's run, or on a missing one, is
// refused.
func TestStrangers(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	ann, bob := h.join(t), h.join(t)
	id := h.begin(t, ann, run.StartOptions{})
	h.climb(t, ann, id, 1)
	before := h.Dump(t)
	for _, tt := range []struct {
		id   string
		want error
	}{{id, run.ErrForbidden}, {"", run.ErrNotFound}, {"none", run.ErrNotFound}, {id + " ",
		run.ErrNotFound}, {id[:35], run.ErrNotFound}} {
		errThrow := h.do(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := h.Throw(ctx, tx, bob, tt.id, run.Play{})
			return err
		})
		_, errContinue := h.proceed(t, bob, tt.id)
		_, errClaim := h.claim(t, bob, tt.id)
		_, errAbandon := h.abandon(t, bob, tt.id)
		for i, err := range []error{errThrow, errContinue, errClaim, errAbandon} {
			if !errors.Is(err, tt.want) {
				t.Errorf("action %d on %q: error %v, want %v", i, tt.id, err, tt.want)
			}
		}
	}
	if diff := cmp.Diff(before, h.Dump(t)); diff != "" {
		t.Errorf("a refused action changed the database:\n%s", diff)
	}
}

// concurrently runs try in several goroutines and returns how many succeeded. It fails the
// test on an error that failure does not accept.
func concurrently(t *testing.T, try func() error, failure func(error) bool) (succeeded int) {
	t.Helper()
	var all sync.WaitGroup
	var n atomic.Int64
	for range 12 {
		all.Go(func() {
			switch err := try(); {
			case err == nil:
				n.Add(1)
			case !failure(err):
				t.Errorf("error %v", err)
			}
		})
	}
	all.Wait()
	return int(n.Load())
}

// TestConcurrentActions checks that exactly one of several concurrent starts, throws and
// claims succeeds.
func TestConcurrentActions(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	ann := h.join(t)
	started := concurrently(t, func() error { _, err := h.start(t, ann, run.StartOptions{}); return err },
		func(err error) bool { return errors.Is(err, run.ErrRunActive) })
	var id string
	h.View(t, func(ctx context.Context, tx *store.Tx) error {
		r, err := h.Unfinished(ctx, tx, ann)
		id = r.ID
		return err
	})
	winning := run.Play{Move: h.moveFor(h.get(t, id), game.Tie, "")}
	thrown := concurrently(t, func() error {
		return h.do(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := h.Throw(ctx, tx, ann, id, winning)
			return err
		})
	}, func(err error) bool { _, ok := errors.AsType[*run.TooFastError](err); return ok })
	if r := h.get(t, id); started != 1 || thrown != 1 || r.Throws != 1 {
		t.Errorf("started %d times, thrown %d times, %d throws", started, thrown, r.Throws)
	}
	h.climb(t, ann, id, 2)
	claimed := concurrently(t, func() error { _, err := h.claim(t, ann, id); return err },
		func(err error) bool { return errors.Is(err, run.ErrClaimed) })
	if list := h.tokens(t, ann); claimed != 1 || len(list) != 1 {
		t.Errorf("claimed %d times, tokens %v", claimed, list)
	}
	h.SealAll(t)
	h.wantProven(t, id)
	h.WantValid(t)
}

// TestRacesEnd runs claim, continue, abandon and the sweep concurrently: one of them takes
// effect, and the run ends at most once.
func TestRacesEnd(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	ann := h.join(t)
	for range 10 {
		id := h.begin(t, ann, run.StartOptions{Entry: chain.EntryFree})
		h.climb(t, ann, id, 1)
		before := len(h.tokens(t, ann))
		h.Clock.Add(run.IdleTimeout)
		var all sync.WaitGroup
		for _, act := range []func() error{
			func() error { _, err := h.claim(t, ann, id); return err },
			func() error { _, err := h.proceed(t, ann, id); return err },
			func() error { _, err := h.abandon(t, ann, id); return err },
			func() error { _, err := h.Sweep(t.Context()); return err },
		} {
			all.Go(func() {
				err := act()
				if _, state := errors.AsType[*run.StateError](err); err != nil && !state && !errors.Is(err, run.ErrClaimed) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		r := h.get(t, id)
		won := len(h.tokens(t, ann)) - before
		if !r.Status.Over() || (won == 1) != (r.Status == run.Claimed) || won > 1 {
			t.Errorf("%s with %d tokens", r.Status, won)
		}
		h.Clock.Add(24 * time.Hour)
	}
	h.SealAll(t)
	h.WantValid(t)
}

// TestList pages through an account's runs, newest first.
func TestList(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	ann, bob := h.join(t), h.join(t)
	var want []string
	for i := range 7 {
		id := h.begin(t, ann, run.StartOptions{})
		if _, err := h.abandon(t, ann, id); err != nil {
			t.Fatal(err)
		}
		h.begin(t, bob, run.StartOptions{})
		if _, err := h.abandon(t, bob, h.unfinished(t, bob)); err != nil {
			t.Fatal(err)
		}
		want = append(want, id)
		if i%4 == 3 { // four runs in one millisecond, across a page boundary
			h.Clock.Add(time.Minute)
		}
	}
	slices.Reverse(want)
	var got []string
	before := run.Cursor{StartedAt: h.Clock.Now().Add(time.Minute)}
	for {
		var page []*run.Run
		h.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
			page, err = h.List(ctx, tx, ann, before, 3)
			return err
		})
		if len(page) == 0 {
			break
		}
		for _, r := range page {
			got, before = append(got, r.ID), run.Cursor{StartedAt: r.StartedAt, ID: r.ID}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// unfinished returns the id of an account's unfinished run.
func (h *fixture) unfinished(t testing.TB, who chain.Address) (id string) {
	t.Helper()
	h.View(t, func(ctx context.Context, tx *store.Tx) error {
		r, err := h.Unfinished(ctx, tx, who)
		if r != nil {
			id = r.ID
		}
		return err
	})
	return id
}
