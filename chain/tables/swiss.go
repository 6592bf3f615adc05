package tables

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"roshambo/chain"
)

// Points of a game. A bye counts as a win.
const (
	Win  = 2
	Draw = 1
	Loss = 0
)

// Rounds of a Swiss cup. A round needs an opponent that each player has not met, so a small cup has as
// many rounds as there are opponents.
const (
	minRounds = 5
	// MaxSwissRounds is the most.
	MaxSwissRounds = 7
)

// roundRobin is the largest number of players with which all meet one another in a Swiss cup.
const roundRobin = minRounds + 1

// Game is a pairing of a round. The zero address as B is a bye.
type Game struct {
	Round, Board     int64
	A, B             chain.Address
	Duel             string // code; "" for a bye
	Over             bool
	APoints, BPoints int64 // once over
}

// Row is a row of the table.
type Row struct {
	Address  chain.Address
	Rank     int64 // from 1; players with equal Points and Buchholz share it
	Points   int64
	Buchholz int64 // sum of the opponents' points; a bye adds none
}

// lot returns a value that orders players of equal rank in a round, by the cup's seed.
func lot(seed chain.Hash, round int64, a chain.Address) [sha256.Size]byte {
	b := append([]byte("roshambo/cup/v1\n"), seed[:]...)
	return sha256.Sum256(append(binary.BigEndian.AppendUint64(b, uint64(round)), a[:]...))
}

// byLot sorts players by their lot in a round.
func byLot(players []chain.Address, seed chain.Hash, round int64) []chain.Address {
	return slices.SortedFunc(slices.Values(players), func(a, b chain.Address) int {
		x, y := lot(seed, round, a), lot(seed, round, b)
		return bytes.Compare(x[:], y[:])
	})
}

// points returns the points of all players, and the points of byes under the zero address, in the games that
// are over.
func points(games []Game) map[chain.Address]int64 {
	sum := map[chain.Address]int64{}
	for _, g := range games {
		sum[g.A] += g.APoints
		sum[g.B] += g.BPoints
	}
	return sum
}

// Table returns the table of players after games: more points first, then the higher Buchholz, then
// by lot of round 0, which decides nothing: such players share their rank.
func Table(players []chain.Address, games []Game, seed chain.Hash) []Row {
	sum, buchholz := points(games), map[chain.Address]int64{}
	for _, g := range games {
		if g.B != (chain.Address{}) {
			buchholz[g.A] += sum[g.B]
			buchholz[g.B] += sum[g.A]
		}
	}
	var rows []Row
	for _, a := range byLot(players, seed, 0) {
		rows = append(rows, Row{Address: a, Points: sum[a], Buchholz: buchholz[a]})
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(b.Buchholz, a.Buchholz))
	})
	for i := range rows {
		rows[i].Rank = int64(i) + 1
		if i > 0 && rows[i].Points == rows[i-1].Points && rows[i].Buchholz == rows[i-1].Buchholz {
			rows[i].Rank = rows[i-1].Rank
		}
	}
	return rows
}

// The systems of a cup.
const (
	Swiss      = "swiss"
	RoundRobin = "round_robin"
)

// Plan holds the input of all pairings of a cup, beside the results and the remaining players.
type Plan struct {
	System  string          // Swiss or RoundRobin
	Entered []chain.Address // all players of the first round, in any order
	Seed    chain.Hash
}

// meetAll reports whether all players meet one another: few players do so in any system.
func (p *Plan) meetAll() bool { return p.System == RoundRobin || len(p.Entered) <= roundRobin }

// Rounds returns the largest number of rounds of the cup.
func (p *Plan) Rounds() int64 {
	if n := len(p.Entered); p.meetAll() {
		return int64(n - 1 + n%2) // with a bye each round when n is odd
	}
	return swissRounds(len(p.Entered))
}

// swissRounds returns the number of rounds of a Swiss cup of n players in which not all meet: 5 for up to 16,
// one more for each doubling, at most 7.
func swissRounds(n int) int64 {
	rounds := int64(minRounds)
	for most := 16; n > most && rounds < MaxSwissRounds; most *= 2 {
		rounds++
	}
	return rounds
}

// Pair returns the pairings of a round of the active players after the games of the rounds before. nil: there is
// none without a rematch or a second bye, and the cup is over.
func (p *Plan) Pair(active []chain.Address, games []Game, round int64) []Game {
	var pairs [][2]chain.Address
	if p.meetAll() {
		pairs = circle(active, byLot(p.Entered, p.Seed, 0), round)
	} else {
		pairs = swiss(active, games, p.Seed, round)
	}
	list := make([]Game, len(pairs))
	for i, p := range pairs {
		list[i] = Game{Round: round, Board: int64(i) + 1, A: p[0], B: p[1]}
		if p[1] == (chain.Address{}) {
			list[i].Over, list[i].APoints = true, Win
		}
	}
	return list
}

// circle pairs a round in which all of entered meet one another, by the circle method: the first
// player stays, the others move to the seat before each round. The opponent of a withdrawn
// player has a bye.
func circle(active, entered []chain.Address, round int64) (pairs [][2]chain.Address) {
	seats := slices.Clone(entered)
	if len(seats)%2 == 1 {
		seats = append(seats, chain.Address{})
	}
	n := len(seats)
	seat := func(i int) chain.Address {
		if i > 0 {
			i = 1 + (i-1+int(round)-1)%(n-1)
		}
		if !slices.Contains(active, seats[i]) {
			return chain.Address{}
		}
		return seats[i]
	}
	for i := range n / 2 {
		a, b := seat(i), seat(n-1-i)
		if a == (chain.Address{}) {
			a, b = b, a
		}
		if a != (chain.Address{}) {
			pairs = append(pairs, [2]chain.Address{a, b})
		}
	}
	return pairs
}

// swiss pairs players by points: from the top, each with the next one below that it has not met;
// players of equal points are in the order of their lots. The bye of an odd number is the last in
// that order.
//
// It tries pairs in that order until all are paired. While more than 14 players are left, each of
// them has met at most 6 of the others, so the next player always finds one; and the last 14 always
// have a pairing, because each may meet at least half of them (Dirac's theorem). So only the last 14
// are ever tried again, at most 13·11·9·7·5·3 times.
func swiss(active []chain.Address, games []Game, seed chain.Hash, round int64) [][2]chain.Address {
	sum, met := points(games), map[[2]chain.Address]bool{}
	for _, g := range games {
		met[[2]chain.Address{g.A, g.B}], met[[2]chain.Address{g.B, g.A}] = true, true
	}
	order := byLot(active, seed, round)
	slices.SortStableFunc(order, func(a, b chain.Address) int { return cmp.Compare(sum[b], sum[a]) })
	if len(order)%2 == 1 {
		order = append(order, chain.Address{})
	}
	var complete func(left []chain.Address) [][2]chain.Address
	complete = func(left []chain.Address) [][2]chain.Address {
		if len(left) == 0 {
			return [][2]chain.Address{}
		}
		for i, other := range left[1:] {
			if met[[2]chain.Address{left[0], other}] {
				continue
			}
			rest := slices.Delete(slices.Clone(left[1:]), i, i+1)
			if pairs := complete(rest); pairs != nil {
				return append(pairs, [2]chain.Address{left[0], other})
			}
		}
		return nil
	}
	pairs := complete(order)
	slices.Reverse(pairs) // the best players on the first board
	return pairs
}
