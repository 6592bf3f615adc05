package cup_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/chain/tables"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/names"
	"roshambo/internal/service/cup"
	"roshambo/internal/store"
)

// terms returns the terms of a public cup for people that the host plays, after a lead.
func (f *fixture) terms(lead time.Duration) cup.Terms {
	return cup.Terms{Kind: cup.People, System: tables.Swiss, Seats: cup.MaxPlayers, HostPlays: true,
		StartsAt: f.ledger.Clock.Now().Add(lead)}
}

// host is the account that opens the cups of a class: the last one of a fixture.
func (f *fixture) host() cup.Entrant {
	return cup.Entrant{Address: f.players[len(f.players)-1], Kind: chain.Full, Secured: true}
}

// class opens a private cup by hand whose host does not play, changed as a test needs, and lets n players join.
func (f *fixture) class(t *testing.T, n int, change func(t *cup.Terms)) (number int64) {
	t.Helper()
	terms := f.terms(cup.MaxLead)
	terms.HostPlays, terms.ByHand, terms.Code = false, true, "7B7B7B7B"
	if change != nil {
		change(&terms)
	}
	f.update(t, func(ctx context.Context, tx *store.Tx) error {
		c, err := f.Create(ctx, tx, f.host(), terms)
		if err != nil {
			return err
		}
		number = c.Number
		for i := range n {
			if _, err := f.Join(ctx, tx, f.entrant(i, terms.Kind), number, "7b7b-7b7b"); err != nil {
				return err
			}
		}
		return nil
	})
	return number
}

// entrant returns player i as one of a kind of cup: a bot has an owner of its own.
func (f *fixture) entrant(i int, kind cup.Kind) cup.Entrant {
	if kind == cup.People {
		return f.person(i)
	}
	return cup.Entrant{Address: f.players[i], Kind: chain.Bot, Owner: &chain.Address{200, byte(i + 1)}}
}

// fails runs a use case that must return an error, and nil for one that must succeed.
func (f *fixture) fails(t *testing.T, want error, call cupCall) {
	t.Helper()
	err := f.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := call(ctx, tx)
		return err
	})
	if !errors.Is(err, want) || (want == nil) != (err == nil) {
		t.Errorf("%v, want %v", err, want)
	}
}

// hostActs are the acts of a host, by name.
func (f *fixture) hostActs(who chain.Address, number int64) map[string]cupCall {
	acts := map[string]func(context.Context, *store.Tx, chain.Address, int64) (*cup.Cup, error){
		"start": f.Start, "pause": f.Pause, "resume": f.Resume, "end": f.End,
		"remove": func(ctx context.Context, tx *store.Tx, who chain.Address, number int64) (*cup.Cup, error) {
			return f.Remove(ctx, tx, who, f.players[0], number)
		},
	}
	calls := map[string]cupCall{}
	for name, act := range acts {
		calls[name] = func(ctx context.Context, tx *store.Tx) (*cup.Cup, error) { return act(ctx, tx, who, number) }
	}
	return calls
}

// TestHost plays a class's cup: it waits for its host, who removes a player, pauses and resumes it and ends it early.
func TestHost(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 10, chain.Full)
	number := f.class(t, 8, nil)
	stranger, host := f.hostActs(f.players[3], number), f.hostActs(f.host().Address, number)
	for name, act := range stranger {
		t.Log("a player's", name)
		f.fails(t, cup.ErrNotHost, act)
	}
	f.fails(t, cup.ErrState, host["pause"])
	f.fails(t, cup.ErrState, host["resume"])
	f.fails(t, nil, host["remove"])
	f.fails(t, cup.ErrNotIn, host["remove"])
	f.fails(t, cup.ErrRemoved, func(ctx context.Context, tx *store.Tx) (*cup.Cup, error) {
		return f.Join(ctx, tx, f.person(0), number, "7B7B7B7B")
	})
	f.fails(t, cup.ErrPrivate, func(ctx context.Context, tx *store.Tx) (*cup.Cup, error) {
		return f.Join(ctx, tx, f.person(8), number, "7B7B7B7C")
	})
	f.ledger.Clock.Add(time.Hour)
	f.advance(t)
	if c, _, _ := f.state(t, number); c.Status != cup.Open || !c.ByHand || c.Players != 7 {
		t.Fatalf("before its host starts it: %+v", c)
	}
	f.fails(t, nil, host["start"])
	f.fails(t, cup.ErrState, host["start"])
	f.advance(t)
	f.finish(t, number, chain.Address{})
	f.fails(t, nil, host["pause"])
	f.fails(t, cup.ErrState, host["pause"])
	f.ledger.Clock.Add(time.Hour)
	f.advance(t)
	if c, _, _ := f.state(t, number); c.Round != 1 {
		t.Fatalf("a paused cup goes on: round %d", c.Round)
	}
	f.fails(t, nil, host["resume"])
	f.advance(t)
	f.finish(t, number, chain.Address{})
	f.fails(t, nil, host["pause"])
	f.ledger.Clock.Add(cup.MaxPause) // it is over
	f.advance(t)
	if c, _, _ := f.state(t, number); c.Round != 3 {
		t.Fatalf("after a day the pause lasts: round %d", c.Round)
	}
	f.fails(t, nil, host["end"])
	f.finish(t, number, chain.Address{})
	f.ledger.Clock.Add(cup.Pause)
	f.advance(t)
	c, games, _ := f.state(t, number)
	if c.Status != cup.Finished || len(games) != 12 || len(f.problems(t)) > 0 {
		t.Errorf("the cup ended in round 3: %s, %d games, %v", c.Status, len(games), f.problems(t))
	}
	for _, act := range host {
		f.fails(t, cup.ErrState, act) // the cup is over
	}
	f.ledger.SealAll(t)
	f.ledger.WantValid(t)
}

// TestHostLimits: an account hosts six unfinished cups, names differ, and one by hand lapses.
func TestHostLimits(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 2, chain.Full)
	f.fails(t, cup.ErrName, f.named("…"))
	f.fails(t, cup.ErrName, f.named(strings.Repeat("x", 61)))
	f.fails(t, cup.ErrNameTaken, f.named("Roshambo staff"))
	f.fails(t, nil, f.named("Class 7b"))
	f.fails(t, cup.ErrNameTaken, f.named("CLASS-7B"))
	for i := range cup.MaxHosted - 1 {
		f.fails(t, nil, f.named(fmt.Sprint("Class ", string(rune('c'+i)))))
	}
	f.fails(t, cup.ErrHosted, f.named("One more"))
	f.fails(t, nil, f.hostActs(f.host().Address, 1)["end"])
	f.fails(t, nil, f.named("Class 7b"))
	f.ledger.Clock.Add(cup.MaxLead)
	f.advance(t)
	if c, _, _ := f.state(t, f.all(t)[1].Number); c.Status != cup.Cancelled {
		t.Errorf("a cup that its host has not started is %s", c.Status)
	}
}

// named opens a cup by hand with a name.
func (f *fixture) named(name string) cupCall {
	return func(ctx context.Context, tx *store.Tx) (*cup.Cup, error) {
		terms := f.terms(cup.MaxLead)
		terms.HostPlays, terms.ByHand, terms.Name = false, true, name
		return f.Create(ctx, tx, f.host(), terms)
	}
}

// TestNamesOfCups: the rules of package names hold for cups too. A name is kept in normalization form NFKC, and no
// other unfinished cup takes one that looks alike: in full width, decomposed, or with a ligature.
func TestNamesOfCups(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 2, chain.Full)
	f.fails(t, names.ErrScripts, f.named("Cl\u0430ss 7b")) // with a letter of Cyrillic
	f.fails(t, names.ErrText, f.named("Class\u200b 7b"))   // with a space of no width
	f.fails(t, nil, f.named("Cafe\u0301 \ufb01re"))        // decomposed, and with a ligature
	for _, alike := range []string{"Caf\u00e9 fire", "Cafe\u0301 fire", "Caf\u00e9 \ufb01re", "\uff23af\u00e9 fire"} {
		t.Logf("%+q", alike)
		f.fails(t, cup.ErrNameTaken, f.named(alike))
	}
	if c, _, _ := f.state(t, f.all(t)[0].Number); c.Name != "Caf\u00e9 fire" {
		t.Errorf("the cup is named %+q", c.Name)
	}
}

// TestStartByHand: a cup starts with two players, for bots after a call, and then takes no more.
func TestStartByHand(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 4, chain.Bot)
	number := f.class(t, 1, func(t *cup.Terms) { t.Kind = cup.Bots })
	host := f.hostActs(f.host().Address, number)
	f.fails(t, cup.ErrFew, host["start"])
	join := func(i int) cupCall {
		return func(ctx context.Context, tx *store.Tx) (*cup.Cup, error) {
			return f.Join(ctx, tx, f.entrant(i, cup.Bots), number, "7B7B7B7B")
		}
	}
	f.fails(t, nil, join(1))
	f.holds(t, f.players[0], false)
	f.fails(t, nil, host["start"])
	f.holds(t, f.players[0], true)
	f.advance(t)
	if c, _, _ := f.state(t, number); c.Status != cup.Open || c.Round != 0 {
		t.Errorf("before the call is over: %s", c.Status)
	}
	f.ledger.Clock.Add(cup.Call)
	f.fails(t, cup.ErrStarted, join(2))
	f.advance(t)
	if c, games, _ := f.state(t, number); c.Status != cup.Running || len(games) != 1 {
		t.Errorf("after the call: %s with %d games", c.Status, len(games))
	}
}

// holds checks whether a bot of a cup begins nothing else.
func (f *fixture) holds(t *testing.T, bot chain.Address, want bool) {
	t.Helper()
	f.update(t, func(ctx context.Context, tx *store.Tx) error {
		seat, err := f.SeatOf(ctx, tx, bot)
		if seat.Held != want {
			t.Errorf("a bot of a cup is held: %t, want %t", seat.Held, want)
		}
		return err
	})
}

// TestReplay: a game that a side has missed is played once more, and the second duel counts; not so after a side has
// left.
func TestReplay(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 5, chain.Full)
	number := f.class(t, 4, func(t *cup.Terms) { t.Replay, t.System = true, tables.RoundRobin })
	f.fails(t, nil, f.hostActs(f.host().Address, number)["start"])
	f.advance(t)
	late := f.players[1]
	_, first, _ := f.state(t, number)
	f.finish(t, number, late)
	_, second, players := f.state(t, number)
	open := slices.IndexFunc(second, func(g tables.Game) bool { return !g.Over })
	if open < 0 || second[open].Duel == first[open].Duel || second[open].A != late && second[open].B != late {
		t.Fatalf("after a missed duel: %+v, before %+v", second, first)
	}
	if slices.ContainsFunc(players, func(p cup.Player) bool { return p.Withdrawn }) {
		t.Error("a player who may play once more has withdrawn")
	}
	f.finish(t, number, chain.Address{}) // it shows up
	for _, leaves := range []bool{false, true} {
		f.ledger.Clock.Add(cup.Pause)
		f.advance(t)
		if leaves {
			f.fails(t, nil, func(ctx context.Context, tx *store.Tx) (*cup.Cup, error) {
				return f.Leave(ctx, tx, late, number)
			})
		}
		f.finish(t, number, late)
		_, games, _ := f.state(t, number)
		if again := slices.ContainsFunc(games, func(g tables.Game) bool { return !g.Over }); again == leaves {
			t.Errorf("a missed duel is played once more: %t, when the side has left: %t", again, leaves)
		}
		if !leaves {
			f.finish(t, number, chain.Address{})
		}
	}
	f.ledger.Clock.Add(cup.Pause)
	f.advance(t)
	if c, _, _ := f.state(t, number); c.Status != cup.Finished || len(f.problems(t)) > 0 {
		t.Errorf("the cup is %s, %v", c.Status, f.problems(t))
	}
	f.ledger.SealAll(t)
	f.ledger.WantValid(t)
}

// TestTerms: a cup has the seats, rounds and system of its host, and private ones are in no list.
func TestTerms(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 10, chain.Full)
	number := f.class(t, 8, func(t *cup.Terms) { t.Seats, t.MostRounds, t.System = 8, 3, tables.RoundRobin })
	f.fails(t, cup.ErrFull, func(ctx context.Context, tx *store.Tx) (*cup.Cup, error) {
		return f.Join(ctx, tx, f.person(8), number, "7B7B7B7B")
	})
	f.fails(t, nil, f.hostActs(f.host().Address, number)["start"])
	for range 4 {
		f.advance(t)
		f.finish(t, number, chain.Address{})
		f.ledger.Clock.Add(cup.Pause)
	}
	c, games, _ := f.state(t, number)
	if c.Status != cup.Finished || c.Rounds != 3 || len(games) != 12 || len(f.problems(t)) > 0 {
		t.Errorf("%s after %d rounds with %d games, %v", c.Status, c.Rounds, len(games), f.problems(t))
	}
	f.update(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := f.List(ctx, tx, 1<<60, 10)
		if slices.ContainsFunc(list, func(c *cup.Cup) bool { return c.Number == number }) {
			t.Error("a private cup is in a list")
		}
		if err != nil {
			return err
		}
		places, err := f.PlacesOf(ctx, tx, f.players[0], 10)
		if err != nil {
			return err
		}
		medals, err := f.MedalsOf(ctx, tx, f.players[0], 10)
		if len(places) > 0 || len(medals) > 0 {
			t.Errorf("the winner of a private cup has places %+v and medals %+v", places, medals)
		}
		return err
	})
	f.ledger.SealAll(t)
	f.ledger.WantValid(t)
}

// TestHouseInHostsCup: a third of the house's bots, the same ones always, join a host's cup that wants them, which is
// not paused, and the service's own cup takes them back.
func TestHouseInHostsCup(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 10, chain.Bot)
	f.House = func(context.Context, *store.Tx) ([]chain.Address, error) { return f.players[3:9], nil }
	number := f.class(t, 1, func(t *cup.Terms) { t.Kind, t.HouseBots = cup.Bots, true })
	host := f.hostActs(f.host().Address, number)
	other := f.class(t, 0, func(t *cup.Terms) { t.Kind, t.HouseBots = cup.Bots, true })
	f.fails(t, nil, func(ctx context.Context, tx *store.Tx) (*cup.Cup, error) {
		return f.Join(ctx, tx, f.entrant(1, cup.Bots), other, "7B7B7B7B")
	})
	f.fails(t, nil, host["start"])
	f.fails(t, nil, f.hostActs(f.host().Address, other)["start"])
	f.ledger.Clock.Add(cup.Call)
	f.advance(t) // also opens the cup of the service
	if c, _, _ := f.state(t, other); c.Status != cup.Cancelled {
		t.Errorf("a second cup with the house's bots and one other is %s, as they are out of the arena", c.Status)
	}
	for i, bot := range f.players[3:9] {
		f.holds(t, bot, i%3 == 0)
	}
	if c, _, _ := f.state(t, number); c.Status != cup.Running || c.Players != 3 {
		t.Fatalf("%s with %d players", c.Status, c.Players)
	}
	f.fails(t, cup.ErrState, host["pause"])
	f.fails(t, nil, func(ctx context.Context, tx *store.Tx) (*cup.Cup, error) {
		return f.Join(ctx, tx, f.entrant(2, cup.Bots), other+1, "")
	})
	f.ledger.Clock.Add(cup.FirstLead)
	f.advance(t)
	if c, _, _ := f.state(t, other+1); c.Status != cup.Running || c.Players != 7 {
		t.Errorf("the service's cup: %s with %d players", c.Status, c.Players)
	}
}
