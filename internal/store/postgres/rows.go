package postgres

import (
	"database/sql/driver"
	"io"

	"github.com/jackc/pgx/v5/pgconn"

	"roshambo/internal/store/engine"
)

// rows is a result set. Its rows are read from the network on demand; when the
// connection is needed for another statement, the unread ones are buffered in memory.
type rows struct {
	link     *link
	stmt     *stmt
	live     *pgconn.ResultReader      // nil when all rows were read
	results  *pgconn.MultiResultReader // whose last result live is
	buffered [][][]byte
	err      error // follows the buffered rows
	closed   bool  // perhaps by closeRows, while database/sql considers it open
}

// Columns implements driver.Rows.
func (r *rows) Columns() []string { return r.stmt.columns }

// Next implements driver.Rows.
func (r *rows) Next(dest []driver.Value) error {
	if r.closed {
		return engine.ErrRowsOpen
	}
	if ctx := r.link.ctx; ctx != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	row, err := r.next()
	for i := 0; i < len(row) && err == nil; i++ {
		dest[i], err = r.link.decode(r.stmt, i, row[i])
	}
	return err
}

// next returns the values of the next row, valid until the following call, or io.EOF.
func (r *rows) next() ([][]byte, error) {
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

// buffer reads the remaining rows into memory, so that the connection can send another statement.
func (r *rows) buffer() {
	if !r.unread() {
		return
	}
	for r.live.NextRow() {
		r.buffered = append(r.buffered, cloneRow(r.live.Values()))
	}
	r.finish()
}

// unread reports whether rows are still to be read from the network; r may be nil.
func (r *rows) unread() bool { return r != nil && r.live != nil }

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
func (r *rows) finish() {
	if r.live == nil {
		return
	}
	_, err := r.live.Close()
	if later := r.results.Close(); err == nil {
		err = later
	}
	r.live = nil
	r.err = r.link.recordErr(err)
}

// Close implements driver.Rows.
func (r *rows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.finish()
	r.buffered = nil
	return r.err
}
