package postgres

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"roshambo/internal/store/engine"
)

// link is a connection of pgx with the statements that are prepared on it, by name, and the state of
// the transaction that uses it.
type link struct {
	pg       *pgx.Conn
	trips    *atomic.Int64 // round trips
	stmts    map[statement]*stmt
	ctx      context.Context // cancels statements and rows of a View; nil in an Update
	failed   error           // the first error in this transaction, which fails all later statements
	outdated bool            // a table changed after statements were prepared for it
}

// statement is the key of a prepared statement.
type statement struct {
	query string
	one   bool // it fails unless it changes one row: see assertion
	own   bool // it controls the transaction, as no statement of a closure may
}

// stmt is a prepared statement.
type stmt struct {
	*pgconn.StatementDescription
	columns []string
	formats []int16 // of the columns
}

// errLost is wrapped by errors of statements whose connection was lost.
var errLost = errors.New("connection lost")

// context returns the context that cancels statements.
func (l *link) context() context.Context {
	if l.ctx == nil {
		return context.Background()
	}
	return l.ctx
}

// lost reports whether the transaction failed because the connection was lost.
func (l *link) lost() bool {
	return l.failed != nil && (errors.Is(l.failed, errLost) || l.pg.IsClosed() || lost(l.failed))
}

// recordErr stores the first error of a transaction, and returns err, classified, and wrapped with
// errLost when the connection is closed.
func (l *link) recordErr(err error) error {
	if err == nil {
		return nil
	}
	if l.pg.IsClosed() {
		if l.ctx == nil || l.ctx.Err() == nil {
			err = fmt.Errorf("%w: %w", errLost, err)
		} else {
			err = engine.Join(l.ctx.Err(), err)
		}
	}
	err = classify(err)
	if l.failed == nil {
		l.failed = err
	}
	l.outdated = l.outdated || outdated(err)
	return err
}

// prepare returns the prepared statement of a query. Statements have names of their own, since an
// error in a batch makes pgx forget the statements in its cache.
func (l *link) prepare(key statement) (*stmt, error) {
	if s, ok := l.stmts[key]; ok {
		return s, nil
	}
	query := key.query
	if !key.own && engine.Controls(query) {
		return nil, fmt.Errorf("store: a closure does not control its transaction: %s", query)
	}
	if key.one {
		query = assertion(query)
	}
	l.trips.Add(1)
	d, err := l.pg.Prepare(l.context(), "s"+strconv.Itoa(len(l.stmts)), query)
	if err != nil {
		return nil, l.recordErr(err)
	}
	s := &stmt{StatementDescription: d}
	for _, f := range d.Fields {
		s.columns = append(s.columns, f.Name)
		s.formats = append(s.formats, l.pg.TypeMap().FormatCodeForOID(f.DataTypeOID))
	}
	l.stmts[key] = s
	return s, nil
}

// assertion returns a statement with the same effect that fails with division_by_zero unless it
// changes or returns one row.
func assertion(query string) string {
	if !engine.Selects(query) {
		query += "\nRETURNING 1"
	}
	return "WITH done AS (\n" + query + "\n) SELECT 1 / CASE count(*) WHEN 1 THEN 1 ELSE 0 END FROM done"
}

// decode decodes one value: the usual types here, the others by pgx. Bytes are valid until the
// next row.
func (l *link) decode(s *stmt, column int, b []byte) (driver.Value, error) {
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
	t, _ := l.pg.TypeMap().TypeForOID(is) // it is known, as it has a binary format
	return t.Codec.DecodeDatabaseSQLValue(l.pg.TypeMap(), is, format, b)
}

const (
	// connectTimeout bounds one attempt to connect to one host, unless the URL sets
	// connect_timeout.
	connectTimeout = 3 * time.Second
	// connectRoom is the time for the rest of an attempt to connect to all hosts.
	connectRoom = 2 * time.Second

	// cancelDelay is how long a statement may continue after its View's context has ended, and
	// cancelTimeout how long the server may take to cancel it.
	cancelDelay   = 20 * time.Millisecond
	cancelTimeout = 3 * time.Second
)

// deadlineConn is a network connection that bounds the duration of each read and write, and counts the
// bytes sent. A frozen server, or one behind a network that drops packets, otherwise holds its callers for
// as long as its machine acknowledges the sent bytes, and a commit waits for a lost standby for ever.
type deadlineConn struct {
	net.Conn
	limit atomic.Int64 // nanoseconds
	sent  atomic.Int64 // bytes
}

// bounded returns a function that bounds the reads and writes of a new connection.
func bounded(limit time.Duration) func(context.Context, *pgconn.Config, net.Conn) (net.Conn, error) {
	return func(_ context.Context, _ *pgconn.Config, conn net.Conn) (net.Conn, error) {
		c := &deadlineConn{Conn: conn}
		c.limit.Store(int64(limit))
		return c, nil
	}
}

// deadline returns the deadline of a read or write that begins now.
func (c *deadlineConn) deadline() time.Time { return time.Now().Add(time.Duration(c.limit.Load())) }

// Read implements net.Conn.
func (c *deadlineConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(c.deadline()); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

// Write implements net.Conn.
func (c *deadlineConn) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(c.deadline()); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(p)
	c.sent.Add(int64(n))
	return n, err
}
