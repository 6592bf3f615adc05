package arena_test

import (
	"math"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/service/arena"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// openEach opens a fixture whose statements fail.
func openEach(t *testing.T) (*fixture, *storetest.Statements) {
	t.Helper()
	var each storetest.Statements
	place := storetest.At(storetest.New(t), store.Config{Faults: each.Faults()})
	h := open(t, place)
	each.Use(t, h.db, place)
	return h, &each
}

// waits reports whether a bot or a person waits.
func waits(at arena.QueueStatus) bool { return at.Waiting }

// TestEachStatement queues, matches, rates and reads; each statement fails once. Both bots of
// a pair get the duel or neither, and a duel is rated once.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	h, each := openEach(t)
	do, a, b := storetest.Do, h.player(t, 1, chain.Bot, 101), h.player(t, 2, chain.Bot, 102)
	var met arena.QueueStatus
	join := do(h.JoinQueue, a, nil)
	each.Run(t, []storetest.Case{
		{Name: "enter", Update: join, Want: waits},
		{Name: "stay", Update: join, Want: waits},
		{Name: "stay in the queue", Update: do(h.StayInQueue, a), Want: waits},
		{Name: "stats", View: do(h.Stats), Want: func(st arena.Stats) bool { return st.Waiting == 1 && !st.Since.IsZero() }},
		{Name: "enter and be matched", Update: do(h.JoinQueue, b, nil), Keep: &met},
		{Name: "find the duel", Update: join, Want: func(at arena.QueueStatus) bool { return at.Duel == met.Duel }},
		{Name: "set a version", Update: do(h.SetVersion, a, "1.0")},
	})
	if met.Duel == "" {
		t.Fatalf("the second bot is at %+v", met)
	}
	r := arena.Result{Duel: met.Duel, Pool: arena.Bots, Rated: true, A: a, B: b, Winner: sides["a"], Rounds: rounds("a"),
		At: h.now()}
	voided := arena.Voided{Duel: met.Duel, Pool: arena.Bots, A: a, B: b, At: h.now()}
	changes := func(want int64) func() {
		return func() {
			if n := h.number(t, "SELECT count(*) FROM arena_change"); n != want {
				t.Errorf("%d changes of ratings for one duel and its corrections, want %d", n, want)
			}
		}
	}
	each.Run(t, []storetest.Case{{Name: "finish", After: changes(2), Update: func(c storetest.In) (any, error) {
		_, err := c.Tx.ExecContext(c, "UPDATE test_duel SET winner = 'a' WHERE code = $1", r.Duel)
		if err != nil {
			return nil, err
		}
		return h.RecordDuel(c, c.Tx, r)
	}}})
	each.Run(t, h.reads(a, r.Duel))
	each.Run(t, []storetest.Case{
		{Name: "void", Update: do(h.VoidDuel, voided)},
		{Name: "restore", Update: do(h.RestoreDuel, voided), After: changes(6)},
		{Name: "enter again", Update: join},
		{Name: "leave", Update: do(h.LeaveQueue, a),
			After: func() { h.exec(t, "UPDATE arena_bot SET duel = 'GONE' WHERE address = $1", a[:]) }},
		{Name: "be freed of a duel that is over", Update: join},
	})
}

// TestEachStatementOfQuick runs the use cases of quick matches; each statement fails once.
func TestEachStatementOfQuick(t *testing.T) {
	t.Parallel()
	h, each := openEach(t)
	do, p, other := storetest.Do, h.person(t, 21, "at home"), h.person(t, 22, "")
	join, met := do(h.JoinQuick, p), arena.QueueStatus{}
	each.Run(t, []storetest.Case{
		{Name: "enter", Update: join, Want: waits},
		{Name: "stay", Update: join, Want: waits},
		{Name: "only stay", Update: do(h.StayQuick, p), Want: waits},
		{Name: "be paired", Update: do(h.JoinQuick, other), Keep: &met},
		{Name: "find the duel", Update: join, After: func() { h.exec(t, "UPDATE test_duel SET winner = 'a'") },
			Want: func(at arena.QueueStatus) bool { return at.Duel == met.Duel && met.Duel != "" }},
		{Name: "enter again", Update: join},
		{Name: "leave", Update: do(h.LeaveQuick, p.Address)},
		{Name: "replace a name", Update: do(h.ReplaceName, p.Address, "another")},
		{Name: "forget", Update: do(h.Forget, p.Address)},
		{Name: "drop", Update: do(h.DropQuick)},
	})
}

// reads returns the read-only use cases after one duel.
func (h *fixture) reads(bot chain.Address, code string) []storetest.Case {
	do, of, all := storetest.Do, arena.PlayerKey{Pool: arena.Bots, Address: bot}, int64(math.MaxInt64)
	page := arena.DataPage{Before: h.now().Add(time.Hour), Count: 10}
	own := page
	own.Of = &of
	return []storetest.Case{
		{Name: "table", View: do(h.Table, arena.Bots, arena.TableCursor{Standing: all}, 10), Want: storetest.Len(2)},
		{Name: "standing", View: do(h.Standing, arena.Bots, bot), Want: func(r arena.Row) bool { return r.Rank == 1 }},
		{Name: "of owner", View: do(h.OwnerRecords, addressOf(101)), Want: storetest.Len(1)},
		{Name: "state", View: do(h.StateOf, bot), Want: func(_ arena.State, duel string) bool { return duel == "" }},
		{Name: "history", View: do(h.History, of, all, 10),
			Want: func(l []arena.Change) bool { return len(l) == 1 && l[0].Duel == code }},
		{Name: "changes", View: do(h.ChangesBetween, page),
			Want: func(l []arena.PlayerChange) bool { return len(l) == 2 && l[0].Duel == code }},
		{Name: "changes of one", View: do(h.ChangesBetween, own),
			Want: func(l []arena.PlayerChange) bool { return len(l) == 1 && l[0].Duel == code && l[0].Player == of }},
		{Name: "opponents", View: do(h.Opponents, of, arena.OpponentCursor{Games: all}, 10), Want: storetest.Len(1)},
		{Name: "crosstable", View: do(h.Crosstable, arena.Bots, 10),
			Want: func(rows []arena.Row, pairs []arena.Pair) bool { return len(rows) == 2 && len(pairs) == 2 }},
		{Name: "ratings", View: do(h.Ratings, of, 10), Want: func(l []arena.Point) bool { return len(l) > 0 }},
		{Name: "versions", View: do(h.Versions, bot),
			Want: func(l []arena.Version) bool { return len(l) == 1 && l[0].Games == 1 }},
		{Name: "rank", View: do(h.Rank, arena.Bots, 0), Want: int64(3)},
		{Name: "audit", View: do(h.Audit, arena.NewBook(), 10), // the book has no duel
			Want: func(found []arena.Divergence) bool { return len(found) > 0 }},
	}
}

// TestEachStatementOfAPass checks that waiting bots are matched and expired ones removed,
// whichever statement fails first.
func TestEachStatementOfAPass(t *testing.T) {
	t.Parallel()
	h, each := openEach(t)
	n := 0
	var pair []chain.Address
	each.Run(t, []storetest.Case{{Name: "pass", Before: func() {
		n += 10
		h.poll(t, h.player(t, n, chain.Bot, n+1000)) // lapses
		h.forward(arena.QueueTimeout)
		pair = []chain.Address{h.player(t, n+1, chain.Bot, n+1001), h.player(t, n+2, chain.Bot, n+1002)}
		for i, bot := range pair { // too far apart to be matched on entry
			h.exec(t, `INSERT INTO arena_rating
				(pool, address, rating, deviation, volatility, games, wins, losses, draws, rivals, standing,
					last_played)
				VALUES ('bots', $1, $2, 100000000, 60000, 1, 1, 0, 0, 1, $2, 0)`, bot[:], int64(1500+200*i)*1_000_000)
			h.poll(t, bot)
		}
		h.forward(arena.QueueTimeout / 2)
		for _, bot := range pair {
			h.poll(t, bot)
		}
		h.forward(arena.QueueTimeout - time.Second)
	}, Steps: storetest.Do(h.MatchOnce), After: func() {
		h.wantMatched(t, pair)
		if waiting := h.number(t, "SELECT count(*) FROM arena_bot WHERE since IS NOT NULL"); waiting != 0 {
			t.Errorf("%d bots wait", waiting)
		}
	}}})
}

// wantMatched checks that bots have a duel.
func (h *fixture) wantMatched(t *testing.T, bots []chain.Address) {
	t.Helper()
	for _, bot := range bots {
		if h.poll(t, bot).Duel == "" {
			t.Errorf("%v is not matched", bot)
		}
	}
}
