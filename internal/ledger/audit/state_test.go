package audit

import (
	"bytes"
	"slices"
	"testing"

	"roshambo/chain"
	q "roshambo/internal/store/query/ledgerq"
)

// TestGameForm compares the faults found in rows of games with ones named by hand.
func TestGameForm(t *testing.T) {
	t.Parallel()
	a, b, short := bytes.Repeat([]byte{1}, len(chain.Address{})), bytes.Repeat([]byte{2}, len(chain.Address{})), []byte{1}
	start, stake, closed := int64(chain.StepStart), int64(chain.StepStake), int64(chain.StepClose)
	for _, c := range []struct {
		row  q.LedgerGame
		want []string
	}{
		{q.LedgerGame{ID: "run:1", Step: start, A: a, Tier: 3, Bound: 1}, nil},
		{q.LedgerGame{ID: "duel:1", Step: stake, A: a, B: b, Stake: 5}, nil},
		{q.LedgerGame{ID: "season:1", Step: closed}, nil},
		{q.LedgerGame{ID: "cup:1", Step: closed}, nil},
		{q.LedgerGame{ID: "void:run:1", Step: closed}, nil},
		{q.LedgerGame{ID: "restore:run:1", Step: closed}, nil},
		{q.LedgerGame{ID: "run:1", Step: start, A: short}, []string{"a"}},
		{q.LedgerGame{ID: "duel:1", Step: stake, A: a, B: short}, []string{"b"}},
		{q.LedgerGame{ID: "run:1", Step: start, A: a, Bound: 2}, []string{"bound"}},
		{q.LedgerGame{ID: "run:1", Step: 0, A: a}, []string{"step"}},
		{q.LedgerGame{ID: "run:1", Step: closed + 1, A: a}, []string{"step"}},
		{q.LedgerGame{ID: "duel:1", Step: start, A: a}, []string{"kind"}},
		{q.LedgerGame{ID: "run:1", Step: start, A: a, B: b}, []string{"kind"}},
		{q.LedgerGame{ID: "run:1", Step: start, A: a, Stake: 1}, []string{"kind"}},
		{q.LedgerGame{ID: "duel:1", Step: stake, A: a, Tier: 1}, []string{"kind"}},
		{q.LedgerGame{ID: "duel:1", Step: stake, A: a, Bound: 1}, []string{"kind"}},
		{q.LedgerGame{ID: "run:1", Step: closed}, []string{"kind"}},
		{q.LedgerGame{ID: "cup:1", Step: closed, A: a}, []string{"kind"}},
	} {
		var got []string
		for _, f := range gameForm(&c.row) {
			got = append(got, f.column)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: faults in %v, want %v", c.row, got, c.want)
		}
	}
}
