package score

import (
	"context"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// told is a house each of whose statements fails once. Its feed reads something with each
// story, as one that stores it does.
type told struct {
	*house
	each storetest.Statements
	who  [2]chain.Address
	n    int
}

// Notable implements Feed.
func (h *told) Notable(ctx context.Context, tx *store.Tx, _ *Story) error {
	var one int
	return tx.QueryRowContext(ctx, "SELECT 1").Scan(&one)
}

func newTold(t *testing.T) *told {
	t.Helper()
	h := &told{}
	h.house = newHouse(t, ledgertest.Options{DB: store.Config{Faults: h.each.Faults()}})
	h.each.Use(t, h.DB, h.ledger.Location)
	h.Feed = h
	h.who = [2]chain.Address{h.player(t, 1, chain.Full), h.player(t, 2, chain.Full)}
	return h
}

// report reports one of each kind.
func (h *told) report(t *testing.T, run func(name string, use func(ctx context.Context, tx *store.Tx) error)) {
	t.Helper()
	h.n++
	h.ledger.Clock.Add(24 * time.Hour) // there is one daily run a day
	id, now, hash := string(rune('a'+h.n%26))+time.Duration(h.n).String(), h.ledger.Clock.Now(), chain.Hash{byte(h.n), byte(h.n >> 8)}
	a, b := h.who[0], h.who[1]
	run("run ended", func(ctx context.Context, tx *store.Tx) error {
		return h.RunEnded(ctx, tx, Run{ID: id, Account: a, Entry: chain.EntryFree, Status: chain.RunClaimed, Cleared: 12, Throws: 12, StartedAt: now, EndedAt: now})
	})
	run("daily run ended", func(ctx context.Context, tx *store.Tx) error {
		return h.RunEnded(ctx, tx, Run{ID: id + "daily", Account: a, Entry: chain.EntryDaily, Status: chain.RunLost, Cleared: 2, Throws: 3, StartedAt: now, EndedAt: now})
	})
	run("duel finished", func(ctx context.Context, tx *store.Tx) error {
		return h.DuelFinished(ctx, tx, Duel{Code: id, A: a, B: b, Winner: "a", Stake: 100, At: now, SettleTx: &hash})
	})
	run("sold", func(ctx context.Context, tx *store.Tx) error {
		return h.Sold(ctx, tx, Sale{ListingID: int64(h.n), Seller: a, Buyer: b, TokenID: 1, Tier: 9, Price: 90_000, At: now, Tx: hash})
	})
	run("bought back", func(ctx context.Context, tx *store.Tx) error {
		return h.BoughtBack(ctx, tx, Buyback{OfferID: int64(h.n), Seller: a, TokenID: 1, Tier: 9, Price: 100, At: now, Tx: hash})
	})
	run("renamed", func(ctx context.Context, tx *store.Tx) error { return h.Renamed(ctx, tx, a[:]) })
}

func (h *told) plain(t *testing.T) func(string, func(ctx context.Context, tx *store.Tx) error) {
	return func(_ string, use func(ctx context.Context, tx *store.Tx) error) { t.Helper(); h.update(t, use) }
}

// TestEachStatement reports, reacts, folds and reads with each statement failing once. The
// boards show what was stored, and all of it in the end.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	h := newTold(t)
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := h.teams.Create(ctx, tx, h.who[0], "Rockets", false)
		return err
	})
	h.report(t, func(name string, use func(ctx context.Context, tx *store.Tx) error) { h.each.Update(t, name, use) })
	h.each.Shown = func() any { return h.points(t) }
	// What cannot succeed now waits; nothing is refused for it.
	h.each.Wrapped = store.ErrUnavailable
	h.each.Call(t, "react", func(ctx context.Context) error {
		_, err := h.react(ctx)
		return err
	})
	if h.points(t) == 0 {
		t.Error("no points after all reports were reacted to")
	}
	h.each.Wrapped = nil
	h.readEach(t)
	h.each.Steps(t, "fold", func() { h.report(t, h.plain(t)); h.settle(t) }, h.Fold, nil)
	h.wantSound(t)
	h.each.Steps(t, "drop", nil, h.Drop, nil)
	h.wantSound(t)
	// A report that cannot be reacted to is put aside, and taken again by the next to begin.
	h.each.Shown = nil
	n := 0
	h.each.Steps(t, "refuse and readmit", func() { h.claimOnly(t, h.who[1], time.Duration(n).String(), 3); n++ }, func(ctx context.Context) error {
		if err := h.readmit(ctx); err != nil {
			return err
		}
		return h.Settle(ctx)
	}, func() {
		if b := h.backlog(t); b.Reports != 0 || b.Refused != 0 {
			t.Errorf("left behind: %+v", b)
		}
	})
	h.wantSound(t)
}

// points is what the board of all times shows of the first player.
func (h *told) points(t *testing.T) (n int64) {
	t.Helper()
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		s, err := h.All(ctx, tx, &Who{Address: h.who[0]}, Page{Count: 10})
		if err == nil && s.Me != nil {
			n = s.Me.Value
		}
		return err
	})
	return n
}

// readEach reads as callers may.
func (h *told) readEach(t *testing.T) {
	t.Helper()
	h.each.Shown = nil
	me, now, page := &Who{Address: h.who[0], Username: "Player-1", Kind: chain.Full}, h.ledger.Clock.Now(), Page{Count: 10}
	standing := func(s *Standing, err error) (bool, error) { return s != nil && len(s.Rows) > 0, err }
	h.each.Views(t, map[string]func(ctx context.Context, tx *store.Tx) (bool, error){
		"all":  func(ctx context.Context, tx *store.Tx) (bool, error) { return standing(h.All(ctx, tx, me, page)) },
		"week": func(ctx context.Context, tx *store.Tx) (bool, error) { return standing(h.Week(ctx, tx, now, me, page)) },
		"daily": func(ctx context.Context, tx *store.Tx) (bool, error) {
			return standing(h.Daily(ctx, tx, DayOf(now), me, page))
		},
		"teams": func(ctx context.Context, tx *store.Tx) (bool, error) {
			return standing(h.TeamBoard(ctx, tx, now, me, page))
		},
		"season": func(ctx context.Context, tx *store.Tx) (bool, error) {
			return standing(h.SeasonStanding(ctx, tx, 1, me, page))
		},
		"team": func(ctx context.Context, tx *store.Tx) (bool, error) {
			r, err := h.TeamStanding(ctx, tx, now, 1)
			return r != nil, err
		},
		"members": func(ctx context.Context, tx *store.Tx) (bool, error) {
			m, err := h.TeamPoints(ctx, tx, now, 1)
			return len(m) == 1, err
		},
		"stories": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, err := h.Stories(ctx, tx, Newest, 10)
			return len(l) > 0, err
		},
		"unlocked": func(ctx context.Context, tx *store.Tx) (bool, error) {
			l, n, err := h.AchievementsOf(ctx, tx, &h.who[0])
			return len(l) > 0 && n > 0, err
		},
		"streak": func(ctx context.Context, tx *store.Tx) (bool, error) {
			_, err := h.StreakOf(ctx, tx, h.who[0], DayOf(now))
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

// TestEachStatementOfAClosing: a season is closed once, with all its points, whichever
// statement fails first.
func TestEachStatementOfAClosing(t *testing.T) {
	t.Parallel()
	h := newTold(t)
	h.report(t, h.plain(t))
	h.settle(t)
	season := int64(0)
	h.each.Steps(t, "close", func() {
		season++
		_, end := h.calendar.span(season)
		h.ledger.Clock.Set(end.Add(-time.Minute))
		h.report(t, h.plain(t))
		h.settle(t)
		h.ledger.Clock.Set(end.Add(time.Minute))
	}, func(ctx context.Context) error {
		_, err := h.Close(ctx)
		return err
	}, func() {
		if got := h.closings(t); int64(len(got)) != season {
			t.Errorf("%d seasons are closed, want %d", len(got), season)
		}
	})
	h.each.View(t, "season", func(ctx context.Context, tx *store.Tx) error {
		c, s, err := h.SeasonTable(ctx, tx, 1, &Who{Address: h.who[0]}, 10)
		if err == nil && (c == nil || len(s.Rows) == 0) {
			t.Errorf("season 1: %+v %+v", c, s)
		}
		return err
	})
	h.each.View(t, "closed season", func(ctx context.Context, tx *store.Tx) error {
		_, err := h.ClosedSeason(ctx, tx, 1)
		return err
	})
	h.ledger.SealAll(t)
	h.ledger.WantValid(t)
}
