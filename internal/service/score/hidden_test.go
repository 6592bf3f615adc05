package score

import (
	"context"
	"fmt"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// bind opens a player's account with a bound start.
func (h *harness) bind(t tester, a chain.Address) {
	t.Helper()
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO ledger_account (address, kind, balance, nonce, bound_start)
			VALUES ($1, 'guest', 0, 0, 1)`, a[:])
		return err
	})
}

// secure secures a player's account now.
func (h *harness) secure(t tester, a chain.Address) {
	t.Helper()
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE ledger_account SET secured_at = $1 WHERE address = $2",
			h.ledger.Clock.Now().UnixMilli(), a[:])
		return err
	})
}

// playDay claims the tier in a free and in the daily run of today, and reduces the reports.
func (h *harness) playDay(t tester, a chain.Address, tier int64) {
	t.Helper()
	now := h.ledger.Clock.Now()
	id := fmt.Sprintf("%x-%d", a[18:], now.UnixMilli())
	h.claim(t, a, id, tier)
	h.endRun(t, Run{ID: id + "-daily", Account: a, Entry: chain.EntryDaily, Status: chain.RunClaimed, Cleared: tier,
		Throws: tier + 1, StartedAt: now, EndedAt: now})
}

// valueOn returns the value of a player's entry on a board; -1 for none.
func (h *harness) valueOn(t tester, a chain.Address, b Board) (value int64) {
	t.Helper()
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT COALESCE(max(value), -1) FROM score_entry WHERE board = $1 AND member = $2",
			int64(b), a[:]).Scan(&value)
	})
	return value
}

// TestHiddenAccount checks that an account with a bound start is on no board of points before it has been secured for
// 3 days, and then with all that it earned, except in a season that has closed since, on the week's board, and on the
// boards of days up to that one; also when each statement of that step fails once.
func TestHiddenAccount(t *testing.T) {
	t.Parallel()
	h := newFaulty(t)
	ann, bob := h.players[0], h.players[1]
	h.bind(t, ann)
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := h.teams.Create(ctx, tx, ann, "Rockets", false)
		return err
	})
	first := h.ledger.Clock.Now()
	h.playDay(t, ann, 3)
	h.playDay(t, bob, 2)
	want := func(when string, values map[Board]int64) {
		t.Helper()
		for b, value := range values {
			if got := h.valueOn(t, ann, b); got != value {
				t.Errorf("%s: %d on board %v, want %d", when, got, b, value)
			}
		}
		h.wantConsistent(t)
	}
	week, day := boardOf(kindWeek, weekOf(first)), boardOf(kindDaily, DayOf(first))
	want("hidden", map[Board]int64{boardAll: -1, week: -1, boardOf(kindSeason, 1): -1, day: -1, boardPlayers: 0,
		boardOf(kindAchievement, 1): 0})
	h.ledger.Clock.Set(h.Season(1).EndsAt.Add(closeGrace))
	if n, err := h.CloseSeasons(t.Context()); n != 1 || err != nil {
		t.Fatalf("closed %d seasons, error %v", n, err)
	}
	h.playDay(t, ann, 4)
	second := h.ledger.Clock.Now()
	h.secure(t, ann)
	want("secured, and not reported", map[Board]int64{boardAll: -1, day: -1})
	h.ledger.Clock.Add(time.Hour)
	h.claim(t, ann, "the first one after", 5)
	thisWeek := boardOf(kindWeek, weekOf(second))
	want("secured for an hour", map[Board]int64{boardAll: -1, thisWeek: -1, boardOf(kindSeason, 2): -1})
	h.ledger.Clock.Set(second.Add(chain.SecureFor * time.Millisecond))
	want("secured for 3 days, and not reported", map[Board]int64{boardAll: -1})
	h.each.Wrapped = store.ErrUnavailable
	now := h.ledger.Clock.Now()
	beside := Run{ID: "beside", Account: ann, Entry: chain.EntryFree, Status: chain.RunClaimed, Cleared: 3, Throws: 4,
		StartedAt: now, EndedAt: now}
	h.each.Run(t, []storetest.Case{{Name: "report", Call: storetest.Do(h.ReportRanked)},
		{Name: "a run in the same step", Update: storetest.Do(h.RunEnded, beside)}, h.reduces()})
	today := boardOf(kindDaily, DayOf(second))
	want("secured for 3 days", map[Board]int64{boardAll: 16 + 32 + 32 + 8, thisWeek: -1,
		boardOf(kindSeason, 1): -1, boardOf(kindSeason, 2): 32 + 32 + 8, day: -1, today: -1,
		boardOf(kindTeams, 2): -1})
	h.ledger.Clock.Add(24 * time.Hour)
	h.playDay(t, ann, 3)
	want("the day after", map[Board]int64{boardAll: 88 + 16, boardOf(kindSeason, 2): 72 + 16, today: -1,
		boardOf(kindWeek, weekOf(h.ledger.Clock.Now())): 8 + 16,
		boardOf(kindDaily, DayOf(h.ledger.Clock.Now())): 3})
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		b, err := h.TeamBoard(ctx, tx, h.ledger.Clock.Now(), nil, PageRequest{Count: 10})
		if err == nil && (len(b.Rows) != 1 || b.Rows[0].Value != 8+16) {
			t.Errorf("the team has %+v, want the points since its member is on the boards", b.Rows)
		}
		return err
	})
}

// TestDayOfSecuring checks that the daily board shows an account from the day after the one on which it came onto the
// boards, to the millisecond, and that this is 3 days after its securing.
func TestDayOfSecuring(t *testing.T) {
	t.Parallel()
	const today = 20_000
	for at, want := range map[int64]bool{
		0: false, DayStart(today).UnixMilli() - 1: true, DayStart(today).UnixMilli(): false,
		DayStart(today).UnixMilli() + 1: false,
	} {
		if got := (exposure{bound: true, since: at}).on(boardOf(kindDaily, today)); got != want {
			t.Errorf("secured at %d: %v, want %v", at, got, want)
		}
	}
	for ago, want := range map[time.Duration]bool{3*24*time.Hour - time.Millisecond: false, 3 * 24 * time.Hour: true} {
		if got := exposureAt(true, DayStart(today).UnixMilli(), DayStart(today).Add(ago)).ranked(); got != want {
			t.Errorf("secured %v ago: on the boards %v, want %v", ago, got, want)
		}
	}
	if exposureAt(true, 0, DayStart(today)).ranked() || !exposureAt(false, 0, DayStart(today)).ranked() {
		t.Error("never secured: a bound start is on the boards, or a free one is not")
	}
	for b, want := range map[Board]bool{
		boardAll: false, boardOf(kindWeek, 1): false, boardOf(kindSeason, 1): false, boardPlayers: true,
		boardOf(kindAchievement, 1): true, boardOf(kindTeams, 1): true,
	} {
		if got := (exposure{bound: true}).on(b); got != want {
			t.Errorf("never secured, on board %v: %v, want %v", b, got, want)
		}
		if !(exposure{bound: true, since: 1}).on(b) || !(exposure{}).on(b) {
			t.Errorf("not on board %v", b)
		}
	}
}

// TestVersionOfCounts checks that each step that counts facts of an account raises the version of its counts
// by one: caches compare it.
func TestVersionOfCounts(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann := h.player(t, 1, chain.Full)
	h.claim(t, h.player(t, 2, chain.Full), "another", 1)
	for want := range int64(4) {
		h.claim(t, ann, fmt.Sprint("run ", want), 1)
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			var got int64
			err := tx.QueryRowContext(ctx, "SELECT version FROM score_player WHERE account = $1", ann[:]).Scan(&got)
			if got != want {
				t.Errorf("version %d after %d steps, want %d", got, want+1, want)
			}
			return err
		})
	}
}

// TestLastReportOfASeason checks that a season whose only pending report is its last one is closed with it.
func TestLastReportOfASeason(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann := h.player(t, 1, chain.Full)
	h.ledger.Clock.Set(h.Season(1).EndsAt.Add(-time.Second))
	h.reportClaim(t, ann, "at the last moment", 3)
	h.ledger.Clock.Set(h.Season(1).EndsAt.Add(closeGrace))
	if n, err := h.CloseSeasons(t.Context()); n != 1 || err != nil {
		t.Fatalf("closed %d, error %v", n, err)
	}
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		c, err := h.ClosedSeason(ctx, tx, 1)
		if err == nil && c.Players != 1 {
			t.Errorf("closed with %d players, want 1", c.Players)
		}
		return err
	})
	h.wantConsistent(t)
}

// TestTopSuffices checks that the cached rows of a board suffice for a viewer in them, and for another one
// only if the board has no further rows.
func TestTopSuffices(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	b := boardOf(kindWeek, 9)
	me := &chain.Address{9, 9, 9}
	if h.TopSuffices(b, nil) || h.TopSuffices(b, me) {
		t.Error("the rows of a board that was never read suffice")
	}
	for n, want := range map[int]bool{0: true, MaxRows - 1: true, MaxRows: false} {
		top := &topRows{rows: make([]Row, n)}
		for i := range top.rows {
			top.rows[i].Address = chain.Address{byte(i), 1}
		}
		h.tops.rows[b] = top
		if !h.TopSuffices(b, nil) || h.TopSuffices(b, me) != want {
			t.Errorf("%d rows: %v without a viewer, %v with one, want %v", n, h.TopSuffices(b, nil), h.TopSuffices(b, me), want)
		}
		if n > 0 && !h.TopSuffices(b, &top.rows[n-1].Address) {
			t.Errorf("%d rows do not suffice for the last one in them", n)
		}
		if h.TopSuffices(boardOf(kindTeams, 1), me) {
			t.Error("the rows of the teams suffice for an account")
		}
	}
}

// TestEachStatementOfRequeueing refuses a report and moves it back to the inbox, with each statement failing
// once: the report is in one of the two, and its loss is never silent.
func TestEachStatementOfRequeueing(t *testing.T) {
	t.Parallel()
	h := newFaulty(t)
	h.exec(t, `INSERT INTO score_inbox (posted_at, kind, account, team, other_team, body)
		SELECT 1, 'rain', address, 0, 0, '{}' FROM account LIMIT 1`)
	step, reason := h.reduce(t.Context(), 1)
	if reason == nil {
		t.Fatal("an unknown kind of report was reduced")
	}
	h.each.Run(t, []storetest.Case{
		{Name: "refuse", Call: func(c storetest.In) (any, error) {
			n, err := h.refuse(c, step, reason)
			if n == 1 {
				return nil, nil // the error is the reason
			}
			return nil, err
		}},
		{Name: "requeue", Call: storetest.Do(h.requeueRefused)},
	})
	if b := h.backlog(t); b.Reports != 1 || b.Refused != 0 {
		t.Errorf("backlog %+v, want one report", b)
	}
}

// TestDamagedTable checks that a final table that cannot be read is an error, and no empty page.
func TestDamagedTable(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	h.claim(t, h.player(t, 1, chain.Full), "one", 3)
	h.ledger.Clock.Set(h.Season(1).EndsAt.Add(closeGrace))
	if n, err := h.CloseSeasons(t.Context()); n != 1 || err != nil {
		t.Fatalf("closed %d, error %v", n, err)
	}
	h.exec(t, "UPDATE score_season SET raw = '{}'")
	err := h.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, _, err := h.SeasonTable(ctx, tx, 1, nil, 10)
		return err
	})
	if err == nil {
		t.Error("a damaged table is served")
	}
}
