package store

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// integrityEngine is implemented by engines that can check their files.
type integrityEngine interface {
	// IntegrityQuery returns a query for the errors of the files or, unless table is "", of one table and its
	// indexes, one text per row; a single row "ok" stands for none.
	IntegrityQuery(table string) string
}

// IntegrityErrors runs SQLite's integrity_check over every page in use and returns the inconsistencies that it finds in
// the trees of tables and indexes, values of another type than their column, and pages that do not fit their checksum,
// each with its table. So a flipped bit in a row is found; free pages are read by the backup alone. On PostgreSQL it
// returns none: the server guards its files, unless Unguarded.
func (d *DB) IntegrityErrors(ctx context.Context) (list []string, err error) {
	e, ok := d.engine.(integrityEngine)
	if !ok {
		return nil, nil
	}
	list, err = d.integrity(ctx, e.IntegrityQuery(""))
	if err == nil && len(list) == 0 || ctx.Err() != nil {
		return list, err
	}
	// The messages name pages, and a page that cannot be read ends the check: the tables one by one show whose it is.
	tables, errTables := d.Tables(ctx)
	if errTables != nil {
		return list, errors.Join(err, errTables)
	}
	var named, all []string
	for _, t := range tables {
		found, errTable := d.integrity(ctx, e.IntegrityQuery(t.Name))
		if errTable != nil {
			found = append(found, errTable.Error())
		}
		all = append(all, found...)
		for _, message := range found {
			named = append(named, "table "+t.Name+": "+message)
		}
	}
	if len(named) == 0 {
		return list, err
	}
	for _, message := range list {
		if !slices.Contains(all, message) { // of what belongs to no table, as the list of free pages
			named = append(named, message)
		}
	}
	return named, ctx.Err()
}

// checksumEngine is implemented by engines whose server may keep checksums of its pages.
type checksumEngine interface {
	// ChecksumQuery returns a query for whether it does.
	ChecksumQuery() string
}

// Unguarded reports whether the database's server keeps no checksums of its pages, so that a flipped bit can pass for a
// value. For SQLite it is false: IntegrityErrors compares the file's own.
func (d *DB) Unguarded(ctx context.Context) (unguarded bool, err error) {
	e, ok := d.engine.(checksumEngine)
	if !ok {
		return false, nil
	}
	err = d.View(ctx, func(ctx context.Context, tx *Tx) error {
		var guarded int64
		err := tx.QueryRowContext(ctx, e.ChecksumQuery()).Scan(&guarded)
		unguarded = guarded == 0
		return err
	})
	return unguarded, err
}

// integrity returns the errors that a query finds.
func (d *DB) integrity(ctx context.Context, query string) (list []string, err error) {
	err = d.View(ctx, func(ctx context.Context, tx *Tx) (err error) {
		list = nil
		rows, err := tx.QueryContext(ctx, query)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			var message string
			if err := rows.Scan(&message); err != nil {
				return err
			}
			for line := range strings.Lines(message) { // SQLite joins what it finds in a tree
				line = strings.TrimSpace(line)
				if line != "ok" && line != "*** in database main ***" {
					list = append(list, line)
				}
			}
		}
		return rows.Err()
	})
	return list, err
}
