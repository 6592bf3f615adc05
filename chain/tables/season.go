package tables

import (
	"errors"
	"fmt"
	"slices"

	"roshambo/canon"
	"roshambo/chain"
)

// Season is the final table of a season. It is closed once, so a row in it is final, even if the result behind it is
// declared void later.
type Season struct {
	Number           int64
	StartsAt, EndsAt int64 // in Unix milliseconds
	Players          int64 // with points
	Rows             []Standing
}

// Standing is a row of the table of a season. Ranks are 1, 2, 3, …: accounts with equal points are in the order in
// which they reached them, which the chain does not carry.
type Standing struct {
	Account      chain.Address
	Points, Rank int64
}

// SeasonRows is the largest number of rows of a season.
const SeasonRows = 1000

// DuelPoints are the points of a rated duel won.
const DuelPoints = 8

// ClaimPoints returns the points of a claimed run: the points of its tier, less the points of the burnt token's
// tier that it started from, 0 without one.
func ClaimPoints(first, cleared int64) int64 {
	if first == 0 {
		return tierPoints(cleared)
	}
	return max(0, tierPoints(cleared)-tierPoints(first))
}

// tierPoints returns the points of a tier, 2^k up to tier 30.
func tierPoints(k int64) int64 { return 1 << min(max(k, 0), 30) }

// The limits of a UTC day for the points of an account. The service counts by them too.
const (
	RunsPerDay = 20 // the best ones
	WinsPerDay = 10 // rated duels
)

// Earning is what a game gives an account towards the table of a season, before the limits of a day.
type Earning struct {
	Season, Day int64 // of the transaction that ends the game; UTC days since 1970
	Points      int64
	Duel        bool // a rated duel won, otherwise a claimed run
}

// newEarning returns what a game that ended at a time, in Unix milliseconds, gives on a chain that began at another.
func newEarning(began, at, points int64) Earning {
	const dayMS = 24 * 60 * 60 * 1000
	day := at / dayMS
	// A transaction may be dated back before genesis by a minute: it belongs to the first season.
	return Earning{Season: max(0, day-began/dayMS)/chain.SeasonDays + 1, Day: day, Points: points}
}

// MostPoints returns the most points that the table of a season can state for an account, by what its games gave in
// this season: the points of the best runs of each day, and of so many duels.
func MostPoints(list []Earning) (sum int64) {
	runs, wins := map[int64][]int64{}, map[int64]int64{}
	for _, e := range list {
		if !e.Duel {
			runs[e.Day] = append(runs[e.Day], e.Points)
			continue
		}
		if wins[e.Day]++; wins[e.Day] <= WinsPerDay {
			sum += e.Points
		}
	}
	for _, worth := range runs {
		slices.Sort(worth)
		for _, points := range worth[max(0, len(worth)-RunsPerDay):] {
			sum += points
		}
	}
	return sum
}

// Raw returns the text of the table in canonical form (RFC 8785), which chain.HashPinned hashes.
func (s *Season) Raw() []byte {
	b := canon.AppendInt([]byte(`{"ends_at":`), s.EndsAt)
	b = canon.AppendInt(append(b, `,"players":`...), s.Players)
	b = append(b, `,"rows":[`...)
	for i, r := range s.Rows {
		b = canon.AppendString(append(comma(b, i), `{"account":`...), r.Account.String())
		b = canon.AppendInt(append(b, `,"points":`...), r.Points)
		b = append(canon.AppendInt(append(b, `,"rank":`...), r.Rank), '}')
	}
	b = canon.AppendInt(append(b, `],"season":`...), s.Number)
	return append(canon.AppendInt(append(b, `,"starts_at":`...), s.StartsAt), '}')
}

// ParseSeason reads the texts that Raw writes, and no others.
func ParseSeason(raw []byte) (*Season, error) {
	r, s := canon.NewReader(raw), new(Season)
	r.Literal(`{"ends_at":`)
	s.EndsAt = r.Int()
	r.Literal(`,"players":`)
	s.Players = r.Int()
	r.Literal(`,"rows":[`)
	for !r.Try(`]`) && r.Err() == nil {
		if len(s.Rows) > 0 {
			r.Literal(`,`)
		}
		r.Literal(`{"account":`)
		row := Standing{Account: address(&r)}
		r.Literal(`,"points":`)
		row.Points = r.Int()
		r.Literal(`,"rank":`)
		row.Rank = r.Int()
		r.Literal(`}`)
		s.Rows = append(s.Rows, row)
	}
	r.Literal(`,"season":`)
	s.Number = r.Int()
	r.Literal(`,"starts_at":`)
	s.StartsAt = r.Int()
	r.Literal(`}`)
	return s, r.End()
}

// Check returns an error unless the table is one of the season of a number on a chain that began at a time: it
// has its times, and the first rows of distinct accounts in order.
func (s *Season) Check(number, began int64) error {
	if s.Number != number || s.StartsAt != chain.SeasonEnd(began, number-1) || s.EndsAt != chain.SeasonEnd(began, number) {
		return errors.New("it is of another season")
	}
	// A table that leaves players out would show a place that is too high.
	if int64(len(s.Rows)) != min(s.Players, SeasonRows) {
		return fmt.Errorf("%d rows of %d players", len(s.Rows), s.Players)
	}
	// Accounts with equal points share no rank, so the ranks are the numbers of the lines.
	known := map[chain.Address]bool{}
	for i, r := range s.Rows {
		if r.Rank != int64(i)+1 || r.Points < 1 || i > 0 && r.Points > s.Rows[i-1].Points || known[r.Account] {
			return fmt.Errorf("row %d is out of order, has no points, or its account has two", i+1)
		}
		known[r.Account] = true
	}
	return nil
}
