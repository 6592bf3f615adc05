package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// sqliteConnector opens connections wrapped in a sqliteConn.
type sqliteConnector struct{ driver.Connector }

func (k *sqliteConnector) Connect(ctx context.Context) (driver.Conn, error) { return k.connect(ctx) }

// connect opens a connection, which begins without prepared statements.
func (k *sqliteConnector) connect(ctx context.Context) (*sqliteConn, error) {
	inner, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &sqliteConn{Conn: inner, own: map[string]*sqliteStmt{}, stmts: map[string]*sqliteStmt{}}, nil
}

// sqliteConn wraps the driver's connection for database/sql. It caches prepared statements by
// their text, tracks open result sets, and records errors after which a transaction is
// unreliable.
type sqliteConn struct {
	driver.Conn
	own   map[string]*sqliteStmt // the engine's: BEGIN, COMMIT and the like
	stmts map[string]*sqliteStmt // the closures'
	uses  uint64                 // clock of sqliteStmt.used
	open  []*sqliteRows

	// ctx cancels statements and rows of a View; nil in an Update.
	ctx context.Context
	// broken is the first error after which SQLite may have ended the transaction by itself. A
	// further statement would commit on its own, so the connection refuses all of them and is
	// closed.
	broken error
}

// sqliteStmt is a prepared statement.
type sqliteStmt struct {
	inner     driver.Stmt
	used      uint64 // value of sqliteConn.uses at the last use
	busy      bool   // its rows are open: the same text needs a second statement
	transient bool   // closed after one use
}

// boundLimit matches a LIMIT whose value is a parameter.
var boundLimit = regexp.MustCompile(`(?i)\bLIMIT\s+(\$\d+)`)

// stablePlan returns a query that SQLite plans once. SQLite plans by the value of a parameter
// in LIMIT, and replans whenever that is bound, which dominates the time of a short query. It
// does not inspect an expression.
func stablePlan(query string) string { return boundLimit.ReplaceAllString(query, "LIMIT 0 + $1") }

// token matches a parameter, and quoted text or comments that could resemble one.
var token = regexp.MustCompile(`(?s)'[^']*'|"[^"]*"|--[^\n]*|/\*.*?\*/|\$\d+`)

// positionalParams replaces $1, $2 and so on by ? if each occurs once and in order. The driver
// asks for the name of each parameter that it binds, and SQLite finds it by linear search,
// which takes longer than the insert itself in a statement of many rows.
func positionalParams(query string) string {
	n, inOrder := 0, true
	text := token.ReplaceAllStringFunc(query, func(t string) string {
		if t[0] != '$' {
			return t
		}
		n++
		inOrder = inOrder && t == "$"+strconv.Itoa(n)
		return "?"
	})
	if !inOrder {
		return query
	}
	return text
}

// stmt returns a prepared statement for a closure's query that is not in use.
func (c *sqliteConn) stmt(query string) (*sqliteStmt, error) {
	if c.broken != nil {
		return nil, c.broken
	}
	if c.ctx != nil && c.ctx.Err() != nil {
		return nil, c.ctx.Err()
	}
	c.uses++
	s, ok := c.stmts[query]
	if ok && !s.busy {
		s.used = c.uses
		return s, nil
	}
	if controls(query) {
		return nil, fmt.Errorf("store: a closure does not control its transaction: %s", query)
	}
	inner, err := c.Conn.Prepare(positionalParams(stablePlan(query)))
	if err != nil {
		c.recordErr(err)
		return nil, err
	}
	s = &sqliteStmt{inner: inner, used: c.uses, transient: ok}
	if !s.transient {
		c.evictStmt()
		c.stmts[query] = s
	}
	return s, nil
}

// evictStmt closes the least recently used idle statement when the cache is full.
func (c *sqliteConn) evictStmt() {
	if len(c.stmts) < maxStatements {
		return
	}
	var oldest *sqliteStmt
	var text string
	for q, s := range c.stmts {
		if !s.busy && (oldest == nil || s.used < oldest.used) {
			oldest, text = s, q
		}
	}
	if oldest != nil {
		delete(c.stmts, text)
		c.recordErr(oldest.inner.Close())
	}
}

// ExecContext implements driver.ExecerContext. ctx never ends, see Tx.
func (c *sqliteConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.stmt(query)
	if err != nil {
		return nil, err
	}
	return c.exec(ctx, s, args)
}

// exec runs a statement to its end, and closes it when it is transient.
func (c *sqliteConn) exec(ctx context.Context, s *sqliteStmt, args []driver.NamedValue) (driver.Result, error) {
	res, err := s.inner.(driver.StmtExecContext).ExecContext(ctx, args)
	c.recordErr(err)
	if s.transient {
		err = joinErrors(err, s.inner.Close())
	}
	return res, err
}

// QueryContext implements driver.QueryerContext. ctx never ends, see Tx.
func (c *sqliteConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := injected(ctx); err != nil {
		return nil, err
	}
	s, err := c.stmt(query)
	if err != nil {
		return nil, err
	}
	inner, err := s.inner.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		c.recordErr(err)
		if s.transient {
			err = joinErrors(err, s.inner.Close())
		}
		return nil, err
	}
	s.busy = true
	r := &sqliteRows{Rows: inner, conn: c, stmt: s}
	c.open = append(c.open, r)
	return r, nil
}

// Prepare implements driver.Conn for callers that need a statement: it stores the text, and the
// connection's cache holds the prepared statement.
func (c *sqliteConn) Prepare(query string) (driver.Stmt, error) {
	if _, err := c.stmt(query); err != nil {
		return nil, err
	}
	return &sqliteText{conn: c, query: query}, nil
}

// CheckNamedValue implements driver.NamedValueChecker.
func (c *sqliteConn) CheckNamedValue(v *driver.NamedValue) error { return checkValue(v) }

// do runs a statement of the engine.
func (c *sqliteConn) do(query string) error {
	s, err := c.ownStmt(query)
	if err != nil {
		return err
	}
	_, err = c.exec(context.Background(), s, nil)
	return err
}

// ownStmt returns the prepared statement of an engine query.
func (c *sqliteConn) ownStmt(query string) (*sqliteStmt, error) {
	if s, ok := c.own[query]; ok {
		return s, nil
	}
	inner, err := c.Conn.Prepare(query)
	if err != nil {
		return nil, err
	}
	s := &sqliteStmt{inner: inner}
	c.own[query] = s
	return s, nil
}

// recordErr stores the first error that makes the transaction unreliable.
func (c *sqliteConn) recordErr(err error) {
	if c.broken == nil && err != nil && sqliteFatal(err) {
		c.broken = err
	}
}

// closeRows closes the result sets that a closure left open, and returns their number.
func (c *sqliteConn) closeRows() int {
	open := slices.Clone(c.open)
	for _, r := range open {
		c.recordErr(r.Close())
	}
	return len(open)
}

// Close implements driver.Conn.
func (c *sqliteConn) Close() error {
	c.closeRows()
	var errs []error
	for _, m := range []map[string]*sqliteStmt{c.own, c.stmts} {
		for _, s := range m {
			errs = append(errs, s.inner.Close())
		}
		clear(m)
	}
	return errors.Join(append(errs, c.Conn.Close())...)
}

// sqliteRows is a result set.
type sqliteRows struct {
	driver.Rows
	conn   *sqliteConn
	stmt   *sqliteStmt
	closed bool // perhaps by closeRows, while database/sql considers it open
}

// Next implements driver.Rows.
func (r *sqliteRows) Next(dest []driver.Value) error {
	if r.closed {
		return errRowsOpen
	}
	if ctx := r.conn.ctx; ctx != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	err := r.Rows.Next(dest)
	r.conn.recordErr(err)
	return err
}

// Close implements driver.Rows.
func (r *sqliteRows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.stmt.busy = false
	r.conn.open = slices.DeleteFunc(r.conn.open, func(o *sqliteRows) bool { return o == r })
	err := r.Rows.Close()
	if r.stmt.transient {
		err = joinErrors(err, r.stmt.inner.Close())
	}
	return err
}

// sqliteText is the driver.Stmt that Prepare returns.
type sqliteText struct {
	conn  *sqliteConn
	query string
}

func (t *sqliteText) Close() error  { return nil }
func (t *sqliteText) NumInput() int { return -1 } // unknown

// ExecContext implements driver.StmtExecContext.
func (t *sqliteText) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return t.conn.ExecContext(ctx, t.query, args)
}

// QueryContext implements driver.StmtQueryContext.
func (t *sqliteText) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return t.conn.QueryContext(ctx, t.query, args)
}

// Exec implements driver.Stmt; database/sql calls ExecContext.
func (t *sqliteText) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }

// Query implements driver.Stmt; database/sql calls QueryContext.
func (t *sqliteText) Query([]driver.Value) (driver.Rows, error) { return nil, driver.ErrSkip }

// sqliteSession is one connection in two views: sql for closures and conn for the engine, which
// uses conn only while no closure runs.
type sqliteSession struct {
	sql     *sql.Conn
	conn    *sqliteConn
	scanner *sqliteScanner // on the same snapshot; nil except within Views
	leaked  bool           // rows were left open, for which sql.Close would wait for ever
}

// openSession opens a session on a new connection of the pool.
func openSession(ctx context.Context, pool *sql.DB) (*sqliteSession, error) {
	c, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	s := &sqliteSession{sql: c}
	err = c.Raw(func(dc any) error {
		s.conn = dc.(*sqliteConn)
		return nil
	})
	return s, err
}

// closeLeakedRows closes result sets that a closure left open, and returns errRowsOpen if there
// were any.
func (s *sqliteSession) closeLeakedRows() error {
	if s.conn.closeRows() == 0 {
		return nil
	}
	s.leaked = true
	return errRowsOpen
}

// begin begins a deferred transaction, whose first read fixes the snapshot.
func (s *sqliteSession) begin() error {
	if s.scanner != nil {
		if err := s.scanner.do("BEGIN"); err != nil {
			return err
		}
	}
	return s.conn.do("BEGIN")
}

// pinSnapshot fixes the snapshot of the connection and then of the scanner.
func (s *sqliteSession) pinSnapshot() error {
	const read = "SELECT count(*) FROM sqlite_schema"
	err := s.conn.do(read)
	if err != nil || s.scanner == nil {
		return err
	}
	return s.scanner.do(read)
}

// dropScanner closes the scanner, which ends its transaction.
func (s *sqliteSession) dropScanner() error {
	if s.scanner == nil {
		return nil
	}
	err := s.scanner.close()
	s.scanner = nil
	return err
}

// close closes the connection, directly if database/sql would wait for leaked rows.
func (s *sqliteSession) close() error {
	if s.leaked {
		return s.conn.Close()
	}
	return s.sql.Close()
}
