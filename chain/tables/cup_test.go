package tables_test

import (
	"fmt"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/chain/games/gamestest"
	"roshambo/chain/tables"
)

// TestCupHasCasualDuels checks that a cup has only settled duels of two accounts without stake and rating.
func TestCupHasCasualDuels(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(d *chain.DuelSettle, stake *int64, transcript *[]byte){
		"rated":                    func(d *chain.DuelSettle, _ *int64, _ *[]byte) { d.Rated = true },
		"a stake":                  func(_ *chain.DuelSettle, stake *int64, _ *[]byte) { *stake = 1 },
		"against the sparring bot": func(d *chain.DuelSettle, _ *int64, _ *[]byte) { d.B = chain.SparringBot() },
		"without opponent":         func(d *chain.DuelSettle, _ *int64, _ *[]byte) { d.B = chain.Address{} },
		"without transcript":       func(_ *chain.DuelSettle, _ *int64, transcript *[]byte) { *transcript = nil },
	} {
		honest := newClosing(2)
		c := closing{Checker: tables.New(), settle: honest.settle, transcript: honest.transcript, table: honest.table}
		genesis := &chain.Header{TxCount: 1}
		c.Begin(genesis)
		c.Begin(&chain.Header{Height: 1, TxCount: 1})
		stake := int64(0)
		change(c.settle, &stake, &c.transcript)
		c.Duel(c.settle, stake, c.transcript)
		err := c.Cup(&chain.CupClose{Cup: 3}, c.table)
		if err == nil || !strings.Contains(err.Error(), "no such duel") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSeedOfASpanBefore checks that the seed of a cup is found in each of the two spans.
func TestSeedOfASpanBefore(t *testing.T) {
	t.Parallel()
	c := tables.New()
	header := func(height int64) *chain.Header { return &chain.Header{Height: height, TxCount: 1} }
	next := int64(0)
	for number, seed := range []int64{tables.Span - 1, tables.Span} {
		for ; next <= seed; next++ {
			c.Begin(header(next))
		}
		settle, transcript, table := gamestest.Cup(int64(number), fmt.Sprint(number),
			chain.HashBlock(header(seed).Raw()), seed, [2]chain.Address{{1}, {2}})
		c.Begin(header(next))
		next++
		c.Duel(settle, 0, transcript)
		if err := c.Cup(&chain.CupClose{Cup: int64(number)}, table); err != nil {
			t.Errorf("seeded by block %d: %v", seed, err)
		}
	}
}

// TestCupPlayers checks that a table states a known kind and 2 to 128 distinct players.
func TestCupPlayers(t *testing.T) {
	t.Parallel()
	players := make([]chain.Address, tables.MaxPlayers+1)
	for i := range players {
		players[i] = chain.Address{byte(i + 1), byte(i >> 7)}
	}
	for name, tt := range map[string]struct {
		n    int
		kind string
		same bool
		want string
	}{
		"most":       {tables.MaxPlayers, "bots", false, ""},
		"too many":   {tables.MaxPlayers + 1, "bots", false, "2 to 128"},
		"one":        {1, "people", false, "2 to 128"},
		"other kind": {4, "cats", false, "2 to 128"},
		"twice":      {4, "people", true, "a player twice"},
	} {
		list := players[:tt.n:tt.n]
		c := tables.Cup{Number: 1, Kind: tt.kind, System: tables.Swiss,
			Games: (&tables.Plan{System: tables.Swiss, Entered: list}).Pair(list, nil, 1)}
		for i := range c.Games {
			c.Games[i].APoints = tables.Win
		}
		c.Rows = tables.Table(list, c.Games, chain.Hash{})
		if tt.same {
			c.Rows = append(c.Rows, c.Rows[0])
		}
		err := c.Check(func(*tables.Game) ([2]bool, error) { return [2]bool{}, nil })
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}
