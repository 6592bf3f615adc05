package duel_test

import (
	"context"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// story plays duels with each statement failing once.
type story struct {
	*hall
	each  storetest.Statements
	ended map[string]int // how often Rating and the listener have each stored something of a duel
}

// reader reads something, as a listener that stores what the end of a duel means does: its
// error must take back the end.
type reader struct{ *story }

func (r reader) DuelFinished(ctx context.Context, tx *store.Tx, d *duel.Duel) error {
	var one int
	if err := tx.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return err
	}
	tx.AfterCommit(func() { r.ended[d.Code]++ })
	return nil
}

func newStory(t *testing.T) *story {
	t.Helper()
	s := &story{ended: map[string]int{}}
	s.each.Level = duel.Isolation
	s.hall = newHallWith(t, s.each.Faults())
	s.each.Use(t, s.hall.Ledger.DB, s.Location)
	s.Rating, s.Listeners = reader{s}, []duel.Listener{reader{s}, s.hall}
	return s
}

// step runs a use case that returns a duel.
func (s *story) step(t *testing.T, name string, use func(ctx context.Context, tx *store.Tx) (*duel.Duel, error)) (d *duel.Duel) {
	t.Helper()
	s.each.Update(t, name, func(ctx context.Context, tx *store.Tx) (err error) {
		d, err = use(ctx, tx)
		return err
	})
	return d
}

// round plays a round that a wins, or lets pass what neither does.
func (s *story) round(t *testing.T, d *duel.Duel) *duel.Duel {
	t.Helper()
	hands := [2]duel.Hand{salted(game.Rock), salted(game.Scissors)}
	for i, p := range []duel.Player{d.A, d.B} {
		step := duel.Step{Caller: p.Address, Code: d.Code}
		d = s.step(t, "commit", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
			return s.Commit(ctx, tx, step, chain.HashHand(hands[i].Move, hands[i].Salt))
		})
	}
	for i, p := range []duel.Player{d.A, d.B} {
		step := duel.Step{Caller: p.Address, Code: d.Code}
		d = s.step(t, "reveal", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) { return s.Reveal(ctx, tx, step, hands[i]) })
	}
	return d
}

// TestEachStatement runs every use case once for each of its statements, which fails. A
// duel that ends is settled and rated once, or not ended.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	ann, bob := s.join(t, "ann", chain.Full), s.join(t, "bob", chain.Full)
	d := s.step(t, "create", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) { return s.Create(ctx, tx, ann, 100) })
	s.views(t, d)
	d = s.step(t, "join", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.Service.Join(ctx, tx, bob, d.Code)
	})
	for !d.Status.Over() {
		d = s.round(t, d)
	}
	if a, b, e := s.balance(t, ann.Address), s.balance(t, bob.Address), s.balance(t, chain.Escrow(d.Code)); a != 1100 || b != 900 || e != 0 {
		t.Errorf("balances %d and %d, %d in the escrow", a, b, e)
	}
	if !d.Rated || s.ended[d.Code] != 2 || s.finished[d.Code] != 1 {
		t.Errorf("rated %v, Rating and listener stored %d times, the other listener %d", d.Rated, s.ended[d.Code], s.finished[d.Code])
	}
	d = s.step(t, "create without a stake", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) { return s.Create(ctx, tx, ann, 0) })
	s.step(t, "cancel", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.Cancel(ctx, tx, ann.Address, d.Code)
	})
	d = s.must(t)(s.create(t, ann, 50))
	s.step(t, "cancel with a stake", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.Cancel(ctx, tx, ann.Address, d.Code)
	})
	s.step(t, "spar", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) { return s.Spar(ctx, tx, ann) })
	d = s.step(t, "start a ranked one", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) { return s.StartRanked(ctx, tx, ann, bob) })
	s.step(t, "unfinished ranked", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.UnfinishedRanked(ctx, tx, ann.Address)
	})
	s.Clock.Add(time.Hour)
	s.step(t, "unfinished ranked, ended by it", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.UnfinishedRanked(ctx, tx, ann.Address)
	})
	if s.ended[d.Code] != 2 {
		t.Errorf("a ranked duel that nobody played is rated %d times", s.ended[d.Code])
	}
	d = s.must(t)(s.enter(t, bob, s.must(t)(s.create(t, ann, 50)).Code))
	s.Clock.Add(time.Hour)
	s.step(t, "apply", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) { return s.Apply(ctx, tx, d.Code) })
	s.SealAll(t)
	s.WantValid(t)
}

// views reads as every caller may. d is open.
func (s *story) views(t *testing.T, d *duel.Duel) {
	t.Helper()
	s.each.View(t, "get", func(ctx context.Context, tx *store.Tx) error {
		got, _, err := s.Get(ctx, tx, d.Code)
		if err == nil && got.Code != d.Code {
			t.Errorf("got %+v", got)
		}
		return err
	})
	s.each.View(t, "in play", func(ctx context.Context, tx *store.Tx) error {
		coins, err := s.InPlay(ctx, tx, d.A.Address)
		if err == nil && coins != 100 {
			t.Errorf("%d coins in play, want 100", coins)
		}
		return err
	})
	s.each.View(t, "stats", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Stats(ctx, tx)
		return err
	})
	for _, f := range []duel.Filter{{}, {Status: duel.Open}, {Of: d.A.Address}, {Of: d.A.Address, Status: duel.Open}, {Of: d.A.Address, Status: duel.Finished}} {
		f.Before, f.Count = 1<<60, 10
		s.each.View(t, "list", func(ctx context.Context, tx *store.Tx) error {
			list, err := s.List(ctx, tx, f)
			if want := f.Status != duel.Finished; err == nil && (len(list) == 1) != want {
				t.Errorf("%+v: %d duels", f, len(list))
			}
			return err
		})
	}
}

// TestEachStatementOfASweep: whichever statement fails first, each duel is ended, paid out
// and rated once.
func TestEachStatementOfASweep(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.each.Level = store.Serializable
	ann, bob := s.join(t, "ann", chain.Full), s.join(t, "bob", chain.Full)
	var codes []string
	s.each.Steps(t, "sweep", func() {
		codes = nil
		for range 2 {
			codes = append(codes, s.must(t)(s.enter(t, bob, s.must(t)(s.create(t, ann, 50)).Code)).Code)
		}
		s.Clock.Add(24 * time.Hour)
	}, func(ctx context.Context) error {
		_, err := s.Sweep(ctx)
		return err
	}, func() {
		for _, code := range codes {
			if d := s.look(t, code); d.Status != duel.Finished || s.ended[code] != 2 || s.balance(t, chain.Escrow(code)) != 0 {
				t.Errorf("swept: %+v, rated and listened to %d times, %d in the escrow", d, s.ended[code], s.balance(t, chain.Escrow(code)))
			}
		}
	})
	s.SealAll(t)
	s.WantValid(t)
}

// TestDamagedDuel: a duel whose row cannot be read is an error wherever it is read, and none
// that is left out or shown as another.
func TestDamagedDuel(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	ann, bob := h.join(t, "ann", chain.Bot), h.join(t, "bob", chain.Bot)
	d := h.must(t)(h.ranked(t, ann, bob))
	h.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE duel SET rounds = 'no round'")
		return err
	})
	h.Clock.Add(time.Hour)
	for name, read := range map[string]func(ctx context.Context, tx *store.Tx) error{
		"get": func(ctx context.Context, tx *store.Tx) error { _, _, err := h.Get(ctx, tx, d.Code); return err },
		"list": func(ctx context.Context, tx *store.Tx) error {
			_, err := h.List(ctx, tx, duel.Filter{Before: 1 << 60, Count: 10})
			return err
		},
		"apply": func(ctx context.Context, tx *store.Tx) error { _, err := h.Apply(ctx, tx, d.Code); return err },
		"commit": func(ctx context.Context, tx *store.Tx) error {
			_, err := h.Commit(ctx, tx, duel.Step{Caller: ann.Address, Code: d.Code}, chain.Hash{1})
			return err
		},
		"unfinished": func(ctx context.Context, tx *store.Tx) error {
			_, err := h.UnfinishedRanked(ctx, tx, ann.Address)
			return err
		},
	} {
		if err := h.Ledger.DB.Update(t.Context(), read); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := h.Sweep(t.Context()); err == nil {
		t.Error("sweep: no error")
	}
}
