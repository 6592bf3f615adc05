package postgres

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
)

// errNotOne is the error of a deferred statement that changed another number of rows than the
// one that its closure assumed; the closure is retried.
var errNotOne = errors.New("store: a deferred statement did not change exactly one row")

// errNoResult is the error of a statement without a response.
var errNoResult = errors.New("store: no response to a statement")

// takePrefetched returns the rows of q if it was prefetched, and removes them; it sends the
// pending statements if q is among them. It returns nil for a query that was not prefetched.
func (c *conn) takePrefetched(q *pendingStmt) (*rows, error) {
	if q.find(c.pending) >= 0 {
		if err := c.send(nil, false); err != nil {
			return nil, err
		}
	}
	i := q.find(c.prefetched)
	if i < 0 {
		return nil, nil
	}
	rows := c.prefetched[i].rows
	c.prefetched = slices.Delete(c.prefetched, i, i+1)
	return rows, nil
}

// sendable returns an error when a batch that ends with q, which may be nil, must not be sent.
func (c *conn) sendable(q *pendingStmt) error {
	switch {
	case c.failed != nil:
		return c.failed
	case c.ctx != nil && c.ctx.Err() != nil:
		return c.ctx.Err()
	case c.once == onceUsed, c.once == onceUnused && q != nil && !engine.Selects(q.query):
		// A statement other than SELECT is rerun as well: the read-only transaction refuses it.
		return c.recordErr(errSecondQuery)
	}
	return nil
}

// send sends, in one message, BEGIN with c.admit if it is due, the pending statements, and q unless it is
// nil. It reads all results, except for the rows of a q that streams. With assert, the server
// checks the statements that must change one row, and executes nothing after one that does not.
func (c *conn) send(q *pendingStmt, assert bool) error {
	if err := c.sendable(q); err != nil {
		return err
	}
	c.reading.buffer()
	all := make([]*pendingStmt, 0, len(c.pending)+3)
	if c.begin != "" {
		all = append(all, &pendingStmt{query: c.begin, own: true})
		if c.admit != "" {
			all = append(all, &pendingStmt{query: c.admit, own: true})
		}
	}
	if all = append(all, c.pending...); q != nil {
		all = append(all, q)
	}
	c.wrote = false
	var b pgconn.Batch
	for _, q := range all {
		var err error
		if q.stmt, err = c.prepare(statement{q.query, assert && q.one, q.own}); err != nil {
			return err
		}
		d := q.stmt.StatementDescription
		if err := c.args.Build(c.pg.TypeMap(), d, arguments(d.ParamOIDs, q.args)); err != nil {
			return c.recordErr(fmt.Errorf("store: %w: %s", err, q.query))
		}
		b.ExecStatement(d, c.args.ParamValues, c.args.ParamFormats, q.stmt.formats)
	}
	c.trips.Add(1)
	before := c.sentBytes()
	results := c.pg.PgConn().ExecBatch(c.context(), &b)
	c.wrote = c.sentBytes() > before
	c.begin, c.pending = "", nil
	if c.once == onceUnused {
		c.once = onceUsed
	}
	for _, q := range all {
		if err := c.read(results, q, assert); err != nil {
			_ = results.Close() // reports the same error
			return c.recordErr(err)
		}
		c.heard = true
	}
	if c.reading.unread() {
		return nil
	}
	return c.recordErr(results.Close())
}

// read reads the result of one statement of a batch. Unless the server asserted the row count,
// it checks that here.
func (c *conn) read(results *pgconn.MultiResultReader, q *pendingStmt, asserted bool) error {
	if !results.NextResult() {
		return cmp.Or(results.Close(), errNoResult)
	}
	result := results.ResultReader()
	q.sent = true
	if q.streams || q.prefetch {
		q.rows = &rows{link: &c.link, stmt: q.stmt}
	}
	if q.streams {
		q.rows.live, q.rows.results = result, results
		c.reading = q.rows
		return nil
	}
	for q.prefetch && result.NextRow() {
		q.rows.buffered = append(q.rows.buffered, cloneRow(result.Values()))
	}
	var err error
	q.tag, err = result.Close()
	switch {
	case err != nil:
		return err
	case q.prefetch:
		c.prefetched = append(c.prefetched, q)
	case q.one && !asserted && q.tag.RowsAffected() != 1:
		return fmt.Errorf("%w: %s", errNotOne, q.query)
	}
	return nil
}

// idleAfter is the time without a response after which a connection may be lost.
const idleAfter = time.Second

// flush sends the pending statements at the end of a closure unless they can travel with
// COMMIT. They cannot when the connection may be lost and nothing was sent on it in this
// transaction: a lost COMMIT has an unknown outcome, whereas the begin of a transaction can be
// repeated.
func (c *conn) flush() error {
	if c.failed != nil || len(c.pending) == 0 || c.heard || time.Since(c.lastHeard) < c.idle {
		return c.failed
	}
	return c.send(nil, false)
}

// flushAssumed sends the pending statements after the closure has returned an error, if the
// closure relied on an assumed row count: with the real count it might have returned another
// error.
func (c *conn) flushAssumed() error {
	if c.failed != nil || !slices.ContainsFunc(c.pending, func(q *pendingStmt) bool { return q.one }) {
		return c.failed
	}
	return c.send(nil, false)
}

// commit sends the pending statements, check unless it is nil, and COMMIT in one batch: when a statement
// fails, the server does not execute COMMIT. With an error, rolledBack reports whether nothing was stored
// for certain; it is false when the outcome is unknown.
func (c *conn) commit(check *pendingStmt) (rolledBack bool, err error) {
	// Queries that the closure has not read are not needed any more.
	c.pending = slices.DeleteFunc(c.pending, func(q *pendingStmt) bool { return q.prefetch })
	if !c.begun() && len(c.pending) == 0 {
		c.begin = ""
		return false, nil
	}
	if check != nil {
		c.pending = append(c.pending, check)
	}
	c.warn = false
	end := &pendingStmt{query: commit, own: true}
	err = c.send(end, true)
	switch done := end.tag.String(); {
	case done == commit && c.warn:
		// The commit is stored here, but perhaps not on a required standby: "canceling wait for
		// synchronous replication" is a warning, not an error.
		return false, c.recordErr(errors.New("store: the server has committed with a warning"))
	case done == commit:
		return false, nil // a connection that was lost after this response changes nothing
	case err == nil:
		return true, c.recordErr(errors.New("store: the server has rolled the transaction back"))
	}
	// The server answers in order: if its first response ends the connection, it has executed
	// nothing. Otherwise only an explicit refusal proves a rollback; after a malformed response
	// the outcome is unknown.
	ended := !c.heard && shutDown(err)
	return !c.wrote || ended || !c.pg.IsClosed() && refused(err), err
}

// sentBytes returns the number of bytes sent on the connection. When the connection is lost
// while waiting for a response, pgx reports that it was closed before sending
// (pgconn.SafeToRetry); only this count says whether it was.
func (c *conn) sentBytes() int64 {
	conn, ok := c.pg.PgConn().Conn().(*deadlineConn)
	if !ok {
		return 0
	}
	return conn.sent.Load()
}

// ExecContext implements driver.ExecerContext. ctx never ends, see Tx.
func (c *conn) ExecContext(_ context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	q := &pendingStmt{query: query, args: plainValues(args)}
	if err := c.send(q, false); err != nil {
		return nil, err
	}
	return driver.RowsAffected(q.tag.RowsAffected()), nil
}

// QueryContext implements driver.QueryerContext. ctx never ends, see Tx.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := store.Injected(ctx); err != nil {
		return nil, err
	}
	rows, err := c.query(&pendingStmt{query: query, args: plainValues(args), streams: true})
	if err != nil {
		return nil, err // not a nil *rows within an interface
	}
	return rows, nil
}

// query returns the rows of a query, prefetched ones if there are any.
func (c *conn) query(q *pendingStmt) (*rows, error) {
	rows, err := c.takePrefetched(q)
	if err == nil && rows == nil {
		err = c.send(q, false)
		rows = q.rows
	}
	if err != nil {
		return nil, err
	}
	c.open = append(slices.DeleteFunc(c.open, isClosed), rows)
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
func (c *conn) CheckNamedValue(v *driver.NamedValue) error { return engine.CheckValue(v) }

// Begin implements driver.Conn. It is unused: the engine controls transactions.
func (c *conn) Begin() (driver.Tx, error) { return nil, driver.ErrSkip }

// Prepare implements driver.Conn. It is unused: the connection holds the prepared statements.
func (c *conn) Prepare(string) (driver.Stmt, error) { return nil, driver.ErrSkip }
