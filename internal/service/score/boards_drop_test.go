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
)

// TestDropOldBoards checks that old boards are dropped and all others kept, that paging through
// a dropped board ends, and that Check still agrees. One board has more entries than one
// transaction deletes.
func TestDropOldBoards(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	begun := h.ledger.Clock.Now()
	a, b := h.player(t, 1, chain.Guest), h.player(t, 2, chain.Guest)
	play := func(account chain.Address, id string) {
		now := h.ledger.Clock.Now()
		h.claim(t, account, id+"-free", 2)
		h.endRun(t, Run{
			ID: id + "-daily", Account: account, Entry: chain.EntryDaily, Status: chain.RunClaimed, Cleared: 1,
			Throws: 2, StartedAt: now, EndedAt: now,
		})
	}
	play(a, "first")
	play(b, "second")
	if err := h.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.update(t, func(ctx context.Context, tx *store.Tx) error { // a much older board, never compacted
		var rows [][]any
		for i := range dropSize + 5 {
			rows = append(rows, []any{
				fmt.Appendf(nil, "%08d", i), int64(boardOf(kindDaily, DayOf(begun)-100)), int64(-i), int64(1), "run",
			})
		}
		return store.BulkInsert(ctx, tx, "score_entry", []string{"member", "board", "place", "value", "ref"}, rows)
	})
	page := func(account *chain.Address, p PageRequest) (s *BoardPage) {
		h.view(t, func(ctx context.Context, tx *store.Tx) (err error) {
			s, err = h.WeekBoard(ctx, tx, begun, account, p)
			return err
		})
		return s
	}
	next := page(nil, PageRequest{Count: 1}).Next
	if next == "" {
		t.Fatal("the board of the week has one page, want two")
	}
	check := func() {
		t.Helper()
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			return h.Check(ctx, tx, func(d Divergence) { t.Errorf("%+v", d) })
		})
	}
	for _, step := range []struct {
		days, want int
	}{
		{keptDays, 8}, // two entries, a row and a block of each board; the older board is gone
		{keptDays + 1, 4},
		{7*keptWeeks - 1, 4},
		{7 * (keptWeeks + 1), 0},
	} {
		h.ledger.Clock.Add(begun.AddDate(0, 0, step.days).Sub(h.ledger.Clock.Now()))
		check()
		if err := h.DropOldBoards(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := h.kept(t, begun); got != step.want {
			t.Errorf("after %d days: got %d rows, want %d", step.days, got, step.want)
		}
		check()
	}
	if s := page(nil, PageRequest{After: next, Count: 1}); len(s.Rows) != 0 || s.Next != "" {
		t.Errorf("next page of a dropped board: got %+v, want no rows", s)
	}
	play(a, "third")
	check()
	points := []line{{string(a[:]), 12, 0, h.ledger.Clock.Now().Unix()}, {string(b[:]), 6, 0, begun.Unix()}}
	h.wantBoard(t, boardAll, points)
}

// kept counts the stored rows of the boards of a week and a day, and of earlier days.
func (h *harness) kept(t tester, at time.Time) (n int) {
	t.Helper()
	week, day := boardOf(kindWeek, weekOf(at)), boardOf(kindDaily, DayOf(at))
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx, `SELECT
			(SELECT count(*) FROM score_entry WHERE board = $1 OR board BETWEEN $3 AND $2)
			+ (SELECT count(*) FROM score_board WHERE board IN ($1, $2))
			+ (SELECT count(*) FROM score_block WHERE board IN ($1, $2))`,
			int64(week), int64(day), int64(boardOf(kindDaily, 0))).Scan(&n)
	})
	return n
}

// TestCompactorReportsErrors checks that the compactor reports the errors of dropping and of
// compacting boards, and continues after each.
func TestCompactorReportsErrors(t *testing.T) {
	t.Parallel()
	var failing atomic.Bool
	h := newHarness(t, ledgertest.Options{DB: store.Config{Faults: &store.Faults{Statement: func(string) error {
		if failing.Load() {
			return store.ErrUnavailable
		}
		return nil
	}}}})
	failing.Store(true)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	reported := make(chan error, 2)
	go h.RunCompactor(ctx, func(err error) {
		select {
		case reported <- err:
		default: // two errors are enough
		}
	})
	for _, want := range []string{"score: drop old boards", "rank: compact"} {
		if err := <-reported; !errors.Is(err, store.ErrUnavailable) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got error %v, want one of %q", err, want)
		}
	}
}

// TestCompactorDrops checks that the compactor drops old boards when it starts.
func TestCompactorDrops(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	a := h.player(t, 1, chain.Guest)
	for range 2 {
		week := boardOf(kindWeek, weekOf(h.ledger.Clock.Now()))
		h.claim(t, a, fmt.Sprint(week), 3)
		h.ledger.Clock.Add(10 * 7 * 24 * time.Hour)
		ctx, stop := context.WithCancel(t.Context())
		go h.RunCompactor(ctx, func(err error) { t.Error(err) })
		for left := 1; left > 0; {
			h.view(t, func(ctx context.Context, tx *store.Tx) error {
				row := tx.QueryRowContext(ctx, "SELECT count(*) FROM score_entry WHERE board = $1", int64(week))
				return row.Scan(&left)
			})
		}
		stop()
	}
}
