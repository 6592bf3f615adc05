package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Table is a table of the database, as its engine describes it.
type Table struct {
	Name    string
	Columns []Column
	Key     []string // columns of the primary key, in its order
	Parents []string // other tables that its foreign keys refer to
}

// Column is a column of a Table.
type Column struct {
	Name string
	Type ColumnType
	// Advance is a query, for its effect alone, after which the engine numbers new rows above all those in the
	// table; "" when it always does.
	Advance string
}

// ColumnType is the type of a column, the same on every engine.
type ColumnType string

// The types that the migrations use.
const (
	Integer ColumnType = "INTEGER"
	Text    ColumnType = "TEXT"
	Blob    ColumnType = "BLOB"
)

// schemaEngine is implemented by engines that can describe their tables, as all do.
type schemaEngine interface {
	// TablesQuery returns a query with a row for each column: its table, name and type, its place in the primary
	// key, from 1, or 0, the table that it refers to or NULL, and Column.Advance or NULL. Rows of a table are
	// adjacent. It omits the record of the migrations.
	TablesQuery() string
	// OthersQuery returns a query with a text for each session of another program; "" when there can be none.
	OthersQuery() string
}

// Tables returns the tables of the database, each behind those that it refers to, otherwise by name.
func (d *DB) Tables(ctx context.Context) (tables []Table, err error) {
	e, ok := d.engine.(schemaEngine)
	if !ok {
		return nil, errors.New("store: the engine cannot describe its tables")
	}
	err = d.View(ctx, func(ctx context.Context, tx *Tx) (err error) {
		tables, err = readTables(ctx, tx, e.TablesQuery())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("store: tables: %w", err)
	}
	return parentsFirst(tables)
}

// readTables reads the rows of a TablesQuery.
func readTables(ctx context.Context, tx *Tx, query string) (tables []Table, err error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	keys := map[string]map[int64]string{}
	for rows.Next() {
		var table, parent, advance *string
		var c Column
		var place int64
		if err := rows.Scan(&table, &c.Name, &c.Type, &place, &parent, &advance); err != nil {
			return nil, err
		}
		if len(tables) == 0 || tables[len(tables)-1].Name != *table {
			tables = append(tables, Table{Name: *table})
			keys[*table] = map[int64]string{}
		}
		t := &tables[len(tables)-1]
		if advance != nil {
			c.Advance = *advance
		}
		if n := len(t.Columns); n == 0 || t.Columns[n-1].Name != c.Name { // a column with two foreign keys has two rows
			t.Columns = append(t.Columns, c)
		}
		if place > 0 {
			keys[t.Name][place] = c.Name
		}
		if parent != nil && *parent != t.Name && !slices.Contains(t.Parents, *parent) {
			t.Parents = append(t.Parents, *parent)
		}
	}
	for i := range tables {
		t := &tables[i]
		for place := range int64(len(keys[t.Name])) {
			t.Key = append(t.Key, keys[t.Name][place+1])
		}
		slices.Sort(t.Parents)
	}
	return tables, rows.Err()
}

// parentsFirst sorts tables by name, and each behind its parents.
func parentsFirst(tables []Table) ([]Table, error) {
	slices.SortFunc(tables, func(a, b Table) int { return strings.Compare(a.Name, b.Name) })
	placed, sorted := map[string]bool{}, make([]Table, 0, len(tables))
	for len(sorted) < len(tables) {
		before := len(sorted)
		for _, t := range tables {
			waits := slices.ContainsFunc(t.Parents, func(p string) bool { return !placed[p] })
			if !placed[t.Name] && !waits {
				placed[t.Name], sorted = true, append(sorted, t)
			}
		}
		if len(sorted) == before {
			return nil, errors.New("store: tables refer to each other in a circle, or to a table that is not there")
		}
	}
	return sorted, nil
}

// Others returns the sessions of other programs that use the database now, each as a text that an operator
// understands. On SQLite there are none: one process has the file open (Config.Alone).
func (d *DB) Others(ctx context.Context) (others []string, err error) {
	e, ok := d.engine.(schemaEngine)
	if !ok || e.OthersQuery() == "" {
		return nil, nil
	}
	err = d.View(ctx, func(_ context.Context, tx *Tx) error {
		others = nil
		return tx.Scan(e.OthersQuery(), nil, func(r Row) { others = append(others, string(r.Bytes(0))) })
	})
	return others, err
}
