package personal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// excluded are the columns that name accounts and are in no section, with the reason.
var excluded = map[string]string{
	"ledger_game.a": onChain, "ledger_game.b": onChain, "chain_pending.actor": onChain, "chain_address.address": onChain,
	"chain_pending_address.address": onChain, "bot.address": "the row of the bot: its owner exports it",
	"market_day.high": "a price", "market_day.low": "a price",
	"arena_block.member": derived, "arena_pending.member": derived, "score_block.member": derived,
	"score_change.member": derived,
	"cup_game.a":          games, "cup_game.b": games, "cup_player.owner": "of a bot: its address is in the owner's bots",
	"arena_opponent.opponent":  "the other side of the pair; the caller's own side is exported",
	"duel_opponent.opponent":   "likewise",
	"duel_challenger.opponent": "likewise",
	"arena_change.opponent":    "likewise",
	"score_feed.account":       "public items about facts, which are exported",
	"score_fact.other":         "likewise",
	"arena_quick.address":      "a place in a queue, for a minute", "arena_quick.last_opponent": "likewise",
	"arena_bot.address": ofBots, "arena_bot.owner": ofBots, "arena_bot.last_opponent": ofBots,
}

const (
	onChain = "public on the chain, under the address"
	derived = "counts of a board, derived from its entries"
	games   = "the sides of a duel, which is exported"
	ofBots  = "the state of the queue, gone after seconds"
)

// accountColumns are the names of columns that hold addresses of accounts.
var accountColumns = []string{
	"account", "address", "a", "b", "seller", "buyer", "owner", "actor", "member", "low", "high", "opponent", "other",
	"founder", "last_opponent", "subject", "taken_from", "invited",
}

// TestSectionsAreComplete: every column of the schema that names accounts selects the rows of a
// section, or is excluded with a reason.
func TestSectionsAreComplete(t *testing.T) {
	t.Parallel()
	db := storetest.OpenSQLite(t, storetest.NewSQLite(t))
	found := 0
	err := db.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		rows, err := tx.QueryContext(ctx, `SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c
			WHERE m.type = 'table' ORDER BY m.name, c.cid`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var table, name string
			if err := rows.Scan(&table, &name); err != nil {
				return err
			}
			if !slices.Contains(accountColumns, name) {
				continue
			}
			found++
			_, out := excluded[table+"."+name]
			in := slices.ContainsFunc(sections, func(s section) bool {
				return s.table == table && strings.Contains(s.where, name+" = $1") || s.table == table &&
					strings.Contains(s.where, name+" IN (")
			})
			if !in && !out {
				t.Errorf("%s.%s names accounts: export it, or exclude it with a reason", table, name)
			}
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 40 {
		t.Errorf("%d columns name accounts: the list of their names is out of date", found)
	}
}

// TestEverySection runs the query of every section: the rows of the account are in it, in order,
// and none of another account.
func TestEverySection(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.New(t))
	own, other := chain.Address{1}, chain.Address{2}
	const rows = 7
	err := db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for i := range rows {
			for owner, name := range map[chain.Address]string{own: "own", other: "other"} {
				_, err := tx.ExecContext(ctx, "INSERT INTO held_name (username_fold, address, held_until) VALUES ($1, $2, $3)",
					fmt.Sprintf("%s%05d", name, i), owner[:], int64(i))
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	err = db.View(t.Context(), func(_ context.Context, tx *store.Tx) error {
		text.Reset() // the closure may be retried
		return Write(tx, own, &text)
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []struct {
		Name string
		Rows []json.RawMessage
	}
	if err := json.Unmarshal(text.Bytes(), &got); err != nil || len(got) != len(sections) {
		t.Fatalf("%d sections of %d: %v", len(got), len(sections), err)
	}
	for i, s := range got {
		want := 0
		if s.Name == "held_names" {
			want = rows
		}
		if s.Name != sections[i].name || len(s.Rows) != want {
			t.Errorf("section %d is %s with %d rows, want %s with %d", i, s.Name, len(s.Rows), sections[i].name, want)
		}
		for n, row := range s.Rows {
			if expected := fmt.Sprintf(`{"username_fold":"own%05d","held_until":"1970-01-01T00:00:00.%03dZ"}`, n,
				n); string(row) != expected {
				t.Errorf("row %d is %s, want %s", n, row, expected)
			}
		}
	}
}

// TestWriteIsFlat: writing an account of 16 MB needs memory for some of its rows alone. It is not parallel, so
// that no other test uses memory meanwhile.
func TestWriteIsFlat(t *testing.T) { //nolint:paralleltest // it measures memory
	db := storetest.OpenSQLite(t, storetest.NewSQLite(t))
	own, row := chain.Address{1}, strings.Repeat("x", 1<<20)
	err := db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for i := range 16 {
			_, err := tx.ExecContext(ctx, "INSERT INTO held_name (username_fold, address, held_until) VALUES ($1, $2, $3)",
				fmt.Sprint(i, row), own[:], int64(i))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	m := &meter{}
	before := m.live()
	if err := db.View(t.Context(), func(_ context.Context, tx *store.Tx) error { return Write(tx, own, m) }); err != nil {
		t.Fatal(err)
	}
	if most := int64(m.most) - int64(before); m.written < 16<<20 || most > 6<<20 {
		t.Errorf("%d bytes written, with %d bytes of memory in use, want at most 6 MiB", m.written, most)
	}
}

// meter counts the bytes written to it, and measures the memory in use after each MiB.
type meter struct {
	written int
	most    uint64
}

// live returns how many bytes of memory are in use.
func (*meter) live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Write implements io.Writer.
func (m *meter) Write(b []byte) (int, error) {
	if m.written>>20 != (m.written+len(b))>>20 {
		m.most = max(m.most, m.live())
	}
	m.written += len(b)
	return len(b), nil
}

// TestNoSecrets: no column of a section is a secret or the hash of one.
func TestNoSecrets(t *testing.T) {
	t.Parallel()
	for _, s := range sections {
		for _, c := range s.columns {
			switch c.name {
			case "token", "token_hash", "hash", "password", "seed", "request", "answer", "code", "commitment_a",
				"commitment_b", "reveal_a", "reveal_b":
				if s.table != "duel" || c.name != "code" { // the code of a duel is its public id
					t.Errorf("%s shows %s", s.name, c.name)
				}
			}
		}
	}
}
