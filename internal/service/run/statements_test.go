package run_test

import (
	"context"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// faultFixture is a fixture on which each statement of a use case fails once.
type faultFixture struct {
	*fixture
	each storetest.Statements
	last *run.Run // the result of the last successful use case
	ends int      // committed ends that the listener has received
}

func newFaultFixture(t *testing.T) *faultFixture {
	t.Helper()
	s := &faultFixture{}
	s.fixture = newFixture(t, ledgertest.Options{DB: store.Config{Faults: s.each.Faults()}})
	s.each.Level = run.Isolation
	s.each.Use(t, s.Ledger.DB, s.Location)
	s.Listener = s
	return s
}

// RunEnded runs a statement, as a real listener does: its error must roll the end back.
func (s *faultFixture) RunEnded(ctx context.Context, tx *store.Tx, _ *run.Run) error {
	var one int
	if err := tx.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return err
	}
	tx.AfterCommit(func() { s.ends++ })
	return nil
}

// change runs a use case that returns a run.
func (s *faultFixture) change(
	t *testing.T, name string, use func(ctx context.Context, tx *store.Tx) (*run.Run, error),
) {
	t.Helper()
	s.each.Update(t, name, func(ctx context.Context, tx *store.Tx) error {
		r, err := use(ctx, tx)
		if err == nil {
			tx.AfterCommit(func() { s.last = r })
		}
		return err
	})
}

func (s *faultFixture) begins(t *testing.T, name string, who chain.Address, o run.StartOptions) {
	t.Helper()
	s.change(t, name, func(ctx context.Context, tx *store.Tx) (*run.Run, error) {
		started, err := s.Start(ctx, tx, who, o)
		return started.Run, err
	})
}

func (s *faultFixture) throws(t *testing.T, name string, want game.Outcome) {
	t.Helper()
	s.Clock.Add(run.ThrowInterval)
	was := s.get(t, s.last.ID)
	move := s.moveFor(was, want, "")
	s.change(t, name, func(ctx context.Context, tx *store.Tx) (*run.Run, error) {
		thrown, err := s.Throw(ctx, tx, was.Account, was.ID, run.Play{Move: move})
		return thrown.Run, err
	})
	if s.last.Throws != was.Throws+1 || s.get(t, was.ID).Throws != was.Throws+1 {
		t.Errorf("%s: %d throws after %d", name, s.last.Throws, was.Throws)
	}
}

// firstThrow starts a run with a first throw of the wanted outcome, and claims its tier if it wins.
func (s *faultFixture) firstThrow(t *testing.T, who chain.Address, want game.Outcome) {
	t.Helper()
	var next run.Run // the run that the account's outstanding commitment leads to
	s.View(t, func(ctx context.Context, tx *store.Tx) error {
		a, _, err := s.Account(ctx, tx, who)
		next.Commitment = a.Commitment
		return err
	})
	play := &run.Play{Move: s.moveFor(&next, want, ""), Then: run.ThenClaim}
	s.begins(t, "start with a throw", who, run.StartOptions{Entry: chain.EntryFee, First: play})
	for _, r := range []*run.Run{s.last, s.get(t, s.last.ID)} {
		if r.Throws != 1 || r.Status.Over() != (want != game.Tie) || r.Status.Over() != (r.EndTx != nil) {
			t.Errorf("started with a throw: %+v", r)
		}
	}
}

// TestEachStatement runs every use case once for each of its statements and lets that
// statement fail.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	s.each.Call(t, "note the seed key", s.CheckKey)
	var ann chain.Address
	ann[0] = 1
	s.each.Update(t, "first commitment", func(ctx context.Context, tx *store.Tx) error {
		commitment, err := s.FirstCommitment(ctx, tx, ann)
		if err != nil {
			return err
		}
		_, err = s.Post(ctx, tx, ledger.Draft{
			Actor: ann, Data: &chain.AccountCreate{Commitment: commitment, AccountKind: chain.Guest},
			Transfers: []chain.Transfer{{Amount: 1000, To: ann}}})
		return err
	})
	s.each.Call(t, "check the seed key", s.CheckKey)
	s.begins(t, "start", ann, run.StartOptions{})
	s.throws(t, "throw from memory", game.Tie)
	s.restart(t)
	s.Listener = s
	s.throws(t, "throw from the database", game.Win)
	s.change(t, "continue", func(ctx context.Context, tx *store.Tx) (*run.Run, error) {
		return s.Continue(ctx, tx, ann, s.last.ID)
	})
	s.throws(t, "win again", game.Win)
	s.views(t, ann)
	s.change(t, "claim", func(ctx context.Context, tx *store.Tx) (*run.Run, error) {
		r, _, err := s.Claim(ctx, tx, ann, s.last.ID)
		return r, err
	})
	s.begins(t, "start for a fee", ann, run.StartOptions{Entry: chain.EntryFee})
	s.throws(t, "lose", game.Loss)
	s.begins(t, "start for the cheapest token", ann, run.StartOptions{Entry: chain.EntryBurn})
	s.views(t, ann)
	s.restart(t)
	s.Listener = s
	s.change(t, "abandon", func(ctx context.Context, tx *store.Tx) (*run.Run, error) {
		r, _, err := s.Abandon(ctx, tx, ann, s.last.ID)
		return r, err
	})
	token := s.token(t, ann, 1)
	s.begins(t, "start for a token", ann, run.StartOptions{Entry: chain.EntryBurn, TokenID: &token.ID})
	s.throws(t, "climb to the top", game.Win)
	s.change(t, "abandon a deciding run", func(ctx context.Context, tx *store.Tx) (*run.Run, error) {
		r, _, err := s.Abandon(ctx, tx, ann, s.last.ID)
		return r, err
	})
	s.firstThrow(t, ann, game.Loss)
	s.Clock.Add(24 * time.Hour) // the free runs of the day are used up
	s.firstThrow(t, ann, game.Win)
	s.firstThrow(t, ann, game.Tie)
	s.named(t, ann, "ann")
	for _, of := range []*chain.Address{nil, &ann} {
		s.each.View(t, "ended", func(ctx context.Context, tx *store.Tx) error {
			list, err := s.EndedBetween(ctx, tx, run.DataPage{Of: of, Before: s.Clock.Now().Add(time.Hour), Count: 100})
			if err == nil && len(list) != s.ends {
				t.Errorf("%d runs have ended, want %d", len(list), s.ends)
			}
			return err
		})
	}
	s.each.Update(t, "forget", func(ctx context.Context, tx *store.Tx) error { return s.Forget(ctx, tx, ann) })
	if s.ends != 7 {
		t.Errorf("the listener stored %d ends, want 7: two claims, two losses, two abandoned runs and a token's run", s.ends)
	}
	s.SealAll(t)
	s.WantValid(t)
}

// views runs the read-only use cases.
func (s *faultFixture) views(t *testing.T, who chain.Address) {
	t.Helper()
	want := s.last.ID
	s.each.View(t, "in play", func(ctx context.Context, tx *store.Tx) error {
		n, err := s.CountInPlay(ctx, tx)
		if err == nil && n != 1 {
			t.Errorf("%d runs in play, want 1", n)
		}
		return err
	})
	for name, view := range map[string]func(ctx context.Context, tx *store.Tx) (*run.Run, error){
		"get":        func(ctx context.Context, tx *store.Tx) (*run.Run, error) { return s.Get(ctx, tx, want) },
		"unfinished": func(ctx context.Context, tx *store.Tx) (*run.Run, error) { return s.Unfinished(ctx, tx, who) },
		"last": func(ctx context.Context, tx *store.Tx) (*run.Run, error) {
			return s.LastRun(ctx, tx, who, s.last.Entry, s.last.StartedAt)
		},
		"list": func(ctx context.Context, tx *store.Tx) (*run.Run, error) {
			list, err := s.List(ctx, tx, who, run.Cursor{StartedAt: s.Clock.Now().Add(time.Hour)}, 10)
			if err != nil || len(list) == 0 {
				return nil, err
			}
			return list[0], nil
		},
		"overview": func(ctx context.Context, tx *store.Tx) (*run.Run, error) {
			o, err := s.Overview(ctx, tx, who)
			return o.Unfinished, err
		},
	} {
		var got *run.Run
		s.each.View(t, name, func(ctx context.Context, tx *store.Tx) (err error) {
			got, err = view(ctx, tx)
			return err
		})
		if got == nil || got.ID != want {
			t.Errorf("%s: got %+v, want run %s", name, got, want)
		}
	}
}

// TestEachStatementOfASweep checks that idle runs are ended, whichever statement fails
// first.
func TestEachStatementOfASweep(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	var ids []string
	s.each.Steps(t, "sweep", func() {
		ids = nil
		for range 2 {
			ids = append(ids, s.begin(t, s.join(t), run.StartOptions{}))
		}
		s.Clock.Add(run.IdleTimeout)
	}, func(ctx context.Context) error {
		_, err := s.Sweep(ctx)
		return err
	}, func() {
		for _, id := range ids {
			if r := s.get(t, id); !r.Status.Over() || r.EndTx == nil {
				t.Errorf("idle and swept: %+v", r)
			}
		}
	})
	s.SealAll(t)
	s.WantValid(t)
}

// TestDamagedRun checks that every use case that reads a damaged row returns an error, instead of
// leaving the run out.
func TestDamagedRun(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	ann := h.join(t)
	id := h.begin(t, ann, run.StartOptions{Entry: chain.EntryFree})
	h.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE run SET entropy = '{'")
		return err
	})
	h.ClearCache()
	for name, read := range map[string]func(ctx context.Context, tx *store.Tx) error{
		"get":        func(ctx context.Context, tx *store.Tx) error { _, err := h.Get(ctx, tx, id); return err },
		"unfinished": func(ctx context.Context, tx *store.Tx) error { _, err := h.Unfinished(ctx, tx, ann); return err },
		"overview":   func(ctx context.Context, tx *store.Tx) error { _, err := h.Overview(ctx, tx, ann); return err },
		"last": func(ctx context.Context, tx *store.Tx) error {
			_, err := h.LastRun(ctx, tx, ann, chain.EntryFree, time.Time{})
			return err
		},
		"list": func(ctx context.Context, tx *store.Tx) error {
			_, err := h.List(ctx, tx, ann, run.Cursor{StartedAt: h.Clock.Now().Add(time.Hour)}, 10)
			return err
		},
		"claim": func(ctx context.Context, tx *store.Tx) error { _, _, err := h.Claim(ctx, tx, ann, id); return err },
	} {
		if err := h.do(t, read); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
