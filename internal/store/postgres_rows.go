package store

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// postgresRows is a result set. Its rows are read from the network on demand; when the
// connection is needed for another statement, the unread ones are buffered in memory.
type postgresRows struct {
	conn     *postgresConn
	stmt     *postgresStmt
	live     *pgconn.ResultReader      // nil when all rows were read
	results  *pgconn.MultiResultReader // whose last result live is
	buffered [][][]byte
	err      error // follows the buffered rows
	closed   bool  // perhaps by closeRows, while database/sql considers it open
}

// Columns implements driver.Rows.
func (r *postgresRows) Columns() []string { return r.stmt.columns }

// Next implements driver.Rows.
func (r *postgresRows) Next(dest []driver.Value) error {
	if r.closed {
		return errRowsOpen
	}
	if ctx := r.conn.ctx; ctx != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	row, err := r.next()
	for i := 0; i < len(row) && err == nil; i++ {
		dest[i], err = r.conn.decode(r.stmt, i, row[i])
	}
	return err
}

// next returns the values of the next row, valid until the following call, or io.EOF.
func (r *postgresRows) next() ([][]byte, error) {
	if r.live != nil {
		if r.live.NextRow() {
			return r.live.Values(), nil
		}
		r.finish()
	}
	if len(r.buffered) > 0 {
		row := r.buffered[0]
		r.buffered = r.buffered[1:]
		return row, nil
	}
	if r.err != nil {
		return nil, r.err
	}
	return nil, io.EOF
}

// bufferRest reads the remaining rows of the open result into memory, so that the connection
// can send another statement.
func (c *postgresConn) bufferRest() {
	r := c.reading
	if r == nil {
		return
	}
	for r.live.NextRow() {
		r.buffered = append(r.buffered, cloneRow(r.live.Values()))
	}
	r.finish()
}

// cloneRow copies the values of a row, which refer to the network buffer, into one allocation.
func cloneRow(values [][]byte) [][]byte {
	size := 0
	for _, v := range values {
		size += len(v)
	}
	slab, row := make([]byte, 0, size), make([][]byte, len(values))
	for i, v := range values {
		if v != nil {
			start := len(slab)
			slab = append(slab, v...)
			row[i] = slab[start:len(slab):len(slab)]
		}
	}
	return row
}

// finish reads the result to its end.
func (r *postgresRows) finish() {
	if r.live == nil {
		return
	}
	_, err := r.live.Close()
	if later := r.results.Close(); err == nil {
		err = later
	}
	r.live, r.conn.reading = nil, nil
	r.err = r.conn.recordErr(err)
}

// Close implements driver.Rows.
func (r *postgresRows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.conn.open = slices.DeleteFunc(r.conn.open, func(o *postgresRows) bool { return o == r })
	r.finish()
	return r.err
}

// decode decodes one value: the usual types here, the others by pgx. Bytes are valid until the
// next row.
func (c *postgresConn) decode(s *postgresStmt, column int, b []byte) (driver.Value, error) {
	is, format := s.Fields[column].DataTypeOID, s.formats[column]
	switch {
	case b == nil:
		return nil, nil
	case is == pgtype.Int8OID && len(b) == 8:
		return int64(binary.BigEndian.Uint64(b)), nil
	case is == pgtype.ByteaOID:
		return b, nil
	case format == pgx.TextFormatCode:
		return string(b), nil
	}
	t, _ := c.pg.TypeMap().TypeForOID(is) // it is known, as it has a binary format
	return t.Codec.DecodeDatabaseSQLValue(c.pg.TypeMap(), is, format, b)
}

// scan implements scanner: it passes rows in the connection's buffer. ctx never ends, see Tx.
func (c *postgresConn) scan(_ context.Context, query string, args []any, fn func(Row)) (err error) {
	q := &pendingStmt{query: query, streams: true}
	if err := q.copyArgs(args); err != nil {
		return err
	}
	rows, err := c.query(q)
	if err != nil {
		return err
	}
	defer func() { err = joinErrors(err, rows.Close()) }()
	row := &postgresRow{rows: rows}
	for n := 0; ; n++ {
		if n%ctxCheckRows == 0 && c.ctx != nil && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		if row.values, err = rows.next(); errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if fn(row); row.err != nil {
			return row.err
		}
	}
}

// postgresRow is a Row of a scan.
type postgresRow struct {
	rows   *postgresRows
	values [][]byte
	err    error
}

// Int implements Row.
func (r *postgresRow) Int(column int) int64 {
	v, err := r.rows.conn.decode(r.rows.stmt, column, r.values[column])
	n, ok := v.(int64)
	if err != nil || v != nil && !ok {
		r.err = errors.Join(r.err, errColumnType(column))
	}
	return n
}

// Bytes implements Row for columns that hold a blob or a text.
func (r *postgresRow) Bytes(column int) []byte {
	s := r.rows.stmt
	b := r.values[column]
	if b == nil || s.Fields[column].DataTypeOID == pgtype.ByteaOID || s.formats[column] == pgx.TextFormatCode {
		return b
	}
	r.err = errors.Join(r.err, errColumnType(column))
	return nil
}

// Null implements Row.
func (r *postgresRow) Null(column int) bool { return r.values[column] == nil }
