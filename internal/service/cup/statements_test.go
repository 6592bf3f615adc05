package cup_test

import (
	"context"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/cup"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestEachStatementOfAdvance opens the service's cup, starts it with the house's bots, and cancels one without
// players, once per statement, with that statement failing: Advance returns the error, and its next call
// completes the rest, once.
func TestEachStatementOfAdvance(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	f := open(t, ledgertest.Options{DB: store.Config{Faults: each.Faults()}}, 3, chain.Bot)
	each.Use(t, f.DB, f.ledger.Location)
	each.Steps(t, "open", func() { f.clear(t) }, f.Advance, func() { f.wants(t, cup.Open, 0) })
	// due prepares a cup of the service whose start is due.
	due := func(joins func(number int64)) func() {
		return func() {
			f.clear(t)
			f.advance(t)
			joins(f.all(t)[0].Number)
			f.ledger.Clock.Add(cup.FirstLead)
		}
	}
	each.Steps(t, "cancel", due(func(int64) {}), f.Advance, func() { f.wants(t, cup.Cancelled, 0) })
	f.House = func(context.Context, *store.Tx) ([]chain.Address, error) { return f.players, nil }
	each.Steps(t, "start", due(func(number int64) { // a bot of the house has joined before
		f.update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := f.Join(ctx, tx, cup.Entrant{Address: f.players[0], Kind: chain.Bot}, number, "")
			return err
		})
	}), f.Advance, func() { f.wants(t, cup.Running, 2) })
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
