package tables

import (
	"errors"
	"fmt"
	"slices"

	"roshambo/canon"
	"roshambo/chain"
)

// Cup is the final table of a cup. It holds all that its pairings depend on, so that a reader needs nothing else
// from the service to compute them again.
type Cup struct {
	Number     int64
	Kind       string // bots or people
	Seed       chain.Hash
	SeedHeight int64  // of the block whose hash is Seed
	System     string // Swiss or RoundRobin
	Rows       []Row  // of all players
	Games      []Game // by round and board
}

// MaxPlayers is the largest number of players of a cup, which bounds the work of a verifier: the pairing of a round
// takes time with the square of the players. A service admits fewer, but its own bots come on top.
const MaxPlayers = 128

// The members of a table are in the order of canonical JSON, which sorts them. Raw and ParseCup are each other's
// inverse: a text that ParseCup accepts is the one that Raw writes, so nothing in it escapes the checks.

// Raw returns the text of the table in canonical form (RFC 8785), which chain.HashPinned hashes.
func (c *Cup) Raw() []byte {
	b := canon.AppendInt([]byte(`{"cup":`), c.Number)
	b = canon.AppendString(append(b, `,"kind":`...), c.Kind)
	b = append(b, `,"players":[`...)
	for i, r := range c.Rows {
		b = canon.AppendString(append(comma(b, i), `{"account":`...), r.Address.String())
		b = canon.AppendInt(append(b, `,"buchholz":`...), r.Buchholz)
		b = canon.AppendInt(append(b, `,"points":`...), r.Points)
		b = append(canon.AppendInt(append(b, `,"rank":`...), r.Rank), '}')
	}
	b = append(b, `],"rounds":[`...)
	for i := range c.Games {
		if i > 0 && c.Games[i].Round > c.Games[i-1].Round {
			b = append(b, `],[`...)
		} else {
			b = append(comma(b, i), "["[min(i, 1):]...)
		}
		b = appendGame(b, &c.Games[i])
	}
	b = canon.AppendString(append(b, `]],"seed":`...), c.Seed.String())
	b = canon.AppendInt(append(b, `,"seed_height":`...), c.SeedHeight)
	return append(canon.AppendString(append(b, `,"system":`...), c.System), '}')
}

// comma appends a comma before all elements of a list but the first.
//
// i is the index of the element that follows.
func comma(b []byte, i int) []byte {
	if i == 0 {
		return b
	}
	return append(b, ',')
}

// appendGame appends a game of the table. Its round and board follow from its place, so they are not in the text.
func appendGame(b []byte, g *Game) []byte {
	b = canon.AppendString(append(b, `{"a":`...), g.A.String())
	b = canon.AppendInt(append(b, `,"a_points":`...), g.APoints)
	if g.B == (chain.Address{}) {
		return append(b, bye...)
	}
	b = canon.AppendString(append(b, `,"b":`...), g.B.String())
	b = canon.AppendInt(append(b, `,"b_points":`...), g.BPoints)
	return append(canon.AppendString(append(b, `,"duel":`...), g.Duel), '}')
}

// bye ends the text of a game without an opponent, behind the points of side a.
const bye = `,"b":null,"b_points":0,"duel":null}`

// ParseCup reads the texts that Raw writes, and no others.
func ParseCup(raw []byte) (*Cup, error) {
	r, c := canon.NewReader(raw), new(Cup)
	r.Literal(`{"cup":`)
	c.Number = r.Int()
	r.Literal(`,"kind":`)
	c.Kind = r.String()
	r.Literal(`,"players":[`)
	for more := true; more; more = r.Try(`,`) {
		r.Literal(`{"account":`)
		row := Row{Address: address(&r)}
		r.Literal(`,"buchholz":`)
		row.Buchholz = r.Int()
		r.Literal(`,"points":`)
		row.Points = r.Int()
		r.Literal(`,"rank":`)
		row.Rank = r.Int()
		r.Literal(`}`)
		c.Rows = append(c.Rows, row)
	}
	r.Literal(`],"rounds":[[`)
	for round, board := int64(1), int64(1); ; board++ {
		c.Games = append(c.Games, readGame(&r, round, board))
		if r.Try(`],[`) {
			round, board = round+1, 0
		} else if !r.Try(`,`) {
			break
		}
	}
	r.Literal(`]],"seed":`)
	var err error
	if c.Seed, err = chain.ParseHash(string(r.Chars(2 * len(c.Seed)))); err != nil {
		r.Fail("not a hash")
	}
	r.Literal(`,"seed_height":`)
	c.SeedHeight = r.Int()
	r.Literal(`,"system":`)
	c.System = r.String()
	r.Literal(`}`)
	return c, r.End()
}

// readGame reads a game of the table. Its round and board follow from its place in the text.
// A bye has one form: no opponent, no points for it, and no duel.
func readGame(r *canon.Reader, round, board int64) Game {
	g := Game{Round: round, Board: board, Over: true}
	r.Literal(`{"a":`)
	g.A = address(r)
	r.Literal(`,"a_points":`)
	g.APoints = r.Int()
	if r.Try(bye) {
		return g
	}
	r.Literal(`,"b":`)
	g.B = address(r)
	r.Literal(`,"b_points":`)
	g.BPoints = r.Int()
	r.Literal(`,"duel":`)
	g.Duel = r.String()
	r.Literal(`}`)
	return g
}

// address reads an address. The address of 20 zero bytes stands for null, so no player has it.
func address(r *canon.Reader) chain.Address {
	a, err := chain.ParseAddress(r.String())
	if err != nil || a == (chain.Address{}) {
		r.Fail("not an address")
	}
	return a
}

// Addresses returns the addresses of the players, in the order of the table.
func (c *Cup) Addresses() []chain.Address {
	list := make([]chain.Address, len(c.Rows))
	for i, r := range c.Rows {
		list[i] = r.Address
	}
	return list
}

// plan returns what the pairings depend on.
func (c *Cup) plan() *Plan { return &Plan{System: c.System, Entered: c.Addresses(), Seed: c.Seed} }

// Check returns an error unless the pairings, the points of byes and the rows follow from the seed, the results
// and the players of each round. absent returns which sides of a game did not show up; an error rejects the
// game's points. That a player has left the cup is not checked: the table states it.
func (c *Cup) Check(absent func(g *Game) ([2]bool, error)) error {
	players, plan := c.Addresses(), c.plan()
	if c.System != Swiss && c.System != RoundRobin {
		return errors.New("a cup has the system swiss or round_robin")
	}
	if n := len(players); n < 2 || n > MaxPlayers || c.Kind != "bots" && c.Kind != "people" {
		return errors.New("a cup is for bots or people, and has 2 to 128 players")
	}
	// in holds the players that showed up in the round before. All begin the first round; no player comes back.
	in := map[chain.Address]bool{}
	for _, a := range players {
		in[a] = true
	}
	last := c.Games[len(c.Games)-1].Round
	if len(in) < len(players) || last > plan.Rounds() {
		return errors.New("a player twice, or too many rounds")
	}
	for round, from := int64(1), 0; round <= last; round++ {
		to := from
		for to < len(c.Games) && c.Games[to].Round == round {
			to++
		}
		// Withdrawals are not in the table, so the check is only that each player of a round was in the one before.
		out, err := c.checkRound(plan, [2]int{from, to}, in, absent)
		if err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		if round == 1 && len(out) < len(players) {
			return errors.New("round 1: a player is missing")
		}
		in, from = out, to
	}
	if !slices.Equal(Table(players, c.Games, c.Seed), c.Rows) {
		return errors.New("the rows do not follow from the games")
	}
	return nil
}

// checkRound checks the games of a round, those from index at[0] to at[1]-1, and returns its players, all of
// which must be in: true for a player that has shown up.
func (c *Cup) checkRound(plan *Plan, at [2]int, in map[chain.Address]bool,
	absent func(g *Game) ([2]bool, error),
) (map[chain.Address]bool, error) {
	games, shown := c.Games[at[0]:at[1]], map[chain.Address]bool{}
	var active []chain.Address
	for i := range games {
		g, missing := &games[i], [2]bool{}
		if g.B != (chain.Address{}) {
			var err error
			if missing, err = absent(g); err != nil {
				return nil, err
			}
			active, shown[g.B] = append(active, g.B), !missing[1]
		} else if g.APoints != Win {
			return nil, errors.New("a bye is no win")
		}
		active, shown[g.A] = append(active, g.A), !missing[0]
	}
	if len(shown) < len(active) {
		return nil, errors.New("a player has two games")
	}
	// Pair takes time with the square of the players, so strangers are refused before it.
	for _, a := range active {
		if !in[a] {
			return nil, fmt.Errorf("%v is not in the cup, or has missed a game", a)
		}
	}
	// The order of the boards and the sides follow too, so a pairing has one text.
	same := slices.EqualFunc(plan.Pair(active, c.Games[:at[0]], games[0].Round), games, func(a, b Game) bool {
		return a.A == b.A && a.B == b.B
	})
	if !same {
		return nil, errors.New("the pairing does not follow from the seed and the results before")
	}
	return shown, nil
}
