package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// maxStatements bounds the statements that one connection keeps prepared. One takes
// about 3 KB.
const maxStatements = 256

// sqliteConnector opens connections to one file, wrapped in a sqliteConn.
type sqliteConnector struct {
	driver.Connector
	pragmas []string // run on each new connection
}

func (k *sqliteConnector) Connect(ctx context.Context) (driver.Conn, error) { return k.connect(ctx) }

func (k *sqliteConnector) connect(ctx context.Context) (*sqliteConn, error) {
	inner, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	c := &sqliteConn{Conn: inner, kept: map[string]*sqliteStmt{}}
	for _, p := range k.pragmas {
		if err := c.do("PRAGMA " + p); err != nil {
			return nil, errors.Join(fmt.Errorf("pragma %s: %w", p, err), c.Close())
		}
	}
	return c, nil
}

// sqliteConn is one connection to a SQLite file. Between database/sql and the
// driver, it keeps statements prepared by their text, knows which result sets are
// open, and notices the errors after which a transaction may be gone.
type sqliteConn struct {
	driver.Conn
	kept map[string]*sqliteStmt
	uses uint64 // statements looked up, the clock of sqliteStmt.used
	open []*sqliteRows

	// ctx ends the statements and rows of a View; nil in an Update.
	ctx context.Context
	// broken is the first error after which SQLite may have ended the transaction
	// by itself. Then nothing may be stored any more: the next statement would be
	// a transaction of its own.
	broken error
}

// sqliteStmt is a prepared statement. The driver's own takes named values.
type sqliteStmt struct {
	driver.Stmt
	used uint64
	busy bool // its rows are open: another use of the text needs another statement
	kept bool // by the connection
}

// stmt returns a statement for query that is not in use.
func (c *sqliteConn) stmt(query string) (*sqliteStmt, error) {
	if c.ctx != nil && c.ctx.Err() != nil {
		return nil, c.ctx.Err()
	}
	c.uses++
	s, ok := c.kept[query]
	if ok && !s.busy {
		s.used = c.uses
		return s, nil
	}
	inner, err := c.Conn.Prepare(query)
	if err != nil {
		c.note(err)
		return nil, err
	}
	s = &sqliteStmt{Stmt: inner, used: c.uses, kept: !ok}
	if s.kept {
		c.evict()
		c.kept[query] = s
	}
	return s, nil
}

// evict makes room for one more statement by closing the one longest unused.
func (c *sqliteConn) evict() {
	if len(c.kept) < maxStatements {
		return
	}
	oldest, text := uint64(0), ""
	for q, s := range c.kept {
		if !s.busy && (text == "" || s.used < oldest) {
			oldest, text = s.used, q
		}
	}
	if s, ok := c.kept[text]; ok {
		delete(c.kept, text)
		c.note(s.Close())
	}
}

// ExecContext implements driver.ExecerContext. ctx never ends: see Tx.
func (c *sqliteConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.stmt(query)
	if err != nil {
		return nil, err
	}
	res, err := s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
	c.note(err)
	if !s.kept {
		err = also(err, s.Close())
	}
	return res, err
}

// QueryContext implements driver.QueryerContext. ctx never ends: see Tx.
func (c *sqliteConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.stmt(query)
	if err != nil {
		return nil, err
	}
	inner, err := s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		c.note(err)
		if !s.kept {
			err = also(err, s.Close())
		}
		return nil, err
	}
	s.busy = true
	r := &sqliteRows{Rows: inner, c: c, s: s}
	c.open = append(c.open, r)
	return r, nil
}

// CheckNamedValue implements driver.NamedValueChecker: what the driver takes as it
// is goes past database/sql's conversions.
func (c *sqliteConn) CheckNamedValue(v *driver.NamedValue) error {
	switch v.Value.(type) {
	case nil, int64, string, []byte, bool, float64:
		return nil
	case time.Time:
		return errors.New("db: times are stored as integers")
	}
	return driver.ErrSkip
}

// do runs one of the engine's own statements.
func (c *sqliteConn) do(query string) error {
	ctx := c.ctx
	c.ctx = nil
	_, err := c.ExecContext(context.Background(), query, nil)
	c.ctx = ctx
	return err
}

// note keeps err when SQLite may have ended the transaction because of it, see
// https://www.sqlite.org/lang_transaction.html (section 3.1).
func (c *sqliteConn) note(err error) {
	if err == nil || c.broken != nil {
		return
	}
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_BUSY,
		sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		c.broken = err
	}
}

// closeRows closes the result sets that a closure left open, and returns how many
// there were.
func (c *sqliteConn) closeRows() int {
	open := slices.Clone(c.open)
	for _, r := range open {
		c.note(r.Close())
	}
	return len(open)
}

// Close implements driver.Conn.
func (c *sqliteConn) Close() error {
	c.closeRows()
	errs := make([]error, 0, len(c.kept)+1)
	for _, s := range c.kept {
		errs = append(errs, s.Close())
	}
	clear(c.kept)
	return errors.Join(append(errs, c.Conn.Close())...)
}

// sqliteRows is an open result set.
type sqliteRows struct {
	driver.Rows
	c      *sqliteConn
	s      *sqliteStmt
	closed bool
}

func (r *sqliteRows) Next(dest []driver.Value) error {
	if r.closed {
		return errRowsOpen
	}
	if ctx := r.c.ctx; ctx != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	err := r.Rows.Next(dest)
	r.c.note(err)
	return err
}

func (r *sqliteRows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.s.busy = false
	r.c.open = slices.DeleteFunc(r.c.open, func(o *sqliteRows) bool { return o == r })
	err := r.Rows.Close()
	if !r.s.kept {
		err = also(err, r.s.Close())
	}
	return err
}

// sqliteSession is a connection as database/sql and as the engine see it. The
// engine uses conn only while no closure runs.
type sqliteSession struct {
	sql    *sql.Conn
	conn   *sqliteConn
	leaked bool // rows were left open: database/sql would wait for them for ever
}

func openSession(ctx context.Context, pool *sql.DB) (*sqliteSession, error) {
	c, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	s := &sqliteSession{sql: c}
	err = c.Raw(func(dc any) error { s.conn = dc.(*sqliteConn); return nil })
	return s, err
}

// settle closes what the closure left open, and says so.
func (s *sqliteSession) settle() error {
	if s.conn.closeRows() == 0 {
		return nil
	}
	s.leaked = true
	return errRowsOpen
}

func (s *sqliteSession) close() error {
	if s.leaked {
		return s.conn.Close()
	}
	return s.sql.Close()
}

func sqliteCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

func sqliteUnique(err error) bool {
	switch sqliteCode(err) {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return true
	}
	return false
}
