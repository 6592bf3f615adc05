package cup_test

import (
	"context"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/cup"
	"roshambo/internal/store"
)

// TestPublicDuels: public lists show the duels of a public cup while they can be charged to the network of its host,
// which is forgotten after two days, and none of a private cup.
func TestPublicDuels(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		private bool
		later   time.Duration // from the opening to the first round
		want    bool
	}{
		"public": {want: true}, "public, much later": {later: 72 * time.Hour},
		"private": {private: true}, "private, much later": {private: true, later: 72 * time.Hour},
	} {
		f := open(t, ledgertest.Options{}, 5, chain.Full)
		public := map[string]bool{}
		f.Duels = &duels{public: public}
		number := f.class(t, 4, func(c *cup.Terms) {
			if !tt.private {
				c.Code = ""
			}
		})
		f.ledger.Clock.Add(tt.later)
		f.fails(t, nil, f.hostActs(f.host().Address, number)["start"])
		f.advance(t)
		_, games, _ := f.state(t, number)
		for _, g := range games {
			if shown, begun := public[g.Duel]; !begun || shown != tt.want {
				t.Errorf("%s: duel %s has begun: %t, public: %t, want %t", name, g.Duel, begun, shown, tt.want)
			}
		}
		if len(games) != 2 {
			t.Errorf("%s: %d games, want 2", name, len(games))
		}
	}
}

// TestWinners: the winners of a finished cup have its first place, and no other player is among them.
func TestWinners(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 5, chain.Full)
	number := f.class(t, 4, func(c *cup.Terms) { c.Code, c.MostRounds = "", 1 })
	f.fails(t, nil, f.hostActs(f.host().Address, number)["start"])
	for range 2 {
		f.advance(t)
		f.finish(t, number, chain.Address{})
		f.ledger.Clock.Add(cup.Pause)
	}
	c, _, players := f.state(t, number)
	if c.Status != cup.Finished {
		t.Fatalf("the cup is %s", c.Status)
	}
	first := map[chain.Address]bool{}
	for _, p := range players {
		first[p.Address] = p.Place == 1
	}
	f.update(t, func(ctx context.Context, tx *store.Tx) error {
		winners, err := f.Winners(ctx, tx, number, number)
		if len(winners[number]) == 0 {
			t.Error("the cup has no winner")
		}
		for _, w := range winners[number] {
			if !first[w.Address] || w.Place != 1 {
				t.Errorf("winner %+v, whose place is the first: %t", w, first[w.Address])
			}
		}
		return err
	})
}
