package store

import (
	"context"
	"errors"
)

// maxIntegrityErrors bounds the number of errors that an integrity check reports.
const maxIntegrityErrors = "100"

// IntegrityErrors runs SQLite's integrity_check over all pages and returns the inconsistencies
// that it finds in the trees of tables and indexes, and values of another type than their
// column. It cannot detect a wrong value of the right type. On PostgreSQL it returns none: the
// server guards its files.
func (d *DB) IntegrityErrors(ctx context.Context) (list []string, err error) {
	if _, ok := d.engine.(*sqliteEngine); !ok {
		return nil, nil
	}
	err = d.View(ctx, func(ctx context.Context, tx *Tx) (err error) {
		list = nil
		rows, err := tx.QueryContext(ctx, "PRAGMA integrity_check("+maxIntegrityErrors+")")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			var damage string
			if err := rows.Scan(&damage); err != nil {
				return err
			}
			if damage != "ok" {
				list = append(list, damage)
			}
		}
		return rows.Err()
	})
	return list, err
}
