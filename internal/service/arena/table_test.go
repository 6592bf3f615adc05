package arena_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/store"
)

// play rates a duel in the human pool.
func (h *fixture) play(t testing.TB, n int, a, b chain.Address, winner string) {
	t.Helper()
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		return h.record(ctx, tx, arena.Result{
			Duel: fmt.Sprint("HUMAN", n), Pool: arena.Human, Rated: true, A: a, B: b, Winner: sides[winner],
			Rounds: rounds(winner), At: h.now(),
		})
	})
}

// TestTable plays random duels among few players, so that they often share a rating, and
// compares ranks and pages with a plain count of higher ratings.
func TestTable(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	h.SetBlockSize(2)
	duels, people := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		for _, table := range []string{"arena_rating", "arena_change", "arena_opponent"} {
			h.exec(t, "DELETE FROM "+table)
		}
		h.update(t, func(ctx context.Context, tx *store.Tx) error { return h.RebuildRanks(ctx, tx, arena.Human) })
		list := make([]chain.Address, rapid.IntRange(2, 12).Draw(rt, "people"))
		for i := range list {
			people++
			list[i] = h.player(t, people, chain.Full, 0)
		}
		for range rapid.IntRange(0, 25).Draw(rt, "duels") {
			duels++
			i := rapid.IntRange(0, len(list)-1).Draw(rt, "a")
			j := (i + rapid.IntRange(1, len(list)-1).Draw(rt, "b")) % len(list)
			h.play(t, duels, list[i], list[j], rapid.SampledFrom([]string{"a", "b", ""}).Draw(rt, "winner"))
			if rapid.IntRange(0, 9).Draw(rt, "compact") == 0 {
				if err := h.Compact(t.Context()); err != nil {
					rt.Fatal(err)
				}
			}
		}
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			return h.checkTable(ctx, tx, int64(rapid.IntRange(1, 5).Draw(rt, "page")))
		})
	})
}

func (h *fixture) checkTable(ctx context.Context, tx *store.Tx, size int64) error {
	whole, err := h.Table(ctx, tx, arena.Human, arena.TableCursor{}, 100)
	if err != nil {
		return err
	}
	if !slices.IsSortedFunc(whole, func(x, y arena.Row) int {
		return better(y, x)
	}) {
		return fmt.Errorf("not in order: %+v", whole)
	}
	for _, r := range whole {
		want := int64(1)
		for _, o := range whole {
			if better(o, r) > 0 {
				want++
			}
		}
		standing, err := h.Standing(ctx, tx, arena.Human, r.Player.Address)
		if err != nil {
			return err
		}
		if r.Rank != want || standing.Rank != want {
			return fmt.Errorf("%s: rank %d in the table, %d alone, want %d", r.Player.Username, r.Rank, standing.Rank, want)
		}
	}
	var pages []arena.Row
	after := arena.TableCursor{}
	for {
		page, err := h.Table(ctx, tx, arena.Human, after, size)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		pages = append(pages, page...)
		last := page[len(page)-1].Player
		after = arena.TableCursor{Standing: last.Record.Standing, Address: last.Address}
	}
	if len(pages) != len(whole) {
		return fmt.Errorf("%d rows in pages of %d, %d in all", len(pages), size, len(whole))
	}
	for i := range pages {
		if pages[i].Rank != whole[i].Rank || pages[i].Player.Address != whole[i].Player.Address {
			return fmt.Errorf("row %d of the pages: %+v, of the whole: %+v", i, pages[i], whole[i])
		}
	}
	return nil
}

// better compares two rows: established ratings, then higher ones.
func better(x, y arena.Row) int {
	established := func(r arena.Row) int {
		if r.Player.Record.Rating.Deviation <= arena.Provisional && r.Player.Record.Rivals >= arena.MinRivals {
			return 1
		}
		return 0
	}
	return cmp.Or(established(x)-established(y),
		cmp.Compare(x.Player.Record.Rating.Rating, y.Player.Record.Rating.Rating))
}

// TestEstablishedFirst checks that a high rating that rests on fewer than MinRivals opponents is
// below every established one, however many duels it has, and moves up with one more opponent.
func TestEstablishedFirst(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	list := make([]chain.Address, 9)
	for i := range list {
		list[i] = h.player(t, i+1, chain.Full, 0)
	}
	duels := 0
	wins := func(winner, loser int, times int) {
		for range times {
			duels++
			h.play(t, duels, list[winner], list[loser], "a")
		}
	}
	for opponent := 2; opponent < 6; opponent++ { // player 1 beats 4 stooges, player 0 plays 5 evenly
		for range 10 {
			wins(1, opponent, 3)
			wins(opponent, 1, 1)
		}
	}
	for opponent := 2; opponent < 7; opponent++ {
		wins(0, opponent, 5)
		wins(opponent, 0, 5)
	}
	var rows []arena.Row
	read := func() (row0, row1 arena.Row) {
		h.view(t, func(ctx context.Context, tx *store.Tx) (err error) {
			rows, err = h.Table(ctx, tx, arena.Human, arena.TableCursor{}, 20)
			return err
		})
		for _, r := range rows {
			switch r.Player.Address {
			case list[0]:
				row0 = r
			case list[1]:
				row1 = r
			}
		}
		return row0, row1
	}
	honest, farmed := read()
	if farmed.Player.Record.Rating.Rating <= honest.Player.Record.Rating.Rating ||
		farmed.Player.Record.Rating.Deviation > arena.Provisional {
		t.Fatalf("the stooges did not raise the rating: %+v", farmed.Player.Record)
	}
	if farmed.Rank <= honest.Rank || !farmed.Player.Record.Provisional() || honest.Player.Record.Provisional() {
		t.Errorf("ranks %d with 4 opponents, %d with 5: %+v", farmed.Rank, honest.Rank, rows)
	}
	wins(1, 7, 1)
	if honest, farmed = read(); farmed.Rank >= honest.Rank || farmed.Player.Record.Provisional() {
		t.Errorf("ranks %d and %d with 5 opponents each", farmed.Rank, honest.Rank)
	}
}

// TestOnce checks that a duel is not rated twice.
func TestOnce(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	a, b := h.player(t, 1, chain.Full, 0), h.player(t, 2, chain.Full, 0)
	h.play(t, 1, a, b, "a")
	err := h.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return h.record(ctx, tx, arena.Result{Duel: "HUMAN1", Pool: arena.Human, Rated: true, A: a, B: b,
			Winner: game.A, At: h.now()})
	})
	if !store.IsUnique(err) {
		t.Errorf("the same duel again: error %v", err)
	}
	h.update(t, func(ctx context.Context, tx *store.Tx) error { // an unrated duel
		return h.record(ctx, tx, arena.Result{Duel: "HUMAN2", A: a, B: b, Winner: game.A, At: h.now()})
	})
	if n := h.number(t, "SELECT sum(games) FROM arena_rating"); n != 2 {
		t.Errorf("%d games, want 2", n)
	}
}

// TestUpset checks that a duel tells by how much the loser was rated above the winner: only if that rating was
// established, and if the winner has won two rounds by reveals.
func TestUpset(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	top, n := h.player(t, 1, chain.Full, 0), 0
	// lose lets the top player lose against a newcomer, and returns what the duel tells.
	lose := func(rounds []chain.DuelRound) (above int64) {
		n++
		b := h.player(t, 200+n, chain.Full, 0)
		h.update(t, func(ctx context.Context, tx *store.Tx) (err error) {
			above, err = h.RecordDuel(ctx, tx, arena.Result{Duel: fmt.Sprint("UPSET", n), Pool: arena.Human, Rated: true,
				A: top, B: b, Winner: game.B, Rounds: rounds, At: h.now()})
			return err
		})
		return above
	}
	for i := range 4 {
		h.play(t, i, top, h.player(t, 10+i, chain.Full, 0), "a")
	}
	if got := lose(rounds("b")); got != 0 {
		t.Errorf("above by %d with a provisional rating", got)
	}
	for i := range 60 {
		h.play(t, 10+i, top, h.player(t, 20+i, chain.Full, 0), []string{"a", "a", "a", "b"}[i%4])
	}
	before := h.rating(t, top)
	if got := lose(nil); got != 0 {
		t.Errorf("above by %d, and the winner has won no round", got)
	}
	after := h.rating(t, top)
	if got, want := lose(rounds("b")), (after-glicko.Newcomer.Rating)/glicko.Point; got != want || want < 50 {
		t.Errorf("above by %d, want %d", got, want)
	}
	if before <= after {
		t.Errorf("the rating went from %d to %d", before, after)
	}
	last := h.player(t, 99, chain.Full, 0)
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		above, err := h.RecordDuel(ctx, tx, arena.Result{Duel: "EXPECTED", Pool: arena.Human, Rated: true, A: top,
			B: last, Winner: game.A, Rounds: rounds("a"), At: h.now()})
		if above != 0 {
			t.Errorf("above by %d as the better player wins", above)
		}
		return err
	})
}

// rating returns a player's rating in the human pool, in millionths of a point.
func (h *fixture) rating(t *testing.T, a chain.Address) (rating int64) {
	t.Helper()
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		row, err := h.Standing(ctx, tx, arena.Human, a)
		if err == nil {
			rating = row.Player.Record.Rating.Rating
		}
		return err
	})
	return rating
}

// TestRatings checks that a chart has at most the requested number of points, evenly spaced,
// and ends with the last duel.
func TestRatings(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	a, b := h.player(t, 1, chain.Full, 0), h.player(t, 2, chain.Full, 0)
	const games = 23
	for n := range games {
		h.play(t, n, a, b, []string{"a", "b", ""}[n%3])
	}
	for points, want := range map[int64][]int64{
		2: {11, 23}, 3: {7, 15, 23}, 10: {2, 5, 8, 11, 14, 17, 20, 23}, 22: {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23},
	} {
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			list, err := h.Ratings(ctx, tx, arena.PlayerKey{Pool: arena.Human, Address: a}, points)
			var got []int64
			for _, p := range list {
				got = append(got, p.GameNo)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d points: duels %v, want %v", points, got, want)
			}
			return err
		})
	}
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := h.Ratings(ctx, tx, arena.PlayerKey{Pool: arena.Human, Address: a}, 500)
		if len(list) != games {
			t.Errorf("%d points of %d duels", len(list), games)
		}
		none, errNone := h.Ratings(ctx, tx, arena.PlayerKey{Pool: arena.Bots, Address: a}, 500)
		if len(none) != 0 || errNone != nil {
			t.Errorf("in the other pool: %v, error %v", none, errNone)
		}
		return err
	})
}

// TestPeak checks that the peak is the highest rating that was not provisional.
func TestPeak(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	a := h.player(t, 1, chain.Full, 0)
	var want *int64
	for n := range 40 {
		b := h.player(t, 100+n, chain.Full, 0) // a new player
		h.play(t, n, a, b, []string{"a", "a", "b"}[n%3])
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			row, err := h.Standing(ctx, tx, arena.Human, a)
			r := row.Player.Record
			if r.Rating.Deviation <= arena.Provisional && (want == nil || r.Rating.Rating > *want) {
				want = &r.Rating.Rating
			}
			if (want == nil) != (r.Peak == nil) || want != nil && *r.Peak != *want {
				t.Fatalf("after %d duels: peak %v, want %v", n+1, r.Peak, want)
			}
			if provisional := r.Rating.Deviation > 110*glicko.Point || r.Rivals < 5; provisional != r.Provisional() {
				t.Fatalf("deviation %d is provisional: %v", r.Rating.Deviation, r.Provisional())
			}
			return err
		})
	}
	if want == nil {
		t.Error("provisional after 40 duels")
	}
}
