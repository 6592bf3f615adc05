package ledgertest

import (
	"context"
	"strings"
	"testing"

	"roshambo/internal/db"
)

// Dump returns every row of every table as a line of text, to see that nothing has changed.
func (l *Ledger) Dump(t testing.TB) (lines []string) {
	t.Helper()
	l.View(t, func(ctx context.Context, tx *db.Tx) error {
		tables, err := texts(ctx, tx, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
		if err != nil {
			return err
		}
		for _, table := range tables {
			columns, err := texts(ctx, tx, "SELECT name FROM pragma_table_info($1) ORDER BY cid", table)
			if err != nil {
				return err
			}
			quoted := "quote(" + strings.Join(columns, ") || ', ' || quote(") + ")"
			rows, err := texts(ctx, tx, "SELECT "+quoted+" FROM "+table+" ORDER BY 1")
			if err != nil {
				return err
			}
			for _, row := range rows {
				lines = append(lines, table+": "+row)
			}
		}
		return nil
	})
	return lines
}

// texts returns the one column of a query.
func texts(ctx context.Context, tx *db.Tx, query string, args ...any) (list []string, err error) {
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
