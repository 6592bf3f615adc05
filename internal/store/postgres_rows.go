package store

import (
	"database/sql/driver"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// postgresResult is the result of a statement that was sent alone (one), or as the last of a
// batch whose other results have been read (all).
type postgresResult struct {
	one *pgconn.ResultReader
	all *pgconn.MultiResultReader
}

// reader returns the reader of the statement's rows.
func (r *postgresResult) reader() (*pgconn.ResultReader, error) {
	if r.all != nil && r.one == nil {
		if !r.all.NextResult() {
			return nil, r.all.Close()
		}
		r.one = r.all.ResultReader()
	}
	return r.one, nil
}

// close reads the result to its end.
func (r *postgresResult) close() (pgconn.CommandTag, error) {
	one, err := r.reader()
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := one.Close()
	if r.all != nil {
		if later := r.all.Close(); err == nil {
			err = later
		}
	}
	return tag, err
}

// postgresRows is a result set. Its rows are read from the network on demand; when the
// connection is needed for another statement, the unread ones are buffered in memory.
type postgresRows struct {
	conn     *postgresConn
	stmt     *postgresStmt
	result   postgresResult
	reader   *pgconn.ResultReader // nil when all rows were read
	buffered [][][]byte
	err      error // follows the buffered rows
	closed   bool  // perhaps by closeRows, while database/sql considers it open
}

// startReading obtains the reader and makes r the open result of its connection.
func (r *postgresRows) startReading() error {
	reader, err := r.result.reader()
	if err != nil {
		return r.conn.recordErr(err)
	}
	r.reader, r.conn.reading = reader, r
	return nil
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
	if err == nil {
		r.scan(dest, row)
	}
	return err
}

// next returns the values of the next row, valid until the following call, or io.EOF.
func (r *postgresRows) next() ([][]byte, error) {
	if r.reader != nil {
		if r.reader.NextRow() {
			return r.reader.Values(), nil
		}
		r.err = r.finish()
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

// scan decodes the values of a row for database/sql.
func (r *postgresRows) scan(dest []driver.Value, row [][]byte) {
	for i, value := range row {
		dest[i] = decode(r.stmt.Fields[i].DataTypeOID, value)
	}
}

// bufferRest reads the remaining rows into memory.
func (r *postgresRows) bufferRest() {
	for r.reader.NextRow() {
		r.buffered = append(r.buffered, cloneRow(r.reader.Values()))
	}
	r.err = r.finish()
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
func (r *postgresRows) finish() error {
	if r.reader == nil {
		return nil
	}
	r.reader, r.conn.reading = nil, nil
	_, err := r.result.close()
	return r.conn.recordErr(err)
}

// Close implements driver.Rows.
func (r *postgresRows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.conn.open = slices.DeleteFunc(r.conn.open, func(o *postgresRows) bool { return o == r })
	return r.finish()
}

// Formats of values on the wire.
const (
	textFormat   = 0
	binaryFormat = 1
)

// postgresArgs holds encoded arguments of a statement in reusable memory.
type postgresArgs struct {
	values  [][]byte
	formats []int16
	text    []byte // backing memory of values
}

// set encodes the arguments of a statement; types are the OIDs of its parameters.
func (a *postgresArgs) set(types []uint32, args []driver.NamedValue) {
	a.values, a.formats = a.values[:0], a.formats[:0]
	if a.text == nil {
		a.text = make([]byte, 0, 256)
	}
	a.text = a.text[:0]
	for i, arg := range args {
		var is uint32
		if i < len(types) {
			is = types[i]
		}
		value, format := a.encode(is, arg.Value)
		a.values, a.formats = append(a.values, value), append(a.formats, format)
	}
}

// encode encodes one value. Numbers are sent as text, which the server parses for any numeric
// type.
func (a *postgresArgs) encode(is uint32, value driver.Value) (encoded []byte, format int16) {
	start := len(a.text)
	switch v := value.(type) {
	case nil:
		return nil, textFormat
	case int64:
		a.text = strconv.AppendInt(a.text, v, 10)
	case float64:
		a.text = strconv.AppendFloat(a.text, v, 'g', -1, 64)
	case bool:
		if is == pgtype.BoolOID {
			a.text = strconv.AppendBool(a.text, v)
		} else { // flags are integers
			a.text = append(a.text, '0'+byte(btoi(v)))
		}
	case []byte:
		return v, binaryFormat
	case string:
		a.text = append(a.text, v...)
		if is == pgtype.ByteaOID {
			format = binaryFormat
		}
	}
	return a.text[start:len(a.text):len(a.text)], format
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// resultFormat returns the wire format to request for a type.
func resultFormat(is uint32) int16 {
	switch is {
	case pgtype.Int8OID, pgtype.Int4OID, pgtype.Int2OID, pgtype.Float8OID, pgtype.ByteaOID, pgtype.BoolOID:
		return binaryFormat
	}
	return textFormat
}

// decode decodes one value in the format that resultFormat requests. Bytes are valid until the
// next row.
func decode(is uint32, b []byte) driver.Value {
	if b == nil {
		return nil
	}
	switch {
	case is == pgtype.Int8OID && len(b) == 8:
		return int64(binary.BigEndian.Uint64(b))
	case is == pgtype.Int4OID && len(b) == 4:
		return int64(int32(binary.BigEndian.Uint32(b)))
	case is == pgtype.Int2OID && len(b) == 2:
		return int64(int16(binary.BigEndian.Uint16(b)))
	case is == pgtype.Float8OID && len(b) == 8:
		return math.Float64frombits(binary.BigEndian.Uint64(b))
	case is == pgtype.BoolOID && len(b) == 1:
		return b[0] == 1
	case is == pgtype.ByteaOID:
		return b
	}
	return string(b)
}
