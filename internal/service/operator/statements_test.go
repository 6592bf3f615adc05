package operator_test

import (
	"context"
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
	do, log, epoch := storetest.Do, &operator.Log{Key: []byte("a key")}, time.UnixMilli(0)
	var first, second operator.Entry
	act, detail := operator.Entry{Operator: "ann", Action: "freeze"}, map[string]int{"n": 1}
	about := act
	about.Subject = &chain.Address{1}
	declared := operator.Void{Game: "run:7", At: time.UnixMilli(8).UTC(), Reason: "a fault", Tx: chain.Hash{9}}
	v := declared
	v.Restored = &operator.Restored{At: time.UnixMilli(9).UTC(), Reason: "a mistake", Tx: chain.Hash{10}}
	void, restore := do(operator.StoreVoid, declared), do(operator.StoreRestored, v.Game, *v.Restored)
	each.Run(t, []storetest.Case{
		{Name: "append", Update: do(log.Append, about, detail), Keep: &first},
		{Name: "append", Update: do(log.Append, act, detail), Keep: &second},
		{Name: "void", Update: void},
		{Name: "void again", Update: void, Refused: operator.ErrVoidAlready},
		{Name: "restore", Update: restore},
		{Name: "restore again", Update: restore, Refused: operator.ErrNotVoid},
		{Name: "entries", View: do(log.Entries, 3, 10), Want: func(list []operator.Entry) bool {
			return reflect.DeepEqual(list, []operator.Entry{second, first})
		}},
		{Name: "verify", View: do(log.Verify), Want: &second},
		{Name: "void of", View: do(operator.VoidOf, v.Game), Want: v},
		{Name: "void of a game whose result stands", Update: do(operator.VoidOf, "run:8"), Refused: operator.ErrNotVoid},
		{Name: "voids", View: do(operator.Voids, epoch), Want: []operator.Void{v}},
		{Name: "flows", View: do(operator.Flows, epoch),
			Want: func(f []operator.Flow, p map[chain.Address]operator.Party) bool { return len(f) == 0 && len(p) == 0 }},
	})
	err := db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := log.Append(ctx, tx, act, func() {})
		return err
	})
	if err == nil {
		t.Error("an act whose detail is not JSON was stored")
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
