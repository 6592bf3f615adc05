package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// maxStatements bounds the statements that one connection keeps prepared. One takes
// a few KB.
const maxStatements = 256

// sqliteConnector opens connections wrapped in a sqliteConn.
type sqliteConnector struct{ driver.Connector }

func (k *sqliteConnector) Connect(ctx context.Context) (driver.Conn, error) { return k.connect(ctx) }

func (k *sqliteConnector) connect(ctx context.Context) (*sqliteConn, error) {
	inner, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &sqliteConn{Conn: inner, own: map[string]*sqliteStmt{}, stmts: map[string]*sqliteStmt{}}, nil
}

// sqliteConn stands between database/sql and the driver. It keeps statements
// prepared by their text, knows which result sets are open, and notices the errors
// after which a transaction cannot be relied on.
type sqliteConn struct {
	driver.Conn
	own   map[string]*sqliteStmt // the engine's: BEGIN, COMMIT and the like
	stmts map[string]*sqliteStmt // the closures'
	uses  uint64                 // of kept: the clock of sqliteStmt.used
	open  []*sqliteRows

	// ctx ends the statements and rows of a View; nil in an Update.
	ctx context.Context
	// broken is the first error after which SQLite may have ended the transaction
	// by itself. The next statement would then be a transaction of its own, so
	// there is none: the connection is closed.
	broken error
}

// sqliteStmt is a prepared statement.
type sqliteStmt struct {
	inner     driver.Stmt
	used      uint64 // when last, see sqliteConn.uses
	busy      bool   // its rows are open: the same text needs another statement
	transient bool   // closed after its one use
}

// control matches the statements by which a closure would end its own transaction.
var control = regexp.MustCompile(`(?is)^(\s|--[^\n]*\n|/\*.*?\*/)*(BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE)\b`)

// boundLimit matches a LIMIT that is a parameter.
var boundLimit = regexp.MustCompile(`(?i)\bLIMIT\s+(\$\d+)`)

// steady returns a query whose statement stays prepared. SQLite looks at the value of a
// parameter that is a LIMIT when it plans, and plans anew whenever the parameter is bound
// again: for a short query that takes longer than all the rest. It does not look into an
// expression.
func stablePlan(query string) string { return boundLimit.ReplaceAllString(query, "LIMIT 0 + $1") }

// token matches a parameter, and what is none whatever it looks like.
var token = regexp.MustCompile(`(?s)'[^']*'|"[^"]*"|--[^\n]*|/\*.*?\*/|\$\d+`)

// nameless returns a query whose parameters have no names, if they stand in their order,
// each once. The driver asks for the name of each parameter that it binds, and SQLite
// looks for that from the first on: in a statement of many rows that takes longer than
// inserting them.
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

// stmt returns a statement for a closure's query that is not in use.
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
	if control.MatchString(query) {
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

// makeRoom closes the statement longest unused when there are too many.
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

// Prepare implements driver.Conn for those who insist on a statement: it only
// remembers the text, whose statement the connection keeps.
func (c *sqliteConn) Prepare(query string) (driver.Stmt, error) {
	if _, err := c.stmt(query); err != nil {
		return nil, err
	}
	return &sqliteText{conn: c, query: query}, nil
}

// CheckNamedValue implements driver.NamedValueChecker.
func (c *sqliteConn) CheckNamedValue(v *driver.NamedValue) error { return checkValue(v) }

// do runs one of the engine's own statements.
func (c *sqliteConn) do(query string) error {
	s, err := c.ownStmt(query)
	if err != nil {
		return err
	}
	_, err = c.exec(context.Background(), s, nil)
	return err
}

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

// note keeps the first error that makes the transaction unreliable.
func (c *sqliteConn) recordErr(err error) {
	if c.broken == nil && err != nil && sqliteFatal(err) {
		c.broken = err
	}
}

// closeRows closes the result sets that a closure left open, and returns how many
// there were.
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
	closed bool // perhaps by closeRows, while database/sql holds it for open
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

// sqliteText is what Prepare returns.
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
