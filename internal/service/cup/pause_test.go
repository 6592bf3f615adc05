package cup_test

import (
	"context"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/chain/tables"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/cup"
	"roshambo/internal/store"
)

// TestPauseIsBounded: a host gains no time by resuming and pausing a cup before a round begins: all pauses end a
// day after the start.
func TestPauseIsBounded(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 5, chain.Full)
	number := f.class(t, 4, nil)
	host := f.hostActs(f.host().Address, number)
	f.fails(t, nil, host["start"])
	f.advance(t)
	f.finish(t, number, chain.Address{})
	f.fails(t, nil, host["pause"])
	const step = 30 * time.Minute
	for range cup.MaxPause/step - 1 {
		f.ledger.Clock.Add(step)
		f.fails(t, nil, host["resume"])
		f.fails(t, nil, host["pause"])
		f.advance(t)
	}
	if c, _, _ := f.state(t, number); c.Round != 1 || !c.Paused(f.ledger.Clock.Now()) {
		t.Fatalf("within a day: round %d", c.Round)
	}
	f.ledger.Clock.Add(step)
	if c, _, _ := f.state(t, number); c.Paused(f.ledger.Clock.Now()) {
		t.Error("a pause that is over is shown")
	}
	f.fails(t, cup.ErrState, host["resume"])
	f.fails(t, cup.ErrState, host["pause"])
	f.advance(t)
	if c, _, _ := f.state(t, number); c.Round != 2 {
		t.Errorf("after a day: round %d, want 2", c.Round)
	}
}

// TestPausedCupHolds: a paused cup for bots holds those alone whose duel goes on, and calls them before it goes on.
func TestPausedCupHolds(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 4, chain.Bot)
	number := f.class(t, 3, func(t *cup.Terms) { t.Kind = cup.Bots })
	host := f.hostActs(f.host().Address, number)
	f.fails(t, nil, host["start"])
	f.ledger.Clock.Add(cup.Call)
	f.advance(t)
	f.fails(t, nil, host["pause"])
	_, games, _ := f.state(t, number)
	holds := func(played, bye bool) {
		t.Helper()
		for _, g := range games {
			f.holds(t, g.A, map[bool]bool{true: bye, false: played}[g.B == chain.Address{}])
		}
	}
	holds(true, false)
	f.finish(t, number, chain.Address{})
	holds(false, false)
	f.fails(t, nil, host["resume"])
	holds(true, true)
	f.ledger.Clock.Add(cup.Pause)
	f.advance(t)
	c, _, _ := f.state(t, number)
	if next := c.NextRound(f.ledger.Clock.Now(), f.ledger.Clock.Now()); c.Round != 1 || next == nil ||
		next.Sub(f.ledger.Clock.Now()) != cup.Call-cup.Pause {
		t.Errorf("during the call: round %d, the next one at %v", c.Round, next)
	}
	f.ledger.Clock.Add(cup.Call - cup.Pause)
	f.advance(t)
	if c, _, _ := f.state(t, number); c.Round != 2 {
		t.Errorf("after the call: round %d, want 2", c.Round)
	}
}

// TestLateCup: a cup whose seed is old begins no further round, and ends with the results that it has; one whose seed
// verifiers have forgotten is cancelled.
func TestLateCup(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 5, chain.Full)
	for age, want := range map[int64]cup.Status{
		tables.Span/2 - 100: cup.Running, tables.Span/2 + 1: cup.Finished, tables.Span: cup.Cancelled,
	} {
		number := f.class(t, 4, nil)
		f.fails(t, nil, f.hostActs(f.host().Address, number)["start"])
		f.advance(t)
		f.finish(t, number, chain.Address{})
		f.ledger.Clock.Add(cup.Pause)
		f.update(t, func(ctx context.Context, tx *store.Tx) error {
			head, err := f.ledger.Head(ctx, tx)
			if err != nil {
				return err
			}
			_, err = tx.ExecContext(ctx, "UPDATE cup SET seed_height = $1 WHERE id = $2", head.Block.Header.Height-age, number)
			return err
		})
		f.advance(t)
		c, _, players := f.state(t, number)
		if c.Status != want || (c.Round == 2) != (want == cup.Running) {
			t.Errorf("at an age of %d blocks: %s in round %d, want it %s", age, c.Status, c.Round, want)
		}
		for _, p := range players {
			if (p.Place > 0) != (want == cup.Finished) {
				t.Errorf("at an age of %d blocks a player has place %d", age, p.Place)
			}
		}
		f.fails(t, map[bool]error{true: nil, false: cup.ErrState}[want == cup.Running],
			f.hostActs(f.host().Address, number)["end"])
		f.finish(t, number, chain.Address{})
		f.ledger.Clock.Add(cup.Pause)
		f.advance(t) // frees the players
	}
}

// TestAbandon: the open cups of a host that is gone are cancelled, and a paused one goes on to its end.
func TestAbandon(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 5, chain.Full)
	running := f.class(t, 4, nil)
	host := f.hostActs(f.host().Address, running)
	f.fails(t, nil, host["start"])
	f.advance(t)
	f.fails(t, nil, host["pause"])
	waiting := f.class(t, 0, nil)
	f.update(t, func(ctx context.Context, tx *store.Tx) error { return f.Abandon(ctx, tx, f.host().Address) })
	for range 3 {
		f.finish(t, running, chain.Address{})
		f.ledger.Clock.Add(cup.Pause)
		f.advance(t)
	}
	for number, want := range map[int64]cup.Status{running: cup.Finished, waiting: cup.Cancelled} {
		if c, _, _ := f.state(t, number); c.Status != want {
			t.Errorf("cup %d of a host who is gone is %s, want %s", number, c.Status, want)
		}
	}
}
