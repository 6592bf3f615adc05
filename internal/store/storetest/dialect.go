package storetest

import (
	"fmt"
	"regexp"
)

// SQL translates a statement of a test, written for SQLite, into the dialect of the engine
// under test; byte literals and casts differ.
func SQL(text string) string {
	if !Postgres() {
		return text
	}
	for _, d := range dialect {
		text = d.sqlite.ReplaceAllString(text, d.postgres)
	}
	return text
}

// dialect contains the replacements that SQL applies, in order.
var dialect = []struct {
	sqlite   *regexp.Regexp
	postgres string
}{
	{regexp.MustCompile(`\bx'([0-9a-f]*)'`), `decode('$1', 'hex')`},
	{regexp.MustCompile(`\bzeroblob\(([^()]*)\)`), `decode(repeat('00', CAST($1 AS integer)), 'hex')`},
	{regexp.MustCompile(`(?i)\bcast\((\w+) AS TEXT\)`), `convert_from($1, 'UTF8')`},
	{regexp.MustCompile(`\bBLOB\b`), `BYTEA`},
	{regexp.MustCompile(`\bchar\(0\)`), `chr(1)`}, // PostgreSQL texts cannot contain NUL
}

// TablesQuery returns a query for the names of all tables, in order.
func TablesQuery() string {
	if Postgres() {
		return `SELECT CAST(tablename AS text) FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`
	}
	return "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
}

// RowsQuery returns a PostgreSQL query for the rows of a table as texts, in a stable order.
func RowsQuery(table string) string {
	return fmt.Sprintf(`SELECT CAST(t.* AS text) FROM %s t ORDER BY CAST(t.* AS text) COLLATE "C"`, table)
}
