package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"roshambo/internal/store/migrations"
)

// TablesQuery returns a query for all columns, as store.DB.Tables needs it. An identity column continues from its
// sequence, which knows nothing of rows that were inserted with a number.
func (d *serverDB) TablesQuery() string {
	return `SELECT CAST(t.relname AS text), CAST(c.attname AS text),
			CASE format_type(c.atttypid, NULL) WHEN 'bigint' THEN 'INTEGER' WHEN 'text' THEN 'TEXT'
				WHEN 'bytea' THEN 'BLOB' ELSE format_type(c.atttypid, NULL) END,
			CAST(coalesce(array_position(CAST(k.indkey AS int[]), CAST(c.attnum AS int)) + 1, 0) AS bigint),
			CAST(p.relname AS text),
			CASE WHEN c.attidentity <> '' THEN format(
				'SELECT setval(pg_get_serial_sequence(%L, %L), (SELECT coalesce(max(%I), 0) + 1 FROM %I), false)',
				t.relname, c.attname, c.attname, t.relname) END
		FROM pg_class t
		JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = current_schema()
		JOIN pg_attribute c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped
		LEFT JOIN pg_index k ON k.indrelid = t.oid AND k.indisprimary
		LEFT JOIN pg_constraint f ON f.conrelid = t.oid AND f.contype = 'f' AND c.attnum = ANY (f.conkey)
		LEFT JOIN pg_class p ON p.oid = f.confrelid
		WHERE t.relkind IN ('r', 'p') AND t.relname <> '` + migrations.VersionTable + `'
		ORDER BY t.relname, c.attnum`
}

// OthersQuery returns a query for the sessions of other programs, as store.DB.Others needs it. A role may not see
// the names of the programs of others.
func (d *serverDB) OthersQuery() string {
	return `SELECT coalesce(nullif(application_name, ''), 'a program') || ' of ' || CAST(usename AS text)
		FROM pg_stat_activity
		WHERE datname = current_database() AND usename IS NOT NULL
			AND coalesce(backend_type, 'client backend') = 'client backend'
			AND application_name IS DISTINCT FROM current_setting('application_name')
		ORDER BY 1`
}

// copy implements store.Lent.Copy.
func (c *conn) copy(table string, columns []string, rows [][]any) error {
	if err := c.send(nil, false); err != nil { // BEGIN, if it is due
		return err
	}
	c.trips.Add(1)
	n, err := c.pg.CopyFrom(context.Background(), pgx.Identifier{table}, columns, pgx.CopyFromRows(rows))
	if err == nil && n != int64(len(rows)) {
		err = fmt.Errorf("store: %d of %d rows were copied", n, len(rows))
	}
	return c.recordErr(err)
}

// ChecksumQuery returns a query for whether the server keeps checksums of its pages.
func (d *serverDB) ChecksumQuery() string {
	return "SELECT CASE current_setting('data_checksums') WHEN 'off' THEN 0 ELSE 1 END"
}
