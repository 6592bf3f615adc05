package score

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestPaging pages through a board with every size of page: each row comes once, with its rank and name, and
// the last page has no next one.
func TestPaging(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	const players = 7
	for n := range players {
		h.reportClaim(t, h.player(t, n+1, chain.Full), fmt.Sprint("run ", n), int64(n%3+1))
	}
	h.drainAll(t)
	var all []Row
	for size := int64(players + 1); size > 0; size-- {
		var rows []Row
		pages := int64(0)
		for p := (PageRequest{Count: size}); pages == 0 || p.After != ""; pages++ {
			var b *BoardPage
			h.view(t, func(ctx context.Context, tx *store.Tx) (err error) {
				b, err = h.AllTimeBoard(ctx, tx, nil, p)
				return err
			})
			if b.First != (pages == 0) || b.Total != players || int64(len(b.Rows)) > size || b.Me != nil {
				t.Errorf("%d a page: page %d is %+v", size, pages, b)
			}
			rows, p.After = append(rows, b.Rows...), b.Next
			if pages > players {
				t.Fatalf("%d a page: no page is the last one", size)
			}
		}
		if want := (players + size - 1) / size; pages != want {
			t.Errorf("%d a page: %d pages, want %d", size, pages, want)
		}
		if all == nil {
			all = rows
		}
		if !slices.Equal(rows, all) {
			t.Errorf("%d a page:\n got %+v\nwant %+v", size, rows, all)
		}
	}
	for i, r := range all {
		if r.Rank != int64(i)+1 || r.Username == "" || i > 0 && r.Value > all[i-1].Value {
			t.Errorf("row %d: %+v", i, r)
		}
	}
	if len(all) != players {
		t.Errorf("%d rows, want %d", len(all), players)
	}
}

// TestPagingOfTeams pages through the board of teams one row at a time.
func TestPagingOfTeams(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	const teams = 4
	for n := range teams {
		player := h.player(t, n+1, chain.Full)
		h.update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := h.teams.Create(ctx, tx, player, fmt.Sprint("Team ", n), false)
			return err
		})
		h.claim(t, player, fmt.Sprint("run ", n), int64(n+1))
	}
	var names []string
	for p := (PageRequest{Count: 1}); len(names) == 0 || p.After != ""; {
		var b *BoardPage
		h.view(t, func(ctx context.Context, tx *store.Tx) (err error) {
			b, err = h.TeamBoard(ctx, tx, h.ledger.Clock.Now(), nil, p)
			return err
		})
		if len(b.Rows) != 1 || len(names) == teams {
			t.Fatalf("after %q: %+v", names, b.Rows)
		}
		names, p.After = append(names, b.Rows[0].Username), b.Next
	}
	if want := []string{"Team 3", "Team 2", "Team 1", "Team 0"}; !slices.Equal(names, want) {
		t.Errorf("pages of %q, want %q", names, want)
	}
}

// TestReportsAreLeft checks that a call of CloseSeasons without a season to close reduces nothing.
func TestReportsAreLeft(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	h.reportClaim(t, h.player(t, 1, chain.Full), "run", 1)
	if n, err := h.CloseSeasons(t.Context()); n != 0 || err != nil {
		t.Errorf("closed %d, error %v", n, err)
	}
	if b := h.backlog(t); b.Reports != 1 {
		t.Errorf("%d reports are pending, want 1", b.Reports)
	}
}

// TestDeriveHidden checks that an account is hidden from its first fact on, and not before.
func TestDeriveHidden(t *testing.T) {
	t.Parallel()
	facts := []fact{{kind: factTeam, at: day(1)}, {kind: factTeam, at: day(1)}}
	for n := range len(facts) + 1 {
		for x, want := range map[exposure]int64{{}: 0, {bound: true}: int64(min(n, 1)), {bound: true, since: 1}: 0} {
			if sums, _ := derive(facts[:n], x, day(1)); sums.Hidden != want || sums.Facts != int64(n) {
				t.Errorf("%d facts, %+v: hidden %d, want %d", n, x, sums.Hidden, want)
			}
		}
	}
}

// TestVoidAfterChange checks that the entry of a team which has no points left is removed, although an
// earlier result of the same declaration has changed it.
func TestVoidAfterChange(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann := h.player(t, 1, chain.Full)
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := h.teams.Create(ctx, tx, ann, "Rockets", false)
		return err
	})
	h.claim(t, ann, "run", 3)
	h.exec(t, "UPDATE score_fact SET team = 0")
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		var team int64
		if err := tx.QueryRowContext(ctx, "SELECT team_id FROM team").Scan(&team); err != nil {
			return err
		}
		u := newBoardUpdate()
		k := entryKey{boardOf(kindTeams, 1), string(teamMember(team))}
		other := entryKey{boardAll, "another"}
		for _, k := range []entryKey{other, k} {
			u.put(k, addPoints(1, time.Unix(1_800_000_000, 0)))
		}
		if err := correctTeam(ctx, tx, u, team, 1); err != nil {
			return err
		}
		if _, kept := u.after[k]; kept || len(u.after) != 1 || !slices.Equal(u.order, []entryKey{other}) || !u.removed[k] {
			t.Errorf("stored are %v, removed %v", u.order, u.removed)
		}
		return correctTeam(ctx, tx, u, team+1, 1) // which has no entry
	})
}

// TestMayBeDropped checks that the boards of the last three weeks and fourteen days are kept, and all others
// that have no time.
func TestMayBeDropped(t *testing.T) {
	t.Parallel()
	now := day(100)
	week, today := weekOf(now), DayOf(now)
	for b, want := range map[Board]bool{
		boardOf(kindWeek, week): false, boardOf(kindWeek, week-keptWeeks): false,
		boardOf(kindWeek, week-keptWeeks-1): true, boardOf(kindDaily, today): false,
		boardOf(kindDaily, today-keptDays): false, boardOf(kindDaily, today-keptDays-1): true,
		boardAll: false, boardPlayers: false, boardOf(kindSeason, 1): false, boardOf(kindTeams, 1): false,
		boardOf(kindAchievement, 1): false,
	} {
		if got := mayBeDropped(b, now); got != want {
			t.Errorf("board %v may be dropped: %v, want %v", b, got, want)
		}
	}
}

// TestEntryOfTeam checks that an entry of a team names it by its id, which the board joins by.
func TestEntryOfTeam(t *testing.T) {
	t.Parallel()
	at := day(1)
	e := forTeam(123_456, addPoints(5, at))(nil)
	if e != (entry{sortKey: pointsKey(5, at), value: 5, ref: "123456"}) {
		t.Errorf("first %+v", e)
	}
	if e = forTeam(123_456, addPoints(2, at.Add(-time.Hour)))(&e); e != (entry{pointsKey(7, at), 7, "123456"}) {
		t.Errorf("then %+v", e)
	}
}
