package store

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// bindLimit bounds the parameters of one statement. The engines accept many more, but SQLite
// searches a statement's parameter names linearly for each of them.
const bindLimit = 512

// selectLimit bounds the values of one statement of BulkSelect.
const selectLimit = 256

// deferRowLimit is the largest number of rows that are sent with the next statement
// (Tx.Deferred).
const deferRowLimit = 16

// identifier is a table or column name that needs no quoting on any engine.
var identifier = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// BulkInsert inserts rows with few statements. Each row has one value per column. Table and
// column names become part of the SQL text, so they must be plain lower-case identifiers. After
// an error earlier rows may have been inserted: return the error to roll them back.
func BulkInsert(ctx context.Context, tx *Tx, table string, columns []string, rows [][]any) error {
	if err := checkBulk(table, columns, rows); err != nil {
		return fmt.Errorf("store: bulk insert: %w", err)
	}
	err := execBulk(ctx, tx, rows, func(n int) string { return insertText(table, columns, n) })
	if err != nil {
		return fmt.Errorf("store: bulk insert into %s: %w", table, err)
	}
	return nil
}

// BulkLoad is BulkInsert for thousands of rows whose order does not matter: PostgreSQL receives them by COPY, and
// stops at the first that it refuses. Values are int64, string, []byte and nil, as the columns hold them.
func BulkLoad(ctx context.Context, tx *Tx, table string, columns []string, rows [][]any) error {
	if tx.lent.Copy == nil || len(rows) == 0 {
		return BulkInsert(ctx, tx, table, columns, rows)
	}
	err := checkBulk(table, columns, rows)
	if err == nil {
		tx.use()
		err = tx.faults.statement("COPY " + table)
	}
	if err == nil {
		err = tx.lent.Copy(table, columns, rows)
	}
	if err != nil {
		return fmt.Errorf("store: bulk load of %s: %w", table, err)
	}
	return nil
}

// execBulk runs one statement per chunk of rows; text(n) is the statement for n rows. At most
// deferRowLimit rows are sent with the next statement.
func execBulk(ctx context.Context, tx *Tx, rows [][]any, text func(n int) string) error {
	if len(rows) == 0 {
		return nil
	}
	exec := tx.ExecContext
	if len(rows) <= deferRowLimit {
		exec = tx.Deferred().ExecContext
	}
	return inChunks(rows, len(rows[0]), func(n int, args []any) error {
		_, err := exec(ctx, text(n), args...)
		return err
	})
}

// inChunks calls fn for each chunk of n rows with their values.
func inChunks(rows [][]any, columns int, fn func(n int, args []any) error) error {
	args := make([]any, 0, min(len(rows)*columns, bindLimit))
	for len(rows) > 0 {
		n := chunk(len(rows), columns)
		args = args[:0]
		for _, row := range rows[:n] {
			args = append(args, row...)
		}
		if err := fn(n, args); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// UpsertTarget names the table and columns of BulkUpsert.
type UpsertTarget struct {
	Table       string
	Key, Others []string // columns of the primary key, and columns to overwrite
}

// BulkUpsert inserts rows with few statements, and overwrites rows that exist. Each row has one
// value per column, the key's values first; keys are distinct. Names must be identifiers as for
// BulkInsert.
func BulkUpsert(ctx context.Context, tx *Tx, t UpsertTarget, rows [][]any) error {
	columns := slices.Concat(t.Key, t.Others)
	if err := checkBulk(t.Table, columns, rows); err != nil {
		return fmt.Errorf("store: bulk upsert: %w", err)
	}
	err := execBulk(ctx, tx, rows, func(n int) string { return upsertText(t, columns, n) })
	if err != nil {
		return fmt.Errorf("store: bulk upsert into %s: %w", t.Table, err)
	}
	return nil
}

// upsertText is insertText with ON CONFLICT (a) DO UPDATE SET b = excluded.b.
func upsertText(t UpsertTarget, columns []string, n int) string {
	var b strings.Builder
	b.WriteString(insertText(t.Table, columns, n))
	b.WriteString(" ON CONFLICT (" + strings.Join(t.Key, ", ") + ") DO UPDATE SET ")
	for i, c := range t.Others {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c + " = excluded." + c)
	}
	return b.String()
}

// Query is a query for many values at once.
type Query struct {
	// Text contains IN (?) once, the place of the values. It is a constant, or one of a few.
	Text string
	Args []any // $1 and so on of Text
}

// BulkSelect runs a query for values with few statements, and calls fn for each row, as Scan
// does. The last value of a statement may be repeated in its list. It returns the first error
// of fn.
func BulkSelect(tx *Tx, query Query, values []any, fn func(Row) error) error {
	for len(values) > 0 {
		n := min(len(values), selectLimit)
		list := Padded(values[:n])
		text := strings.Replace(query.Text, "IN (?)", In(len(query.Args)+1, len(list)), 1)
		var failed error
		err := tx.Scan(text, slices.Concat(query.Args, list), func(r Row) {
			if failed == nil {
				failed = fn(r)
			}
		})
		if err = cmp.Or(err, failed); err != nil {
			return fmt.Errorf("store: bulk select: %w", err)
		}
		values = values[n:]
	}
	return nil
}

// In returns a list of n parameters from number first on: In(3, 2) is "IN ($3,$4)".
func In(first, n int) string {
	var b strings.Builder
	b.WriteString("IN (")
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("$" + strconv.Itoa(first+i))
	}
	b.WriteByte(')')
	return b.String()
}

// Padded repeats the last value up to the next power of two, so that a query needs few texts.
// values is not empty.
func Padded(values []any) []any {
	n := 1
	for n < len(values) {
		n *= 2
	}
	list := slices.Clone(values)
	for len(list) < n {
		list = append(list, values[len(values)-1])
	}
	return list
}

// checkBulk checks the names of a bulk statement and the length of each row.
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

// chunk returns the number of rows in the next statement: a power of two, so that a table needs
// about a dozen texts, which stay prepared.
func chunk(rows, columns int) int {
	n := 1
	for 2*n <= rows && 2*n*columns <= bindLimit {
		n *= 2
	}
	return n
}

// insertText returns "INSERT INTO t (a, b) VALUES ($1,$2),($3,$4)" for n rows.
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

// BulkDelete deletes the rows whose columns equal the given values, with few statements, and
// returns how many it deleted. Names must be identifiers as for BulkInsert.
func BulkDelete(ctx context.Context, tx *Tx, table string, columns []string, rows [][]any) (deleted int64, err error) {
	if err := checkBulk(table, columns, rows); err != nil {
		return 0, fmt.Errorf("store: bulk delete: %w", err)
	}
	err = inChunks(rows, len(columns), func(n int, args []any) error {
		result, err := tx.ExecContext(ctx, deleteText(table, columns, n), args...)
		if err != nil {
			return fmt.Errorf("store: bulk delete from %s: %w", table, err)
		}
		gone, err := result.RowsAffected()
		deleted += gone
		return err
	})
	return deleted, err
}

// deleteText returns "DELETE FROM t WHERE (a = $1 AND b = $2) OR (a = $3 AND b = $4)" for n
// rows, and "DELETE FROM t WHERE a IN ($1,$2)" for one column.
func deleteText(table string, columns []string, n int) string {
	if len(columns) == 1 {
		return "DELETE FROM " + table + " WHERE " + columns[0] + " " + In(1, n)
	}
	var b strings.Builder
	b.WriteString("DELETE FROM " + table + " WHERE ")
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
