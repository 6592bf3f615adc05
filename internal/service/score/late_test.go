package score

import (
	"context"
	"errors"
	"fmt"
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

// TestNotWell: what a database that is not well says of itself refuses no report. They wait,
// in their order, until it is well again.
func TestNotWell(t *testing.T) {
	t.Parallel()
	ill := map[string][2]string{"read only": {`PRAGMA query_only = ON`, `PRAGMA query_only = OFF`}}
	if storetest.Postgres() {
		ill = map[string][2]string{}
		for _, code := range []string{"53100", "53200", "57014", "58030", "XX000", "42501", "57P01", "08006"} {
			ill[code] = [2]string{`CREATE FUNCTION ill() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION USING ERRCODE = ''` + code + `''; END';
				CREATE TRIGGER ill BEFORE INSERT ON score_fact FOR EACH STATEMENT EXECUTE FUNCTION ill()`, `DROP FUNCTION ill CASCADE`}
		}
	}
	for name, sql := range ill {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place := storetest.New(t)
			h := newHarness(t, ledgertest.Options{DB: place})
			change := func(sql string) {
				if !storetest.Postgres() { // a setting of the connection that writes, until it is opened anew
					h.exec(t, sql)
				} else if _, err := storetest.Raw(t, place).ExecContext(t.Context(), sql); err != nil {
					t.Fatal(err)
				}
			}
			ann, bob := h.player(t, 1, chain.Full), h.player(t, 2, chain.Guest)
			const each = 100
			for i := range each {
				h.reportClaim(t, ann, fmt.Sprint("ann ", i), 1)
				h.reportClaim(t, bob, fmt.Sprint("bob ", i), 2)
			}
			change(sql[0])
			if err := h.Drain(t.Context()); !store.IsTransient(err) {
				t.Errorf("error %v", err)
			}
			if b := h.backlog(t); b.Reports != 2*each || b.Refused != 0 {
				t.Errorf("meanwhile: %+v", b)
			}
			change(sql[1])
			h.drainAll(t)
			now := h.ledger.Clock.Now().Unix()
			h.wantBoard(t, boardAll, []line{{string(bob[:]), 4 * each, 0, now}, {string(ann[:]), 2 * each, 0, now}})
			h.wantConsistent(t)
		})
	}
}

// TestRefusedOnce: of two that find the same report wrong one refuses it, and the other does
// not refuse what has its number by then.
func TestRefusedOnce(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann := h.player(t, 1, chain.Full)
	h.exec(t, "INSERT INTO score_inbox (posted_at, kind, account, team, other_team, body) SELECT 1, 'rain', address, 0, 0, '{}' FROM account LIMIT 1")
	turn, why := h.reduce(t.Context(), 1)
	if why == nil {
		t.Fatal("nothing is wrong")
	}
	if n, err := h.reduceNext(t.Context()); n != 1 || err == nil {
		t.Fatalf("reacted to %d, error %v", n, err)
	}
	h.reportClaim(t, ann, "good", 3)
	if n, err := h.refuse(t.Context(), turn, why); n != 0 || !errors.Is(err, errStale) {
		t.Errorf("refused %d more, error %v", n, err)
	}
	h.drainAll(t)
	if b := h.backlog(t); b.Refused != 1 {
		t.Errorf("%+v", b)
	}
	h.wantBoard(t, boardAll, []line{{string(ann[:]), 8, 0, h.ledger.Clock.Now().Unix()}})
}

// daily has a player end the daily run of a day, counted from genesis, which nobody reacts
// to so far.
func (h *harness) daily(t tester, a chain.Address, n int) {
	t.Helper()
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		return h.RunEnded(ctx, tx, Run{
			ID: fmt.Sprintf("%x %d", a[19:], n), Account: a, Entry: chain.EntryDaily, Status: chain.RunLost, Throws: 2, StartedAt: day(n), EndedAt: day(n)})
	})
}

// TestLateDaily: a streak is of days in a row, whatever the order in which their runs are
// reacted to, and the doctor agrees.
func TestLateDaily(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		turns      [][]int // days, as they come
		streak     Streak
		unlocked   bool // three days in a row
		playedLast int
	}{
		"in order":           {[][]int{{1}, {2}, {3}}, Streak{Now: 3, Best: 3}, true, 3},
		"the middle late":    {[][]int{{1, 3}, {2}}, Streak{Now: 3, Best: 3}, true, 3},
		"in one turn":        {[][]int{{1, 3, 2}}, Streak{Now: 3, Best: 3}, true, 3},
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
			for _, days := range c.turns {
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

// endless is a feed that has something new to react to follow from each story.
type endless struct {
	*harness
	account chain.Address
	n       int
}

func (e *endless) Publish(ctx context.Context, tx *store.Tx, _ *FeedItem) error {
	e.n++
	now := e.ledger.Clock.Now()
	return e.RunEnded(ctx, tx, Run{
		ID: fmt.Sprint("endless ", e.n), Account: e.account, Entry: chain.EntryFree, Status: chain.RunClaimed, Cleared: 9, Throws: 9, StartedAt: now, EndedAt: now})
}

// TestClosedWhileMuchComes: however much comes while a season is over, it is closed, with
// all that belongs to it.
func TestClosedWhileMuchComes(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann := h.player(t, 1, chain.Full)
	feed := &endless{harness: h, account: ann}
	h.Feed = feed
	h.ledger.Clock.Set(h.Season(1).EndsAt.Add(-time.Second))
	for i := range stepSize + 1 {
		h.reportClaim(t, ann, fmt.Sprint("at the last moment ", i), 3)
	}
	h.ledger.Clock.Set(h.Season(1).EndsAt.Add(closeGrace))
	h.ledger.Clock.Add(time.Millisecond)
	h.reportClaim(t, ann, "the first of many", 9)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	h.Now = func() time.Time {
		if feed.n > 1000 {
			stop()
		}
		return h.ledger.Clock.Now()
	}
	if n, err := h.CloseSeasons(ctx); n != 1 || err != nil {
		t.Fatalf("closed %d, error %v, with %d more counted", n, err, feed.n)
	}
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		c, err := h.ClosedSeason(ctx, tx, 1)
		if err != nil {
			return err
		}
		rows, err := parseTable(c.Raw)
		if len(rows) != 1 || rows[0].Value != 8*(stepSize+1) {
			t.Errorf("closed with %s", c.Raw)
		}
		return err
	})
	h.wantConsistent(t)
}

// TestClocksOff: a node whose clock is behind counts nothing for a season that is closed, and
// one whose clock is ahead closes none.
func TestClocksOff(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann := h.player(t, 1, chain.Full)
	h.claim(t, ann, "in time", 3)
	shared := h.Season(1).EndsAt.Add(-time.Hour)
	h.Clock = func(context.Context) (time.Time, error) { return shared, nil }
	h.ledger.Clock.Set(h.Season(1).EndsAt.Add(10 * 24 * time.Hour))
	if n, err := h.CloseSeasons(t.Context()); n != 0 || err != nil {
		t.Errorf("closed %d by a clock that is ahead, error %v", n, err)
	}
	shared = h.Season(1).EndsAt.Add(closeGrace)
	if n, err := h.CloseSeasons(t.Context()); n != 1 || err != nil {
		t.Errorf("closed %d, error %v", n, err)
	}
	h.ledger.Clock.Set(h.Season(1).EndsAt.Add(-2 * time.Hour))
	h.claim(t, ann, "by a clock that is behind", 4)
	h.wantBoard(t, boardOf(kindSeason, 2), []line{{string(ann[:]), 16, 0, h.ledger.Clock.Now().Unix()}})
	h.wantConsistent(t)
	shared = h.Season(3).EndsAt
	if n, err := h.CloseSeasons(t.Context()); n != 0 || err != nil {
		t.Errorf("closed %d by a clock that is behind, error %v", n, err)
	}
}
