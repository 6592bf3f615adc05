package operator_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/service/operator"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestEachStatement runs the use cases once per statement, with that statement failing.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	place := storetest.At(storetest.New(t), store.Config{Faults: each.Faults()})
	place.Now = func() time.Time { return time.UnixMilli(7) }
	db := storetest.Open(t, place)
	each.Use(t, db, place)
	subject := chain.Address{1}
	log := &operator.Log{Key: []byte("a key")}
	var entries []operator.Entry
	for _, of := range []*chain.Address{&subject, nil} {
		each.Update(t, "append", func(ctx context.Context, tx *store.Tx) error {
			e, err := log.Append(ctx, tx, operator.Entry{Operator: "ann", Action: "freeze", Subject: of}, map[string]int{"n": 1})
			if err == nil {
				entries = append(entries, e)
			}
			return err
		})
	}
	err := db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := log.Append(ctx, tx, operator.Entry{Operator: "ann", Action: "freeze"}, func() {})
		return err
	})
	if err == nil {
		t.Error("an act whose detail is not JSON was stored")
	}
	v := operator.Void{Game: "run:7", At: time.UnixMilli(8).UTC(), Reason: "a fault", Tx: chain.Hash{9}}
	each.Update(t, "void", func(ctx context.Context, tx *store.Tx) error { return operator.StoreVoid(ctx, tx, v) })
	err = db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error { return operator.StoreVoid(ctx, tx, v) })
	if !errors.Is(err, operator.ErrVoidAlready) {
		t.Errorf("a second declaration: error %v, want ErrVoidAlready", err)
	}
	v.Restored = &operator.Restored{At: time.UnixMilli(9).UTC(), Reason: "a mistake", Tx: chain.Hash{10}}
	restore := func(ctx context.Context, tx *store.Tx) error {
		return operator.StoreRestored(ctx, tx, v.Game, *v.Restored)
	}
	each.Update(t, "restore", restore)
	if err = db.Update(t.Context(), restore); !errors.Is(err, operator.ErrNotVoid) {
		t.Errorf("a second restore: error %v, want ErrNotVoid", err)
	}
	each.Views(t, map[string]func(ctx context.Context, tx *store.Tx) (bool, error){
		"entries": func(ctx context.Context, tx *store.Tx) (bool, error) {
			list, err := log.Entries(ctx, tx, 3, 10)
			return reflect.DeepEqual(list, []operator.Entry{entries[1], entries[0]}), err
		},
		"verify": func(ctx context.Context, tx *store.Tx) (bool, error) {
			last, err := log.Verify(ctx, tx)
			return reflect.DeepEqual(last, entries[1]), err
		},
		"void of": func(ctx context.Context, tx *store.Tx) (bool, error) {
			got, err := operator.VoidOf(ctx, tx, v.Game)
			return reflect.DeepEqual(got, v), err
		},
		"voids": func(ctx context.Context, tx *store.Tx) (bool, error) {
			list, err := operator.Voids(ctx, tx, time.UnixMilli(0))
			return reflect.DeepEqual(list, []operator.Void{v}), err
		},
		"flows": func(ctx context.Context, tx *store.Tx) (bool, error) {
			flows, parties, err := operator.Flows(ctx, tx, time.UnixMilli(0))
			return len(flows) == 0 && len(parties) == 0, err
		},
	})
	err = db.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := operator.VoidOf(ctx, tx, "run:8")
		return err
	})
	if !errors.Is(err, operator.ErrNotVoid) {
		t.Errorf("a game whose result stands: error %v, want ErrNotVoid", err)
	}
}

// TestFlows: sales and stakes of a pair and direction are one flow, those before the period are none,
// and a party that is a bot has its owner.
func TestFlows(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.New(t))
	a := func(i byte) chain.Address { return chain.Address{i} }
	exec := func(ctx context.Context, tx *store.Tx, query string, args ...any) {
		t.Helper()
		if _, err := tx.ExecContext(ctx, storetest.SQL(query), args...); err != nil {
			t.Fatal(err)
		}
	}
	var flows []operator.Flow
	var parties map[chain.Address]operator.Party
	err := db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		for i, kind := range []chain.AccountKind{chain.Full, chain.Guest, chain.Bot, chain.Guest} {
			address := a(byte(i + 1))
			exec(ctx, tx, `INSERT INTO account (address, kind, username, username_key, username_fold, created_at) VALUES ($1, $2, $3, $3, $3, 0)`,
				address[:], string(kind), fmt.Sprint("player-", i+1))
		}
		bot, owner := a(3), a(1)
		exec(ctx, tx, "INSERT INTO bot (address, owner, created_at) VALUES ($1, $2, 0)", bot[:], owner[:])
		for i, sale := range []struct {
			buyer, seller byte
			price, at     int64
		}{{1, 2, 30, 100}, {1, 2, 20, 101}, {2, 1, 70, 100}, {4, 1, 900, 99}, {3, 1, 70, 100}} {
			buyer, seller := a(sale.buyer), a(sale.seller)
			exec(ctx, tx, `INSERT INTO market_listing (token_id, tier, tier_down, price, seller, buyer, status, listed_at,
				closed_at) VALUES ($1, 1, -1, $2, $3, $4, 'sold', 0, $5)`, int64(i+1), sale.price, seller[:], buyer[:], sale.at)
		}
		for i, winner := range []string{"a", "b", ""} { // of 2 against 1
			one, two := a(1), a(2)
			exec(ctx, tx, `INSERT INTO duel (code, kind, status, a, a_name, a_kind, b, b_name, b_kind, stake, rated, rounds,
				deadline, winner, created_at, ended_at, version, listed, rematch_of, rematch_by, rematch_until, rematch,
				invited_name, series_a, series_b, step_ms)
				VALUES ($1, 'open', 'finished', $2, '', 'guest', $3, '', 'guest', $4, 0, '', 0, $5, 0, 100, 1, 0, '', '', 0, '',
				'', 0, 0, 0)`,
				fmt.Sprint("DUEL", i), two[:], one[:], int64(5+i), winner)
		}
		flows, parties, err = operator.Flows(ctx, tx, time.UnixMilli(100))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []operator.Flow{
		{From: a(2), To: a(1), Times: 2, Coins: 76}, // a sale of 70, and a lost stake of 6
		{From: a(3), To: a(1), Times: 1, Coins: 70},
		{From: a(1), To: a(2), Times: 3, Coins: 55},
	}
	if !reflect.DeepEqual(flows, want) {
		t.Errorf("got  %v\nwant %v", flows, want)
	}
	owner := a(1)
	if bot := parties[a(3)]; len(parties) != 3 || parties[a(1)].Username != "player-1" || bot.Kind != chain.Bot ||
		!reflect.DeepEqual(bot.Owner, &owner) || parties[a(2)].Owner != nil {
		t.Errorf("parties %+v", parties)
	}
}
