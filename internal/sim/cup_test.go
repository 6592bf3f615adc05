package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"
	"time"
)

// Cups, as docs/cups.md describes them. A cup costs and wins nothing, so its money is a matter of the
// audit: a coin that moves would be one that the chain does not have. The possible faults of a cup are
// in its games and its table.

type (
	// cupView is a cup as the service shows it.
	cupView struct {
		Cup struct {
			Number, Players, Round, Rounds int64
			Kind, Status                   string
		}
		Table []cupRow
		Games []cupGame
		Final *struct {
			Raw       string
			TableHash string `json:"table_hash"`
		}
	}
	cupRow struct {
		Address      string
		Rank, Points int64
		Out          bool
	}
	cupGame struct {
		Round, Board int64
		A            string
		B, Duel      *string
		APoints      *int64 `json:"a_points"`
		BPoints      *int64 `json:"b_points"`
	}
)

func (c *cupView) over() bool { return c.Cup.Status == "finished" || c.Cup.Status == "cancelled" }

// mostCups bounds the number of unfinished cups for people, so that their players meet.
const mostCups = 2

// cupsOf returns the numbers of the cups of a kind with a status.
func (s *sim) cupsOf(kind, status string) (list []int64) {
	for _, n := range s.cupOrder {
		if c := s.cups[n]; c.Cup.Kind == kind && c.Cup.Status == status {
			list = append(list, n)
		}
	}
	return list
}

func (s *sim) newCup(p *player) *action {
	if p == nil || p.kind == "bot" || len(s.cupsOf("people", "open"))+len(s.cupsOf("people", "running")) >= mostCups {
		return nil
	}
	return post(p, "cup", "/api/cups", `{"minutes":1}`) // refused without a password
}

// joinCup joins an open cup, sometimes one for others or one that has begun.
func (s *sim) joinCup(p *player) *action {
	if p == nil {
		return nil
	}
	kind := "people"
	if p.kind == "bot" {
		kind = "bots"
	}
	list := s.cupsOf(kind, "open")
	if s.rng.IntN(15) == 0 {
		list = s.cupOrder
	}
	if len(list) == 0 {
		return nil
	}
	return post(p, "join cup", fmt.Sprintf("/api/cups/%d/join", pick(s.rng, list)), "")
}

func (s *sim) leaveCup(p *player) *action {
	if p == nil || len(s.cupOrder) == 0 {
		return nil
	}
	return post(p, "leave cup", fmt.Sprintf("/api/cups/%d/leave", pick(s.rng, s.cupOrder)), "")
}

// checkCups reads every cup that was not over, and what the sides of its games have to do.
func (s *sim) checkCups() {
	c := s.ask(get(nil, "read", "/api/cups?limit=50"))
	if !c.ok() {
		s.fail("%v", c)
	}
	numbers := slices.Clone(s.cupOrder) // a cancelled one is in no list
	for _, listed := range decode[struct{ Cups []struct{ Number int64 } }](s, c).Cups {
		numbers = append(numbers, listed.Number)
	}
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		before := s.cups[n]
		if before != nil && before.over() {
			continue
		}
		now := decode[cupView](s, s.ask(get(nil, "read", fmt.Sprintf("/api/cups/%d", n))))
		if before == nil {
			s.cupOrder = append(s.cupOrder, n)
			before = &cupView{}
		}
		for _, problem := range now.problems(before) {
			s.fail("cup %d: %s", n, problem)
		}
		s.cups[n] = &now
		for _, g := range now.Games {
			s.checkGame(n, g)
		}
	}
	seat := map[string]int64{}
	for _, n := range s.cupOrder {
		for _, r := range s.cups[n].Table {
			if s.cups[n].over() || r.Out { // after a withdrawal the account may join another one
				continue
			}
			if seat[r.Address] != 0 {
				s.fail("%s is in the cups %d and %d", r.Address, seat[r.Address], n)
			}
			seat[r.Address] = n
		}
	}
}

// checkGame makes the duel of a game known, and requires that its winner has the points.
func (s *sim) checkGame(cup int64, g cupGame) {
	if g.Duel == nil || s.decided[*g.Duel] {
		return
	}
	c := s.ask(get(nil, "read", "/api/duels/"+*g.Duel))
	m := s.addDuel(decode[struct{ Duel duelView }](s, c).Duel)
	if g.APoints == nil {
		return
	}
	s.decided[*g.Duel] = true
	winner := ""
	if m.Winner != nil {
		winner = *m.Winner
	}
	if !m.over() || m.Kind != "cup" || m.Stake != 0 || m.A.Address != g.A || m.B == nil || m.B.Address != *g.B ||
		(*g.APoints == 2) != (winner == "a") || (*g.BPoints == 2) != (winner == "b") {
		s.fail("cup %d: the game %s has %d and %d points, and its duel is %+v", cup, *g.Duel, *g.APoints, *g.BPoints,
			m.duelView)
	}
}

// problems returns the faults of a cup, and of its change since it was read before.
func (c *cupView) problems(before *cupView) (list []string) {
	differ := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	order := map[string]int{"": 0, "open": 1, "running": 2, "finished": 3, "cancelled": 3}
	if order[c.Cup.Status] < order[before.Cup.Status] || c.Cup.Round < before.Cup.Round ||
		len(c.Games) < len(before.Games) {
		differ("it went back: %+v, before %+v", c.Cup, before.Cup)
		return list
	}
	for i, g := range before.Games {
		if now := c.Games[i]; now.Round != g.Round || now.Board != g.Board || now.A != g.A ||
			g.APoints != nil && (now.APoints == nil || *now.APoints != *g.APoints || *now.BPoints != *g.BPoints) {
			differ("a game was decided twice, or paired again: round %d, board %d", g.Round, g.Board)
		}
	}
	points, byes, met := map[string]int64{}, map[string]int64{}, map[string]bool{}
	for _, g := range c.Games {
		if g.Round < c.Cup.Round && g.APoints == nil {
			differ("round %d began before round %d was decided", c.Cup.Round, g.Round)
		}
		sides := []string{g.A}
		if g.B != nil {
			sides = append(sides, *g.B)
			if met[g.A+*g.B] || met[*g.B+g.A] {
				differ("%s and %s meet twice", g.A, *g.B)
			}
			met[g.A+*g.B] = true
		}
		for _, side := range sides {
			id := fmt.Sprint(g.Round, side)
			if met[id] {
				differ("%s has two games in round %d", side, g.Round)
			}
			met[id] = true
		}
		if g.APoints == nil {
			continue
		}
		points[g.A] += *g.APoints
		if g.B == nil {
			byes[g.A]++
		} else {
			points[*g.B] += *g.BPoints
		}
		if *g.APoints+*g.BPoints > 2 {
			differ("round %d, board %d gives %d points", g.Round, g.Board, *g.APoints+*g.BPoints)
		}
	}
	return append(list, c.tableProblems(points)...)
}

// tableProblems compares the table with the points of the games, and with its hash.
func (c *cupView) tableProblems(points map[string]int64) (list []string) {
	for i, r := range c.Table {
		if r.Points != points[r.Address] {
			list = append(list, fmt.Sprintf("%s has %d points, and %d by the games", r.Address, r.Points, points[r.Address]))
		}
		if c.Cup.Round > 0 && i > 0 && (r.Points > c.Table[i-1].Points || r.Rank < c.Table[i-1].Rank) {
			list = append(list, fmt.Sprintf("the table is not in order at row %d", i))
		}
	}
	if c.Cup.Status != "finished" {
		return list
	}
	if c.Final == nil || hashOfTable(c.Final.Raw) != c.Final.TableHash {
		list = append(list, "the final table does not have its hash")
	}
	for _, g := range c.Games {
		if g.APoints == nil {
			list = append(list, "it is finished, and a game is not")
		}
	}
	return list
}

func hashOfTable(raw string) string {
	sum := sha256.Sum256([]byte("roshambo/cup/v1\n" + raw))
	return hex.EncodeToString(sum[:])
}

// compareCups compares the cups with the chain: each finished one is closed by one transaction with the
// hash of its table, and no other cup is.
func (s *sim) compareCups() (problems []string) {
	s.checkCups() // loops may have closed one
	for n, hash := range s.audit.closed {
		if c := s.cups[n]; c == nil || c.Final == nil || c.Final.TableHash != hash {
			problems = append(problems, fmt.Sprintf("cup %d is closed on the chain with %s: %+v", n, hash, c))
		}
	}
	for _, n := range s.cupsOf("people", "finished") {
		if s.audit.closed[n] == "" {
			problems = append(problems, fmt.Sprintf("cup %d is finished, and not closed on the chain", n))
		}
	}
	return problems
}

// endCups plays the games of all cups for people until the cups are over.
func (s *sim) endCups() {
	for began := time.Now(); time.Since(began) < waitTimeout; {
		if s.checkState(); s.failed() || len(s.cupsOf("people", "open"))+len(s.cupsOf("people", "running")) == 0 {
			return
		}
		passed := int64(61_000)
		if list := s.cupSteps(); len(list) > 0 {
			s.perform(list)
			s.settle()
			passed = 5000 // a side that has copied a commitment tries in vain to reveal it, until the deadline
		} else {
			<-time.After(50 * time.Millisecond) // the loop that moves cups on wakes once a second
		}
		for _, n := range s.nodes {
			s.latest = max(s.latest, n.now.Add(passed))
		}
	}
	s.fail("a cup does not end")
}

// cupSteps returns the steps that are due in games of cups.
func (s *sim) cupSteps() (list []*action) {
	for _, m := range s.matches {
		for _, p := range m.sides {
			if m.Kind != "cup" || m.Status != "active" || p == nil || p.gone {
				continue
			}
			if d := s.stepOf(p, m); d != nil {
				d.how = s.planDeliveries(d)
				list = append(list, d)
			}
		}
	}
	return list
}

// TestCupProblems: the invariants refuse every cup that breaks one of them.
func TestCupProblems(t *testing.T) {
	t.Parallel()
	number := func(n int64) *int64 { return &n }
	name := func(s string) *string { return &s }
	cup := func(change func(c *cupView)) *cupView {
		var c cupView
		c.Cup.Number, c.Cup.Status, c.Cup.Round, c.Cup.Rounds = 1, "running", 2, 3
		c.Games = []cupGame{
			{Round: 1, Board: 1, A: "ann", B: name("bob"), Duel: name("D1"), APoints: number(2), BPoints: number(0)},
			{Round: 1, Board: 2, A: "cyd", APoints: number(2), BPoints: number(0)},
			{Round: 2, Board: 1, A: "ann", B: name("cyd"), Duel: name("D2")},
			{Round: 2, Board: 2, A: "bob", APoints: number(2), BPoints: number(0)},
		}
		c.Table = []cupRow{{"ann", 1, 2, false}, {"cyd", 1, 2, false}, {"bob", 1, 2, false}}
		change(&c)
		return &c
	}
	before := cup(func(*cupView) {})
	for what, change := range map[string]func(c *cupView){
		"a status that goes back":  func(c *cupView) { c.Cup.Status = "open" },
		"a round that goes back":   func(c *cupView) { c.Cup.Round = 1 },
		"a lost game":              func(c *cupView) { c.Games = c.Games[:3] },
		"a second decision":        func(c *cupView) { c.Games[0].APoints, c.Games[0].BPoints = number(0), number(2) },
		"another pairing":          func(c *cupView) { c.Games[2].A = "bob" },
		"a second meeting":         func(c *cupView) { c.Games[2].B = name("bob") },
		"two games in a round":     func(c *cupView) { c.Games[3].A = "cyd" },
		"too many points":          func(c *cupView) { c.Games[2].APoints, c.Games[2].BPoints = number(2), number(1) },
		"a table of other points":  func(c *cupView) { c.Table[0].Points = 4 },
		"a table out of order":     func(c *cupView) { c.Table[2].Rank = 0 },
		"a finish without a table": func(c *cupView) { c.Cup.Status = "finished" },
		"a round ahead of a game":  func(c *cupView) { c.Cup.Round = 3 },
	} {
		if len(cup(change).problems(before)) == 0 {
			t.Errorf("%s is no problem", what)
		}
	}
	if list := before.problems(&cupView{}); len(list) > 0 {
		t.Errorf("a sound cup has problems: %v", list)
	}
}
