package tables

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"roshambo/chain"
)

// seats returns n players.
func seats(n int) []chain.Address {
	list := make([]chain.Address, n)
	for i := range list {
		list[i] = chain.Address{byte(i + 1), byte(i>>8) + 1}
	}
	return list
}

// planOf returns the plan of a cup with an arbitrary seed.
func planOf(system string, entered []chain.Address) *Plan {
	return &Plan{System: system, Entered: entered, Seed: chain.Hash{5}}
}

// TestRounds compares the number of rounds with a table written by hand.
func TestRounds(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int64{2: 1, 3: 3, 4: 3, 5: 5, 6: 5, 7: 5, 16: 5, 17: 6, 32: 6, 33: 7, 64: 7, 65: 7, 80: 7,
		129: 7} {
		if got := planOf(Swiss, seats(n)).Rounds(); got != want {
			t.Errorf("%d players: %d rounds, want %d", n, got, want)
		}
		if got := planOf(RoundRobin, seats(n)).Rounds(); got != int64((n+1)/2*2-1) {
			t.Errorf("%d players: %d rounds of a round robin", n, got)
		}
	}
}

// TestPairings plays cups of random sizes with random results and withdrawals, and checks every
// round: each active player has one game; nobody meets an opponent or has a bye twice; without
// withdrawals all planned rounds are played; the pairing depends on neither the order of the players
// nor the order of the games.
func TestPairings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := MaxPlayers
		if testing.Short() { // a round robin has as many rounds as players
			most = 40
		}
		entered := seats(rapid.IntRange(2, most).Draw(t, "players"))
		withdrawals := rapid.Bool().Draw(t, "withdrawals")
		plan := planOf(rapid.SampledFrom([]string{Swiss, RoundRobin}).Draw(t, "system"), entered)
		plan.Seed = chain.Hash{byte(rapid.IntRange(0, 255).Draw(t, "seed"))}
		active, games := slices.Clone(entered), []Game(nil)
		for round := int64(1); round <= plan.Rounds(); round++ {
			pairs := plan.Pair(active, games, round)
			if len(pairs) == 0 && withdrawals {
				break
			}
			checkRound(t, plan, active, games, pairs)
			other := Plan{plan.System, rapid.Permutation(entered).Draw(t, "entered"), plan.Seed}
			again := other.Pair(rapid.Permutation(active).Draw(t, "active"), rapid.Permutation(games).Draw(t, "games"), round)
			if !slices.Equal(again, pairs) {
				t.Fatalf("round %d: %v in another order of the input, want %v", round, again, pairs)
			}
			for i, g := range pairs {
				if g.B != (chain.Address{}) {
					pairs[i].Over, pairs[i].APoints = true, int64(rapid.IntRange(Loss, Win).Draw(t, "result"))
					pairs[i].BPoints = Win - pairs[i].APoints
				}
				if withdrawals && len(active) > 2 && rapid.IntRange(0, 9).Draw(t, "leaves") == 0 {
					active = slices.DeleteFunc(active, func(a chain.Address) bool { return a == g.A })
				}
			}
			games = append(games, pairs...)
		}
	})
}

// checkRound checks the pairings of a round after games.
func checkRound(t *rapid.T, plan *Plan, active []chain.Address, games, pairs []Game) {
	t.Helper()
	seen, met := map[chain.Address]bool{}, map[[2]chain.Address]bool{}
	for _, g := range games {
		met[[2]chain.Address{g.A, g.B}], met[[2]chain.Address{g.B, g.A}] = true, true
	}
	for _, g := range pairs {
		again := plan.meetAll() && len(active) < len(plan.Entered) // the opponents of withdrawn players have byes
		if met[[2]chain.Address{g.A, g.B}] && (g.B != chain.Address{} || !again) {
			t.Fatalf("round %d: %v and %v meet again", g.Round, g.A, g.B)
		}
		for _, a := range []chain.Address{g.A, g.B} {
			if a == (chain.Address{}) {
				continue
			}
			if seen[a] || !slices.Contains(active, a) {
				t.Fatalf("round %d: %v plays twice, or has withdrawn", g.Round, a)
			}
			seen[a] = true
		}
	}
	if len(seen) != len(active) {
		t.Fatalf("after %d games %d of %d players are paired", len(games), len(seen), len(active))
	}
}

// TestDocumentedPairing compares pairings with ones by hand, by the rules of docs/cups.md, where anyone can
// compute them again.
func TestDocumentedPairing(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{
		2: "12", 3: "1 23, 12 3, 13 2", 4: "14 23, 12 34, 13 42",
		5: "1 25 34, 12 3 45, 13 42 5, 14 53 2, 15 4 23", 6: "16 25 34, 12 36 45, 13 42 56, 14 53 62, 15 64 23",
	} {
		list := seats(n)
		var got []string
		for round := int64(1); round <= planOf(Swiss, list).Rounds(); round++ {
			got = append(got, numbers(circle(list, list, round)))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%d players: %q, want %q", n, got, want)
		}
	}
	// From seven on neighbours in the order of the lots meet in the first round.
	list, seed := seats(8), chain.Hash{1, 2, 3}
	lots := map[chain.Address]string{}
	for _, a := range list {
		text := "roshambo/cup/v1\n" + string(seed[:]) + "\x00\x00\x00\x00\x00\x00\x00\x01" + string(a[:])
		lots[a] = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	}
	byLots := func(a, b chain.Address) int { return strings.Compare(lots[a], lots[b]) }
	sorted := slices.SortedFunc(slices.Values(list), byLots)
	for i, g := range (&Plan{Swiss, list, seed}).Pair(list, nil, 1) {
		if want := [2]chain.Address(sorted[2*i:]); want != [2]chain.Address{g.A, g.B} {
			t.Errorf("board %d: %v, want %v", i+1, g, want)
		}
	}
}

// numbers returns pairs of seats by their numbers.
func numbers(pairs [][2]chain.Address) string {
	list := make([]string, len(pairs))
	for i, p := range pairs {
		for _, a := range p {
			if a != (chain.Address{}) {
				list[i] += fmt.Sprint(a[0])
			}
		}
	}
	return strings.Join(list, " ")
}

// TestWithdrawnFromCircle: in a small cup the opponent of any withdrawn player has a bye.
func TestWithdrawnFromCircle(t *testing.T) {
	t.Parallel()
	entered := seats(4)
	for gone := range entered {
		active := slices.Delete(slices.Clone(entered), gone, gone+1)
		for round := int64(1); round <= planOf(Swiss, entered).Rounds(); round++ {
			pairs := planOf(Swiss, entered).Pair(active, nil, round)
			byes := slices.DeleteFunc(slices.Clone(pairs), func(g Game) bool { return g.B != chain.Address{} })
			if len(pairs) != 2 || len(byes) != 1 || slices.ContainsFunc(pairs, func(g Game) bool {
				return g.A == chain.Address{}
			}) {
				t.Errorf("without player %d round %d pairs %v", gone+1, round, pairs)
			}
		}
	}
}

// TestScoreGroups checks the second round: winners meet winners, and of two groups of odd size the
// two that are left over meet.
func TestScoreGroups(t *testing.T) {
	t.Parallel()
	for n, mixed := range map[int]int{8: 0, 10: 1, 20: 0, 22: 1} {
		entered := seats(n)
		plan := planOf(Swiss, entered)
		first := plan.Pair(entered, nil, 1)
		for i := range first {
			first[i].Over, first[i].APoints = true, Win
		}
		sum, got := points(first), 0
		for _, g := range plan.Pair(entered, first, 2) {
			if sum[g.A] != sum[g.B] {
				got++
			}
		}
		if got != mixed {
			t.Errorf("%d players: %d games between the groups of the second round, want %d", n, got, mixed)
		}
	}
}

// TestBye checks which player has the bye: one with the fewest points among those without an earlier bye.
func TestBye(t *testing.T) {
	t.Parallel()
	entered, games := seats(9), []Game(nil)
	plan := planOf(Swiss, entered)
	for round := int64(1); round <= plan.Rounds(); round++ {
		sum := points(games)
		had := map[chain.Address]bool{}
		for _, g := range games {
			if g.B == (chain.Address{}) {
				had[g.A] = true
			}
		}
		for _, g := range plan.Pair(entered, games, round) {
			if g.B != (chain.Address{}) {
				g.Over, g.APoints = true, Win
				games = append(games, g)
				continue
			}
			if g.APoints != Win || !g.Over {
				t.Errorf("round %d: a bye gives %d points", round, g.APoints)
			}
			for _, a := range entered {
				if !had[a] && sum[a] < sum[g.A]-Draw-Draw {
					t.Errorf("round %d: %v with %d points has the bye, not %v with %d", round, g.A, sum[g.A], a, sum[a])
				}
			}
			games = append(games, g)
		}
	}
}

// TestTable compares a table with one written by hand.
func TestTable(t *testing.T) {
	t.Parallel()
	p := seats(4)
	won := func(round int64, a, b chain.Address) Game {
		return Game{Round: round, A: a, B: b, Over: true, APoints: Win}
	}
	games := []Game{
		won(1, p[0], p[1]), won(1, p[2], p[3]),
		won(2, p[0], p[2]), {Round: 2, A: p[1], B: p[3], Over: true, APoints: Draw, BPoints: Draw},
		{Round: 3, A: p[0], Over: true, APoints: Win}, {Round: 3, A: p[1], B: p[2]},
	}
	got := ""
	for _, r := range Table(p, games, chain.Hash{1}) {
		got += fmt.Sprintf("%d: %d points %d Buchholz %d; ", r.Rank, slices.Index(p, r.Address), r.Points, r.Buchholz)
	}
	// 0 beat 1 (1 point) and 2 (2 points), and had a bye. 2 beat 3 (1), lost to 0 (6), and plays 1
	// (1). 1 lost to 0 (6), drew with 3 (1), and plays 2 (2). 3 lost to 2 (2) and drew with 1 (1).
	want := "1: 0 points 6 Buchholz 3; 2: 2 points 2 Buchholz 8; 3: 1 points 1 Buchholz 9; 4: 3 points 1 Buchholz 3; "
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, r := range Table(p, nil, chain.Hash{1}) {
		if r.Rank != 1 {
			t.Errorf("%v has rank %d before the first game", r.Address, r.Rank)
		}
	}
}

// TestTableText compares the canonical text of a table with one written by hand.
func TestTableText(t *testing.T) {
	t.Parallel()
	p := seats(3)
	games := []Game{
		{Round: 1, Board: 1, A: p[0], B: p[1], Duel: "AAAA1111", Over: true, APoints: Win},
		{Round: 1, Board: 2, A: p[2], Over: true, APoints: Win},
		{Round: 2, Board: 1, A: p[2], B: p[0], Duel: "BBBB2222", Over: true, APoints: Draw, BPoints: Draw},
	}
	c := &Cup{Number: 7, Kind: "people", Seed: chain.Hash{3}, SeedHeight: 9, System: RoundRobin, Games: games}
	c.Rows = []Row{{Address: p[0], Rank: 1, Points: 3, Buchholz: 4}, {Address: p[1], Rank: 2, Points: 0, Buchholz: 3}}
	want := fmt.Sprintf(`{"cup":7,"kind":"people","players":[`+
		`{"account":"%[1]v","buchholz":4,"points":3,"rank":1},{"account":"%[2]v","buchholz":3,"points":0,"rank":2}],`+
		`"rounds":[[{"a":"%[1]v","a_points":2,"b":"%[2]v","b_points":0,"duel":"AAAA1111"},`+
		`{"a":"%[3]v","a_points":2,"b":null,"b_points":0,"duel":null}],`+
		`[{"a":"%[3]v","a_points":1,"b":"%[1]v","b_points":1,"duel":"BBBB2222"}]],`+
		`"seed":"%[4]v","seed_height":9,"system":"round_robin"}`, p[0], p[1], p[2], c.Seed)
	if got := string(c.Raw()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if parsed, err := ParseCup([]byte(want)); err != nil || !reflect.DeepEqual(parsed, c) {
		t.Errorf("parsed %+v, %v, want %+v", parsed, err, c)
	}
	c.Games = []Game{games[0], games[2]} // a game a round
	if parsed, err := ParseCup(c.Raw()); err != nil || !reflect.DeepEqual(parsed, c) {
		t.Errorf("parsed %+v, %v, want %+v", parsed, err, c)
	}
}
