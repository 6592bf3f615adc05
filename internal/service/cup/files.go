package cup

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"roshambo/chain"
	"roshambo/chain/tables"
)

// Sheet is a cup with all that its files hold.
type Sheet struct {
	Cup   *Cup
	Rows  []tables.Row // the best first; before the first round in the order of joining, with rank 1
	Games []tables.Game

	players map[chain.Address]Player
}

// NewSheet returns the sheet of a cup with its players and games.
func NewSheet(c *Cup, players []Player, games []tables.Game) *Sheet {
	s := &Sheet{Cup: c, Games: games, players: map[chain.Address]Player{}}
	for _, p := range players {
		s.players[p.Address] = p
		s.Rows = append(s.Rows, tables.Row{Address: p.Address, Rank: 1})
	}
	if c.Round > 0 {
		s.Rows = tables.Table(addresses(players), games, c.Seed)
	}
	return s
}

// Player returns a player of the cup.
func (s *Sheet) Player(a chain.Address) Player { return s.players[a] }

// half returns points as the page shows them: half of the table's points, with a decimal point.
func half(points int64) string { return fmt.Sprintf("%d.%d", points/2, points%2*5) }

// WriteTable writes the table as CSV.
func (s *Sheet) WriteTable(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"rank", "name", "address", "kind", "points", "buchholz", "out"}) // Flush keeps any error
	for _, r := range s.Rows {
		p := s.players[r.Address]
		_ = out.Write([]string{strconv.FormatInt(r.Rank, 10), p.Username, r.Address.String(), string(p.Kind), half(r.Points),
			half(r.Buchholz), strconv.FormatBool(p.Withdrawn)})
	}
	out.Flush()
	return out.Error()
}

// WritePairings writes the pairings as CSV. A bye has no b, and points are empty while a duel goes on.
func (s *Sheet) WritePairings(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"round", "board", "a", "a_address", "b", "b_address", "a_points", "b_points", "duel"})
	for _, g := range s.Games {
		row := []string{strconv.FormatInt(g.Round, 10), strconv.FormatInt(g.Board, 10), s.players[g.A].Username,
			g.A.String(), "", "", "", "", g.Duel}
		if g.B != (chain.Address{}) {
			row[4], row[5] = s.players[g.B].Username, g.B.String()
		}
		if g.Over {
			row[6], row[7] = half(g.APoints), half(g.BPoints)
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// WriteTRF writes the tournament report of FIDE, TRF16, as far as it fits: players have no title, rating, federation
// or birth date. The rank of the table is the starting number, side a has white, and a bye is allocated by the pairing.
// Of a game that a side missed the report has its points alone. Lines with ### are for people and scripts.
func (s *Sheet) WriteTRF(w io.Writer) error {
	c := s.Cup
	name, system := fmt.Sprintf("Cup %d", c.Number), "Swiss"
	if c.Name != "" {
		name += ": " + c.Name
	}
	if c.System == tables.RoundRobin {
		system = "Round robin"
	}
	lines := []string{"012 " + name, "042 " + c.StartsAt.UTC().Format("2006/01/02")}
	if c.EndedAt != nil {
		lines = append(lines, "052 "+c.EndedAt.UTC().Format("2006/01/02"))
	}
	lines = append(lines, fmt.Sprintf("062 %d", len(s.Rows)), "092 Individual: "+system, fmt.Sprintf("XXR %d", c.Rounds))
	if c.Round > 0 {
		lines = append(lines, fmt.Sprintf("### seed %v, the hash of block %d", c.Seed, c.SeedHeight))
	}
	number := map[chain.Address]int{}
	for i, r := range s.Rows {
		number[r.Address] = i + 1
	}
	for i, r := range s.Rows {
		lines = append(lines, fmt.Sprintf("001 %4d      %-33s %31s %4s %4d", i+1, s.players[r.Address].Username, "",
			half(r.Points), r.Rank)+s.trfRounds(r.Address, number))
	}
	_, err := io.WriteString(w, strings.Join(lines, "\r\n")+"\r\n")
	return err
}

// trfRounds returns the rounds of a player's line.
func (s *Sheet) trfRounds(a chain.Address, number map[chain.Address]int) string {
	rounds := make([]string, s.Cup.Round)
	for i := range rounds {
		rounds[i] = "  0000 - Z" // not paired
	}
	for _, g := range s.Games {
		other, colour, points := g.B, "w", g.APoints
		if g.B == a {
			other, colour, points = g.A, "b", g.BPoints
		} else if g.A != a {
			continue
		}
		result := [...]string{tables.Loss: "0", tables.Draw: "=", tables.Win: "1"}[points]
		switch {
		case !g.Over:
			result = " "
		case g.B == chain.Address{}:
			rounds[g.Round-1] = "  0000 - U"
			continue
		case g.APoints == tables.Loss && g.BPoints == tables.Loss: // both have missed it
			result = "-"
		}
		rounds[g.Round-1] = fmt.Sprintf("  %4d %s %s", number[other], colour, result)
	}
	return strings.Join(rounds, "")
}
