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
	d     duel.Duel      // the result of the last use case that kept it
	ended map[string]int // committed reports to Rating and the listener together, by duel
}

// reader is a listener that runs a statement.
type reader struct{ *faultFixture }

func (r reader) DuelFinished(ctx context.Context, tx *store.Tx, d *duel.Duel) error {
	return storetest.Listen(ctx, tx, func() { r.ended[d.Code]++ })
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

// sets makes a duel the last one.
func (s *faultFixture) sets(t *testing.T) func(d *duel.Duel, err error) {
	return func(d *duel.Duel, err error) { s.d = *s.must(t)(d, err) }
}

// round plays a round of the last duel that a wins.
func (s *faultFixture) round() []storetest.Case {
	do, d := storetest.Do, &s.d
	a, b := duel.Step{Caller: d.A.Address, Code: d.Code}, duel.Step{Caller: d.B.Address, Code: d.Code}
	rock, scissors := salted(game.Rock), salted(game.Scissors)
	return []storetest.Case{
		{Name: "commit", Update: do(s.Commit, a, chain.HashHand(rock.Move, rock.Salt))},
		{Name: "commit", Update: do(s.Commit, b, chain.HashHand(scissors.Move, scissors.Salt))},
		{Name: "reveal", Update: do(s.Reveal, a, rock)},
		{Name: "reveal", Update: do(s.Reveal, b, scissors), Keep: d},
	}
}

// none reports no tag.
func none(fairshare.Tag) bool { return false }

// TestEachStatement runs every use case once for each of its statements and lets that
// statement fail. A duel that ends is settled and rated once, or does not end.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	s := newFaultFixture(t)
	do, d, code := storetest.Do, &s.d, &s.d.Code
	ann, bob := s.join(t, "ann", chain.Full), s.join(t, "bob", chain.Full)
	s.each.Run(t, []storetest.Case{{Name: "create", Update: do(s.Create, ann, duel.Terms{Stake: 100}), Keep: d}})
	s.each.Run(t, s.views(ann.Address))
	s.each.Run(t, []storetest.Case{{Name: "join", Update: do(s.Service.Join, bob, code), Keep: d}})
	for !s.d.Status.Over() {
		s.each.Run(t, s.round())
	}
	if a, b, e := s.balance(t, ann.Address), s.balance(t, bob.Address), s.balance(t,
		chain.Escrow(*code)); a != 1100 || b != 900 || e != 0 {
		t.Errorf("balances %d and %d, %d in the escrow", a, b, e)
	}
	if s.ended[*code] != 2 || s.finished[*code] != 1 {
		t.Errorf("%d reports to Rating and a listener, %d to the other listener", s.ended[*code], s.finished[*code])
	}
	s.each.Run(t, []storetest.Case{{Name: "replay", View: do(s.Replay, nil, none)}})
	s.ends(t, ann, bob)
	var cancelled duel.Duel
	s.each.Run(t, []storetest.Case{
		{Name: "create without a stake", Update: do(s.Create, ann, duel.Terms{}), Keep: &cancelled},
		{Name: "cancel", Update: do(s.Cancel, ann.Address, &cancelled.Code)},
		{Before: func() { s.sets(t)(s.create(t, ann, 50)) }},
		{Name: "cancel with a stake", Update: do(s.Cancel, ann.Address, code)},
		{Name: "spar", Update: do(s.StartSparring, ann), Keep: d},
		{Name: "recover", Update: do(s.Recover, func(duel.Player) bool { return false })},
	})
	if got := s.read(t, *code); got.Version != s.d.Version+1 || !got.Hands[1].Committed {
		t.Errorf("after the recovery: %+v, before it %+v", got, s.d)
	}
	var ranked duel.Duel
	tagged := func(c storetest.In) (any, error) {
		return s.StartRanked(fairshare.WithTag(c, make(fairshare.Tag, 32)), c.Tx, ann, bob)
	}
	s.each.Run(t, []storetest.Case{
		{Name: "start a ranked one", Update: tagged, Keep: &ranked},
		{Name: "unfinished ranked", Update: do(s.UnfinishedRanked, ann.Address)},
		{Before: func() { s.Clock.Add(time.Hour) }},
		{Name: "unfinished ranked, ended by it", Update: do(s.UnfinishedRanked, ann.Address)},
	})
	s.challenges(t, ann, bob)
	s.forgets(t, bob, ann)
	if s.ended[ranked.Code] != 2 {
		t.Errorf("a ranked duel without steps: %d reports, want 2", s.ended[ranked.Code])
	}
	s.sets(t)(s.enter(t, bob, s.must(t)(s.create(t, ann, 50)).Code))
	s.Clock.Add(time.Hour)
	s.each.Run(t, []storetest.Case{{Name: "apply", Update: do(s.ApplyDeadlines, *code)}})
	s.SealAll(t)
	s.WantValid(t)
}

// ends runs the use cases that end a duel early and follow its end. The last duel is finished, with a stake.
func (s *faultFixture) ends(t *testing.T, ann, bob duel.Player) {
	t.Helper()
	do, d, code := storetest.Do, &s.d, &s.d.Code
	s.each.Run(t, []storetest.Case{
		{Name: "offer a rematch", Update: do(s.OfferRematch, ann, code)},
		{Name: "accept a rematch", Update: do(s.OfferRematch, bob, code), Keep: d},
	})
	s.d = *s.read(t, s.d.Rematch.Code)
	if got := s.balance(t, chain.Escrow(*code)); got != 200 || s.d.A.Address != bob.Address {
		t.Errorf("%d coins in the escrow of the rematch, a is %s", got, s.d.A.Username)
	}
	s.each.Run(t, []storetest.Case{{Name: "resign", Update: do(s.Resign, ann.Address, code)}})
	if a, b := s.balance(t, ann.Address), s.balance(t, bob.Address); s.ended[*code] != 2 || a != 1000 || b != 1000 {
		t.Errorf("resigned: %d reports, balances %d and %d", s.ended[*code], a, b)
	}
	s.must(t)(s.rematch(t, ann, *code))
	s.each.Run(t, []storetest.Case{
		{Name: "withdraw a rematch", Update: do(s.WithdrawRematch, ann.Address, code)},
		{Name: "start a cup's game", Update: do(s.StartCup, [2]duel.Player{ann, bob}, time.Duration(0), true), Keep: d},
	})
	if s.sets(t)(s.resign(t, ann, *code)); s.d.Rated || s.d.Kind != duel.Cup {
		t.Errorf("a cup's game: rated %v, kind %s", s.d.Rated, s.d.Kind)
	}
	storetest.Exec(t, s.Ledger.DB, `INSERT INTO cup_game (cup, round, board, a, b, duel, ended_at, replayed)
		VALUES (1, 2, 3, $1, $2, $3, 1, 0)`, s.d.A.Address[:], s.d.B.Address[:], *code)
	s.each.Run(t, []storetest.Case{
		{Name: "duels of a cup", View: do(s.OfCup, 1, duel.CupSeat{Round: 2, Board: 2}, 10),
			Want: func(l []duel.CupDuel) bool {
				return len(l) == 1 && l[0].Code == *code && l[0].Round == 2 && l[0].Board == 3
			}},
		{Name: "duels behind the last one", View: do(s.OfCup, 1, duel.CupSeat{Round: 2, Board: 3}, 10),
			Want: storetest.Len(0)},
		{Name: "start a quick one", Update: do(s.StartQuick, ann, bob), Keep: d},
	})
	if s.sets(t)(s.resign(t, bob, *code)); !s.d.Rated || s.ended[*code] != 2 {
		t.Errorf("rated %v, %d reports", s.d.Rated, s.ended[*code])
	}
	s.must(t)(s.rematch(t, ann, *code))
	s.each.Run(t, []storetest.Case{
		{Name: "accept a rematch without a stake", Update: do(s.OfferRematch, bob, code), Keep: d},
	})
	s.must(t)(s.resign(t, ann, s.d.Rematch.Code))
}

// challenges challenges an opponent, talks in the duel, and blocks and forgets opponents.
func (s *faultFixture) challenges(t *testing.T, ann, bob duel.Player) {
	t.Helper()
	do, code := storetest.Do, &s.d.Code
	challenge := duel.Terms{Unlisted: true, Day: true, Invited: bob}
	all := duel.Setting{Takes: duel.TakesAll, Quiet: duel.Hours{To: 60}}
	open := duel.Filter{For: bob.Address, Before: 1 << 60, Count: 10}
	s.each.Run(t, []storetest.Case{
		{Name: "challenge", Update: do(s.Create, ann, challenge), Keep: &s.d},
		{Name: "set whose challenges it takes", Update: do(s.SetSetting, bob.Address, all)},
		{Name: "whose challenges it takes", View: do(s.Setting, bob.Address, bob.Kind),
			Want: func(got duel.Setting) bool { return got.Takes == duel.TakesAll }},
		{Name: "list challenges", View: do(s.List, open),
			Want: func(list []*duel.Duel) bool { return len(list) == 1 && list[0].Code == *code }},
		{Name: "block", Update: do(s.Block, bob.Address, ann.Address, true)},
	})
	if got := s.read(t, *code); got.Status != duel.Declined {
		t.Errorf("after the block: %s", got.Status)
	}
	s.sets(t)(s.enter(t, bob, s.must(t)(s.create(t, ann, 0)).Code))
	s.each.Run(t, []storetest.Case{{Name: "emote", Update: do(s.Emote, ann.Address, code, "hello")}})
	s.must(t)(s.resign(t, ann, *code))
	s.each.Run(t, []storetest.Case{
		{Name: "opponents", View: do(s.Opponents, bob.Address, 10), Want: func(l []duel.Opponent) bool {
			return len(l) == 1 && l[0].Blocked && l[0].Losses == 1
		}},
		{Name: "forget", Update: do(s.Forget, bob.Address)},
	})
}

// forgets deletes a player who has an open duel and one in play.
func (s *faultFixture) forgets(t *testing.T, p, other duel.Player) {
	t.Helper()
	do, code := storetest.Do, &s.d.Code
	open := s.must(t)(s.create(t, p, 50))
	s.sets(t)(s.create(t, p, 0))
	before := s.balance(t, p.Address)
	s.each.Run(t, []storetest.Case{
		{Name: "join without a stake", Update: do(s.Service.Join, other, code)},
		{Name: "live", View: do(s.Live, "", none),
			Want: func(live *duel.Duel) bool { return live != nil && live.Code == *code }},
		{Name: "may pair", View: do(s.MayPair, p.Address, other.Address), Want: func(bool) bool { return true }},
		{Name: "in play", Update: do(s.InPlay, code)},
		{Name: "cancel open", Update: do(s.CancelOpen, p.Address)},
		{Name: "replace a name", Update: do(s.ReplaceName, p.Address, "deleted-1")},
	})
	if open = s.read(t, open.Code); open.Status != duel.Cancelled || s.balance(t, p.Address) != before+50 {
		t.Errorf("the open duel of a deleted account: %+v, balance %d", open, s.balance(t, p.Address))
	}
	for _, d := range []*duel.Duel{open, s.read(t, *code)} {
		if d.A.Username != "deleted-1" || d.B.Username == "deleted-1" {
			t.Errorf("after its account was deleted: %+v", d)
		}
	}
	s.must(t)(s.resign(t, other, *code))
}

// views returns the read-only use cases. The last duel is open, and of one player.
func (s *faultFixture) views(a chain.Address) []storetest.Case {
	do := storetest.Do
	list := func(status duel.Status, of chain.Address, want int) storetest.Case {
		f := duel.Filter{Status: status, Of: of, Before: 1 << 60, Count: 10}
		return storetest.Case{Name: "list", View: do(s.List, f), Want: storetest.Len(want)}
	}
	page := duel.DataPage{Before: s.Clock.Now().Add(time.Hour), Count: 10}
	own := page
	own.Of = &a
	return []storetest.Case{
		{Name: "get", View: do(s.Get, s.d.Code), Want: func(d *duel.Duel, _ bool) bool { return d.Code == s.d.Code }},
		{Name: "in play", View: do(s.StakedCoins, a), Want: int64(100)},
		{Name: "steps", View: do(s.StepsOf, a)},
		{Name: "stats", View: do(s.Stats)},
		list("", chain.Address{}, 1),
		list(duel.Open, chain.Address{}, 1),
		list("", a, 1),
		list(duel.Open, a, 1),
		list(duel.Finished, a, 0),
		{Name: "finished", View: do(s.FinishedBetween, page), Want: storetest.Len(0)},
		{Name: "finished of one", View: do(s.FinishedBetween, own), Want: storetest.Len(0)},
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
	s.each.Run(t, []storetest.Case{{Name: "sweep", Before: func() {
		codes = nil
		for range 2 {
			codes = append(codes, s.must(t)(s.enter(t, bob, s.must(t)(s.create(t, ann, 50)).Code)).Code)
		}
		s.Clock.Add(24 * time.Hour)
	}, Steps: storetest.Do(s.Sweep), After: func() {
		for _, code := range codes {
			if d := s.read(t, code); d.Status != duel.Finished || s.ended[code] != 2 || s.balance(t, chain.Escrow(code)) != 0 {
				t.Errorf("swept: %+v, %d reports, %d in the escrow", d, s.ended[code], s.balance(t, chain.Escrow(code)))
			}
		}
	}}})
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
