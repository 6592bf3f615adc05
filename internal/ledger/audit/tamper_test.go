package audit_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/audit"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store/storetest"
)

// TestTamper changes every value of every row of the audited tables, one at a time, deletes each
// row and inserts others. The audit must find each change and name the row.
func TestTamper(t *testing.T) {
	t.Parallel()
	tables := audit.Tables()
	if len(tables) == 0 {
		t.Fatal("no tables are verified")
	}
	for _, table := range tables {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			x := newTamperer(t, table)
			made := 0
			for _, c := range x.changes(t) {
				if !x.apply(t, c) {
					continue // a constraint forbids it
				}
				x.check(t, c)
				if !x.apply(t, c.undone()) {
					t.Fatalf("cannot undo %v", c)
				}
				made++
			}
			x.WantValid(t) // all is as it was
			if made < 15 {
				t.Errorf("only %d changes were made", made)
			}
		})
	}
}

// tamperer is a small chain with direct access to one of its tables.
type tamperer struct {
	*economy
	raw     *sql.DB
	table   string
	columns []string
	key     int // how many of the columns are the primary key; they come first
}

func newTamperer(t *testing.T, table string) *tamperer {
	t.Helper()
	x := &tamperer{economy: newEconomy(t, ledgertest.Options{}), table: table}
	s := x.Everything(t)
	x.SealAll(t)
	x.MustPost(t, ledgertest.Faucet(s.Ann))
	x.Clock.Add(time.Second)
	x.SealAll(t)
	s.Bob = x.joinAndLose(t)
	x.SealAll(t)
	x.Cosign(t, "one", "two")
	x.Win(t, &s.Bob, 4) // stays pending
	x.MustPost(t, ledgertest.Settle(s.Ann, s.Bob, "pending", 0))

	x.raw = storetest.Raw(t, x.Location)
	x.columns, x.key = storetest.Columns(t, x.Location, x.raw, table)
	// The market owns the lock of a token, which does not follow from the chain, nor does the column posted.
	x.columns = slices.DeleteFunc(x.columns, func(name string) bool { return name == "locked" || name == "posted" })
	return x
}

// joinAndLose opens an account and plays one run.
func (x *tamperer) joinAndLose(t *testing.T) player {
	t.Helper()
	p := x.join(t)
	next := x.NewHash()
	x.MustPost(t, ledgertest.Start(p, "lost", chain.EntryFee, next))
	x.MustPost(t, ledgertest.Lose(p, "lost", 2))
	p.Next = next
	return p
}

// tableRow is a row of the table; nil for none.
type tableRow []any

func (x *tamperer) rows(t *testing.T) (list []tableRow) {
	t.Helper()
	rows, err := x.raw.Query("SELECT " + strings.Join(x.columns, ", ") + " FROM " + x.table)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		row := make(tableRow, len(x.columns))
		into := make([]any, len(row))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// change puts rows in place of others.
type change struct{ away, there tableRow }

func (c change) undone() change { return change{c.there, c.away} }

// changes returns all changes of the table. A short run, such as that with the race detector,
// takes one row: each change costs an audit.
func (x *tamperer) changes(t *testing.T) (list []change) {
	t.Helper()
	rows := x.rows(t)
	if testing.Short() {
		rows = rows[len(rows)/2:][:1]
	}
	for _, row := range rows {
		list = append(list, change{away: row})
		for i, v := range row {
			for _, other := range spoil(v) {
				if i < x.key && other == nil {
					continue // SQLite makes up a key
				}
				changed := slices.Clone(row)
				changed[i] = other
				list = append(list, change{row, changed})
				if i < x.key {
					list = append(list, change{there: changed}) // beside the row
				}
			}
		}
	}
	return list
}

// apply makes a change, and reports whether the constraints of the database allow it.
func (x *tamperer) apply(t *testing.T, c change) bool {
	t.Helper()
	tx, err := x.raw.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if c.away != nil {
		var where []string
		for i, name := range x.columns {
			where = append(where, fmt.Sprintf("%s IS NOT DISTINCT FROM $%d", name, i+1))
		}
		done, err := tx.Exec("DELETE FROM "+x.table+" WHERE "+strings.Join(where, " AND "), c.away...)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := done.RowsAffected(); n != 1 || err != nil {
			t.Fatalf("%d rows are %v, error %v", n, c.away, err)
		}
	}
	if c.there != nil {
		var values []string
		for i := range x.columns {
			values = append(values, fmt.Sprintf("$%d", i+1))
		}
		if _, err := tx.Exec(
			"INSERT INTO "+x.table+" ("+strings.Join(x.columns, ", ")+") VALUES ("+strings.Join(values, ", ")+")",
			c.there...); err != nil {
			return false
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	return true
}

// spoil returns values near v, or far from it.
func spoil(v any) []any {
	switch v := v.(type) {
	case nil:
		return []any{
			int64(1),
			"x",
			[]byte("x"),
			make([]byte, 20),
			bytes.Repeat([]byte{1}, 20),
			bytes.Repeat([]byte{1}, 32),
		}
	case int64:
		return []any{v + 1, v - 1, v ^ 1<<40, int64(math.MinInt64), int64(math.MaxInt64), nil}
	case string:
		list := []any{nil, v + "x"}
		for _, b := range flip([]byte(v)) {
			list = append(list, string(b))
		}
		return list
	case []byte:
		list := []any{nil}
		for _, b := range flip(v) {
			list = append(list, b)
		}
		return list
	}
	panic(fmt.Sprintf("a column of type %T", v))
}

// flip returns b with a bit changed at its ends and in between, shorter and longer.
func flip(b []byte) (list [][]byte) {
	for _, at := range []int{0, len(b) / 3, len(b) / 2, len(b) - 2, len(b) - 1} {
		if at >= 0 && at < len(b) {
			changed := slices.Clone(b)
			changed[at] ^= 1
			list = append(list, changed)
		}
	}
	if len(b) > 0 {
		list = append(list, b[:len(b)-1], []byte{})
	}
	return append(list, append(slices.Clone(b), 0))
}

// check audits after a change: the report must name the changed row.
func (x *tamperer) check(t *testing.T, c change) {
	t.Helper()
	v, err := x.Verify(t.Context())
	if err != nil {
		t.Errorf("%v: %v", c, err)
		return
	}
	if v.Valid() {
		if !x.harmless(c) {
			t.Errorf("%v was not found", c)
		}
		return
	}
	var said []string
	for _, p := range v.Problems {
		said = append(
			said,
			fmt.Sprintf("height %d: %s: %s: expected %s, found %s", p.Height, p.Hash, p.What, p.Expected, p.Found),
		)
	}
	all := strings.Join(said, "\n\t")
	for _, row := range []tableRow{c.away, c.there} {
		for _, name := range x.names(row) {
			if strings.Contains(all, name) {
				return
			}
		}
	}
	t.Errorf("%v was found but not named: want one of %q and %q in\n\t%s", c, x.names(c.away), x.names(c.there), all)
}

// harmless reports whether the audit rightly ignores a change: of the numbers of pending
// transactions only the order has a meaning, further rows of meta are unused, and missing
// cosignatures are no difference.
func (x *tamperer) harmless(c change) bool {
	switch x.table {
	case "chain_pending":
		return c.away != nil && c.there != nil && c.away[0] != c.there[0]
	case "meta":
		return c.away == nil
	case "log_cosignature": // one that is lost is collected again
		return c.there == nil
	}
	return false
}

// names returns texts by which a problem may name a row.
func (x *tamperer) names(row tableRow) []string {
	if row == nil {
		return nil
	}
	address := func(v any) string {
		b, _ := v.([]byte)
		if len(b) != 20 {
			return fmt.Sprintf("%x", b)
		}
		return chain.Address(b).String()
	}
	switch x.table {
	case "chain_block":
		return []string{
			fmt.Sprintf("height %d:", row[0]),
			fmt.Sprintf("chain_block height: expected %d,", row[0]),
			"chain_head height",
		}
	case "chain_chunk":
		return []string{fmt.Sprintf("chain_chunk %d:", row[0]), fmt.Sprintf("height %d:", row[1])}
	case "chain_pending":
		return []string{
			fmt.Sprintf("chain_pending %d ", row[0]),
			fmt.Sprintf("height -1: %x: transaction", row[1]), fmt.Sprintf("height -1: %x: transcripts", row[1]),
			fmt.Sprintf("height -1: %x: run", row[1]), fmt.Sprintf("height -1: %x: duel", row[1]),
			"account " + address(row[2]),
			`ledger_game "duel:pending"`,
		}
	case "chain_index":
		prefix, _ := row[0].(int64)
		return []string{fmt.Sprintf("chain_index prefix %016x position %d:", uint64(prefix), row[1])}
	case "chain_address":
		return []string{fmt.Sprintf("chain_address %s position %d:", address(row[0]), row[1])}
	case "chain_pending_address":
		return []string{fmt.Sprintf("chain_pending_address %s hash %x:", address(row[0]), row[1])}
	case "chain_token":
		return []string{fmt.Sprintf("chain_token %d position %d:", row[0], row[1])}
	case "log_hash":
		return []string{fmt.Sprintf("log_hash %d ", row[0])}
	case "ledger_account":
		return []string{"account " + address(row[0])}
	case "ledger_token":
		return []string{fmt.Sprintf("token %d ", row[0]), fmt.Sprintf("token %d:", row[0])}
	case "ledger_game":
		return []string{fmt.Sprintf("game %q", row[0]), ": game: expected "} // a missing one by its transaction
	case "meta":
		return []string{fmt.Sprintf("meta %s", row[0])}
	case "chain_period":
		return []string{fmt.Sprintf("chain_period of %d s from %d:", row[0], row[1])}
	case "log_cosignature":
		return []string{fmt.Sprintf("log_cosignature %s", row[0])}
	}
	return []string{x.table}
}
