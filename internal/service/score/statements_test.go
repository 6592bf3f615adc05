package score

import (
	"context"
	"errors"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// faulty is a harness in which each statement fails once. Its feed runs a query per item, as a
// feed that stores items does.
type faulty struct {
	*harness
	each    storetest.Statements
	players [2]chain.Address
	n       int
	// lastDuel is the id of the last reported duel.
	lastDuel string
	team     int64 // the id of the first player's team
}

// Publish implements Feed.
func (h *faulty) Publish(ctx context.Context, tx *store.Tx, _ *FeedItem) error {
	var one int
	return tx.QueryRowContext(ctx, "SELECT 1").Scan(&one)
}

func newFaulty(t *testing.T) *faulty {
	t.Helper()
	h := &faulty{}
	h.harness = newHarness(t, ledgertest.Options{DB: store.Config{Faults: h.each.Faults()}})
	h.each.Use(t, h.DB, h.ledger.Location)
	h.Feed = h
	h.players = [2]chain.Address{h.player(t, 1, chain.Full), h.player(t, 2, chain.Full)}
	return h
}

// voidEach declares the last duel void and restores it.
func (h *faulty) voidEach(t *testing.T) {
	t.Helper()
	v := Void{DuelID: h.lastDuel, Accounts: h.players[:], At: h.ledger.Clock.Now()}
	h.each.Update(t, "void", func(ctx context.Context, tx *store.Tx) error { return h.VoidResult(ctx, tx, v) })
	h.each.Update(t, "last closed", func(ctx context.Context, tx *store.Tx) error {
		_, err := h.LastClosed(ctx, tx)
		return err
	})
	h.each.Update(t, "restore", func(ctx context.Context, tx *store.Tx) error { return h.RestoreResult(ctx, tx, v) })
}

// reportEach makes one report of each kind.
func (h *faulty) reportEach(t *testing.T, run func(name string, use func(ctx context.Context, tx *store.Tx) error)) {
	t.Helper()
	h.n++
	h.ledger.Clock.Add(24 * time.Hour) // one daily run per day
	id, now := string(rune('a'+h.n%26))+time.Duration(h.n).String(), h.ledger.Clock.Now()
	hash := chain.Hash{byte(h.n), byte(h.n >> 8)}
	a, b := h.players[0], h.players[1]
	h.uses(t, a, DayOf(now), "home")
	run("run ended", func(ctx context.Context, tx *store.Tx) error {
		return h.RunEnded(ctx, tx, Run{
			ID: id, Account: a, Entry: chain.EntryFree, Status: chain.RunClaimed, Cleared: 12, Throws: 12,
			StartedAt: now, EndedAt: now,
		})
	})
	run("daily run ended", func(ctx context.Context, tx *store.Tx) error {
		return h.RunEnded(ctx, tx, Run{
			ID: id + "daily", Account: a, Entry: chain.EntryDaily, Status: chain.RunLost, Cleared: 2, Throws: 3,
			StartedAt: now, EndedAt: now,
		})
	})
	run("duel finished", func(ctx context.Context, tx *store.Tx) error {
		h.lastDuel = id
		return h.DuelFinished(ctx, tx, Duel{Code: id, A: a, B: b, Winner: "a", Stake: 100, At: now, SettleTx: &hash})
	})
	run("sold", func(ctx context.Context, tx *store.Tx) error {
		return h.Sold(ctx, tx, Sale{
			ListingID: int64(h.n), Seller: a, Buyer: b, TokenID: 1, Tier: 9, Price: 90_000, At: now, Tx: hash,
		})
	})
	run("bought back", func(ctx context.Context, tx *store.Tx) error {
		return h.BoughtBack(ctx, tx, Buyback{
			OfferID: int64(h.n), Seller: a, TokenID: 1, Tier: 9, Price: 100, At: now, Tx: hash,
		})
	})
	run("cup finished", func(ctx context.Context, tx *store.Tx) error {
		return h.CupFinished(ctx, tx, Cup{Number: int64(h.n), Kind: "people", At: now, Tx: hash,
			Top: []Party{{Account: b[:], Place: 1}, {Account: a[:], Place: 2}}})
	})
	run("team renamed", func(ctx context.Context, tx *store.Tx) error { return h.TeamRenamed(ctx, tx, 1) })
	run("renamed", func(ctx context.Context, tx *store.Tx) error { return h.Renamed(ctx, tx, a[:]) })
}

// hideEach hides the newest feed item, and shows it again.
func (h *faulty) hideEach(t *testing.T) {
	t.Helper()
	var items []*FeedItem
	read := func(ctx context.Context, tx *store.Tx) (err error) {
		items, err = h.FeedItems(ctx, tx, Newest, 100)
		return err
	}
	h.view(t, read)
	first, count := items[0].ID, len(items)
	for i, reason := range []string{"an insult", ""} {
		h.each.Update(t, "hide "+reason, func(ctx context.Context, tx *store.Tx) error {
			return h.HideFeedItem(ctx, tx, first, reason)
		})
		h.each.Refused(t, "hide again "+reason, ErrNotFound, func(ctx context.Context, tx *store.Tx) error {
			return h.HideFeedItem(ctx, tx, first, reason)
		})
		if h.view(t, read); len(items) != count-1+i || (items[0].ID == first) != (reason == "") {
			t.Errorf("hidden for %q: %d items of %d", reason, len(items), count)
		}
	}
}

// pastEach reads the boards of past days.
func (h *faulty) pastEach(t *testing.T) {
	t.Helper()
	h.each.View(t, "past rows", func(ctx context.Context, tx *store.Tx) error {
		list, err := h.PastRows(ctx, tx, "", 100)
		if err == nil && len(list) == 0 {
			t.Error("no boards of past days have rows")
		}
		return err
	})
}

func (h *faulty) runPlain(t *testing.T) func(string, func(ctx context.Context, tx *store.Tx) error) {
	return func(_ string, use func(ctx context.Context, tx *store.Tx) error) { t.Helper(); h.update(t, use) }
}

// TestEachStatement reports, reduces, compacts and reads with each statement failing once. The
// boards always show the stored state, and all reports in the end.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	h := newFaulty(t)
	for i, name := range []string{"Rockets", "Leavers"} {
		h.each.Update(t, "found a team", func(ctx context.Context, tx *store.Tx) error {
			created, err := h.teams.Create(ctx, tx, h.players[i], name, false)
			if err == nil && i == 0 {
				h.team = created.ID // on PostgreSQL failed attempts use up ids
			}
			return err
		})
	}
	h.each.Update(t, "close a team", func(ctx context.Context, tx *store.Tx) error {
		_, err := h.teams.Leave(ctx, tx, h.players[1])
		return err
	})
	h.reportEach(t, func(name string, use func(ctx context.Context, tx *store.Tx) error) {
		h.each.Update(t, name, use)
	})
	h.each.Shown = func() any { return h.points(t) }
	// The error of a failed statement is transient: it refuses no report.
	h.each.Wrapped = store.ErrUnavailable
	h.each.Call(t, "reduce", func(ctx context.Context) error {
		_, err := h.reduceNext(ctx)
		return err
	})
	if h.points(t) == 0 {
		t.Error("no points after all reports were reduced")
	}
	h.each.Wrapped = nil
	h.readEach(t)
	h.voidEach(t)
	h.wantConsistent(t)
	h.each.Update(t, "forget names", func(ctx context.Context, tx *store.Tx) error {
		return errors.Join(h.ForgetNames(ctx, tx, h.players[0]), h.ForgetTeamName(ctx, tx, 1))
	})
	h.hideEach(t)
	h.each.Steps(t, "compact", func() { h.reportEach(t, h.runPlain(t)); h.drainAll(t) }, h.Compact, nil)
	h.wantConsistent(t)
	h.each.Steps(t, "drop", nil, h.DropOldBoards, nil)
	h.ledger.Clock.Add(48 * time.Hour)
	h.each.Update(t, "drop networks", func(ctx context.Context, tx *store.Tx) error {
		n, err := h.DropNetworks(ctx, tx)
		if err == nil && n == 0 {
			t.Error("no points by network are dropped after two days")
		}
		return err
	})
	h.pastEach(t)
	h.wantConsistent(t)
	// A report that cannot be reduced is refused, and requeued by the next start.
	h.each.Shown = nil
	n := 0
	h.each.Steps(t, "refuse and requeue", func() {
		h.reportClaim(t, h.players[1], time.Duration(n).String(), 3)
		n++
	}, func(ctx context.Context) error {
		if err := h.requeueRefused(ctx); err != nil {
			return err
		}
		return h.Drain(ctx)
	}, func() {
		if b := h.backlog(t); b.Reports != 0 || b.Refused != 0 {
			t.Errorf("backlog %+v, want it empty", b)
		}
	})
	h.wantConsistent(t)
}

// points returns the points of the first player on the all-time board.
func (h *faulty) points(t *testing.T) (n int64) {
	t.Helper()
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		s, err := h.AllTimeBoard(ctx, tx, &Viewer{Address: h.players[0]}, PageRequest{Count: 10})
		if err == nil && s.Me != nil {
			n = s.Me.Value
		}
		return err
	})
	return n
}

// readEach runs every read use case.
func (h *faulty) readEach(t *testing.T) {
	t.Helper()
	h.each.Shown = nil
	me := &Viewer{Address: h.players[0], Username: "Player-1", Kind: chain.Full}
	now, request := h.ledger.Clock.Now(), PageRequest{Count: 10}
	page := func(s *BoardPage, err error) (bool, error) { return s != nil && len(s.Rows) > 0, err }
	h.each.Views(t, map[string]func(ctx context.Context, tx *store.Tx) (bool, error){
		"all": func(ctx context.Context, tx *store.Tx) (bool, error) {
			return page(h.AllTimeBoard(ctx, tx, me, request))
		},
		"week": func(ctx context.Context, tx *store.Tx) (bool, error) {
			return page(h.WeekBoard(ctx, tx, now, me, request))
		},
		"daily": func(ctx context.Context, tx *store.Tx) (bool, error) {
			return page(h.DailyBoard(ctx, tx, DayOf(now), me, request))
		},
		"teams": func(ctx context.Context, tx *store.Tx) (bool, error) {
			b, err := h.TeamBoard(ctx, tx, now, me, request)
			return err == nil && len(b.Rows) == 1 && b.Me != nil && b.Me.Username == "Rockets", err
		},
		"teams, for a player without one": func(ctx context.Context, tx *store.Tx) (bool, error) {
			b, err := h.TeamBoard(ctx, tx, now, &Viewer{Address: h.players[1]}, request)
			return err == nil && len(b.Rows) == 1 && b.Me == nil, err
		},
		"the page after": func(ctx context.Context, tx *store.Tx) (bool, error) {
			before := Week(now).cursor(position{Key: -1 << 62, Member: "0"}) // all rows
			b, err := h.WeekBoard(ctx, tx, now, nil, PageRequest{Count: 1, After: before})
			return err == nil && len(b.Rows) == 1 && b.Rows[0].Rank == 1 && b.Next == "", err
		},
		"season": func(ctx context.Context, tx *store.Tx) (bool, error) {
			return page(h.SeasonBoard(ctx, tx, 1, me, request))
		},
		"team": func(ctx context.Context, tx *store.Tx) (bool, error) {
			r, err := h.TeamRow(ctx, tx, now, h.team)
			return r != nil, err
		},
		"members": func(ctx context.Context, tx *store.Tx) (bool, error) {
			m, err := h.TeamPoints(ctx, tx, now, h.team)
			return len(m) == 1, err
		},
		"feed items": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := h.FeedItems(ctx, tx, Newest, 10)
			return len(l) > 0, err
		},
		"unlocked": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, n, err := h.AchievementsOf(ctx, tx, &h.players[0])
			return len(l) > 0 && n > 0, err
		},
		"streak": func(ctx context.Context, tx *store.Tx) (bool, error) {
			_, err := h.StreakOf(ctx, tx, h.players[0], DayOf(now))
			return true, err
		},
		"backlog": func(ctx context.Context, tx *store.Tx) (bool, error) {
			b, err := h.Backlog(ctx, tx)
			return b.Reports == 0, err
		},
		"closed": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := h.ClosedSeasons(ctx, tx, 10)
			return len(l) == 0, err
		},
		"check": func(ctx context.Context, tx *store.Tx) (bool, error) {
			ok := true
			err := h.Check(ctx, tx, func(Divergence) { ok = false })
			return ok, err
		},
	})
}

// TestEachStatementOfCompaction compacts boards of many small blocks, of which some are split and
// others merged each time, with each statement failing once.
func TestEachStatementOfCompaction(t *testing.T) {
	t.Parallel()
	h := newFaulty(t)
	h.ranks.BlockSize = 2
	var players []chain.Address
	for n := range 8 {
		players = append(players, h.player(t, 10+n, chain.Full))
	}
	n := 0
	h.each.Steps(t, "compact", func() {
		// All players move to new positions, and their old blocks become empty.
		h.ledger.Clock.Add(time.Minute)
		for i, a := range players {
			n++
			h.reportClaim(t, a, time.Duration(n).String(), int64(1+(i+n)%5))
		}
		h.drainAll(t)
	}, h.Compact, nil)
	h.wantConsistent(t)
}

// TestLateChange checks that a compaction that deletes a change it has not merged is rolled back,
// and that the next one merges it.
func TestLateChange(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	if !h.DB.Exclusive() {
		return // the trigger is written for SQLite
	}
	ann := h.player(t, 1, chain.Full)
	pending := func() (n int64) {
		h.view(t, func(ctx context.Context, tx *store.Tx) (err error) {
			n, err = h.PendingChanges(ctx, tx)
			return err
		})
		return n
	}
	h.claim(t, ann, "first", 3)
	before := pending()
	h.exec(t, `CREATE TRIGGER late AFTER INSERT ON score_block BEGIN
		INSERT INTO score_change (id, board, member, now)
		SELECT min(id) - 100, NEW.board, x'01', 1 FROM score_change; END`)
	if err := h.Compact(t.Context()); err != nil {
		t.Error(err)
	}
	if n := pending(); n != before || before == 0 {
		t.Errorf("%d changes are pending after the rollback, want %d", n, before)
	}
	h.exec(t, "DROP TRIGGER late")
	if err := h.Compact(t.Context()); err != nil {
		t.Error(err)
	}
	if n := pending(); n != 0 {
		t.Errorf("%d changes are pending after the compaction, want none", n)
	}
	h.wantConsistent(t)
}

// TestEachStatementOfAClosing checks that a season is closed once, with all its points,
// whichever statement fails first.
func TestEachStatementOfAClosing(t *testing.T) {
	t.Parallel()
	h := newFaulty(t)
	h.reportEach(t, h.runPlain(t))
	h.drainAll(t)
	season := int64(0)
	h.each.Steps(t, "close", func() {
		season++
		_, end := h.calendar.span(season)
		h.ledger.Clock.Set(end.Add(-time.Minute))
		h.reportEach(t, h.runPlain(t))
		h.drainAll(t)
		h.ledger.Clock.Set(end.Add(time.Minute))
	}, func(ctx context.Context) error {
		_, err := h.CloseSeasons(ctx)
		return err
	}, func() {
		if got := h.closings(t); int64(len(got)) != season {
			t.Errorf("got %d closed seasons, want %d", len(got), season)
		}
	})
	h.each.View(t, "season", func(ctx context.Context, tx *store.Tx) error {
		c, s, err := h.SeasonTable(ctx, tx, 1, &Viewer{Address: h.players[0]}, 10)
		if err == nil && (c == nil || len(s.Rows) == 0) {
			t.Errorf("season 1: %+v %+v", c, s)
		}
		return err
	})
	h.each.View(t, "check", func(ctx context.Context, tx *store.Tx) error {
		return h.Check(ctx, tx, func(d Divergence) { t.Errorf("%+v", d) })
	})
	h.each.View(t, "medals", func(ctx context.Context, tx *store.Tx) error {
		list, err := h.SeasonMedals(ctx, tx, h.players[0])
		if err == nil && int64(len(list)) != season {
			t.Errorf("%d medals of %d seasons", len(list), season)
		}
		return err
	})
	h.each.View(t, "closed season", func(ctx context.Context, tx *store.Tx) error {
		_, err := h.ClosedSeason(ctx, tx, 1)
		return err
	})
	h.ledger.SealAll(t)
	h.wantValid(t)
}
