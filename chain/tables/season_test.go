package tables_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/chain/games/gamestest"
	"roshambo/chain/tables"
)

const day = 24 * time.Hour / time.Millisecond

// newSeason returns season 2 of a chain that began in the middle of day 100.
func newSeason() (s *tables.Season, began int64) {
	return &tables.Season{
		Number: 2, StartsAt: int64(128 * day), EndsAt: int64(156 * day), Players: 3,
		Rows: []tables.Standing{
			{Account: chain.Address{1}, Points: 9, Rank: 1},
			{Account: chain.Address{3}, Points: 4, Rank: 2},
			{Account: chain.Address{2}, Points: 4, Rank: 3},
		},
	}, int64(100*day + day/2)
}

// TestSeasonText checks that a table has one text.
func TestSeasonText(t *testing.T) {
	t.Parallel()
	s, began := newSeason()
	const want = `{"ends_at":13478400000,"players":3,"rows":[` +
		`{"account":"rps1qyqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqpyt4cu","points":9,"rank":1},` +
		`{"account":"rps1qvqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq6093p6","points":4,"rank":2},` +
		`{"account":"rps1qgqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqr7znee","points":4,"rank":3}],"season":2,"starts_at":11059200000}`
	if got := string(s.Raw()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, err := tables.ParseSeason([]byte(want)); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("%+v, %v, want %+v", got, err, s)
	}
	c := tables.New()
	c.Genesis(began)
	rows, err := c.Season(&chain.SeasonClose{Season: 2}, []byte(want))
	if err != nil || !reflect.DeepEqual(rows, s.Rows) {
		t.Errorf("%+v, %v, want %+v", rows, err, s.Rows)
	}
	if _, err := c.Season(&chain.SeasonClose{Season: 3}, []byte(want)); err == nil {
		t.Error("the table of another season was accepted")
	}
	if _, err := tables.New().Season(&chain.SeasonClose{Season: 2}, []byte(want)); err == nil {
		t.Error("the table of a chain that began at another time was accepted")
	}
	for i := range want {
		from, to := want[:i], want[i:]
		for _, other := range []string{from, from + to[1:], from + " " + to, from + "," + to} {
			if got, err := tables.ParseSeason([]byte(other)); err == nil && string(got.Raw()) != other {
				t.Errorf("%s was read as %s", other, got.Raw())
			}
		}
	}
}

// TestSeasonCheck checks which texts are valid as the table of a season.
func TestSeasonCheck(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		spoil func(s *tables.Season)
		want  string // of the error; "" for none
	}{
		"honest":             {func(*tables.Season) {}, ""},
		"no points":          {func(s *tables.Season) { s.Rows[2].Points = 0 }, "row 3 is out of order, has no points"},
		"nobody":             {func(s *tables.Season) { s.Players, s.Rows = 0, nil }, ""},
		"another number":     {func(s *tables.Season) { s.Number = 1 }, "another season"},
		"another start":      {func(s *tables.Season) { s.StartsAt++ }, "another season"},
		"another end":        {func(s *tables.Season) { s.EndsAt-- }, "another season"},
		"a row left out":     {func(s *tables.Season) { s.Rows = s.Rows[:2] }, "2 rows of 3 players"},
		"a row too many":     {func(s *tables.Season) { s.Players = 2 }, "3 rows of 2 players"},
		"a shared rank":      {func(s *tables.Season) { s.Rows[2].Rank = 2 }, "row 3 is out of order"},
		"points below zero":  {func(s *tables.Season) { s.Rows[2].Points = -1 }, "row 3 is out of order"},
		"more points below":  {func(s *tables.Season) { s.Rows[1].Points = 10 }, "row 2 is out of order"},
		"an account twice":   {func(s *tables.Season) { s.Rows[2].Account = s.Rows[0].Account }, "row 3"},
		"too many of a page": {func(s *tables.Season) { s.Players = tables.SeasonRows + 1 }, "3 rows"},
	} {
		s, began := newSeason()
		tt.spoil(s)
		err := s.Check(2, began)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// TestClaimPoints checks the points of claimed runs.
func TestClaimPoints(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ first, cleared, want int64 }{
		{0, 0, 1}, {0, 1, 2}, {0, 10, 1024}, {0, 30, 1 << 30}, {0, 31, 1 << 30}, {1, 3, 6}, {2, 2, 0}, {3, 2, 0}, {0, -1, 1},
	} {
		if got := tables.ClaimPoints(tt.first, tt.cleared); got != tt.want {
			t.Errorf("from tier %d, cleared %d: %d points, want %d", tt.first, tt.cleared, got, tt.want)
		}
	}
}

// TestMostPoints checks the limits of a day: the 20 best runs and 10 duels.
func TestMostPoints(t *testing.T) {
	t.Parallel()
	games := func(n int, e tables.Earning) (list []tables.Earning) {
		for range n {
			list = append(list, e)
		}
		return list
	}
	run := func(day, points int64) tables.Earning { return tables.Earning{Season: 1, Day: day, Points: points} }
	won := func(day int64) tables.Earning {
		return tables.Earning{Season: 1, Day: day, Points: tables.DuelPoints, Duel: true}
	}
	for name, tt := range map[string]struct {
		list []tables.Earning
		want int64
	}{
		"nothing":              {nil, 0},
		"20 runs":              {games(20, run(3, 4)), 80},
		"a run too many":       {games(21, run(3, 4)), 80},
		"better runs replace":  {append(games(20, run(3, 4)), run(3, 64), run(3, 2)), 19*4 + 64},
		"runs of two days":     {append(games(21, run(3, 4)), games(21, run(4, 2))...), 80 + 40},
		"10 duels":             {games(10, won(3)), 80},
		"a duel too many":      {games(11, won(3)), 80},
		"duels of two days":    {append(games(11, won(3)), won(4)), 88},
		"both have own limits": {append(games(21, run(3, 4)), games(11, won(3))...), 160},
	} {
		if got := tables.MostPoints(tt.list); got != tt.want {
			t.Errorf("%s: %d points, want %d", name, got, tt.want)
		}
	}
}

// TestEarnings checks what games give: the season and the day of their transactions, and which duels give points.
func TestEarnings(t *testing.T) {
	t.Parallel()
	c := tables.New()
	began := int64(100*day + day/2)
	c.Genesis(began)
	for _, tt := range []struct{ at, season, day int64 }{
		{began, 1, 100},
		{int64(100*day) - 1, 1, 99}, // dated back before genesis
		{int64(128*day) - 1, 1, 127},
		{int64(128 * day), 2, 128},
		{int64(352 * day), 10, 352},
	} {
		want := tables.Earning{Season: tt.season, Day: tt.day, Points: 6}
		if got := c.Claimed(tt.at, 1, 3); got != want {
			t.Errorf("at %d: %+v, want %+v", tt.at, got, want)
		}
	}
	duel := &chain.DuelSettle{A: chain.Address{1}, B: chain.Address{2}, DuelID: "d", Rated: true, Winner: "b"}
	played := gamestest.Duel(duel, 0)
	if got, want := c.Won(began, duel, played), (tables.Earning{Season: 1, Day: 100, Points: 8, Duel: true}); got != want {
		t.Errorf("a duel won by reveals: %+v, want %+v", got, want)
	}
	missed := gamestest.Missed(duel, [2]bool{false, true})
	unrated, drawn := *duel, *duel
	unrated.Rated, drawn.Winner = false, ""
	none := tables.Earning{}
	if c.Won(began, duel, missed) != none || c.Won(began, duel, nil) != none || c.Won(began, &unrated, played) != none ||
		c.Won(began, &drawn, gamestest.Duel(&drawn, 0)) != none {
		t.Error("a duel without two rounds by reveals, without a transcript, unrated or drawn gives points")
	}
}
