package store

import (
	"context"
	"errors"
)

// maxIntegrityErrors bounds how many damages of a file are named.
const maxIntegrityErrors = "100"

// Damages has SQLite read through all pages of its file, and returns what does not hang
// together in the trees of tables and indexes, or is of another type than its column. A value
// that is another one of the same type is not found so. On other engines there is nothing to
// return: their servers look after their files.
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
