package score

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

func (h *harness) exec(t tester, sql string) {
	t.Helper()
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, sql)
		return err
	})
}

// TestDatabaseErrors checks that errors of the database itself refuse no report: the reports
// stay in the inbox, in order, until the database works again.
func TestDatabaseErrors(t *testing.T) {
	t.Parallel()
	failures := map[string][2]string{"read only": {`PRAGMA query_only = ON`, `PRAGMA query_only = OFF`}}
	if storetest.Postgres() {
		failures = map[string][2]string{}
		for _, code := range []string{"53100", "53200", "57014", "58030", "XX000", "42501", "57P01", "08006"} {
			failures[code] = [2]string{`CREATE FUNCTION failing() RETURNS trigger LANGUAGE plpgsql AS
					'BEGIN RAISE EXCEPTION USING ERRCODE = ''` + code + `''; END';
				CREATE TRIGGER failing BEFORE INSERT ON score_fact FOR EACH STATEMENT
					EXECUTE FUNCTION failing()`, `DROP FUNCTION failing CASCADE`}
		}
	}
	for name, sql := range failures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place := storetest.New(t)
			h := newHarness(t, ledgertest.Options{DB: place})
			change := func(sql string) {
				if !storetest.Postgres() { // a setting of the writing connection, until it is reopened
					h.exec(t, sql)
				} else if _, err := storetest.Raw(t, place).ExecContext(t.Context(), sql); err != nil {
					t.Fatal(err)
				}
			}
			ann, bob := h.player(t, 1, chain.Full), h.player(t, 2, chain.Guest)
			const each = runsPerDay
			for i := range each {
				h.reportClaim(t, ann, fmt.Sprint("ann ", i), 1)
				h.reportClaim(t, bob, fmt.Sprint("bob ", i), 2)
			}
			change(sql[0])
			if err := h.Drain(t.Context()); !store.IsTransient(err) {
				t.Errorf("error %v", err)
			}
			if b := h.backlog(t); b.Reports != 2*each || b.Refused != 0 {
				t.Errorf("backlog %+v while the database fails, want %d reports", b, 2*each)
			}
			change(sql[1])
			h.drainAll(t)
			now := h.ledger.Clock.Now().Unix()
			h.wantBoard(t, boardAll, []line{{string(bob[:]), 4 * each, 0, now}, {string(ann[:]), 2 * each, 0, now}})
			h.wantConsistent(t)
		})
	}
}

// TestRefusedOnce checks that one of two nodes with the same failed report refuses it, and that
// the other does not refuse the report that reuses its id.
func TestRefusedOnce(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann := h.player(t, 1, chain.Full)
	h.exec(t, `INSERT INTO score_inbox (posted_at, kind, account, team, other_team, body)
		SELECT 1, 'rain', address, 0, 0, '{}' FROM account LIMIT 1`)
	step, reason := h.reduce(t.Context(), 1)
	if reason == nil {
		t.Fatal("an unknown kind of report was reduced")
	}
	if n, err := h.reduceNext(t.Context()); n != 1 || err == nil {
		t.Fatalf("got %d reports, error %v, want one refused", n, err)
	}
	h.reportClaim(t, ann, "good", 3)
	if n, err := h.refuse(t.Context(), step, reason); n != 0 || !errors.Is(err, errStale) {
		t.Errorf("refused %d more, error %v", n, err)
	}
	h.drainAll(t)
	if b := h.backlog(t); b.Refused != 1 {
		t.Errorf("%+v", b)
	}
	h.wantBoard(t, boardAll, []line{{string(ann[:]), 8, 0, h.ledger.Clock.Now().Unix()}})
}

// daily reports a player's daily run of a day, counted from genesis, and leaves the report
// pending.
func (h *harness) daily(t tester, a chain.Address, n int) {
	t.Helper()
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		return h.RunEnded(ctx, tx, Run{
			ID: fmt.Sprintf("%x %d", a[19:], n), Account: a, Entry: chain.EntryDaily, Status: chain.RunLost, Throws: 2,
			StartedAt: day(n), EndedAt: day(n),
		})
	})
}

// TestLateDaily checks that a streak counts consecutive days in whatever order their runs are
// reduced, and that Check agrees.
func TestLateDaily(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		steps      [][]int // the days of each step, in the order of the reports
		streak     Streak
		unlocked   bool // three days in a row
		playedLast int
	}{
		"in order":           {[][]int{{1}, {2}, {3}}, Streak{Now: 3, Best: 3}, true, 3},
		"the middle late":    {[][]int{{1, 3}, {2}}, Streak{Now: 3, Best: 3}, true, 3},
		"in one step":        {[][]int{{1, 3, 2}}, Streak{Now: 3, Best: 3}, true, 3},
		"backwards":          {[][]int{{3, 2, 1}}, Streak{Now: 3, Best: 3}, true, 3},
		"the first last":     {[][]int{{2, 3}, {1}}, Streak{Now: 3, Best: 3}, true, 3},
		"two streaks joined": {[][]int{{1, 2, 4, 5}, {3, 6}}, Streak{Now: 6, Best: 6}, true, 6},
		"the best before":    {[][]int{{1, 3, 6, 7}, {2}}, Streak{Now: 2, Best: 3}, true, 7},
		"a gap left":         {[][]int{{1, 5}, {3}}, Streak{Now: 1, Best: 1}, false, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t, ledgertest.Options{})
			ann, bob := h.player(t, 1, chain.Full), h.player(t, 2, chain.Guest)
			for _, days := range c.steps {
				for _, n := range days {
					h.daily(t, ann, n)
					h.daily(t, bob, n)
				}
				h.drainAll(t)
				h.wantConsistent(t)
			}
			c.streak.PlayedOn = DayOf(day(c.playedLast))
			h.view(t, func(ctx context.Context, tx *store.Tx) error {
				got, err := h.StreakOf(ctx, tx, ann, c.streak.PlayedOn)
				if err != nil || got != c.streak {
					t.Errorf("%+v, error %v, want %+v", got, err, c.streak)
				}
				list, _, err := h.AchievementsOf(ctx, tx, &bob)
				for _, p := range list {
					if p.ID == "streak_3" && (p.UnlockedAt != nil) != c.unlocked {
						t.Errorf("%s unlocked at %v", p.ID, p.UnlockedAt)
					}
				}
				return err
			})
		})
	}
}

// TestDaysAreReadWhenLate checks that a step reads all days of an account only for a daily run of an
// earlier day than the last, not for one more of the last day.
func TestDaysAreReadWhenLate(t *testing.T) {
	t.Parallel()
	var reads atomic.Int64
	faults := storetest.ViewsOnce()
	faults.Statement = func(query string) error {
		if strings.Contains(query, "entry = 'daily' AND account IN") {
			reads.Add(1)
		}
		return nil
	}
	h := newHarness(t, ledgertest.Options{DB: store.Config{Faults: faults}})
	ann := h.player(t, 1, chain.Full)
	runs := 0
	for _, c := range []struct {
		name string
		days []int
		want int64 // reads of the step
	}{
		{"the first", []int{2}, 0}, {"the same day again", []int{2}, 0},
		{"the next day, twice in a step", []int{3, 3}, 0},
		{"an earlier day", []int{1}, 1}, {"two earlier days", []int{2, 1}, 1}, {"the last day after that", []int{3}, 0},
	} {
		before := reads.Load()
		for _, n := range c.days {
			runs++
			h.update(t, func(ctx context.Context, tx *store.Tx) error {
				return h.RunEnded(ctx, tx, Run{
					ID: fmt.Sprint("run ", runs), Account: ann, Entry: chain.EntryDaily, Status: chain.RunLost,
					Throws: 2, StartedAt: day(n), EndedAt: day(n),
				})
			})
		}
		h.drainAll(t)
		if n := reads.Load() - before; n != c.want {
			t.Errorf("%s: the days were read %d times, want %d", c.name, n, c.want)
		}
	}
	h.wantConsistent(t)
}

// endless is a feed that posts a new report for each item.
type endless struct {
	*harness
	account chain.Address
	n       int
}

func (e *endless) Publish(ctx context.Context, tx *store.Tx, _ *FeedItem) error {
	e.n++
	now := e.ledger.Clock.Now()
	return e.RunEnded(ctx, tx, Run{
		ID: fmt.Sprint("endless ", e.n), Account: e.account, Entry: chain.EntryFree, Status: chain.RunClaimed,
		Cleared: 9, Throws: 9, StartedAt: now, EndedAt: now,
	})
}

// TestClosedUnderLoad checks that a season is closed with all its points although each step
// brings new reports.
func TestClosedUnderLoad(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann := h.player(t, 1, chain.Full)
	feed := &endless{harness: h, account: ann}
	h.Feed = feed
	h.ledger.Clock.Set(h.Season(1).EndsAt.Add(-time.Second))
	for i := range stepSize {
		h.reportClaim(t, ann, fmt.Sprint("at the last moment ", i), 3)
	}
	h.reportClaim(t, ann, "the last one", 4)
	h.ledger.Clock.Set(h.Season(1).EndsAt.Add(closeGrace))
	h.ledger.Clock.Add(time.Millisecond)
	h.reportClaim(t, ann, "the first of many", 9)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	h.ledger.Clock.Reading = func() {
		if feed.n > 1000 {
			stop()
		}
	}
	if n, err := h.CloseSeasons(ctx); n != 1 || err != nil {
		t.Fatalf("closed %d, error %v, after %d more reports", n, err, feed.n)
	}
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		c, err := h.ClosedSeason(ctx, tx, 1)
		if err != nil {
			return err
		}
		rows, err := parseTable(c.Raw)
		if len(rows) != 1 || rows[0].Value != 8*(runsPerDay-1)+16 {
			t.Errorf("closed with %s", c.Raw)
		}
		return err
	})
	h.wantConsistent(t)
}
