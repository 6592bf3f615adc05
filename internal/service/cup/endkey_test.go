package cup_test

import (
	"context"
	"slices"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/event"
	"roshambo/internal/service/cup"
	"roshambo/internal/store"
)

// keys are the bots whose keys are valid. It implements cup.Keys by a change of the account's row, in the place of the
// accounts' service.
type keys map[chain.Address]bool

// EndBotKey implements cup.Keys.
func (k keys) EndBotKey(ctx context.Context, tx *store.Tx, bot chain.Address) (bool, error) {
	if _, err := tx.ExecContext(ctx, "UPDATE account SET faucet_at = 1 WHERE address = $1", bot[:]); err != nil {
		return false, err
	}
	ended := k[bot]
	tx.AfterCommit(func() { delete(k, bot) })
	return ended, nil
}

// heard returns the topics of the events of ended keys that wait to be numbered.
func (f *fixture) heard(t *testing.T) (topics []string) {
	t.Helper()
	err := f.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		topics = nil
		rows, err := tx.QueryContext(ctx, "SELECT topic FROM event_inbox WHERE kind = 'key_ended' ORDER BY id")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var topic string
			if err := rows.Scan(&topic); err != nil {
				return err
			}
			topics = append(topics, topic)
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return topics
}

// endsKey returns the act by which an account ends the key of player i.
func (f *fixture) endsKey(who chain.Address, i int, number int64) cupCall {
	return func(ctx context.Context, tx *store.Tx) (*cup.Cup, error) {
		return f.EndKey(ctx, tx, who, f.players[i], number)
	}
}

// TestEndKey: only the host ends the key of a bot, and only while the bot is in the host's open cup, which is private
// or one of a class. The owner hears of it once.
func TestEndKey(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 8, chain.Bot)
	valid := keys{}
	for _, a := range f.players {
		valid[a] = true
	}
	f.Keys = valid
	host := f.host().Address
	bots := func(t *cup.Terms) { t.Kind = cup.Bots }
	private := f.class(t, 3, bots)
	public := f.class(t, 0, func(t *cup.Terms) { t.Kind, t.Code = cup.Bots, "" })
	people := f.class(t, 0, nil)
	f.fails(t, nil, func(ctx context.Context, tx *store.Tx) (*cup.Cup, error) {
		return f.Join(ctx, tx, f.entrant(3, cup.Bots), public, "")
	})
	f.fails(t, nil, func(ctx context.Context, tx *store.Tx) (*cup.Cup, error) {
		return f.Join(ctx, tx, f.person(4), people, "7B7B7B7B")
	})
	f.fails(t, cup.ErrNotFound, f.endsKey(host, 0, 99))
	f.fails(t, cup.ErrNotHost, f.endsKey(f.players[1], 0, private))
	f.fails(t, cup.ErrNotIn, f.endsKey(host, 3, private)) // it is in another cup of the host's
	f.fails(t, cup.ErrNotIn, f.endsKey(host, 4, people))  // a person
	f.fails(t, cup.ErrState, f.endsKey(host, 3, public))
	if len(valid) != len(f.players) || len(f.heard(t)) != 0 {
		t.Fatalf("%d of %d keys are left after refusals", len(valid), len(f.players))
	}
	f.fails(t, nil, f.endsKey(host, 0, private))
	f.fails(t, nil, f.endsKey(host, 0, private)) // it has ended before: nothing happens
	f.Class = true
	f.fails(t, nil, f.endsKey(host, 3, public))
	want := []string{event.Account(*f.entrant(0, cup.Bots).Owner), event.Account(*f.entrant(3, cup.Bots).Owner)}
	if got := f.heard(t); !slices.Equal(got, want) || valid[f.players[0]] || valid[f.players[3]] ||
		len(valid) != len(f.players)-2 {
		t.Errorf("owners heard: %q, want %q; %d keys are left", got, want, len(valid))
	}
	f.fails(t, nil, f.hostActs(host, private)["start"])
	f.ledger.Clock.Add(cup.Call)
	f.advance(t)
	f.fails(t, cup.ErrState, f.endsKey(host, 1, private))
}

// TestClassOpensNoCup: the service of a class opens no cup of its own.
func TestClassOpensNoCup(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 2, chain.Bot)
	f.Class = true
	f.advance(t)
	if list := f.all(t); len(list) != 0 {
		t.Errorf("%d cups, want none", len(list))
	}
	f.Class = false
	f.advance(t)
	if list := f.all(t); len(list) != 1 {
		t.Errorf("%d cups of a service without a class, want one", len(list))
	}
}
