package score

import (
	"context"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/team"
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
}

// Publish implements Feed.
func (h *faulty) Publish(ctx context.Context, tx *store.Tx, _ *FeedItem) error {
	return storetest.Listen(ctx, tx, func() {})
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

// reduces reduces the reports of the inbox. The error of a failed statement is transient: it refuses no report.
func (h *faulty) reduces() storetest.Case {
	wraps := func(err error) func() { return func() { h.each.Wrapped = err } }
	return storetest.Case{Name: "reduce", Before: wraps(store.ErrUnavailable), Call: storetest.Do(h.reduceNext),
		After: wraps(nil)}
}

// reports returns one report of each kind, of a new day.
func (h *faulty) reports(t *testing.T) []storetest.Case {
	t.Helper()
	h.n++
	h.ledger.Clock.Add(24 * time.Hour) // one daily run per day
	id, now := string(rune('a'+h.n%26))+time.Duration(h.n).String(), h.ledger.Clock.Now()
	hash, n := chain.Hash{byte(h.n), byte(h.n >> 8)}, int64(h.n)
	do, a, b := storetest.Do, h.players[0], h.players[1]
	h.uses(t, a, DayOf(now), "home")
	h.lastDuel = id
	return []storetest.Case{
		{Name: "run ended", Update: do(h.RunEnded, Run{ID: id, Account: a, Entry: chain.EntryFree, Status: chain.RunClaimed,
			Cleared: 12, Throws: 12, StartedAt: now, EndedAt: now})},
		{Name: "daily run ended", Update: do(h.RunEnded, Run{ID: id + "daily", Account: a, Entry: chain.EntryDaily,
			Status: chain.RunLost, Cleared: 2, Throws: 3, StartedAt: now, EndedAt: now})},
		{Name: "duel finished", Update: do(h.DuelFinished, Duel{Code: id, A: a, B: b, Winner: "a", Stake: 100, At: now,
			SettleTx: &hash})},
		{Name: "sold", Update: do(h.Sold, Sale{ListingID: n, Seller: a, Buyer: b, TokenID: 1, Tier: 9, Price: 90_000,
			At: now, Tx: hash})},
		{Name: "bought back", Update: do(h.BoughtBack, Buyback{OfferID: n, Seller: a, TokenID: 1, Tier: 9, Price: 100,
			At: now, Tx: hash})},
		{Name: "cup finished", Update: do(h.CupFinished, Cup{Number: n, Kind: "people", At: now, Tx: hash,
			Top: []Party{{Account: b[:], Place: 1}, {Account: a[:], Place: 2}}})},
		{Name: "team renamed", Update: do(h.TeamRenamed, 1)},
		{Name: "renamed", Update: do(h.Renamed, a[:])},
	}
}

// report makes one report of each kind and reduces them, with no statement failing.
func (h *faulty) report(t *testing.T) {
	t.Helper()
	for _, r := range h.reports(t) {
		h.update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := r.Update(storetest.In{Context: ctx, Tx: tx})
			return err
		})
	}
	h.drainAll(t)
}

// hides hides the newest feed item, and shows it again.
func (h *faulty) hides(t *testing.T) []storetest.Case {
	t.Helper()
	var all []*FeedItem
	h.view(t, func(ctx context.Context, tx *store.Tx) (err error) {
		all, err = h.FeedItems(ctx, tx, Newest, 100)
		return err
	})
	do, first := storetest.Do, all[0].ID
	hide, show := do(h.HideFeedItem, first, "an insult"), do(h.HideFeedItem, first, "")
	items := do(h.FeedItems, Newest, 100)
	shows := func(hidden int) func(list []*FeedItem) bool {
		return func(list []*FeedItem) bool {
			return len(list) == len(all)-hidden && (list[0].ID == first) == (hidden == 0)
		}
	}
	return []storetest.Case{
		{Name: "hide", Update: hide},
		{Name: "hide again", Update: hide, Refused: ErrNotFound},
		{Name: "without the hidden item", View: items, Want: shows(1)},
		{Name: "show", Update: show},
		{Name: "show again", Update: show, Refused: ErrNotFound},
		{Name: "with the item", View: items, Want: shows(0)},
	}
}

// TestEachStatement reports, reduces, compacts and reads with each statement failing once. The
// boards always show the stored state, and all reports in the end.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	h := newFaulty(t)
	do, made := storetest.Do, team.Team{} // on PostgreSQL failed attempts use up ids
	h.each.Run(t, []storetest.Case{
		{Name: "found a team", Update: do(h.teams.Create, h.players[0], "Rockets", false), Keep: &made},
		{Name: "found another team", Update: do(h.teams.Create, h.players[1], "Leavers", false)},
		{Name: "close a team", Update: do(h.teams.Leave, h.players[1])},
	})
	h.each.Run(t, h.reports(t))
	h.each.Shown = func() any { return h.points(t) }
	h.each.Run(t, []storetest.Case{h.reduces()})
	if h.points(t) == 0 {
		t.Error("no points after all reports were reduced")
	}
	h.each.Shown = nil
	h.each.Run(t, h.reads(made.ID))
	void := Void{DuelID: h.lastDuel, Accounts: h.players[:], At: h.ledger.Clock.Now()}
	consistent := func() { h.wantConsistent(t) }
	h.each.Run(t, []storetest.Case{
		{Name: "void", Update: do(h.VoidResult, void)},
		{Name: "last closed", Update: do(h.LastClosed)},
		{Name: "restore", Update: do(h.RestoreResult, void), After: consistent},
		{Name: "forget names", Update: do(h.ForgetNames, h.players[0])},
		{Name: "forget a team's name", Update: do(h.ForgetTeamName, 1)},
	})
	h.each.Run(t, h.hides(t))
	n := 0
	h.each.Run(t, []storetest.Case{
		{Name: "compact", Before: func() { h.report(t) }, Steps: do(h.Compact)},
		{Before: consistent},
		{Name: "drop", Steps: do(h.DropOldBoards)},
		{Before: func() { h.ledger.Clock.Add(48 * time.Hour) }},
		{Name: "drop networks", Update: do(h.DropNetworks), Want: func(n int64) bool { return n > 0 }},
		{Name: "past rows", View: do(h.PastRows, "", 100), Want: func(list []PastRow) bool { return len(list) > 0 }},
		{Before: consistent},
		// A report that cannot be reduced is refused, and requeued by the next start.
		{Name: "refuse and requeue", Before: func() {
			h.reportClaim(t, h.players[1], time.Duration(n).String(), 3)
			n++
		}, Steps: func(c storetest.In) (any, error) {
			if err := h.requeueRefused(c); err != nil {
				return nil, err
			}
			return nil, h.Drain(c)
		}, After: func() {
			if b := h.backlog(t); b.Reports != 0 || b.Refused != 0 {
				t.Errorf("backlog %+v, want it empty", b)
			}
		}},
		{Before: consistent},
	})
}

// points returns the points of the first player on the all-time board.
func (h *faulty) points(t *testing.T) (n int64) {
	t.Helper()
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		s, err := h.AllTimeBoard(ctx, tx, &h.players[0], PageRequest{Count: 10})
		if err == nil && s.Me != nil {
			n = s.Me.Value
		}
		return err
	})
	return n
}

// reads returns every read use case.
func (h *faulty) reads(team int64) []storetest.Case {
	do, now, p := storetest.Do, h.ledger.Clock.Now(), PageRequest{Count: 10}
	me := &h.players[0]
	filled := func(b *BoardPage) bool { return len(b.Rows) > 0 }
	after := PageRequest{Count: 1, After: Week(now).cursor(position{Key: -1 << 62, Member: "0"})} // all rows
	return []storetest.Case{
		{Name: "all", View: do(h.AllTimeBoard, me, p), Want: filled},
		{Name: "week", View: do(h.WeekBoard, now, me, p), Want: filled},
		{Name: "daily", View: do(h.DailyBoard, DayOf(now), me, p), Want: filled},
		{Name: "season", View: do(h.SeasonBoard, 1, me, p), Want: filled},
		{Name: "teams", View: do(h.TeamBoard, now, me, p),
			Want: func(b *BoardPage) bool { return len(b.Rows) == 1 && b.Me != nil && b.Me.Username == "Rockets" }},
		{Name: "teams, for a player without one", View: do(h.TeamBoard, now, &h.players[1], p),
			Want: func(b *BoardPage) bool { return len(b.Rows) == 1 && b.Me == nil }},
		{Name: "the page after", View: do(h.WeekBoard, now, nil, after),
			Want: func(b *BoardPage) bool { return len(b.Rows) == 1 && b.Rows[0].Rank == 1 && b.Next == "" }},
		{Name: "team", View: do(h.TeamRow, now, team), Want: func(r *Row) bool { return r != nil }},
		{Name: "members", View: do(h.TeamPoints, now, team), Want: storetest.Len(1)},
		{Name: "feed items", View: do(h.FeedItems, Newest, 10), Want: func(l []*FeedItem) bool { return len(l) > 0 }},
		{Name: "unlocked", View: do(h.AchievementsOf, &h.players[0]),
			Want: func(l []Progress, n int64) bool { return len(l) > 0 && n > 0 }},
		{Name: "streak", View: do(h.StreakOf, h.players[0], DayOf(now))},
		{Name: "backlog", View: do(h.Backlog), Want: func(b Backlog) bool { return b.Reports == 0 }},
		{Name: "closed", View: do(h.ClosedSeasons, 10), Want: storetest.Len(0)},
		{Name: "check", View: h.checks, Want: storetest.Len(0)},
	}
}

// checks returns what Check finds.
func (h *faulty) checks(c storetest.In) (any, error) {
	var found []Divergence
	err := h.Check(c, c.Tx, func(d Divergence) { found = append(found, d) })
	return found, err
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
	h.each.Run(t, []storetest.Case{{Name: "compact", Before: func() {
		// All players move to new positions, and their old blocks become empty.
		h.ledger.Clock.Add(time.Minute)
		for i, a := range players {
			n++
			h.reportClaim(t, a, time.Duration(n).String(), int64(1+(i+n)%5))
		}
		h.drainAll(t)
	}, Steps: storetest.Do(h.Compact)}})
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
	h.report(t)
	do, season := storetest.Do, int64(0)
	h.each.Run(t, []storetest.Case{
		{Name: "close", Before: func() {
			season++
			_, end := h.calendar.span(season)
			h.ledger.Clock.Set(end.Add(-time.Minute))
			h.report(t)
			h.ledger.Clock.Set(end.Add(time.Minute))
		}, Steps: do(h.CloseSeasons), After: func() {
			if got := h.closings(t); int64(len(got)) != season {
				t.Errorf("got %d closed seasons, want %d", len(got), season)
			}
		}},
		{Name: "season", View: do(h.SeasonTable, 1, &h.players[0], 10),
			Want: func(c *Closed, s *BoardPage) bool { return c != nil && len(s.Rows) > 0 }},
		{Name: "check", View: h.checks, Want: storetest.Len(0)},
		{Name: "medals", View: do(h.SeasonMedals, h.players[0]),
			Want: func(l []SeasonMedal) bool { return int64(len(l)) == season }},
		{Name: "closed season", View: do(h.ClosedSeason, 1)},
	})
	h.ledger.SealAll(t)
	h.wantValid(t)
}
