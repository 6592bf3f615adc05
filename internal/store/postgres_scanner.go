package store

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"io"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// scan implements scanner: it passes rows in the connection's buffer. ctx never ends, see Tx.
func (c *postgresConn) scan(ctx context.Context, query string, args []any, fn func(Row)) (err error) {
	named := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return err
		}
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
		if err := checkValue(&named[i]); err != nil {
			return err
		}
	}
	result, err := c.QueryContext(ctx, query, named)
	if err != nil {
		return err
	}
	rows := result.(*postgresRows)
	defer func() { err = joinErrors(err, rows.Close()) }()
	row := &postgresRow{fields: rows.stmt.Fields}
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

// postgresRow is a Row in the wire formats of resultFormat.
type postgresRow struct {
	fields []pgconn.FieldDescription
	values [][]byte
	err    error
}

// Int implements Row for int8 and int4 columns.
func (r *postgresRow) Int(column int) int64 {
	b := r.values[column]
	if b == nil {
		return 0
	}
	switch is := r.fields[column].DataTypeOID; {
	case is == pgtype.Int8OID && len(b) == 8:
		return int64(binary.BigEndian.Uint64(b))
	case is == pgtype.Int4OID && len(b) == 4:
		return int64(int32(binary.BigEndian.Uint32(b)))
	}
	r.err = errors.Join(r.err, errColumnType(column))
	return 0
}

// Bytes implements Row for bytea, text and varchar columns.
func (r *postgresRow) Bytes(column int) []byte {
	b := r.values[column]
	switch r.fields[column].DataTypeOID {
	case pgtype.ByteaOID, pgtype.TextOID, pgtype.VarcharOID:
		return b
	}
	if b != nil {
		r.err = errors.Join(r.err, errColumnType(column))
	}
	return nil
}

func (r *postgresRow) Null(column int) bool { return r.values[column] == nil }
