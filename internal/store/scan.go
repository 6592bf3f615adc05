package store

import (
	"database/sql"
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

// copyRows passes the rows of a result set of database/sql, and closes it.
func copyRows(rows *sql.Rows, fn func(Row)) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
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
	r.err = errors.Join(r.err, WrongType(column))
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
	r.err = errors.Join(r.err, WrongType(column))
	return nil
}

func (r *copiedRow) Null(column int) bool { return r.values[column] == nil }

// WrongType returns the error of a column read as another type than its own.
func WrongType(column int) error {
	return fmt.Errorf("store: column %d holds a value of another type", column)
}
