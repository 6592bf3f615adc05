package duel_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// scenario is a random sequence of actions on several duels of a few players.
type scenario struct {
	*fixture
	tb    testing.TB
	games []*trackedDuel
	again func() error // repeats the last step
}

// trackedDuel is the last known state of a duel.
type trackedDuel struct {
	code  string
	last  *duel.Duel
	hands map[chain.Address]duel.Hand // of each player's last commitment
}

// refusals are the errors that a step may return.
var refusals = []error{
	duel.ErrForbidden, duel.ErrOwn, duel.ErrFull, duel.ErrClosed, duel.ErrMovedOn, duel.ErrNotYet,
	duel.ErrMismatch, duel.ErrUnfinished, duel.ErrNoRematch, duel.ErrOpponentFunds,
	store.ErrTime, // on PostgreSQL, while the clock is behind a transaction by more than nodes' clocks may differ
}

// try takes a step and records the result. It reports whether the step was accepted.
func (p *scenario) try(t *rapid.T, g *trackedDuel, step func(testing.TB) (*duel.Duel, error)) (taken bool) {
	d, err := step(p.tb)
	if _, poor := errors.AsType[*chain.InsufficientFundsError](err); poor ||
		slices.ContainsFunc(refusals, func(r error) bool {
			return errors.Is(err, r)
		}) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	if g == nil {
		g = &trackedDuel{code: d.Code, last: d, hands: map[chain.Address]duel.Hand{}}
		p.games = append(p.games, g)
	}
	p.follow(t, g, d)
	return true
}

// follow checks a duel against its last known state and records it.
func (p *scenario) follow(t *rapid.T, g *trackedDuel, d *duel.Duel) {
	n := len(g.last.Rounds)
	if len(d.Rounds) < n || !slices.Equal(g.last.Rounds, d.Rounds[:n]) {
		t.Fatalf("%s: decided rounds changed from %+v to %+v", g.code, g.last.Rounds, d.Rounds)
	}
	if g.last.Status.Over() && d.Status != g.last.Status || g.last.Status == duel.Active && d.Status == duel.Open ||
		d.Version < g.last.Version {
		t.Fatalf("%s: was %+v, is %+v", g.code, g.last, d)
	}
	for _, viewer := range append([]duel.Player{{}}, p.accounts...) {
		p.hidden(t, d, viewer)
	}
	g.last = d
}

// hidden checks that the viewer's rounds contain no hidden commitment or salt. Decided rounds are public, and a side
// may repeat the hand of one.
func (p *scenario) hidden(t *rapid.T, d *duel.Duel, viewer duel.Player) {
	side := d.Side(viewer.Address)
	seen, decided := d.RoundsFor(side), len(d.Rounds)
	for i, r := range d.Rounds {
		if seen[i].DuelRound != r {
			t.Fatalf("side %v sees the decided round %+v as %+v", side, r, seen[i])
		}
	}
	text, err := json.Marshal(seen[decided:])
	if err != nil {
		t.Fatal(err)
	}
	both := d.Hands[0].Committed && d.Hands[1].Committed
	for i, h := range d.Hands {
		if !h.Committed || side == game.A+game.Side(i) {
			continue
		}
		commitment, err := json.Marshal(h.Commitment)
		if err != nil {
			t.Fatal(err)
		}
		if !both && strings.Contains(string(text), string(commitment)) || h.HasSalt &&
			strings.Contains(string(text), h.Salt) {
			t.Fatalf("side %v sees the hand %+v of the other side: %s", side, h, text)
		}
	}
}

func (p *scenario) player(t *rapid.T) duel.Player {
	return rapid.SampledFrom(p.accounts).Draw(t, "player")
}

// any returns a random recent duel and a random player, most often one of its sides.
func (p *scenario) any(t *rapid.T) (*trackedDuel, duel.Player) {
	g := p.games[len(p.games)-1-rapid.IntRange(0, min(4, len(p.games)-1)).Draw(t, "duel")]
	switch rapid.IntRange(0, 5).Draw(t, "who") {
	case 0:
		return g, p.player(t)
	case 1, 2:
		return g, g.last.A
	}
	if g.last.B.Kind == "" || g.last.B.SparringBot() {
		return g, g.last.A
	}
	return g, g.last.B
}

func (p *scenario) commits(t *rapid.T) {
	g, who := p.any(t)
	hand := salted(game.Move(rapid.IntRange(0, 2).Draw(t, "move")))
	if old, ok := g.hands[who.Address]; ok && rapid.IntRange(0, 9).Draw(t, "repeated") == 0 {
		hand = old
	}
	step := func(tb testing.TB) (*duel.Duel, error) { return p.commit(tb, who, g.code, hand) }
	if p.try(t, g, step) {
		g.hands[who.Address] = hand
	}
	p.again = func() error { return second(step(p.tb)) }
}

func (p *scenario) reveals(t *rapid.T) {
	g, who := p.any(t)
	hand := g.hands[who.Address]
	if rapid.IntRange(0, 9).Draw(t, "a lie") == 0 {
		hand = salted(game.Paper)
	}
	step := func(tb testing.TB) (*duel.Duel, error) { return p.reveal(tb, who, g.code, hand) }
	p.try(t, g, step)
	p.again = func() error { return second(step(p.tb)) }
}

// rematches offers a rematch; the duel that begins is tracked, too.
func (p *scenario) rematches(t *rapid.T) {
	g, who := p.any(t)
	before := g.last.Rematch.Code
	if !p.try(t, g, func(tb testing.TB) (*duel.Duel, error) { return p.rematch(tb, who, g.code) }) {
		return
	}
	switch after := g.last.Rematch.Code; {
	case before != "" && after != before:
		t.Fatalf("%s: a second rematch %s after %s", g.code, after, before)
	case before == "" && after != "":
		p.try(t, nil, func(tb testing.TB) (*duel.Duel, error) { return p.applied(tb, after) })
	}
}

// total returns all coins of accounts and escrows.
func (p *scenario) total() (coins int64) {
	for _, a := range p.accounts {
		coins += p.balance(p.tb, a.Address)
	}
	for _, g := range p.games {
		coins += p.balance(p.tb, chain.Escrow(g.code))
	}
	return coins
}

// actions returns the actions of a scenario.
func (p *scenario) actions() map[string]func(*rapid.T) {
	seconds := func(name string, list ...int) func(*rapid.T) {
		return func(t *rapid.T) {
			p.Clock.Add(time.Duration(rapid.SampledFrom(list).Draw(t, name)) * time.Second)
		}
	}
	began := p.Clock.Now() // the chain refuses earlier transactions
	return map[string]func(*rapid.T){
		"create": func(t *rapid.T) {
			who, stake := p.player(t), rapid.SampledFrom([]int64{0, 1, 30, 600}).Draw(t, "stake")
			p.try(t, nil, func(tb testing.TB) (*duel.Duel, error) { return p.create(tb, who, stake) })
		},
		"join": func(t *rapid.T) {
			g, _ := p.any(t)
			who := p.player(t)
			p.try(t, g, func(tb testing.TB) (*duel.Duel, error) { return p.enter(tb, who, g.code) })
		},
		"cancel": func(t *rapid.T) {
			g, who := p.any(t)
			p.try(t, g, func(tb testing.TB) (*duel.Duel, error) { return p.cancel(tb, who, g.code) })
		},
		"create unlisted": func(t *rapid.T) {
			who, stake := p.player(t), rapid.SampledFrom([]int64{0, 30, 600}).Draw(t, "stake")
			p.try(t, nil, func(tb testing.TB) (*duel.Duel, error) { return p.unlisted(tb, who, stake) })
		},
		"resign": func(t *rapid.T) {
			g, who := p.any(t)
			p.try(t, g, func(tb testing.TB) (*duel.Duel, error) { return p.resign(tb, who, g.code) })
		},
		"rematch": p.rematches, "rematch too": p.rematches,
		"withdraw": func(t *rapid.T) {
			g, who := p.any(t)
			p.try(t, g, func(tb testing.TB) (*duel.Duel, error) { return p.withdraw(tb, who, g.code) })
		},
		"spar": func(t *rapid.T) {
			who := p.player(t)
			p.try(t, nil, func(tb testing.TB) (*duel.Duel, error) { return p.spar(tb, who) })
		},
		"ranked": func(t *rapid.T) {
			p.try(t, nil, func(tb testing.TB) (*duel.Duel, error) { return p.ranked(tb, p.accounts[3], p.accounts[4]) })
		},
		"commit": p.commits, "commit too": p.commits, "commit as well": p.commits,
		"reveal": p.reveals, "reveal too": p.reveals, "reveal as well": p.reveals, "reveal again": p.reveals,
		"read": func(t *rapid.T) {
			g, _ := p.any(t)
			p.try(t, g, func(tb testing.TB) (*duel.Duel, error) { return p.applied(tb, g.code) })
		},
		"repeat the last step": func(*rapid.T) {
			if p.again != nil && p.again() == nil { // accepted now, if it was refused for a state that has changed
				p.again = nil
			}
		},
		"sweep": func(t *rapid.T) {
			if _, err := p.Sweep(p.tb.Context()); err != nil && !errors.Is(err, store.ErrTime) {
				t.Fatal(err)
			}
		},
		"wait": seconds("seconds", 1, 5, 14), "leap": seconds("leap", 61, 700),
		"clock goes back": func(t *rapid.T) {
			back := time.Duration(rapid.SampledFrom([]int{2, 100}).Draw(t, "back")) * time.Second
			if at := p.Clock.Now().Add(-back); !at.Before(began) {
				p.Clock.Set(at)
			}
		},
	}
}

// TestRandomScenarios runs random actions of a few players under a jumping clock. Hidden
// hands stay hidden, decided rounds never change, no coin is created or lost, and in the end
// every escrow is empty and the chain is valid.
func TestRandomScenarios(t *testing.T) {
	t.Parallel()
	play := func(r *rapid.T, take func(map[string]func(*rapid.T))) {
		p := &scenario{fixture: newFixture(t), tb: t}
		p.join(t, "ann", chain.Full)
		p.join(t, "bob", chain.Full)
		p.join(t, "guest", chain.Guest)
		p.join(t, "one", chain.Bot)
		p.join(t, "two", chain.Bot)
		p.try(r, nil, func(tb testing.TB) (*duel.Duel, error) { return p.create(tb, p.accounts[0], 5) })
		take(p.actions())
		if got := p.total(); got != 5*startingBalance {
			r.Fatalf("%d coins, want %d", got, 5*startingBalance)
		}
		p.Clock.Add(2 * time.Hour)
		for next := p.Clock.Now(); !next.IsZero(); {
			next = p.sweep(t)
		}
		p.allOver(r)
		p.SealAll(t)
		if v := p.WantValid(t); !v.Valid() {
			r.Fatal("the chain is not valid")
		}
	}
	testseed.Tour(t, func(r *rapid.T) { play(r, func(all map[string]func(*rapid.T)) { testseed.Each(r, 4, all) }) })
	rapid.Check(t, func(r *rapid.T) { play(r, r.Repeat) })
}

// allOver checks the final states, after every deadline has passed.
func (p *scenario) allOver(t *rapid.T) {
	for _, g := range p.games {
		d := p.read(p.tb, g.code)
		p.follow(t, g, d)
		if !d.Status.Over() || p.balance(p.tb, chain.Escrow(g.code)) != 0 {
			t.Fatalf("not over, or %d coins in escrow: %+v", p.balance(p.tb, chain.Escrow(g.code)), d)
		}
		if reports := p.finished[g.code]; (reports == 1) != (d.Status == duel.Finished) || reports > 1 {
			t.Fatalf("%d reports to the listener of %+v", reports, d)
		}
		if (d.SettleTx != nil) != (d.StakeTx[0] != nil || d.Status == duel.Finished) {
			t.Fatalf("settled by %v: %+v", d.SettleTx, d)
		}
	}
	var list []*duel.Duel
	p.View(p.tb, func(ctx context.Context, tx *store.Tx) (err error) {
		list, err = p.List(ctx, tx, duel.Filter{Before: ledger.Newest, Count: int64(len(p.games)) + 1})
		return err
	})
	listed := 0
	for _, g := range p.games {
		if g.last.Listed && g.last.Status == duel.Finished {
			listed++
		}
	}
	if len(list) != listed {
		t.Fatalf("%d duels in the list, want %d", len(list), listed)
	}
	if got := p.total(); got != 5*startingBalance {
		t.Fatalf("at the end %d coins, want %d", got, 5*startingBalance)
	}
}
