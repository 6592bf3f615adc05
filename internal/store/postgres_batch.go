package store

import (
	"bytes"
	"cmp"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// pendingStmt is a statement of a batch. Deferred statements (Tx.Deferred) and prefetched
// queries (Tx.Prefetch) wait for the batch of a later statement. It implements sql.Result for
// the former.
type pendingStmt struct {
	query    string
	args     []any
	own      bool          // it controls the transaction
	one      bool          // it must change or return one row
	prefetch bool          // a query whose rows are kept in memory
	streams  bool          // a query whose rows are read from the network
	stmt     *postgresStmt // once it is prepared
	sent     bool
	tag      pgconn.CommandTag // once sent, unless it streams
	rows     *postgresRows     // of queries, once sent
}

// errNotOne is the error of a deferred statement that changed another number of rows than the
// one that its closure assumed; the closure is retried.
var errNotOne = errors.New("store: a deferred statement did not change exactly one row")

// errNoResult is the error of a statement without a response.
var errNoResult = errors.New("store: no response to a statement")

// enqueue adds a deferred statement to the pending ones.
func (c *postgresConn) enqueue(query string, args []any) (sql.Result, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	if controls(query) {
		return nil, fmt.Errorf("store: a closure does not control its transaction: %s", query)
	}
	q := &pendingStmt{query: query}
	if err := q.copyArgs(args); err != nil {
		return nil, err
	}
	c.pending = append(c.pending, q)
	return q, nil
}

// prefetch adds a query to the pending ones unless it is pending or answered already. It
// ignores a query that cannot be sent: running it later reports the reason.
func (c *postgresConn) prefetch(query string, args []any) {
	q := &pendingStmt{query: query, prefetch: true}
	if c.failed != nil || !selects(query) || q.copyArgs(args) != nil {
		return
	}
	if q.find(c.pending) < 0 && q.find(c.prefetched) < 0 {
		c.pending = append(c.pending, q)
	}
}

// copyArgs checks arguments and copies them into q.
func (q *pendingStmt) copyArgs(args []any) error {
	q.args = make([]any, 0, len(args))
	for _, arg := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return err
		}
		if err := checkValue(&driver.NamedValue{Value: v}); err != nil {
			return err
		}
		if b, ok := v.([]byte); ok {
			v = bytes.Clone(b) // the caller may change its slice
		}
		q.args = append(q.args, v)
	}
	return nil
}

// LastInsertId implements sql.Result.
func (q *pendingStmt) LastInsertId() (int64, error) { return 0, driver.ErrSkip }

// RowsAffected implements sql.Result. Before the statement is sent it returns 1, an assumption
// that is verified when the response arrives.
func (q *pendingStmt) RowsAffected() (int64, error) {
	if q.sent {
		return q.tag.RowsAffected(), nil
	}
	q.one = true
	return 1, nil
}

// find returns the index of a prefetch of the same query with the same arguments, or -1.
func (q *pendingStmt) find(list []*pendingStmt) int {
	return slices.IndexFunc(list, func(o *pendingStmt) bool {
		return o.prefetch && o.query == q.query && slices.EqualFunc(o.args, q.args, func(a, b any) bool {
			x, isBytes := a.([]byte)
			y, both := b.([]byte)
			if isBytes || both {
				return isBytes && both && bytes.Equal(x, y)
			}
			return a == b
		})
	})
}

// takePrefetched returns the rows of q if it was prefetched, and removes them; it sends the
// pending statements if q is among them. It returns nil for a query that was not prefetched.
func (c *postgresConn) takePrefetched(q *pendingStmt) (*postgresRows, error) {
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
func (c *postgresConn) sendable(q *pendingStmt) error {
	switch {
	case c.failed != nil:
		return c.failed
	case c.ctx != nil && c.ctx.Err() != nil:
		return c.ctx.Err()
	case c.once == onceUsed, c.once == onceUnused && q != nil && !selects(q.query):
		// A statement other than SELECT is rerun as well: the read-only transaction refuses it.
		return c.recordErr(errSecondQuery)
	}
	return nil
}

// send sends, in one message, BEGIN if it is due, the pending statements, and q unless it is
// nil. It reads all results, except for the rows of a q that streams. With assert, the server
// checks the statements that must change one row, and executes nothing after one that does not.
func (c *postgresConn) send(q *pendingStmt, assert bool) error {
	if err := c.sendable(q); err != nil {
		return err
	}
	c.bufferRest()
	all := make([]*pendingStmt, 0, len(c.pending)+2)
	if c.begin != "" {
		all = append(all, &pendingStmt{query: c.begin, own: true})
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
	c.pool.trips.Add(1)
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
	if c.reading != nil {
		return nil
	}
	return c.recordErr(results.Close())
}

// read reads the result of one statement of a batch. Unless the server asserted the row count,
// it checks that here.
func (c *postgresConn) read(results *pgconn.MultiResultReader, q *pendingStmt, asserted bool) error {
	if !results.NextResult() {
		return cmp.Or(results.Close(), errNoResult)
	}
	rows := results.ResultReader()
	q.sent = true
	if q.streams || q.prefetch {
		q.rows = &postgresRows{conn: c, stmt: q.stmt}
	}
	if q.streams {
		q.rows.live, q.rows.results = rows, results
		c.reading = q.rows
		return nil
	}
	for q.prefetch && rows.NextRow() {
		q.rows.buffered = append(q.rows.buffered, cloneRow(rows.Values()))
	}
	var err error
	q.tag, err = rows.Close()
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

// arguments converts arguments to what pgx encodes as parameters of these types: flags are
// integers in the tables, and texts can be blobs.
func arguments(types []uint32, args []any) []any {
	for i, is := range types[:min(len(types), len(args))] {
		switch v := args[i].(type) {
		case bool:
			if is != pgtype.BoolOID {
				args[i] = int64(btoi(v))
			}
		case string:
			if is == pgtype.ByteaOID {
				args[i] = []byte(v)
			}
		}
	}
	return args
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// assertion returns a statement with the same effect that fails with division_by_zero unless it
// changes or returns one row.
func assertion(query string) string {
	if !selects(query) {
		query += "\nRETURNING 1"
	}
	return "WITH done AS (\n" + query + "\n) SELECT 1 / CASE count(*) WHEN 1 THEN 1 ELSE 0 END FROM done"
}

// idleAfter is the time without a response after which a connection may be lost.
const idleAfter = time.Second

// flush sends the pending statements at the end of a closure unless they can travel with
// COMMIT. They cannot when the connection may be lost and nothing was sent on it in this
// transaction: a lost COMMIT has an unknown outcome, whereas the begin of a transaction can be
// repeated.
func (c *postgresConn) flush() error {
	if c.failed != nil || len(c.pending) == 0 || c.heard || time.Since(c.lastHeard) < c.pool.idle {
		return c.failed
	}
	return c.send(nil, false)
}

// flushAssumed sends the pending statements after the closure has returned an error, if the
// closure relied on an assumed row count: with the real count it might have returned another
// error.
func (c *postgresConn) flushAssumed() error {
	if c.failed != nil || !slices.ContainsFunc(c.pending, func(q *pendingStmt) bool { return q.one }) {
		return c.failed
	}
	return c.send(nil, false)
}

// commit sends the pending statements, check unless it is nil, and COMMIT in one batch: when a statement
// fails, the server does not execute COMMIT. With an error, rolledBack reports whether nothing was stored
// for certain; it is false when the outcome is unknown.
func (c *postgresConn) commit(check *pendingStmt) (rolledBack bool, err error) {
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
	ended := !c.heard && postgresShutdown(err)
	return !c.wrote || ended || !c.pg.IsClosed() && postgresRefused(err), err
}

// sentBytes returns the number of bytes sent on the connection. When the connection is lost
// while waiting for a response, pgx reports that it was closed before sending
// (pgconn.SafeToRetry); only this count says whether it was.
func (c *postgresConn) sentBytes() int64 {
	conn, ok := c.pg.PgConn().Conn().(*deadlineConn)
	if !ok {
		return 0
	}
	return conn.sent.Load()
}
