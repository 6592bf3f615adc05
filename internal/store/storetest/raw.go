package storetest

import (
	"database/sql"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // driver for Raw
	_ "modernc.org/sqlite"             // driver for Raw

	"roshambo/internal/store"
)

// Raw opens the database at place directly, for tests that change rows behind the back of
// package store, such as corruption tests.
func Raw(t testing.TB, place store.Config) *sql.DB {
	t.Helper()
	// Without syncs: a test's damage need not survive a power failure.
	name, source := "sqlite", "file:"+place.Path+"?_pragma=synchronous(OFF)&_pragma=busy_timeout(5000)"
	if place.URL != "" {
		name, source = "pgx", place.URL
	}
	raw, err := sql.Open(name, source)
	must(t, err)
	// One connection, so that session state such as data_version refers to it.
	raw.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := raw.Close(); err != nil {
			t.Error(err)
		}
	})
	return raw
}

// Columns returns the column names of a table, the primary key's first, and the number of key
// columns.
func Columns(t testing.TB, place store.Config, raw *sql.DB, table string) (names []string, key int) {
	t.Helper()
	// pk is the position within the primary key counted from 1, and 0 for other columns.
	query := "SELECT name, pk FROM pragma_table_info($1) ORDER BY pk = 0, pk, cid"
	if place.URL != "" {
		query = `SELECT a.attname, coalesce(array_position(i.indkey::int[], a.attnum::int) + 1, 0) AS pk
			FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey)
			WHERE a.attrelid = CAST($1 AS regclass) AND a.attnum > 0 AND NOT a.attisdropped
			ORDER BY i.indkey IS NULL, pk, a.attnum`
	}
	rows, err := raw.QueryContext(t.Context(), query, table)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		var pk int
		must(t, rows.Scan(&name, &pk))
		names = append(names, name)
		key = max(key, pk)
	}
	must(t, rows.Err())
	return names, key
}
