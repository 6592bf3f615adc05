package store

import (
	"context"
	"errors"
	"fmt"
)

// Row is a row of a Scan. The bytes that it returns are valid until the callback returns.
// Columns are counted from 0.
type Row interface {
	// Int returns an integer, 0 for NULL.
	Int(column int) int64
	// Bytes returns a text or a blob, nil for NULL alone.
	Bytes(column int) []byte
	// Null reports whether a column is NULL.
	Null(column int) bool
}

// scanner runs queries whose rows are passed to a callback and not retained.
type scanner interface {
	scan(ctx context.Context, query string, args []any, fn func(Row)) error
}

// Scan runs a query over many rows: it calls fn for each one, and copies or allocates nothing
// per row where the engine permits, as SQLite does within Views. Arguments are integers, texts
// and blobs. Reading a column as another type than its own ends the scan with an error.
func (tx *Tx) Scan(query string, args []any, fn func(Row)) error {
	if tx.scanner == nil {
		return tx.scanCopies(query, args, fn)
	}
	tx.use()
	if err := tx.faults.statement(query); err != nil {
		return err
	}
	return tx.scanner.scan(tx.ctx, query, args, fn)
}

// scanCopies is Scan through database/sql.
func (tx *Tx) scanCopies(query string, args []any, fn func(Row)) (err error) {
	rows, err := tx.QueryContext(tx.ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = joinErrors(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	row := copiedRow{values: make([]any, len(columns))}
	into := make([]any, len(columns))
	for i := range into {
		into[i] = &row.values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if fn(&row); row.err != nil {
			return row.err
		}
	}
	return rows.Err()
}

// copiedRow is a Row whose values database/sql has scanned.
type copiedRow struct {
	values []any
	err    error
}

func (r *copiedRow) Int(column int) int64 {
	switch v := r.values[column].(type) {
	case int64:
		return v
	case nil:
		return 0
	}
	r.err = errors.Join(r.err, errColumnType(column))
	return 0
}

func (r *copiedRow) Bytes(column int) []byte {
	switch v := r.values[column].(type) {
	case []byte:
		return v
	case string:
		return []byte(v)
	case nil:
		return nil
	}
	r.err = errors.Join(r.err, errColumnType(column))
	return nil
}

func (r *copiedRow) Null(column int) bool { return r.values[column] == nil }

// errColumnType is the error of a column read as another type than its own.
func errColumnType(column int) error {
	return fmt.Errorf("store: column %d holds a value of another type", column)
}
