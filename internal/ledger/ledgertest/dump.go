package ledgertest

import (
	"context"
	"strings"
	"testing"

	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// Dump returns every row of every table as a line of text, to compare two states.
func (l *Ledger) Dump(t testing.TB) (lines []string) {
	t.Helper()
	l.View(t, func(ctx context.Context, tx *store.Tx) error {
		lines = nil
		tables, err := texts(ctx, tx, storetest.TablesQuery())
		if err != nil {
			return err
		}
		for _, table := range tables {
			query, err := rowsQuery(ctx, tx, table)
			if err != nil {
				return err
			}
			rows, err := texts(ctx, tx, query)
			if err != nil {
				return err
			}
			for _, row := range rows {
				lines = append(lines, table+": "+row)
			}
		}
		return nil
	})
	// Comparing two empty dumps would show nothing.
	if len(lines) == 0 {
		t.Fatal("the database holds no row, not even those of genesis")
	}
	return lines
}

// rowsQuery returns the query for the rows of a table as texts, in a fixed order.
func rowsQuery(ctx context.Context, tx *store.Tx, table string) (string, error) {
	if storetest.Postgres() {
		return storetest.RowsQuery(table), nil
	}
	columns, err := texts(ctx, tx, "SELECT name FROM pragma_table_info($1) ORDER BY cid", table)
	quoted := "quote(" + strings.Join(columns, ") || ', ' || quote(") + ")"
	return "SELECT " + quoted + " FROM " + table + " ORDER BY 1", err
}

// texts returns the only column of a query.
func texts(ctx context.Context, tx *store.Tx, query string, args ...any) (list []string, err error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, rows.Err()
}
