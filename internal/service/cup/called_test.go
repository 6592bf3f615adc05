package cup_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/event"
	"roshambo/internal/service/cup"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// called returns the topics of the events of duels that are waiting to be numbered.
func (f *fixture) called(t *testing.T) (topics []string) {
	t.Helper()
	err := f.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT topic FROM event_inbox WHERE kind = 'matched' ORDER BY id")
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

// TestBotsAreCalled checks that a round of bots calls each of them to its duel, that no call is lost when a
// statement fails, and that people are not called.
func TestBotsAreCalled(t *testing.T) {
	t.Parallel()
	f, each := openEach(t, 2, chain.Bot)
	f.advance(t)
	f.update(t, func(ctx context.Context, tx *store.Tx) error {
		for _, a := range f.players {
			if _, err := f.Join(ctx, tx, cup.Entrant{Address: a, Kind: chain.Bot, Owner: &a}, 1, ""); err != nil {
				return err
			}
		}
		return nil
	})
	f.ledger.Clock.Add(cup.FirstLead)
	each.Run(t, []storetest.Case{{Name: "start", Update: storetest.Do(f.Move, 1)}})
	want := []string{event.Account(f.players[0]), event.Account(f.players[1])}
	got := f.called(t)
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("called: %q, want %q", got, want)
	}
	people := open(t, ledgertest.Options{}, 2, chain.Full)
	number := people.people(t)
	people.ledger.Clock.Add(time.Hour)
	people.advance(t)
	_, games, _ := people.state(t, number)
	if got := people.called(t); len(games) != 1 || len(got) != 0 {
		t.Errorf("people are called in %d games: %q, want none in one", len(games), got)
	}
}
