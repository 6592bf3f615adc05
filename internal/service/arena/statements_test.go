package arena_test

import (
	"context"
	"math"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/service/arena"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestEachStatement queues, matches, rates and reads; each statement fails once. Both bots of
// a pair get the duel or neither, and a duel is rated once.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	place := storetest.At(storetest.New(t), store.Config{Faults: each.Faults()})
	h := open(t, place)
	each.Use(t, h.db, place)
	a, b := h.player(t, 1, chain.Bot, 101), h.player(t, 2, chain.Bot, 102)
	var at arena.QueueStatus
	queue := func(name string, bot chain.Address) arena.QueueStatus {
		t.Helper()
		each.Update(t, name, func(ctx context.Context, tx *store.Tx) (err error) {
			at, err = h.JoinQueue(ctx, tx, bot, nil)
			return err
		})
		return at
	}
	if !queue("enter", a).Waiting || !queue("stay", a).Waiting {
		t.Fatalf("the first bot is at %+v", at)
	}
	each.Update(t, "stay in the queue", func(ctx context.Context, tx *store.Tx) (err error) {
		at, err = h.StayInQueue(ctx, tx, a)
		return err
	})
	if !at.Waiting {
		t.Fatalf("the first bot is at %+v", at)
	}
	each.View(t, "stats", func(ctx context.Context, tx *store.Tx) error {
		st, err := h.Stats(ctx, tx)
		if err == nil && (st.Waiting != 1 || st.Since.IsZero()) {
			t.Errorf("stats %+v", st)
		}
		return err
	})
	code := queue("enter and be matched", b).Duel
	if code == "" || queue("find the duel", a).Duel != code {
		t.Fatalf("the second bot is at %+v, in duel %q", at, code)
	}
	finish := func(code, winner string) {
		t.Helper()
		each.Update(t, "finish", func(ctx context.Context, tx *store.Tx) (err error) {
			if _, err = tx.ExecContext(ctx, "UPDATE test_duel SET winner = $2 WHERE code = $1", code, winner); err == nil {
				_, err = h.RecordDuel(ctx, tx, arena.Result{Duel: code, Pool: arena.Bots, Rated: true, A: a, B: b,
					Winner: sides[winner], Rounds: rounds(winner), At: h.now()})
			}
			return err
		})
	}
	each.Update(t, "set a version", func(ctx context.Context, tx *store.Tx) error {
		return h.SetVersion(ctx, tx, a, "1.0")
	})
	finish(code, "a")
	h.readEach(t, &each, a, code)
	h.correctEach(t, &each, arena.Voided{Duel: code, Pool: arena.Bots, A: a, B: b, At: h.now()})
	queue("enter again", a)
	each.Update(t, "leave", func(ctx context.Context, tx *store.Tx) error {
		_, err := h.LeaveQueue(ctx, tx, a)
		return err
	})
	h.exec(t, "UPDATE arena_bot SET duel = 'GONE' WHERE address = $1", a[:])
	queue("be freed of a duel that is over", a)
	h.quickEach(t, &each)
}

// correctEach declares the only duel void and restores it.
func (h *fixture) correctEach(t *testing.T, each *storetest.Statements, v arena.Voided) {
	t.Helper()
	if n := h.number(t, "SELECT count(*) FROM arena_change"); n != 2 {
		t.Errorf("%d changes of ratings for one duel", n)
	}
	each.Update(t, "void", func(ctx context.Context, tx *store.Tx) error { return h.VoidDuel(ctx, tx, v) })
	each.Update(t, "restore", func(ctx context.Context, tx *store.Tx) error { return h.RestoreDuel(ctx, tx, v) })
	if n := h.number(t, "SELECT count(*) FROM arena_change"); n != 6 {
		t.Errorf("%d changes of ratings for one duel and its corrections", n)
	}
}

// quickEach runs the use cases of quick matches.
func (h *fixture) quickEach(t *testing.T, each *storetest.Statements) {
	t.Helper()
	ann, bob := h.person(t, 21, "at home"), h.person(t, 22, "")
	var at arena.QueueStatus
	quick := func(name string, p arena.QuickPlayer) arena.QueueStatus {
		t.Helper()
		each.Update(t, name, func(ctx context.Context, tx *store.Tx) (err error) {
			at, err = h.JoinQuick(ctx, tx, p)
			return err
		})
		return at
	}
	if !quick("enter quick", ann).Waiting || !quick("stay quick", ann).Waiting {
		t.Fatalf("the first person is at %+v", at)
	}
	each.Update(t, "only stay quick", func(ctx context.Context, tx *store.Tx) (err error) {
		at, err = h.StayQuick(ctx, tx, ann)
		return err
	})
	if !at.Waiting {
		t.Fatalf("the first person is at %+v", at)
	}
	if code := quick("be paired", bob).Duel; code == "" || quick("find the quick duel", ann).Duel != code {
		t.Fatalf("the second person is at %+v", at)
	}
	h.exec(t, "UPDATE test_duel SET winner = 'a' WHERE winner IS NULL")
	quick("enter quick again", ann)
	each.Update(t, "leave quick", func(ctx context.Context, tx *store.Tx) error {
		_, err := h.LeaveQuick(ctx, tx, ann.Address)
		return err
	})
	each.Update(t, "replace a name", func(ctx context.Context, tx *store.Tx) error {
		return h.ReplaceName(ctx, tx, ann.Address, "another")
	})
	each.Update(t, "forget", func(ctx context.Context, tx *store.Tx) error { return h.Forget(ctx, tx, ann.Address) })
	each.Update(t, "drop quick", func(ctx context.Context, tx *store.Tx) error { return h.DropQuick(ctx, tx) })
}

// readEach runs the read-only use cases after one duel.
func (h *fixture) readEach(t *testing.T, each *storetest.Statements, bot chain.Address, code string) {
	t.Helper()
	of := arena.PlayerKey{Pool: arena.Bots, Address: bot}
	owner := addressOf(101)
	book := arena.NewBook()
	each.Views(t, map[string]func(ctx context.Context, tx *store.Tx) (bool, error){
		"table": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := h.Table(ctx, tx, arena.Bots, arena.TableCursor{Standing: math.MaxInt64}, 10)
			return len(l) == 2, err
		},
		"standing": func(ctx context.Context, tx *store.Tx) (bool, error) {
			r, err := h.Standing(ctx, tx, arena.Bots, bot)
			return r.Rank == 1, err
		},
		"of owner": func(ctx context.Context, tx *store.Tx) (bool, error) {
			m, err := h.OwnerRecords(ctx, tx, owner)
			return len(m) == 1, err
		},
		"state": func(ctx context.Context, tx *store.Tx) (bool, error) {
			_, d, err := h.StateOf(ctx, tx, bot)
			return d == "", err
		},
		"history": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := h.History(ctx, tx, of, math.MaxInt64, 10)
			return len(l) == 1 && l[0].Duel == code, err
		},
		"changes": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := h.ChangesBetween(ctx, tx, arena.DataPage{Before: tx.Now().Add(time.Hour), Count: 10})
			return len(l) == 2 && l[0].Duel == code, err
		},
		"changes of one": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := h.ChangesBetween(ctx, tx, arena.DataPage{Of: &of, Before: tx.Now().Add(time.Hour), Count: 10})
			return len(l) == 1 && l[0].Duel == code && l[0].Player == of, err
		},
		"opponents": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := h.Opponents(ctx, tx, of, arena.OpponentCursor{Games: math.MaxInt64}, 10)
			return len(l) == 1, err
		},
		"crosstable": func(ctx context.Context, tx *store.Tx) (bool, error) {
			rows, pairs, err := h.Crosstable(ctx, tx, arena.Bots, 10)
			return len(rows) == 2 && len(pairs) == 2, err
		},
		"ratings": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := h.Ratings(ctx, tx, of, 10)
			return len(l) > 0, err
		},
		"versions": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := h.Versions(ctx, tx, bot)
			return len(l) == 1 && l[0].Games == 1, err
		},
		"rank": func(ctx context.Context, tx *store.Tx) (bool, error) {
			n, err := h.Rank(ctx, tx, arena.Bots, 0)
			return n == 3, err
		},
		"audit": func(ctx context.Context, tx *store.Tx) (bool, error) {
			found, err := h.Audit(ctx, tx, book, 10)
			return len(found) > 0, err // the book has no duel
		},
	})
}

// TestEachStatementOfAPass checks that waiting bots are matched and expired ones removed,
// whichever statement fails first.
func TestEachStatementOfAPass(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	place := storetest.At(storetest.New(t), store.Config{Faults: each.Faults()})
	h := open(t, place)
	each.Use(t, h.db, place)
	n := 0
	var pair []chain.Address
	each.Steps(t, "pass", func() {
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
	}, func(ctx context.Context) error {
		_, err := h.MatchOnce(ctx)
		return err
	}, func() {
		for _, bot := range pair {
			if h.poll(t, bot).Duel == "" {
				t.Errorf("%v is not matched", bot)
			}
		}
		if waiting := h.number(t, "SELECT count(*) FROM arena_bot WHERE since IS NOT NULL"); waiting != 0 {
			t.Errorf("%d bots wait", waiting)
		}
	})
}
