package score

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestTopCache checks that unchanged top rows are not read again, that each change of the board
// makes them be read again, and that the cache is bounded.
func TestTopCache(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann := h.player(t, 1, chain.Full)
	read := func(b Board) (t0, t1 *topRows) {
		for _, to := range []**topRows{&t0, &t1} {
			h.view(t, func(ctx context.Context, tx *store.Tx) error {
				v, err := h.openBoard(tx, b)
				if err != nil {
					return err
				}
				*to, err = h.top(ctx, v)
				return err
			})
		}
		return t0, t1
	}
	var last *topRows
	for i, change := range []func(){
		func() {},
		func() { h.claim(t, ann, "first", 2) },
		func() { h.claim(t, ann, "second", 3) },
		func() {
			if err := h.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
		func() { h.claim(t, ann, "third", 4) },
		func() {
			h.update(t, func(ctx context.Context, tx *store.Tx) error { return h.ForgetNames(ctx, tx, ann) })
		},
	} {
		change()
		first, second := read(boardAll)
		if first != second || first == last {
			t.Errorf("step %d: the rows are read again: %v; those of before are used: %v", i, first != second, first == last)
		}
		last = first
	}
	for n := range int64(2 * maxCachedTops) {
		b := boardOf(kindDaily, n)
		if first, second := read(b); first != second || len(h.tops.rows) > maxCachedTops {
			t.Fatalf("board %v: cached %v, %d boards, want at most %d", b, first == second, len(h.tops.rows),
				maxCachedTops)
		}
	}
}

// TestViewerRowFromTop checks that the top rows tell a viewer's row as the database does: of a
// viewer in them, of one that is not on the board, and, once the board is longer, of neither.
func TestViewerRowFromTop(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann, bob, eve := h.player(t, 1, chain.Full), h.player(t, 2, chain.Full), h.player(t, 3, chain.Full)
	h.claim(t, ann, "first", 2)
	h.claim(t, bob, "second", 3)
	check := func(who chain.Address, wantKnown bool) {
		t.Helper()
		me := &who
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			v, err := h.openBoard(tx, boardAll)
			if err != nil {
				return err
			}
			top, err := h.top(ctx, v)
			if err != nil {
				return err
			}
			want, err := h.viewerRow(ctx, tx, v, me)
			if err != nil {
				return err
			}
			total := v.Total()
			if !wantKnown {
				total++
			}
			got, known := top.viewerRow(boardAll, me, total)
			if known != wantKnown || known && !reflect.DeepEqual(got, want) {
				t.Errorf("%v: %+v, known %v; want %+v, %v", who, got, known, want, wantKnown)
			}
			return nil
		})
		if got := h.TopSuffices(boardAll, me); !got {
			t.Errorf("%v: the top rows do not suffice on a short board", who)
		}
	}
	check(ann, true)
	check(bob, true)
	check(eve, true)
	check(eve, false)
	h.claim(t, eve, "third", 4)
	check(eve, true)
	check(ann, true)
	if h.TopSuffices(boardOf(kindDaily, 1), nil) {
		t.Error("the top rows of a board that was never read suffice")
	}
}

// TestNameOnYesterdaysBoard checks that a new name reaches the cached rows of every board that
// callers can request, the board of the day before included.
func TestNameOnYesterdaysBoard(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann := h.player(t, 1, chain.Full)
	now := h.ledger.Clock.Now()
	h.endRun(t, Run{
		ID: "daily", Account: ann, Entry: chain.EntryDaily, Status: chain.RunLost, Throws: 2, StartedAt: now, EndedAt: now,
	})
	h.drainAll(t)
	h.ledger.Clock.Add(24 * time.Hour)
	for _, name := range []string{"before", "after"} {
		h.update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE account SET username = $1, username_key = $1 WHERE address = $2", name, ann[:])
			return errors.Join(err, h.Renamed(ctx, tx, ann[:]))
		})
		h.drainAll(t)
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			b, err := h.DailyBoard(ctx, tx, DayOf(now), nil, PageRequest{Count: 10})
			if err == nil && (len(b.Rows) != 1 || b.Rows[0].Username != name) {
				t.Errorf("after the name %q: %+v", name, b.Rows)
			}
			return err
		})
	}
}

// TestKeepBest checks that the first of two equal results stays.
func TestKeepBest(t *testing.T) {
	t.Parallel()
	first := entry{sortKey: 5, value: 1, ref: "first"}
	for key, want := range map[int64]string{4: "second", 5: "first", 6: "first"} {
		if got := keepBest(entry{sortKey: key, value: 1, ref: "second"})(&first); got.ref != want {
			t.Errorf("a result of %d after one of 5: %s, want the %s one", key, got.ref, want)
		}
	}
	if got := keepBest(first)(nil); got.ref != "first" {
		t.Errorf("the only one: %+v", got)
	}
}

// TestNameOfTeam checks that a hidden name of a team leaves the cached rows of the board of teams.
func TestNameOfTeam(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann := h.player(t, 1, chain.Full)
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := h.teams.Create(ctx, tx, ann, "Bad Words", false)
		return err
	})
	h.claim(t, ann, "one", 3)
	check := func(name string) {
		t.Helper()
		h.drainAll(t)
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			b, err := h.TeamBoard(ctx, tx, h.ledger.Clock.Now(), nil, PageRequest{Count: 10})
			if err == nil && (len(b.Rows) != 1 || b.Rows[0].Username != name) {
				t.Errorf("the board of teams: %+v, want %s", b.Rows, name)
			}
			return err
		})
	}
	check("Bad Words")
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := h.teams.HideName(ctx, tx, "bad-words", "an insult")
		return err
	})
	check("Hidden team 1")
	h.wantConsistent(t)
}
