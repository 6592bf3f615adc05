package duel_test

import (
	"context"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// faultFixture is a fixture on which each statement of a use case fails once.
type faultFixture struct {
	*fixture
	each  storetest.Statements
	ended map[string]int // committed reports to Rating and the listener together, by duel
}

// reader is a listener that runs a statement, as a real one does: its error must roll the end
// back.
type reader struct{ *faultFixture }

func (r reader) DuelFinished(ctx context.Context, tx *store.Tx, d *duel.Duel) error {
	var one int
	if err := tx.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return err
	}
	tx.AfterCommit(func() { r.ended[d.Code]++ })
	return nil
}

func newFaultFixture(t *testing.T) *faultFixture {
	t.Helper()
	s := &faultFixture{ended: map[string]int{}}
	s.each.Level = duel.Isolation
	s.fixture = newFixtureWith(t, s.each.Faults())
	s.each.Use(t, s.fixture.Ledger.DB, s.Location)
	s.Rating, s.Listeners = reader{s}, []duel.Listener{reader{s}, s.fixture}
	return s
}

// step runs a use case that returns a duel.
func (s *faultFixture) step(
	t *testing.T, name string, use func(ctx context.Context, tx *store.Tx) (*duel.Duel, error),
) (d *duel.Duel) {
	t.Helper()
	s.each.Update(t, name, func(ctx context.Context, tx *store.Tx) (err error) {
		d, err = use(ctx, tx)
		return err
	})
	return d
}

// round plays a round that a wins.
func (s *faultFixture) round(t *testing.T, d *duel.Duel) *duel.Duel {
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
		d = s.step(t, "reveal", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
			return s.Reveal(ctx, tx, step, hands[i])
		})
	}
	return d
}

// TestEachStatement runs every use case once for each of its statements and lets that
// statement fail. A duel that ends is settled and rated once, or does not end.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	ann, bob := s.join(t, "ann", chain.Full), s.join(t, "bob", chain.Full)
	d := s.step(t, "create", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.Create(ctx, tx, ann, duel.Terms{Stake: 100})
	})
	s.views(t, d)
	d = s.step(t, "join", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.Service.Join(ctx, tx, bob, d.Code)
	})
	for !d.Status.Over() {
		d = s.round(t, d)
	}
	if a, b, e := s.balance(t, ann.Address), s.balance(t, bob.Address), s.balance(t,
		chain.Escrow(d.Code)); a != 1100 || b != 900 || e != 0 {
		t.Errorf("balances %d and %d, %d in the escrow", a, b, e)
	}
	s.each.View(t, "replay", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Replay(ctx, tx, nil, func(fairshare.Tag) bool { return false })
		return err
	})
	if s.ended[d.Code] != 2 || s.finished[d.Code] != 1 {
		t.Errorf("%d reports to Rating and a listener, %d to the other listener", s.ended[d.Code], s.finished[d.Code])
	}
	s.ends(t, d)
	d = s.step(t, "create without a stake", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.Create(ctx, tx, ann, duel.Terms{})
	})
	s.step(t, "cancel", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.Cancel(ctx, tx, ann.Address, d.Code)
	})
	d = s.must(t)(s.create(t, ann, 50))
	s.step(t, "cancel with a stake", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.Cancel(ctx, tx, ann.Address, d.Code)
	})
	d = s.step(t, "spar", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.StartSparring(ctx, tx, ann)
	})
	s.each.Update(t, "recover", func(ctx context.Context, tx *store.Tx) error {
		return s.Recover(ctx, tx, func(duel.Player) bool { return false })
	})
	if got := s.read(t, d.Code); got.Version != d.Version+1 || !got.Hands[1].Committed {
		t.Errorf("after the recovery: %+v, before it %+v", got, d)
	}
	d = s.step(t, "start a ranked one", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.StartRanked(fairshare.WithTag(ctx, make(fairshare.Tag, 32)), tx, ann, bob)
	})
	s.step(t, "unfinished ranked", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.UnfinishedRanked(ctx, tx, ann.Address)
	})
	s.Clock.Add(time.Hour)
	s.step(t, "unfinished ranked, ended by it", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.UnfinishedRanked(ctx, tx, ann.Address)
	})
	s.challenges(t, ann, bob)
	s.forgets(t, bob, ann)
	if s.ended[d.Code] != 2 {
		t.Errorf("a ranked duel without steps: %d reports, want 2", s.ended[d.Code])
	}
	d = s.must(t)(s.enter(t, bob, s.must(t)(s.create(t, ann, 50)).Code))
	s.Clock.Add(time.Hour)
	s.step(t, "apply", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.ApplyDeadlines(ctx, tx, d.Code)
	})
	s.SealAll(t)
	s.WantValid(t)
}

// ends runs the use cases that end a duel early and follow its end. d is finished, with a stake.
func (s *faultFixture) ends(t *testing.T, d *duel.Duel) {
	t.Helper()
	ann, bob := d.A, d.B
	s.step(t, "offer a rematch", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.OfferRematch(ctx, tx, ann, d.Code)
	})
	d = s.step(t, "accept a rematch", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.OfferRematch(ctx, tx, bob, d.Code)
	})
	next := s.read(t, d.Rematch.Code)
	if got := s.balance(t, chain.Escrow(next.Code)); got != 200 || next.A.Address != bob.Address {
		t.Errorf("%d coins in the escrow of the rematch, a is %s", got, next.A.Username)
	}
	next = s.step(t, "resign", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.Resign(ctx, tx, ann.Address, next.Code)
	})
	if s.ended[next.Code] != 2 || s.balance(t, ann.Address) != 1000 || s.balance(t, bob.Address) != 1000 {
		t.Errorf("resigned: %d reports, balances %d and %d", s.ended[next.Code], s.balance(t, ann.Address),
			s.balance(t, bob.Address))
	}
	s.must(t)(s.rematch(t, ann, next.Code))
	s.step(t, "withdraw a rematch", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.WithdrawRematch(ctx, tx, ann.Address, next.Code)
	})
	cup := s.step(t, "start a cup's game", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.StartCup(ctx, tx, [2]duel.Player{ann, bob}, 0, true)
	})
	if cup = s.must(t)(s.resign(t, ann, cup.Code)); cup.Rated || cup.Kind != duel.Cup {
		t.Errorf("a cup's game: rated %v, kind %s", cup.Rated, cup.Kind)
	}
	s.ofCup(t, cup)
	quick := s.step(t, "start a quick one", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.StartQuick(ctx, tx, ann, bob)
	})
	if quick = s.must(t)(s.resign(t, bob, quick.Code)); !quick.Rated || s.ended[quick.Code] != 2 {
		t.Errorf("rated %v, %d reports", quick.Rated, s.ended[quick.Code])
	}
	s.must(t)(s.rematch(t, ann, quick.Code))
	quick = s.step(t, "accept a rematch without a stake", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.OfferRematch(ctx, tx, bob, quick.Code)
	})
	s.must(t)(s.resign(t, ann, quick.Rematch.Code))
}

// ofCup reads the duels of a cup whose only game is a duel.
func (s *faultFixture) ofCup(t *testing.T, d *duel.Duel) {
	t.Helper()
	err := s.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO cup_game (cup, round, board, a, b, duel, ended_at, replayed)
			VALUES (1, 2, 3, $1, $2, $3, 1, 0)`, d.A.Address[:], d.B.Address[:], d.Code)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.each.View(t, "duels of a cup", func(ctx context.Context, tx *store.Tx) error {
		list, err := s.OfCup(ctx, tx, 1, duel.CupSeat{Round: 2, Board: 2}, 10)
		if err == nil && (len(list) != 1 || list[0].Code != d.Code || list[0].Round != 2 || list[0].Board != 3) {
			t.Errorf("the duels of a cup: %+v", list)
		}
		if err != nil {
			return err
		}
		if list, err = s.OfCup(ctx, tx, 1, duel.CupSeat{Round: 2, Board: 3}, 10); len(list) != 0 {
			t.Errorf("%d duels behind the last one", len(list))
		}
		return err
	})
}

// challenges challenges an opponent, talks in the duel, and blocks and forgets opponents.
func (s *faultFixture) challenges(t *testing.T, ann, bob duel.Player) {
	t.Helper()
	d := s.step(t, "challenge", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.Create(ctx, tx, ann, duel.Terms{Unlisted: true, Day: true, Invited: bob})
	})
	s.each.Update(t, "set whose challenges it takes", func(ctx context.Context, tx *store.Tx) error {
		return s.SetSetting(ctx, tx, bob.Address, duel.Setting{Takes: duel.TakesAll, Quiet: duel.Hours{To: 60}})
	})
	s.each.View(t, "whose challenges it takes", func(ctx context.Context, tx *store.Tx) error {
		got, err := s.Setting(ctx, tx, bob.Address, bob.Kind)
		if err == nil && got.Takes != duel.TakesAll {
			t.Errorf("bob takes %+v", got)
		}
		return err
	})
	s.each.View(t, "list challenges", func(ctx context.Context, tx *store.Tx) error {
		list, err := s.List(ctx, tx, duel.Filter{For: bob.Address, Before: 1 << 60, Count: 10})
		if err == nil && (len(list) != 1 || list[0].Code != d.Code) {
			t.Errorf("%d challenges", len(list))
		}
		return err
	})
	s.each.Update(t, "block", func(ctx context.Context, tx *store.Tx) error {
		return s.Block(ctx, tx, bob.Address, ann.Address, true)
	})
	if got := s.read(t, d.Code); got.Status != duel.Declined {
		t.Errorf("after the block: %s", got.Status)
	}
	d = s.must(t)(s.enter(t, bob, s.must(t)(s.create(t, ann, 0)).Code))
	s.each.Update(t, "emote", func(ctx context.Context, tx *store.Tx) error {
		return s.Emote(ctx, tx, ann.Address, d.Code, "hello")
	})
	s.must(t)(s.resign(t, ann, d.Code))
	s.each.View(t, "opponents", func(ctx context.Context, tx *store.Tx) error {
		list, err := s.Opponents(ctx, tx, bob.Address, 10)
		if err == nil && (len(list) != 1 || !list[0].Blocked || list[0].Losses != 1) {
			t.Errorf("opponents of bob: %+v", list)
		}
		return err
	})
	s.each.Update(t, "forget", func(ctx context.Context, tx *store.Tx) error { return s.Forget(ctx, tx, bob.Address) })
}

// forgets deletes a player with an open duel and one in play.
func (s *faultFixture) forgets(t *testing.T, p, other duel.Player) {
	t.Helper()
	open := s.must(t)(s.create(t, p, 50))
	created := s.must(t)(s.create(t, p, 0))
	playing := s.step(t, "join without a stake", func(ctx context.Context, tx *store.Tx) (*duel.Duel, error) {
		return s.Service.Join(ctx, tx, other, created.Code)
	})
	s.each.View(t, "live", func(ctx context.Context, tx *store.Tx) error {
		live, err := s.Live(ctx, tx, "", func(fairshare.Tag) bool { return false })
		if err == nil && (live == nil || live.Code != playing.Code) {
			t.Errorf("live: %+v, want %s", live, playing.Code)
		}
		return err
	})
	s.each.View(t, "may pair", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.MayPair(ctx, tx, p.Address, other.Address)
		return err
	})
	s.each.Update(t, "in play", func(ctx context.Context, tx *store.Tx) error {
		on, err := s.InPlay(ctx, tx, playing.Code)
		if err == nil && !on {
			t.Error("the duel is over")
		}
		return err
	})
	before := s.balance(t, p.Address)
	s.each.Update(t, "cancel open", func(ctx context.Context, tx *store.Tx) error {
		return s.CancelOpen(ctx, tx, p.Address)
	})
	s.each.Update(t, "replace a name", func(ctx context.Context, tx *store.Tx) error {
		return s.ReplaceName(ctx, tx, p.Address, "deleted-1")
	})
	if open = s.read(t, open.Code); open.Status != duel.Cancelled || s.balance(t, p.Address) != before+50 {
		t.Errorf("the open duel of a deleted account: %+v, balance %d", open, s.balance(t, p.Address))
	}
	for _, d := range []*duel.Duel{open, s.read(t, playing.Code)} {
		if d.A.Username != "deleted-1" || d.B.Username == "deleted-1" {
			t.Errorf("after its account was deleted: %+v", d)
		}
	}
	s.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Resign(ctx, tx, other.Address, playing.Code)
		return err
	})
}

// views runs the read-only use cases. d is open.
func (s *faultFixture) views(t *testing.T, d *duel.Duel) {
	t.Helper()
	s.each.View(t, "get", func(ctx context.Context, tx *store.Tx) error {
		got, _, err := s.Get(ctx, tx, d.Code)
		if err == nil && got.Code != d.Code {
			t.Errorf("got %+v", got)
		}
		return err
	})
	s.each.View(t, "in play", func(ctx context.Context, tx *store.Tx) error {
		coins, err := s.StakedCoins(ctx, tx, d.A.Address)
		if err == nil && coins != 100 {
			t.Errorf("%d coins in play, want 100", coins)
		}
		return err
	})
	s.each.View(t, "steps", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.StepsOf(ctx, tx, d.A.Address)
		return err
	})
	s.each.View(t, "stats", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Stats(ctx, tx)
		return err
	})
	for _, f := range []duel.Filter{{}, {Status: duel.Open}, {Of: d.A.Address}, {Of: d.A.Address, Status: duel.Open},
		{Of: d.A.Address, Status: duel.Finished}} {
		f.Before, f.Count = 1<<60, 10
		s.each.View(t, "list", func(ctx context.Context, tx *store.Tx) error {
			list, err := s.List(ctx, tx, f)
			if want := f.Status != duel.Finished; err == nil && (len(list) == 1) != want {
				t.Errorf("%+v: %d duels", f, len(list))
			}
			return err
		})
	}
	for _, of := range []*chain.Address{nil, &d.A.Address} {
		s.each.View(t, "finished", func(ctx context.Context, tx *store.Tx) error {
			list, err := s.FinishedBetween(ctx, tx, duel.DataPage{Of: of, Before: tx.Now().Add(time.Hour), Count: 10})
			if err == nil && len(list) != 0 { // none is finished
				t.Errorf("%d finished duels", len(list))
			}
			return err
		})
	}
}

// TestEachStatementOfASweep checks that each duel is ended, paid out and rated once,
// whichever statement fails first.
func TestEachStatementOfASweep(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
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
			if d := s.read(t, code); d.Status != duel.Finished || s.ended[code] != 2 || s.balance(t, chain.Escrow(code)) != 0 {
				t.Errorf("swept: %+v, %d reports, %d in the escrow", d, s.ended[code], s.balance(t, chain.Escrow(code)))
			}
		}
	})
	s.SealAll(t)
	s.WantValid(t)
}

// TestDamagedDuel checks that every use case returns an error for a damaged row, instead of
// skipping the duel or returning a different one.
func TestDamagedDuel(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ann, bob := h.join(t, "ann", chain.Bot), h.join(t, "bob", chain.Bot)
	d := h.must(t)(h.ranked(t, ann, bob))
	for _, column := range []string{"reveal_a", "reveal_b"} {
		damage := func(value string) {
			h.Update(t, func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.ExecContext(ctx, storetest.SQL("UPDATE duel SET "+column+" = "+value))
				return err
			})
		}
		damage("x'6e6f2068616e64'") // "no hand"
		err := h.Ledger.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, _, err := h.Get(ctx, tx, d.Code)
			return err
		})
		if err == nil {
			t.Errorf("%s: no error", column)
		}
		damage("NULL")
	}
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
		"apply": func(ctx context.Context, tx *store.Tx) error { _, err := h.ApplyDeadlines(ctx, tx, d.Code); return err },
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
