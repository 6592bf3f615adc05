package store

import (
	"context"
	"errors"
)

// integrityEngine is implemented by engines that can check their files.
type integrityEngine interface {
	// IntegrityQuery returns a query for the errors of the files, one text per row; a single
	// row "ok" stands for none.
	IntegrityQuery() string
}

// IntegrityErrors runs SQLite's integrity_check over all pages and returns the inconsistencies
// that it finds in the trees of tables and indexes, and values of another type than their
// column. It cannot detect a wrong value of the right type. On PostgreSQL it returns none: the
// server guards its files.
func (d *DB) IntegrityErrors(ctx context.Context) (list []string, err error) {
	e, ok := d.engine.(integrityEngine)
	if !ok {
		return nil, nil
	}
	err = d.View(ctx, func(ctx context.Context, tx *Tx) (err error) {
		list = nil
		rows, err := tx.QueryContext(ctx, e.IntegrityQuery())
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			var message string
			if err := rows.Scan(&message); err != nil {
				return err
			}
			if message != "ok" {
				list = append(list, message)
			}
		}
		return rows.Err()
	})
	return list, err
}
