package db

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// bindLimit bounds the parameters of one statement. The engines take many more, but
// SQLite searches a statement's parameter names from the start for each of them.
const bindLimit = 512

// fewRows go out with the next statement (Tx.Later).
const fewRows = 16

// identifier is a table or column name that needs no quoting on any engine.
var identifier = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// BulkInsert inserts rows with few statements. Each row has one value per column.
// The names must be plain lower-case identifiers, as they become part of the SQL
// text. On an error the rows before it may have been inserted: return the error,
// so that they are taken back.
func BulkInsert(ctx context.Context, tx *Tx, table string, columns []string, rows [][]any) error {
	if err := checkBulk(table, columns, rows); err != nil {
		return fmt.Errorf("db: bulk insert: %w", err)
	}
	exec := tx.ExecContext
	if len(rows) <= fewRows {
		exec = tx.Later().ExecContext
	}
	args := make([]any, 0, min(len(rows)*len(columns), bindLimit))
	for len(rows) > 0 {
		n := chunk(len(rows), len(columns))
		args = args[:0]
		for _, row := range rows[:n] {
			args = append(args, row...)
		}
		if _, err := exec(ctx, insertText(table, columns, n), args...); err != nil {
			return fmt.Errorf("db: bulk insert into %s: %w", table, err)
		}
		rows = rows[n:]
	}
	return nil
}

func checkBulk(table string, columns []string, rows [][]any) error {
	if !identifier.MatchString(table) {
		return fmt.Errorf("bad table name %q", table)
	}
	if len(columns) == 0 || len(columns) > bindLimit {
		return fmt.Errorf("%s: %d columns", table, len(columns))
	}
	for _, c := range columns {
		if !identifier.MatchString(c) {
			return fmt.Errorf("%s: bad column name %q", table, c)
		}
	}
	for i, row := range rows {
		if len(row) != len(columns) {
			return fmt.Errorf("%s: row %d has %d values for %d columns", table, i, len(row), len(columns))
		}
	}
	return nil
}

// chunk returns how many of the rows go into the next statement: a power of two, so
// that a table needs about a dozen texts, which stay prepared, whatever the counts.
func chunk(rows, columns int) int {
	n := 1
	for 2*n <= rows && 2*n*columns <= bindLimit {
		n *= 2
	}
	return n
}

// insertText is "INSERT INTO t (a, b) VALUES ($1,$2),($3,$4)" for n rows.
func insertText(table string, columns []string, n int) string {
	var b strings.Builder
	b.WriteString("INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES ")
	for i := range n * len(columns) {
		switch {
		case i == 0:
			b.WriteString("($")
		case i%len(columns) == 0:
			b.WriteString("),($")
		default:
			b.WriteString(",$")
		}
		b.WriteString(strconv.Itoa(i + 1))
	}
	b.WriteByte(')')
	return b.String()
}

// BulkDelete deletes the rows that have given values in given columns, with few
// statements, and returns how many there were. What is said of BulkInsert's names holds
// for these.
func BulkDelete(ctx context.Context, tx *Tx, table string, columns []string, rows [][]any) (deleted int64, err error) {
	if err := checkBulk(table, columns, rows); err != nil {
		return 0, fmt.Errorf("db: bulk delete: %w", err)
	}
	args := make([]any, 0, min(len(rows)*len(columns), bindLimit))
	for len(rows) > 0 {
		n := chunk(len(rows), len(columns))
		args = args[:0]
		for _, row := range rows[:n] {
			args = append(args, row...)
		}
		result, err := tx.ExecContext(ctx, deleteText(table, columns, n), args...)
		if err != nil {
			return 0, fmt.Errorf("db: bulk delete from %s: %w", table, err)
		}
		gone, err := result.RowsAffected()
		if err != nil {
			return 0, err
		}
		deleted, rows = deleted+gone, rows[n:]
	}
	return deleted, nil
}

// deleteText is "DELETE FROM t WHERE (a = $1 AND b = $2) OR (a = $3 AND b = $4)" for n
// rows, and "DELETE FROM t WHERE a IN ($1,$2)" for one column.
func deleteText(table string, columns []string, n int) string {
	var b strings.Builder
	b.WriteString("DELETE FROM " + table + " WHERE ")
	if len(columns) == 1 {
		b.WriteString(columns[0] + " IN (")
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString("$" + strconv.Itoa(i+1))
		}
		b.WriteByte(')')
		return b.String()
	}
	for i := range n {
		if i > 0 {
			b.WriteString(" OR ")
		}
		b.WriteByte('(')
		for j, c := range columns {
			if j > 0 {
				b.WriteString(" AND ")
			}
			b.WriteString(c + " = $" + strconv.Itoa(i*len(columns)+j+1))
		}
		b.WriteByte(')')
	}
	return b.String()
}
