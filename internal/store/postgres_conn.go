package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// Transaction control statements.
const (
	beginSerial   = "BEGIN ISOLATION LEVEL SERIALIZABLE"
	beginSnapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ"
	beginView     = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	commit        = "COMMIT"
	rollback      = "ROLLBACK"
)

// postgresConn is a connection of pgx as database/sql uses it. It prepares each statement once,
// by name, and saves round trips: BEGIN travels with the first statement, and the response to a
// ROLLBACK is read when the connection is next used.
type postgresConn struct {
	pool           *postgresPool
	pg             *pgx.Conn
	generation     uint64 // of the pool when the connection was opened
	stmts          map[statement]*postgresStmt
	args           pgx.ExtendedQueryBuilder // of the statement that is added to a batch
	rollbackUnread bool                     // the response to a ROLLBACK is unread
	warn           bool                     // the server sent a warning
	outdated       bool                     // a table changed after statements were prepared for it
	leaked         bool                     // rows were left open, for which sql.Conn.Close would wait for ever
	ctx            context.Context          // cancels statements and rows of a View; nil in an Update

	pending    []*pendingStmt // sent with the next statement, or with COMMIT
	prefetched []*pendingStmt // prefetched queries with results that the closure has not read
	begin      string         // BEGIN to send with the next statement; "" for none
	once       onceState
	heard      bool      // the server has answered a statement of this transaction
	wrote      bool      // a byte of the last batch was sent
	lastHeard  time.Time // time of the last response, when the connection is idle
	reading    *postgresRows
	open       []*postgresRows
	failed     error // the first error in this transaction, which fails all later statements
}

// statement is the key of a prepared statement.
type statement struct {
	query string
	one   bool // it fails unless it changes one row: see assertion
	own   bool // it controls the transaction, as no statement of a closure may
}

// postgresStmt is a prepared statement.
type postgresStmt struct {
	*pgconn.StatementDescription
	columns []string
	formats []int16 // of the columns
}

// errLost is wrapped by errors of statements whose connection was lost.
var errLost = errors.New("connection lost")

// context returns the context that cancels statements.
func (c *postgresConn) context() context.Context {
	if c.ctx == nil {
		return context.Background()
	}
	return c.ctx
}

// onceState tracks the single query of a viewOnce.
type onceState int

const (
	inTransaction onceState = iota // not a viewOnce
	onceUnused
	onceUsed
)

// errSecondQuery fails a viewOnce whose closure sends a second query.
var errSecondQuery = errors.New("store: a ViewOnce sends a second query")

// start resets the connection for a closure whose first statement sends begin; with "" there is
// no transaction and one query.
func (c *postgresConn) start(begin string) {
	if c.once = inTransaction; begin == "" {
		c.once = onceUnused
	}
	c.begin, c.heard, c.failed, c.pending, c.prefetched = begin, false, nil, nil, nil
}

// begun reports whether the server is in a transaction.
func (c *postgresConn) begun() bool { return c.pg.PgConn().TxStatus() != 'I' }

// lost reports whether the transaction failed because the connection was lost.
func (c *postgresConn) lost() bool {
	return c.failed != nil && (errors.Is(c.failed, errLost) || c.pg.IsClosed() || postgresLost(c.failed))
}

// recordErr stores the first error of a transaction, and returns err, wrapped with errLost when
// the connection is closed.
func (c *postgresConn) recordErr(err error) error {
	if err == nil {
		return nil
	}
	if c.pg.IsClosed() {
		if c.ctx == nil || c.ctx.Err() == nil {
			err = fmt.Errorf("%w: %w", errLost, err)
		} else {
			err = joinErrors(c.ctx.Err(), err)
		}
	}
	if c.failed == nil {
		c.failed = err
	}
	c.outdated = c.outdated || postgresOutdated(err)
	return err
}

// prepare returns the prepared statement of a query. Statements have names of their own, since an
// error in a batch makes pgx forget those of its cache.
func (c *postgresConn) prepare(key statement) (*postgresStmt, error) {
	if s, ok := c.stmts[key]; ok {
		return s, nil
	}
	text := key.query
	if !key.own && controls(text) {
		return nil, fmt.Errorf("store: a closure does not control its transaction: %s", text)
	}
	if key.one {
		text = assertion(text)
	}
	c.pool.trips.Add(1)
	d, err := c.pg.Prepare(c.context(), "s"+strconv.Itoa(len(c.stmts)), text)
	if err != nil {
		return nil, c.recordErr(err)
	}
	s := &postgresStmt{StatementDescription: d}
	for _, f := range d.Fields {
		s.columns = append(s.columns, f.Name)
		s.formats = append(s.formats, c.pg.TypeMap().FormatCodeForOID(f.DataTypeOID))
	}
	c.stmts[key] = s
	return s, nil
}

// ExecContext implements driver.ExecerContext. ctx never ends, see Tx.
func (c *postgresConn) ExecContext(_ context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	q := &pendingStmt{query: query, args: plainValues(args)}
	if err := c.send(q, false); err != nil {
		return nil, err
	}
	return driver.RowsAffected(q.tag.RowsAffected()), nil
}

// QueryContext implements driver.QueryerContext. ctx never ends, see Tx.
func (c *postgresConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := injected(ctx); err != nil {
		return nil, err
	}
	rows, err := c.query(&pendingStmt{query: query, args: plainValues(args), streams: true})
	if err != nil {
		return nil, err // not a nil *postgresRows within an interface
	}
	return rows, nil
}

// query returns the rows of a query, prefetched ones if there are any.
func (c *postgresConn) query(q *pendingStmt) (*postgresRows, error) {
	rows, err := c.takePrefetched(q)
	if err == nil && rows == nil {
		err = c.send(q, false)
		rows = q.rows
	}
	if err != nil {
		return nil, err
	}
	c.open = append(c.open, rows)
	return rows, nil
}

// plainValues returns the values of arguments.
func plainValues(args []driver.NamedValue) []any {
	values := make([]any, len(args))
	for i, arg := range args {
		values[i] = arg.Value
	}
	return values
}

// CheckNamedValue implements driver.NamedValueChecker.
func (c *postgresConn) CheckNamedValue(v *driver.NamedValue) error { return checkValue(v) }

// closeRows closes the result sets that a closure left open, and returns errRowsOpen if there
// were any.
func (c *postgresConn) closeRows() error {
	if len(c.open) == 0 {
		return nil
	}
	for _, r := range slices.Clone(c.open) {
		_ = r.Close() // recorded in failed
	}
	c.leaked = true
	return errRowsOpen
}

// rollback rolls the transaction back. Its response is read at the next use of the connection.
func (c *postgresConn) rollback() {
	c.begin, c.pending, c.prefetched = "", nil, nil
	if c.pg.IsClosed() || c.rollbackUnread || !c.begun() {
		return
	}
	c.pg.PgConn().Frontend().SendQuery(&pgproto3.Query{String: rollback})
	if err := c.pg.PgConn().Frontend().Flush(); err != nil {
		_ = c.Close() // nothing to save
		return
	}
	c.rollbackUnread = true
}

// ResetSession implements driver.SessionResetter: before the connection is used again, it reads
// the response to the last ROLLBACK, and refuses a connection that may have been lost.
func (c *postgresConn) ResetSession(ctx context.Context) error {
	for c.rollbackUnread {
		m, err := c.pg.PgConn().ReceiveMessage(ctx)
		if err != nil {
			return driver.ErrBadConn
		}
		if _, ready := m.(*pgproto3.ReadyForQuery); ready {
			c.rollbackUnread = false
		}
	}
	if !c.IsValid() {
		return driver.ErrBadConn
	}
	return nil
}

// maxNamed bounds the prepared statements of one connection, which is replaced when it has more.
// The texts of the service are constants, fewer than that.
const maxNamed = 1000

// IsValid implements driver.Validator.
func (c *postgresConn) IsValid() bool {
	return !c.pg.IsClosed() && !c.outdated && len(c.stmts) <= maxNamed && c.generation == c.pool.generation.Load()
}

// Close implements driver.Conn.
func (c *postgresConn) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), cancelTimeout)
	defer cancel()
	return c.pg.Close(ctx)
}

// Begin implements driver.Conn. It is unused: the engine controls transactions.
func (c *postgresConn) Begin() (driver.Tx, error) { return nil, driver.ErrSkip }

// Prepare implements driver.Conn for callers that need a statement: it stores the text, and the
// connection holds the prepared statement.
func (c *postgresConn) Prepare(query string) (driver.Stmt, error) {
	return &postgresText{conn: c, query: query}, nil
}

// postgresText is the driver.Stmt that Prepare returns.
type postgresText struct {
	conn  *postgresConn
	query string
}

func (t *postgresText) Close() error  { return nil }
func (t *postgresText) NumInput() int { return -1 } // unknown

// ExecContext implements driver.StmtExecContext.
func (t *postgresText) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return t.conn.ExecContext(ctx, t.query, args)
}

// QueryContext implements driver.StmtQueryContext.
func (t *postgresText) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return t.conn.QueryContext(ctx, t.query, args)
}

// Exec implements driver.Stmt; database/sql calls ExecContext.
func (t *postgresText) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }

// Query implements driver.Stmt; database/sql calls QueryContext.
func (t *postgresText) Query([]driver.Value) (driver.Rows, error) { return nil, driver.ErrSkip }
