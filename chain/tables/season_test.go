package tables_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
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

// TestSeasonCheck checks which tables may be that of a season.
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
