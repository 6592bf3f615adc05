package tables_test

import (
	"fmt"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/chain/games/gamestest"
	"roshambo/chain/tables"
)

// closing is a chain whose last block closes a cup of two players, seeded by block 0.
type closing struct {
	*tables.Checker
	settle            *chain.DuelSettle
	transcript, table []byte
}

// newClosing begins a number of blocks and settles the duel in the last one.
func newClosing(blocks int) *closing {
	c := &closing{Checker: tables.New()}
	genesis := &chain.Header{TxCount: 1}
	c.settle, c.transcript, c.table = gamestest.Cup(3, "d", chain.HashBlock(genesis.Raw()), 0,
		[2]chain.Address{{1}, {2}})
	c.Begin(genesis)
	for i := 1; i < blocks; i++ {
		c.Begin(&chain.Header{Height: int64(i), TxCount: 1})
	}
	c.Duel(c.settle, 0, c.transcript)
	return c
}

// TestChecker checks which tables of a cup follow from the duels before. The vectors hold larger cups.
func TestChecker(t *testing.T) {
	t.Parallel()
	closeIt := func(c *closing) error { return c.Cup(&chain.CupClose{Cup: 3}, c.table) }
	replaced := func(old, now string) func(c *closing) error {
		return func(c *closing) error {
			c.table = []byte(strings.Replace(string(c.table), old, now, 1))
			return closeIt(c)
		}
	}
	for name, tt := range map[string]struct {
		blocks int
		close  func(c *closing) error
		want   string // of the error; "" for none
	}{
		"honest":                  {2, closeIt, ""},
		"in the last block":       {tables.Span + 1, closeIt, ""},
		"too late":                {tables.Span + 2, closeIt, "the seed is not"},
		"of the seed's own block": {1, closeIt, "the seed is not"},
		"closed twice": {2, func(c *closing) error {
			if err := closeIt(c); err != nil {
				return fmt.Errorf("the first time: %w", err)
			}
			return closeIt(c)
		}, "round 1: the chain has no such duel"},
		"of another number":  {2, func(c *closing) error { return c.Cup(&chain.CupClose{Cup: 4}, c.table) }, "of cup 3"},
		"cut off":            {2, replaced(`,"seed_height":0,"system":"swiss"}`, ""), "at byte"},
		"another duel":       {2, replaced(`"duel":"d"`, `"duel":"e"`), `no such duel as "e"`},
		"another result":     {2, replaced(`"a_points":2`, `"a_points":1`), "not those on the chain"},
		"another row":        {2, replaced(`"buchholz":0`, `"buchholz":2`), "the rows do not follow"},
		"another rank":       {2, replaced(`"rank":2`, `"rank":1`), "the rows do not follow"},
		"an invented winner": {2, replaced(`"b_points":0`, `"b_points":2`), "not those on the chain"},
	} {
		err := tt.close(newClosing(tt.blocks))
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}
