package move

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/pgtest"
	"roshambo/internal/store/postgres"
	"roshambo/internal/store/sqlite"
	"roshambo/internal/store/storetest"
)

// server is a PostgreSQL server for the databases of one test.
type server struct {
	*pgtest.Cluster
	databases atomic.Int64
}

func newServer(t *testing.T) *server {
	t.Helper()
	return &server{Cluster: pgtest.Start(t, pgtest.Fast)}
}

// create creates a database, whose texts sort linguistically and not by bytes as in SQLite.
func (s *server) create(t *testing.T) store.Config {
	t.Helper()
	name := "move" + strconv.FormatInt(s.databases.Add(1), 10)
	s.Exec(t, "postgres", "CREATE DATABASE "+name+" TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'")
	return store.Config{URL: pgtest.URL(name, s.Cluster)}
}

// opener returns a function that opens a database, which is closed when the test ends.
func opener(t *testing.T, place store.Config) func(*store.Faults) *store.DB {
	return func(faults *store.Faults) *store.DB {
		t.Helper()
		c := place
		c.Faults = faults
		open := sqlite.Open
		if c.URL != "" {
			open = postgres.Open
		}
		d, err := open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closeNow(t, d) })
		return d
	}
}

func closeNow(t *testing.T, d *store.DB) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// single are the tables that hold one row, with id 1.
var single = append([]string{"chain_head", "run_key"}, seeded...)

// fill makes a database at path in which every table has rows: texts that engines sort differently, NULLs, empty
// values, and the bounds of numbers.
func fill(t *testing.T, path string) {
	t.Helper()
	d := opener(t, store.Config{Path: path})(nil)
	tables, err := d.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	nullable := map[string]bool{}
	err = d.View(t.Context(), func(_ context.Context, tx *store.Tx) error {
		return tx.Scan(`SELECT t.name || '.' || c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
			WHERE t.type = 'table' AND c."notnull" = 0 AND c.pk = 0`, nil,
			func(r store.Row) { nullable[string(r.Bytes(0))] = true })
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		n := rowsOf
		if slices.Contains(single, table.Name) {
			n = 1
		}
		var rows [][]any
		for i := range n {
			row := make([]any, len(table.Columns))
			for j, c := range table.Columns {
				row[j] = value(i, table.Name, c, nullable[table.Name+"."+c.Name])
			}
			rows = append(rows, row)
		}
		err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			if slices.Contains(seeded, table.Name) {
				if _, err := tx.ExecContext(ctx, "DELETE FROM "+table.Name); err != nil {
					return err
				}
			}
			return store.BulkInsert(ctx, tx, table.Name, names(table), rows)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	closeNow(t, d)
}

// Columns without an index that may hold any value.
var (
	anyBytes = []string{"answer", "body", "header", "note", "reason", "value"}
	anyTime  = []string{"created_at", "posted_at", "coins", "beat"}
)

// value returns the value of a column in the i-th row. Equal kinds of columns have equal values, so that foreign keys
// find their row.
func value(i int, table string, c store.Column, nullable bool) any {
	switch table + "." + c.Name {
	case "ledger_account.balance":
		return int64(10 * i)
	case "ledger_account.bound":
		return int64(i)
	case "team.members":
		return int64(i % 21)
	case "arena_bot.duel", "arena_quick.duel": // a row that waits has none
		return nil
	}
	if nullable && i%3 == 0 {
		return nil
	}
	empty := slices.Contains(anyBytes, c.Name) && i%5 == 1
	switch {
	case c.Type == store.Integer && slices.Contains(anyTime, c.Name) && i%7 < 2:
		return []int64{math.MinInt64, math.MaxInt64}[i%7]
	case c.Type == store.Integer:
		return int64(i + 1)
	case c.Type == store.Text && empty:
		return ""
	case c.Type == store.Text:
		return []string{"Zoë ", "a", "B", "é✊", "_", "'\"\\\n\t$1"}[i%6] + strconv.Itoa(i)
	case empty:
		return []byte{}
	}
	return blob(i)
}

func blob(i int) []byte { return []byte{0, 0xff, byte(i >> 8), byte(i), '\\'} }

// content returns the rows of all tables of a SQLite file as texts, by primary key.
func content(t *testing.T, path string) map[string][]string {
	t.Helper()
	place := store.Config{Path: path}
	raw := storetest.Raw(t, place)
	query := func(text string, into func(scan func(...any))) {
		t.Helper()
		rows, err := raw.QueryContext(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			into(func(values ...any) {
				if err := rows.Scan(values...); err != nil {
					t.Fatal(err)
				}
			})
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	all := map[string][]string{}
	query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
		func(scan func(...any)) {
			var name string
			scan(&name)
			all[name] = nil
		})
	delete(all, "goose_db_version")
	for table := range maps.Clone(all) {
		columns, key := storetest.Columns(t, place, raw, table)
		query("SELECT "+strings.Join(columns, ", ")+" FROM "+table+" ORDER BY "+strings.Join(columns[:key], ", "),
			func(scan func(...any)) {
				values, into := make([]any, len(columns)), make([]any, len(columns))
				for i := range values {
					into[i] = &values[i]
				}
				scan(into...)
				all[table] = append(all[table], fmt.Sprintf("%#v", values))
			})
	}
	return all
}

// checkNumbers requires that PostgreSQL numbers new rows right behind those that it has.
func checkNumbers(t *testing.T, place store.Config) {
	t.Helper()
	d := opener(t, place)(nil)
	tables, err := d.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	numbered := 0
	for _, table := range tables {
		for _, c := range table.Columns {
			if c.Advance == "" {
				continue
			}
			numbered++
			var next, newest int64
			err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				row := tx.QueryRowContext(ctx, fmt.Sprintf("SELECT nextval(pg_get_serial_sequence('%s', '%s')), max(%s) FROM %s",
					table.Name, c.Name, c.Name, table.Name))
				return row.Scan(&next, &newest)
			})
			if err != nil || next != newest+1 {
				t.Errorf("table %s: the next row is %d behind %d, error %v", table.Name, next, newest, err)
			}
		}
	}
	if numbered < 10 {
		t.Errorf("only %d tables number their rows", numbered)
	}
	closeNow(t, d)
}
