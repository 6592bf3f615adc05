package score

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestCalendar checks days, weeks and seasons at their boundaries.
func TestCalendar(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		v, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	c := newCalendar(at("2026-05-01T12:00:00Z"))
	for text, want := range map[string]struct {
		week   string
		season int64
		day    string
	}{
		"2026-05-01T00:00:00Z":      {"2026-W18", 1, "2026-05-01"},
		"2026-05-03T23:59:59.999Z":  {"2026-W18", 1, "2026-05-03"},
		"2026-05-04T00:00:00Z":      {"2026-W19", 1, "2026-05-04"},
		"2026-05-28T23:59:59Z":      {"2026-W22", 1, "2026-05-28"},
		"2026-05-29T00:00:00Z":      {"2026-W22", 2, "2026-05-29"},
		"2027-01-01T00:00:00Z":      {"2026-W53", 9, "2027-01-01"},
		"2027-01-04T00:00:00+01:00": {"2026-W53", 9, "2027-01-03"},
		"2026-04-30T23:00:00Z":      {"2026-W18", 1, "2026-04-30"}, // before genesis, by a clock that is behind
	} {
		v := at(text)
		start, end, week := WeekSpan(v)
		if week != want.week || v.Before(start) || !v.Before(end) {
			t.Errorf("%s: week %s from %v to %v, want %s", text, week, start, end, want.week)
		}
		if got := c.season(v); got != want.season {
			t.Errorf("%s: season %d, want %d", text, got, want.season)
		}
		if got := DayName(DayOf(v)); got != want.day {
			t.Errorf("%s: day %s, want %s", text, got, want.day)
		}
	}
	for _, d := range []struct{ a, b, want int64 }{
		{-8, 7, -2}, {-7, 7, -1}, {-1, 7, -1}, {0, 7, 0}, {6, 7, 0}, {7, 7, 1}, {15, 7, 2},
	} {
		if got := floorDiv(d.a, d.b); got != d.want {
			t.Errorf("%d / %d rounded down: %d, want %d", d.a, d.b, got, d.want)
		}
	}
	if start, end := c.span(2); !start.Equal(at("2026-05-29T00:00:00Z")) || !end.Equal(at("2026-06-26T00:00:00Z")) {
		t.Errorf("season 2 from %v to %v", start, end)
	}
}

// closings returns the season.close transactions of the chain.
func (h *harness) closings(t *testing.T) (list []chain.SeasonClose) {
	t.Helper()
	h.ledger.SealAll(t)
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		list = nil
		head, err := h.Ledger.Head(ctx, tx)
		if err != nil {
			return err
		}
		blocks, err := h.Ledger.Blocks(ctx, tx, head.Block.Header.Height+1, 1000)
		if err != nil {
			return err
		}
		for _, b := range blocks {
			txs, err := h.Ledger.Txs(ctx, tx, b)
			if err != nil {
				return err
			}
			for _, r := range txs {
				if d, ok := r.Parsed.Data.(*chain.SeasonClose); ok {
					list = append(list, *d)
				}
			}
		}
		return nil
	})
	return list
}

// TestSeasonClosedOnce checks that after a crash, and with concurrent attempts, a season is
// closed once, with its feed item and its hash on the chain, and that late points count for no
// season.
func TestSeasonClosedOnce(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]store.Fault{"not stored": store.NotStored, "stored": store.Stored} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			closeOnce(t, fault)
		})
	}
}

func closeOnce(t *testing.T, crash store.Fault) {
	t.Helper()
	var fault atomic.Int64
	h := newHarness(t, ledgertest.Options{DB: store.Config{Faults: &store.Faults{Commit: func() store.Fault {
		return store.Fault(fault.Swap(int64(store.NoFault)))
	}}}})
	ann, bob := h.player(t, 1, chain.Full), h.player(t, 2, chain.Guest)
	h.claim(t, ann, "one", 3)
	h.claim(t, bob, "two", 4)
	last := h.Season(1).EndsAt.Add(-time.Second)
	h.ledger.Clock.Set(h.Season(1).EndsAt.Add(closeGrace - time.Millisecond))
	if n, err := h.CloseSeasons(t.Context()); n != 0 || err != nil {
		t.Fatalf("closed %d too early, error %v", n, err)
	}
	h.ledger.Clock.Add(time.Millisecond)
	fault.Store(int64(crash))
	if n, err := h.CloseSeasons(t.Context()); err != nil {
		t.Logf("closed %d, error %v", n, err) // as after a crash: the next call completes or finds the closing
	}
	if fault.Load() != int64(store.NoFault) {
		t.Fatal("nothing was committed")
	}
	done := make(chan error, 3)
	for range cap(done) {
		go func() { _, err := h.CloseSeasons(t.Context()); done <- err }()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	h.endRun(t, Run{
		ID: "late", Account: ann, Entry: chain.EntryFree, Status: chain.RunClaimed, Cleared: 9, Throws: 9,
		StartedAt: last, EndedAt: last,
	})
	h.wantClosed(t, ann, bob)
	if got := h.closings(t); len(got) != 1 || got[0].Season != 1 {
		t.Errorf("on the chain: %+v", got)
	}
	h.wantValid(t)
}

// wantClosed checks the first season of TestSeasonClosedOnce.
func (h *harness) wantClosed(t *testing.T, ann, bob chain.Address) {
	t.Helper()
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		c, err := h.ClosedSeason(ctx, tx, 1)
		if err != nil {
			return err
		}
		want := `{"ends_at":1780012800000,"players":2,"rows":[{"account":"` + bob.String() +
			`","points":16,"rank":1},{"account":"` +
			ann.String() + `","points":8,"rank":2}],"season":1,"starts_at":1777593600000}`
		if string(c.Raw) != want {
			t.Errorf("table\n%s, want\n%s", c.Raw, want)
		}
		// The example of docs/protocol.md.
		if got := c.Hash.String(); got != "c71d08ea09322d7b3271e34a89cca2e143e83161ad0d992bcc04df19a2330a68" {
			t.Errorf("hash %s", got)
		}
		closed, b, err := h.SeasonTable(ctx, tx, 1, &ann, 1)
		if err != nil || closed == nil || len(b.Rows) != 1 || b.Rows[0].Username != "Player-2" || b.Me == nil ||
			b.Me.Rank != 2 || b.Me.Value != 8 {
			t.Errorf("season 1 for Ann: %+v, error %v", b, err)
		}
		_, b, err = h.SeasonTable(ctx, tx, 1, &bob, 1)
		if err != nil || b.Me == nil || b.Me.Rank != 1 || b.Me.Value != 16 {
			t.Errorf("season 1 for Bob: %+v, error %v", b, err)
		}
		if _, b, err = h.SeasonTable(ctx, tx, 1, nil, 1); err != nil || len(b.Rows) != 1 || b.Me != nil {
			t.Errorf("season 1 for a stranger: %+v, error %v", b, err)
		}
		now, err := h.SeasonBoard(ctx, tx, 2, &ann, PageRequest{Count: 10})
		if err != nil || now.Me != nil || len(now.Rows) != 0 {
			t.Errorf("season 2: %+v, error %v", now, err)
		}
		items, err := h.FeedItems(ctx, tx, Newest, 10)
		if err != nil {
			return err
		}
		closings := 0
		for _, s := range items {
			if s.Kind == ItemSeason {
				closings++
			}
		}
		if closings != 1 {
			t.Errorf("%d feed items of the closing, want 1: %+v", closings, items)
		}
		_, err = h.ClosedSeason(ctx, tx, 2)
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("season 2 is closed: error %v", err)
		}
		return h.Check(ctx, tx, func(d Divergence) { t.Errorf("%+v", d) })
	})
}

// TestSeasonsMissed checks that a service that was down for long closes all missed seasons,
// including those without players.
func TestSeasonsMissed(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	h.ledger.Clock.Add(100 * 24 * time.Hour)
	if n, err := h.CloseSeasons(t.Context()); n != 3 || err != nil {
		t.Fatalf("closed %d, error %v", n, err)
	}
	if n, err := h.CloseSeasons(t.Context()); n != 0 || err != nil {
		t.Fatalf("closed %d again, error %v", n, err)
	}
	if got := h.closings(t); len(got) != 3 {
		t.Errorf("on the chain: %+v", got)
	}
}

// TestReportDelaysClosing checks that a pending report that was posted up to the end of closeGrace delays the
// closing of a season, and that a younger one does not.
func TestReportDelaysClosing(t *testing.T) {
	t.Parallel()
	for after, due := range map[time.Duration]bool{closeGrace: false, closeGrace + time.Millisecond: true} {
		h := newHarness(t, ledgertest.Options{})
		h.ledger.Clock.Set(h.Season(1).EndsAt.Add(after))
		now := h.ledger.Clock.Now()
		h.update(t, func(ctx context.Context, tx *store.Tx) error {
			return h.RunEnded(ctx, tx, Run{
				ID: "one", Account: chain.Address{1}, Entry: chain.EntryFree, Status: chain.RunLost, Throws: 1,
				StartedAt: now, EndedAt: now,
			})
		})
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			season, got, err := h.dueSeason(ctx, tx)
			if season.Number != 1 || got != due {
				t.Errorf("season %d, due %v with a report posted %v after its end", season.Number, got, after)
			}
			return err
		})
	}
}

// TestCheckFinds checks that Check reports every kind of damaged row.
func TestCheckFinds(t *testing.T) {
	t.Parallel()
	whats := map[string]string{"table": "season 1", "rank": "season 1: rank 1"} // where another finding would do
	for name, sql := range map[string]string{
		"points":      `UPDATE score_entry SET value = value + 1 WHERE board = 4294967296`,
		"sort key":    `UPDATE score_entry SET place = place - 1 WHERE board = 4294967296`,
		"entry":       `DELETE FROM score_entry WHERE board = 4294967296`,
		"fact":        `UPDATE score_fact SET points = points * 2`,
		"lost fact":   `DELETE FROM score_fact`,
		"counts":      `UPDATE score_player SET counts = '{}'`,
		"lost counts": `DELETE FROM score_player`,
		"block":       `UPDATE score_block SET n = n + 1`,
		"total":       `UPDATE score_board SET total = total + 1 WHERE board = 4294967296`,
		"table":       `UPDATE score_season SET raw = '{}'`,
		"rank":        `UPDATE score_entry SET value = value + 1 WHERE board = 12884901889`,
		"hash":        `UPDATE score_season SET hash = tx`,
		"chain":       `UPDATE score_season SET tx = (SELECT hash FROM chain_pending WHERE hash <> tx LIMIT 1)`,
		"lost change": `DELETE FROM score_change`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t, ledgertest.Options{})
			h.claim(t, h.player(t, 1, chain.Full), "one", 3)
			if err := h.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			h.ledger.Clock.Set(h.Season(1).EndsAt.Add(closeGrace))
			if _, err := h.CloseSeasons(t.Context()); err != nil {
				t.Fatal(err)
			}
			h.claim(t, h.player(t, 2, chain.Full), "two", 4)
			h.ledger.Join(t)
			check := func() (list []string) {
				h.view(t, func(ctx context.Context, tx *store.Tx) error {
					return h.Check(ctx, tx, func(d Divergence) { list = append(list, d.What) })
				})
				return list
			}
			if list := check(); list != nil {
				t.Fatalf("divergences before the damage: %q", list)
			}
			h.update(t, func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.ExecContext(ctx, sql)
				return err
			})
			if list := check(); list == nil || whats[name] != "" && !slices.Contains(list, whats[name]) {
				t.Errorf("not found: %s\nbut: %q", sql, list)
			} else {
				t.Log(strings.Join(list, "; "))
			}
		})
	}
}

// TestBoardNames checks the names of boards in divergences, names of damaged rows included.
func TestBoardNames(t *testing.T) {
	t.Parallel()
	for b, want := range map[Board]string{
		boardAll: "all/0", boardOf(kindAchievement, 3): "achievement/3", boardOf(8, 0): "8/0",
		boardOf(kindWeek, 2943): "week/2943", boardOf(kindDaily, 1): "daily/1", boardOf(0, 5): "0/5", boardOf(100,
			5): "100/5",
	} {
		if got := b.String(); got != want {
			t.Errorf("%d: %s, want %s", int64(b), got, want)
		}
	}
}
