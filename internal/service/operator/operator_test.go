package operator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/service/operator"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// acts returns a database with five acts, and their log.
func acts(t *testing.T) (*store.DB, *operator.Log) {
	t.Helper()
	place := storetest.New(t)
	place.Now = func() time.Time { return time.UnixMilli(7) }
	db := storetest.Open(t, place)
	log := &operator.Log{Key: []byte("a key")}
	subject := chain.Address{1}
	for i := range 5 {
		err := db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			e, err := log.Append(ctx, tx, operator.Entry{Operator: "ann", Action: "freeze", Subject: &subject},
				map[string]int{"i": i})
			if err == nil && e.Seq != int64(i+1) {
				t.Errorf("entry %d has number %d", i+1, e.Seq)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return db, log
}

func verify(t *testing.T, db *store.DB, log *operator.Log) (last operator.Entry, err error) {
	t.Helper()
	err = db.View(t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		last, err = log.Verify(ctx, tx)
		return err
	})
	return last, err
}

// TestLogShowsChanges removes and changes single entries in the database: each change breaks the
// log, also one whose hashes were computed again without the key.
func TestLogShowsChanges(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"none":                  "UPDATE operator_log SET seq = seq",
		"removed in the middle": "DELETE FROM operator_log WHERE seq = 3",
		"removed at the start":  "DELETE FROM operator_log WHERE seq = 1",
		"renumbered":            "UPDATE operator_log SET seq = 9 WHERE seq = 5",
		"another operator":      "UPDATE operator_log SET operator = 'bob' WHERE seq = 2",
		"another action":        "UPDATE operator_log SET action = 'rename' WHERE seq = 2",
		"a letter moved":        "UPDATE operator_log SET operator = 'annf', action = 'reeze' WHERE seq = 2",
		"another time":          "UPDATE operator_log SET at = 8 WHERE seq = 2",
		"no subject":            "UPDATE operator_log SET subject = NULL WHERE seq = 2",
		"another reason":        "UPDATE operator_log SET detail = '{}' WHERE seq = 5",
	} {
		db, log := acts(t)
		err := db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, statement)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		last, err := verify(t, db, log)
		if want := name != "none"; errors.Is(err, operator.ErrBroken) != want || !want && last.Seq != 5 {
			t.Errorf("%s: last entry %d, error %v", name, last.Seq, err)
		}
		if strings.HasSuffix(statement, "WHERE seq = 2") && !strings.HasSuffix(fmt.Sprint(err), " at entry 2") {
			t.Errorf("%s: error %v, want that of entry 2", name, err)
		}
	}
	db, _ := acts(t)
	if _, err := verify(t, db, &operator.Log{Key: []byte("another key")}); !errors.Is(err, operator.ErrBroken) {
		t.Errorf("with another key: error %v", err)
	}
}

// TestLogShowsOneWrongColumn: a wrong number, previous hash or hash breaks the log at its entry, although
// the other two of the three are right.
func TestLogShowsOneWrongColumn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, statement string
		keyed           bool // the statement has the hash of entry 5 with the number 6
		wrong           int64
	}{
		{"a gap, hashed with the key", "UPDATE operator_log SET seq = 6, hash = $1 WHERE seq = 5", true, 5},
		{"another previous hash", "UPDATE operator_log SET prev = hash WHERE seq = 3", false, 3},
		{"another previous hash at the end", "UPDATE operator_log SET prev = hash WHERE seq = 5", false, 5},
		{"another hash", "UPDATE operator_log SET hash = prev WHERE seq = 3", false, 3},
		{"another hash at the end", "UPDATE operator_log SET hash = prev WHERE seq = 5", false, 5},
	} {
		db, log := acts(t)
		err := db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			var args []any
			if c.keyed {
				list, err := log.Entries(ctx, tx, 6, 2)
				if err != nil {
					return err
				}
				last := list[0]
				last.Seq = 6
				hash := log.HashOf(last, list[1].Hash)
				args = append(args, hash[:])
			}
			_, err := tx.ExecContext(ctx, c.statement, args...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		last, err := verify(t, db, log)
		at := fmt.Sprint(" at entry ", c.wrong)
		if !errors.Is(err, operator.ErrBroken) || !strings.HasSuffix(fmt.Sprint(err), at) || last.Seq != c.wrong-1 {
			t.Errorf("%s: last entry %d, error %v, want ErrBroken%s", c.name, last.Seq, err, at)
		}
	}
}

// TestClusters: flows connect accounts, small ones do not, and a bot belongs to its owner.
func TestClusters(t *testing.T) {
	t.Parallel()
	a := func(i byte) chain.Address { return chain.Address{i} }
	flows := []operator.Flow{
		{From: a(1), To: a(9), Times: 1, Coins: 100}, {From: a(2), To: a(9), Times: 3, Coins: 200},
		{From: a(9), To: a(2), Times: 1, Coins: 50}, {From: a(3), To: a(4), Times: 1, Coins: 500},
		{From: a(4), To: a(9), Times: 1, Coins: 9}, {From: a(6), To: a(7), Times: 1, Coins: 10},
	}
	got := operator.Clusters(flows, map[chain.Address]chain.Address{a(6): a(1), a(8): a(3)}, 10)
	want := []operator.Cluster{
		{Accounts: []chain.Address{a(3), a(4)}, Flows: 1, Coins: 500, Sink: a(4), Gain: 500},
		{Accounts: []chain.Address{a(1), a(2), a(6), a(7), a(9)}, Flows: 4, Coins: 360, Sink: a(9), Gain: 250},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%v, want\n%v", got, want)
	}
}

// TestClusterWithoutSink: of two accounts that gain as much the lower address is the sink, and value
// that goes both ways has none. A flow of exactly the limit connects. Clusters of as many coins are in
// the order of their first accounts. Each first account is below all others, so that an order by other
// accounts differs, for nearly any order in which a map lists the clusters.
func TestClusterWithoutSink(t *testing.T) {
	t.Parallel()
	a := func(i byte) chain.Address { return chain.Address{i} }
	flows := []operator.Flow{
		{From: a(1), To: a(19), Coins: 100}, {From: a(19), To: a(1), Coins: 100},
		{From: a(18), To: a(2), Coins: 200},
		{From: a(3), To: a(15), Coins: 100}, {From: a(3), To: a(14), Coins: 100},
		{From: a(4), To: a(17), Coins: 200}, {From: a(16), To: a(5), Coins: 200},
		{From: a(6), To: a(20), Coins: 200}, {From: a(7), To: a(21), Coins: 200},
		{From: a(8), To: a(13), Coins: 99},
	}
	got := operator.Clusters(flows, nil, 100)
	want := []operator.Cluster{
		{Accounts: []chain.Address{a(1), a(19)}, Flows: 2, Coins: 200},
		{Accounts: []chain.Address{a(2), a(18)}, Flows: 1, Coins: 200, Sink: a(2), Gain: 200},
		{Accounts: []chain.Address{a(3), a(14), a(15)}, Flows: 2, Coins: 200, Sink: a(14), Gain: 100},
		{Accounts: []chain.Address{a(4), a(17)}, Flows: 1, Coins: 200, Sink: a(17), Gain: 200},
		{Accounts: []chain.Address{a(5), a(16)}, Flows: 1, Coins: 200, Sink: a(5), Gain: 200},
		{Accounts: []chain.Address{a(6), a(20)}, Flows: 1, Coins: 200, Sink: a(20), Gain: 200},
		{Accounts: []chain.Address{a(7), a(21)}, Flows: 1, Coins: 200, Sink: a(21), Gain: 200},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%v, want\n%v", got, want)
	}
}
