package cup_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/chain/tables"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/cup"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// openEach opens a service for n players of a kind, whose statements fail.
func openEach(t *testing.T, n int, kind chain.AccountKind) (*fixture, *storetest.Statements) {
	t.Helper()
	var each storetest.Statements
	f := open(t, ledgertest.Options{DB: store.Config{Faults: each.Faults()}}, n, kind)
	each.Use(t, f.DB, f.ledger.Location)
	return f, &each
}

// TestEachStatement runs the use cases once per statement, with that statement failing.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	f, each := openEach(t, 3, chain.Full)
	var c cup.Cup
	do, n, p := storetest.Do, &c.Number, f.players
	each.Run(t, []storetest.Case{
		{Name: "create", Update: do(f.Create, f.person(0), f.terms(time.Hour)), Keep: &c},
		{Name: "join", Update: do(f.Join, f.person(1), n, "")},
		{Name: "join", Update: do(f.Join, f.person(2), n, "")},
		{Name: "leave", Update: do(f.Leave, p[2], n)},
		{Name: "join again", Update: do(f.Join, f.person(2), n, "")},
		{Name: "leave before the start", Update: do(f.LeaveOpen, p[2]), After: func() { f.ledger.Clock.Add(time.Hour) }},
		{Name: "start", Update: do(f.Move, n)},
	})
	_, games, _ := f.state(t, c.Number)
	winner := games[0].A
	result := f.absent(games[0])
	result.Played, result.Absent = true, [2]bool{}
	each.Run(t, []storetest.Case{
		{Name: "result", Update: do(f.DuelFinished, result), After: func() { f.ledger.Clock.Add(cup.Pause) }},
		{Name: "close", Update: do(f.Move, n)},
		{Name: "get", View: do(f.Get, n), Want: func(c *cup.Cup) bool { return c.Status == cup.Finished }},
		{Name: "players", View: do(f.Players, n), Want: storetest.Len(2)},
		{Name: "games", View: do(f.Games, n), Want: func(games []tables.Game, last time.Time) bool {
			return len(games) == 1 && last.Equal(f.ledger.Clock.Now().Add(-cup.Pause))
		}},
		{Name: "list", View: do(f.List, 100, 10), Want: storetest.Len(1)},
		{Name: "winners", View: do(f.Winners, n, n), Want: func(all map[int64][]cup.Player) bool {
			return len(all[*n]) == 1 && all[*n][0].Address == winner
		}},
		{Name: "places", View: do(f.PlacesOf, winner, 10),
			Want: func(list []cup.Place) bool { return len(list) == 1 && list[0].Rank == 1 }},
		{Name: "medals", View: do(f.MedalsOf, winner, 10), Want: storetest.Len(1)},
		{Name: "seat", View: do(f.SeatOf, p[0]), Want: cup.Seat{}},
		{Name: "check", View: do(f.Check, func(d cup.Divergence) { t.Errorf("%+v", d) })},
	})
}

// absent returns the result of a game that the second player did not play.
func (f *fixture) absent(g tables.Game) cup.Result {
	return cup.Result{Duel: g.Duel, A: g.A, B: g.B, Winner: "a", At: f.ledger.Clock.Now(), Absent: [2]bool{false, true}}
}

// TestEachStatementOfHost runs the acts of a host once per statement, with that statement failing.
func TestEachStatementOfHost(t *testing.T) {
	t.Parallel()
	f, each := openEach(t, 5, chain.Full)
	number := f.class(t, 4, func(t *cup.Terms) { t.Name, t.Replay = "Class 7b", true })
	do, host := storetest.Do, f.host().Address
	act := func(name string, use any) storetest.Case {
		return storetest.Case{Name: name, Update: do(use, host, &number)}
	}
	another := storetest.Case{Before: func() { number = f.class(t, 0, nil) }}
	hide, show := do(f.HideName, &number, "an insult"), do(f.ShowName, &number)
	shown := func(c *cup.Cup) bool { return c.Name == "Class 7b" && c.HiddenReason == "" }
	each.Run(t, []storetest.Case{
		{Name: "show a name that shows", Update: show, Refused: cup.ErrHidden},
		{Name: "hide the name", Update: hide,
			Want: func(c *cup.Cup) bool { return c.Name == "" && c.HiddenReason == "an insult" }},
		{Name: "hide it again", Update: hide, Refused: cup.ErrHidden},
		{Name: "show the name", Update: show, Want: shown},
		{Name: "remove", Update: do(f.Remove, host, f.players[0], &number)},
		act("start", f.Start),
	})
	f.advance(t)
	_, games, _ := f.state(t, number)
	i := slices.IndexFunc(games, func(g tables.Game) bool { return !g.Over })
	each.Run(t, []storetest.Case{
		{Name: "replay", Update: do(f.DuelFinished, f.absent(games[i]))},
		act("pause", f.Pause),
		act("resume", f.Resume),
		act("end", f.End),
		another,
		act("end", f.End),
		another,
		{Name: "abandon", Update: do(f.Abandon, host)},
		{Name: "hosted", View: do(f.HostedBy, host),
			Want: func(list []*cup.Cup) bool { return len(list) == 1 && list[0].Name == "Class 7b" }},
	})
}

// TestEachStatementOfEndKey ends a key once per statement, with that statement failing.
func TestEachStatementOfEndKey(t *testing.T) {
	t.Parallel()
	f, each := openEach(t, 3, chain.Bot)
	f.Keys = keys{f.players[0]: true}
	number := f.class(t, 2, func(t *cup.Terms) { t.Kind = cup.Bots })
	each.Run(t, []storetest.Case{
		{Name: "end a key", Update: storetest.Do(f.EndKey, f.host().Address, f.players[0], number)},
	})
	if got := f.heard(t); len(got) != 1 {
		t.Errorf("the owner heard %q, want one event", got)
	}
}

// TestEachStatementOfAdvance opens the service's cup, starts it with the house's bots, and cancels one without
// players, once per statement, with that statement failing: Advance returns the error, and its next call
// completes the rest, once.
func TestEachStatementOfAdvance(t *testing.T) {
	t.Parallel()
	f, each := openEach(t, 3, chain.Bot)
	// due prepares a cup of the service whose start is due.
	due := func(joins func(number int64)) func() {
		return func() {
			f.clear(t)
			f.advance(t)
			joins(f.all(t)[0].Number)
			f.ledger.Clock.Add(cup.FirstLead)
		}
	}
	joins := func(number int64) { // a bot of the house has joined before
		f.update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := f.Join(ctx, tx, cup.Entrant{Address: f.players[0], Kind: chain.Bot}, number, "")
			return err
		})
	}
	wants := func(status cup.Status, games int) func() { return func() { f.wants(t, status, games) } }
	advance := storetest.Do(f.Advance)
	each.Run(t, []storetest.Case{
		{Name: "open", Before: func() { f.clear(t) }, Steps: advance, After: wants(cup.Open, 0)},
		{Name: "cancel", Before: due(func(int64) {}), Steps: advance, After: wants(cup.Cancelled, 0)},
		{Before: func() {
			f.House = func(context.Context, *store.Tx) ([]chain.Address, error) { return f.players, nil }
		}},
		{Name: "start", Before: due(joins), Steps: advance, After: wants(cup.Running, 2)},
	})
}

// clear removes all cups.
func (f *fixture) clear(t *testing.T) {
	t.Helper()
	f.update(t, func(ctx context.Context, tx *store.Tx) error {
		for _, table := range []string{"cup_game", "cup_player", "cup"} {
			if _, err := tx.ExecContext(ctx, "DELETE FROM "+table); err != nil {
				return err
			}
		}
		return nil
	})
}

// all returns all cups, the oldest first.
func (f *fixture) all(t *testing.T) (list []*cup.Cup) {
	t.Helper()
	err := f.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		list = nil
		rows, err := tx.QueryContext(ctx, "SELECT id FROM cup ORDER BY id")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var number int64
			if err := rows.Scan(&number); err != nil {
				return err
			}
			list = append(list, &cup.Cup{Number: number})
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		list[i], _, _ = f.state(t, list[i].Number)
	}
	return list
}

// wants checks the state of the oldest cup and the number of its games, and that at most the next cup of the
// service is open beside it.
func (f *fixture) wants(t *testing.T, status cup.Status, games int) {
	t.Helper()
	list, open := f.all(t), 0
	for _, c := range list {
		if c.Status == cup.Open {
			open++
		}
	}
	if len(list) == 0 || len(list) > 2 || open > 1 {
		t.Fatalf("%d cups, %d of them open", len(list), open)
	}
	_, got, _ := f.state(t, list[0].Number)
	if list[0].Status != status || len(got) != games {
		t.Errorf("the cup is %s with %d games, want it %s with %d", list[0].Status, len(got), status, games)
	}
}
