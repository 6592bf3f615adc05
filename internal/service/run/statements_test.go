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
	last run.Run // the result of the last use case that kept it
	ends int     // committed ends that the listener has received
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

// RunEnded implements run.Listener.
func (s *faultFixture) RunEnded(ctx context.Context, tx *store.Tx, _ *run.Run) error {
	return storetest.Listen(ctx, tx, func() { s.ends++ })
}

// begins starts a run.
func (s *faultFixture) begins(name string, who chain.Address, o run.StartOptions) storetest.Case {
	return storetest.Case{Name: name, Keep: &s.last, Update: func(c storetest.In) (any, error) {
		started, err := s.Start(c, c.Tx, who, o)
		return started.Run, err
	}}
}

// throws plays the next throw of the last run, with a wanted outcome.
func (s *faultFixture) throws(t *testing.T, name string, want game.Outcome) storetest.Case {
	count := int64(0)
	return storetest.Case{Name: name, Keep: &s.last, Before: func() {
		s.Clock.Add(run.ThrowInterval)
		count = s.last.Throws + 1
	}, Update: func(c storetest.In) (any, error) {
		play := run.Play{Move: s.moveFor(&s.last, want, "")}
		thrown, err := s.Throw(c, c.Tx, s.last.Account, s.last.ID, play)
		return thrown.Run, err
	}, After: func() {
		if stored := s.get(t, s.last.ID).Throws; s.last.Throws != count || stored != count {
			t.Errorf("%s: %d throws, %d stored, want %d", name, s.last.Throws, stored, count)
		}
	}}
}

// firstThrow starts a run with a first throw of the wanted outcome, and claims its tier if it wins.
func (s *faultFixture) firstThrow(t *testing.T, who chain.Address, want game.Outcome) storetest.Case {
	play := &run.Play{Then: run.ThenClaim}
	c := s.begins("start with a throw", who, run.StartOptions{Entry: chain.EntryFee, First: play})
	c.Before = func() {
		var next run.Run // the run that the account's outstanding commitment leads to
		s.View(t, func(ctx context.Context, tx *store.Tx) error {
			a, _, err := s.Account(ctx, tx, who)
			next.Commitment = a.Commitment
			return err
		})
		play.Move = s.moveFor(&next, want, "")
	}
	c.After = func() {
		for _, r := range []*run.Run{&s.last, s.get(t, s.last.ID)} {
			if r.Throws != 1 || r.Status.Over() != (want != game.Tie) || r.Status.Over() != (r.EndTx != nil) {
				t.Errorf("started with a throw: %+v", r)
			}
		}
	}
	return c
}

// opens posts the creation of an account with its first commitment.
func (s *faultFixture) opens(ctx context.Context, tx *store.Tx, a chain.Address) error {
	commitment, err := s.FirstCommitment(ctx, tx, a)
	if err != nil {
		return err
	}
	_, err = s.Post(ctx, tx, ledger.Draft{
		Actor: a, Data: &chain.AccountCreate{Commitment: commitment, AccountKind: chain.Guest},
		Transfers: []chain.Transfer{{Amount: 1000, To: a}}})
	return err
}

// TestEachStatement runs every use case once for each of its statements and lets that
// statement fail.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	do, ann, id := storetest.Do, chain.Address{1}, &s.last.ID
	restart := func() {
		s.restart(t)
		s.Listener = s
	}
	s.each.Run(t, []storetest.Case{
		{Name: "note the seed key", Call: do(s.CheckKey)},
		{Name: "first commitment", Update: do(s.opens, ann)},
		{Name: "check the seed key", Call: do(s.CheckKey)},
		s.begins("start", ann, run.StartOptions{}),
		s.throws(t, "throw from memory", game.Tie),
	})
	restart()
	s.each.Run(t, []storetest.Case{
		s.throws(t, "throw from the database", game.Win),
		{Name: "continue", Update: do(s.Continue, ann, id), Keep: &s.last},
		s.throws(t, "win again", game.Win),
	})
	s.each.Run(t, s.views(ann))
	s.each.Run(t, []storetest.Case{
		{Name: "claim", Update: do(s.Claim, ann, id)},
		s.begins("start for a fee", ann, run.StartOptions{Entry: chain.EntryFee}),
		s.throws(t, "lose", game.Loss),
		s.begins("start for the cheapest token", ann, run.StartOptions{Entry: chain.EntryBurn}),
	})
	s.each.Run(t, s.views(ann))
	restart()
	s.each.Run(t, []storetest.Case{{Name: "abandon", Update: do(s.Abandon, ann, id)}})
	token := s.token(t, ann, 1)
	s.each.Run(t, []storetest.Case{
		s.begins("start for a token", ann, run.StartOptions{Entry: chain.EntryBurn, TokenID: &token.ID}),
		s.throws(t, "climb to the top", game.Win),
		{Name: "abandon a deciding run", Update: do(s.Abandon, ann, id)},
		s.firstThrow(t, ann, game.Loss),
		{Before: func() { s.Clock.Add(24 * time.Hour) }}, // the free runs of the day are used up
		s.firstThrow(t, ann, game.Win),
		s.firstThrow(t, ann, game.Tie),
	})
	s.named(t, ann, "ann")
	all := func(list []run.NamedRun) bool { return len(list) == s.ends }
	page := run.DataPage{Before: s.Clock.Now().Add(time.Hour), Count: 100}
	own := page
	own.Of = &ann
	s.each.Run(t, []storetest.Case{
		{Name: "ended", View: do(s.EndedBetween, page), Want: all},
		{Name: "ended of one", View: do(s.EndedBetween, own), Want: all},
		{Name: "forget", Update: do(s.Forget, ann)},
	})
	if s.ends != 7 {
		t.Errorf("the listener stored %d ends, want 7: two claims, two losses, two abandoned runs and a token's run", s.ends)
	}
	s.SealAll(t)
	s.WantValid(t)
}

// views returns the read-only use cases, for the last run.
func (s *faultFixture) views(who chain.Address) []storetest.Case {
	do, before := storetest.Do, run.Cursor{StartedAt: s.Clock.Now().Add(time.Hour)}
	last := func(r *run.Run) bool { return r != nil && r.ID == s.last.ID }
	return []storetest.Case{
		{Name: "in play", View: do(s.CountInPlay), Want: int64(1)},
		{Name: "get", View: do(s.Get, s.last.ID), Want: last},
		{Name: "unfinished", View: do(s.Unfinished, who), Want: last},
		{Name: "last", View: do(s.LastRun, who, s.last.Entry, s.last.StartedAt), Want: last},
		{Name: "list", View: do(s.List, who, before, 10),
			Want: func(list []*run.Run) bool { return len(list) > 0 && last(list[0]) }},
		{Name: "overview", View: do(s.Overview, who), Want: func(o run.Overview) bool { return last(o.Unfinished) }},
	}
}

// TestEachStatementOfASweep checks that idle runs are ended, whichever statement fails
// first.
func TestEachStatementOfASweep(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	var ids []string
	s.each.Run(t, []storetest.Case{{Name: "sweep", Before: func() {
		ids = nil
		for range 2 {
			ids = append(ids, s.begin(t, s.join(t), run.StartOptions{}))
		}
		s.Clock.Add(run.IdleTimeout)
	}, Steps: storetest.Do(s.Sweep), After: func() {
		for _, id := range ids {
			if r := s.get(t, id); !r.Status.Over() || r.EndTx == nil {
				t.Errorf("idle and swept: %+v", r)
			}
		}
	}}})
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
