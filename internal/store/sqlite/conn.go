package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"

	"modernc.org/sqlite"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
)

// writePragmas are the settings of the writer's connection. See
// https://www.sqlite.org/pragma.html.
var writePragmas = []string{
	"cache_size(-8192)",  // KiB
	"shrink_memory",      // reallocates the cache with this size (packPages)
	"busy_timeout(5000)", // milliseconds; only another process can hold the lock
	"journal_mode(WAL)",
	"synchronous(FULL)", // a commit syncs the log before it becomes visible
	"foreign_keys(ON)",
	"temp_store(MEMORY)",                            // for savepoints and sorts
	"wal_autocheckpoint(0)",                         // a checkpoint inside a COMMIT would hide a failed sync
	fmt.Sprintf("journal_size_limit(%d)", logBytes), // the log exceeds it while a View stays open
}

// Bounds of the write-ahead log while the disk has space.
const (
	logPages int64 = 32_000   // of 4 KiB; checkpointer moves pages much earlier
	logBytes int64 = 64 << 20 // size that the file keeps after the log restarts
)

// auxPragmas are the settings of auxiliary connections, which serve the writer and read no
// rows.
var auxPragmas = append([]string{"cache_size(-64)"}, writePragmas[1:]...)

// readPragmas are the settings of readers. Their caches are small, as there are several, and
// mmap is off: mapped pages count as resident once per connection.
var readPragmas = []string{
	"cache_size(-1024)", // KiB
	"busy_timeout(5000)",
	"query_only(ON)",
	"temp_store(MEMORY)",
}

// connector opens connections wrapped in a conn.
type connector struct{ driver.Connector }

func (k *connector) Connect(ctx context.Context) (driver.Conn, error) { return k.connect(ctx) }

// connect opens a connection, which begins without prepared statements.
func (k *connector) connect(ctx context.Context) (*conn, error) {
	inner, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, classify(err)
	}
	return &conn{Conn: inner, own: map[string]*stmt{}, stmts: map[string]*stmt{}}, nil
}

// openConnector returns a connector for the file at path, with mode "rw" or "ro".
func openConnector(path, mode string, pragmas []string) (*connector, error) {
	packPages()
	keepChecksums()
	k, err := sqlite.NewConnector(fileURI(path, url.Values{
		"mode":      {mode},
		"_pragma":   pragmas,
		"_dqs":      {"0"}, // double quotes delimit names only, as in standard SQL
		"_error_rc": {"1"}, // error messages of the failing connection
	}))
	if err != nil {
		return nil, err
	}
	return &connector{k}, nil
}

// fileURI names a file and the options with which to open it.
func fileURI(path string, options url.Values) string {
	u := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: options.Encode()}
	return u.String()
}

// conn wraps the driver's connection for database/sql. It caches prepared statements by
// their text, tracks open result sets, and records errors after which a transaction is
// unreliable.
type conn struct {
	driver.Conn
	own   map[string]*stmt // the engine's: BEGIN, COMMIT and the like
	stmts map[string]*stmt // the closures'
	uses  uint64           // clock of stmt.used
	open  []*rows

	// ctx cancels statements and rows of a View; nil in an Update.
	ctx context.Context
	// broken is the first error after which SQLite may have ended the transaction by itself. A
	// further statement would commit on its own, so the connection refuses all of them and is
	// closed.
	broken error
}

// stmt is a prepared statement.
type stmt struct {
	inner     driver.Stmt
	used      uint64 // value of conn.uses at the last use
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
func (c *conn) stmt(query string) (*stmt, error) {
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
	if engine.Controls(query) {
		return nil, fmt.Errorf("store: a closure does not control its transaction: %s", query)
	}
	inner, err := c.Conn.Prepare(positionalParams(stablePlan(query)))
	if err != nil {
		return nil, c.recordErr(err)
	}
	s = &stmt{inner: inner, used: c.uses, transient: ok}
	if !s.transient {
		c.evictStmt()
		c.stmts[query] = s
	}
	return s, nil
}

// maxStatements bounds the prepared statements of one connection. One takes a few KB.
const maxStatements = 256

// evictStmt closes the least recently used idle statement when the cache is full.
func (c *conn) evictStmt() {
	if len(c.stmts) < maxStatements {
		return
	}
	var oldest *stmt
	var text string
	for q, s := range c.stmts {
		if !s.busy && (oldest == nil || s.used < oldest.used) {
			oldest, text = s, q
		}
	}
	if oldest != nil {
		delete(c.stmts, text)
		_ = c.recordErr(oldest.inner.Close())
	}
}

// ExecContext implements driver.ExecerContext. ctx never ends, see Tx.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.stmt(query)
	if err != nil {
		return nil, err
	}
	return c.exec(ctx, s, args)
}

// exec runs a statement to its end, and closes it when it is transient.
func (c *conn) exec(ctx context.Context, s *stmt, args []driver.NamedValue) (driver.Result, error) {
	res, err := s.inner.(driver.StmtExecContext).ExecContext(ctx, args)
	err = c.recordErr(err)
	if s.transient {
		err = engine.Join(err, s.inner.Close())
	}
	return res, err
}

// QueryContext implements driver.QueryerContext. ctx never ends, see Tx.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := store.Injected(ctx); err != nil {
		return nil, err
	}
	s, err := c.stmt(query)
	if err != nil {
		return nil, err
	}
	inner, err := s.inner.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		err = c.recordErr(err)
		if s.transient {
			err = engine.Join(err, s.inner.Close())
		}
		return nil, err
	}
	s.busy = true
	r := &rows{Rows: inner, conn: c, stmt: s}
	c.open = append(c.open, r)
	return r, nil
}

// Prepare implements driver.Conn. It is unused: the connection's cache holds the prepared statements.
func (c *conn) Prepare(string) (driver.Stmt, error) { return nil, driver.ErrSkip }

// CheckNamedValue implements driver.NamedValueChecker.
func (c *conn) CheckNamedValue(v *driver.NamedValue) error { return engine.CheckValue(v) }

// do runs a statement of the engine.
func (c *conn) do(query string) error {
	s, err := c.ownStmt(query)
	if err != nil {
		return err
	}
	_, err = c.exec(context.Background(), s, nil)
	return err
}

// ownStmt returns the prepared statement of an engine query.
func (c *conn) ownStmt(query string) (*stmt, error) {
	if s, ok := c.own[query]; ok {
		return s, nil
	}
	inner, err := c.Conn.Prepare(query)
	if err != nil {
		return nil, classify(err)
	}
	s := &stmt{inner: inner}
	c.own[query] = s
	return s, nil
}

// checkpoint runs a checkpoint in a mode: PASSIVE waits for no reader or writer, NOOP only
// reports. It returns the number of pages in the log and how many of them have been moved. See
// https://www.sqlite.org/pragma.html#pragma_wal_checkpoint.
func (c *conn) checkpoint(mode string) (pages, moved int64, err error) {
	s, err := c.ownStmt("PRAGMA wal_checkpoint(" + mode + ")")
	if err != nil {
		return 0, 0, err
	}
	rows, err := s.inner.(driver.StmtQueryContext).QueryContext(context.Background(), nil)
	if err != nil {
		return 0, 0, classify(err)
	}
	row := make([]driver.Value, 3) // whether it stopped early, pages, moved
	if err := errors.Join(rows.Next(row), rows.Close()); err != nil {
		return 0, 0, classify(err)
	}
	return row[1].(int64), row[2].(int64), nil
}

// recordErr stores the first error that makes the transaction unreliable, and returns err, classified.
func (c *conn) recordErr(err error) error {
	if err == nil {
		return nil
	}
	err = classify(err)
	if c.broken == nil && fatal(err) {
		c.broken = err
	}
	return err
}

// closeRows closes the result sets that a closure left open, and returns their number.
func (c *conn) closeRows() int {
	open := slices.Clone(c.open)
	for _, r := range open {
		_ = c.recordErr(r.Close())
	}
	return len(open)
}

// Close implements driver.Conn.
func (c *conn) Close() error {
	c.closeRows()
	var errs []error
	for _, m := range []map[string]*stmt{c.own, c.stmts} {
		for _, s := range m {
			errs = append(errs, s.inner.Close())
		}
		clear(m)
	}
	return errors.Join(append(errs, c.Conn.Close())...)
}

// rows is a result set.
type rows struct {
	driver.Rows
	conn   *conn
	stmt   *stmt
	closed bool // perhaps by closeRows, while database/sql considers it open
}

// Next implements driver.Rows.
func (r *rows) Next(dest []driver.Value) error {
	if r.closed {
		return engine.ErrRowsOpen
	}
	if ctx := r.conn.ctx; ctx != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return r.conn.recordErr(r.Rows.Next(dest))
}

// Close implements driver.Rows.
func (r *rows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.stmt.busy = false
	r.conn.open = slices.DeleteFunc(r.conn.open, func(o *rows) bool { return o == r })
	err := r.Rows.Close()
	if r.stmt.transient {
		err = engine.Join(err, r.stmt.inner.Close())
	}
	return err
}
