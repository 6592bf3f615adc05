package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// pendingStmt is a statement to be sent with a later one: a deferred statement (Tx.Deferred),
// or a prefetched query (Tx.Prefetch). It implements sql.Result for the former.
type pendingStmt struct {
	query    string
	args     []driver.NamedValue
	one      bool // it must change or return one row
	sent     bool
	count    int64 // affected rows, once sent
	prefetch bool  // a query, whose rows are read
	stmt     *postgresStmt
	rows     [][][]byte
}

// errNotOne is the error of a deferred statement that changed another number of rows than the
// one that its closure assumed; the closure is retried.
var errNotOne = errors.New("store: a deferred statement did not change exactly one row")

// errNoResult is the error of a pending statement without a response.
var errNoResult = errors.New("store: no response to a statement")

// enqueue adds a deferred statement to the pending ones.
func (c *postgresConn) enqueue(query string, args []any) (sql.Result, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	if control.MatchString(query) {
		return nil, fmt.Errorf("store: a closure does not control its transaction: %s", query)
	}
	q := &pendingStmt{query: query}
	if err := c.copyArgs(q, args); err != nil {
		return nil, err
	}
	c.pending = append(c.pending, q)
	return q, nil
}

// prefetch adds a query to the pending ones unless it is pending or answered already. It
// ignores a query that cannot be sent: running it later reports the reason.
func (c *postgresConn) prefetch(query string, args []any) {
	q := &pendingStmt{query: query, prefetch: true}
	if c.failed != nil || !selects.MatchString(query) || c.copyArgs(q, args) != nil {
		return
	}
	same := func(o *pendingStmt) bool { return o.asks(query, q.args) }
	if !slices.ContainsFunc(c.pending, same) && !slices.ContainsFunc(c.prefetched, same) {
		c.pending = append(c.pending, q)
	}
}

// copyArgs checks arguments and copies them into q.
func (c *postgresConn) copyArgs(q *pendingStmt, args []any) error {
	q.args = make([]driver.NamedValue, len(args))
	for i, arg := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return err
		}
		if b, ok := v.([]byte); ok {
			v = bytes.Clone(b) // the caller may change its slice
		}
		q.args[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
		if err := c.CheckNamedValue(&q.args[i]); err != nil && !errors.Is(err, driver.ErrSkip) {
			return err
		}
	}
	return nil
}

// LastInsertId implements sql.Result.
func (q *pendingStmt) LastInsertId() (int64, error) { return 0, driver.ErrSkip }

// RowsAffected implements sql.Result. Before the statement is sent it returns 1, an assumption
// that is verified when the response arrives.
func (q *pendingStmt) RowsAffected() (int64, error) {
	if q.sent {
		return q.count, nil
	}
	q.one = true
	return 1, nil
}

// asks reports whether q is a prefetch of this query with these arguments.
func (q *pendingStmt) asks(query string, args []driver.NamedValue) bool {
	return q.prefetch && q.query == query && slices.EqualFunc(q.args, args, func(a, b driver.NamedValue) bool {
		x, isBytes := a.Value.([]byte)
		y, both := b.Value.([]byte)
		if isBytes || both {
			return isBytes && both && bytes.Equal(x, y)
		}
		return a.Value == b.Value
	})
}

// takePrefetched returns the rows of a prefetched query and removes it; it sends the pending
// statements if the query is among them. It returns nil for a query that was not prefetched.
func (c *postgresConn) takePrefetched(query string, args []driver.NamedValue) (*postgresRows, error) {
	is := func(q *pendingStmt) bool { return q.asks(query, args) }
	if slices.ContainsFunc(c.pending, is) {
		if _, _, err := c.send("", nil); err != nil {
			return nil, err
		}
	}
	i := slices.IndexFunc(c.prefetched, is)
	if i < 0 {
		return nil, nil
	}
	q := c.prefetched[i]
	c.prefetched = slices.Delete(c.prefetched, i, i+1)
	return &postgresRows{conn: c, stmt: q.stmt, buffered: q.rows}, nil
}

// appendPending adds a pending BEGIN and the pending statements to a batch. With assert, the
// server checks statements that must change one row and ends the batch at one that does not.
func (c *postgresConn) appendPending(b *pgconn.Batch, assert bool) error {
	if c.begin != "" {
		begin, err := c.stmt(c.begin, false)
		if err != nil {
			return err
		}
		begin.own = true
		b.ExecStatement(begin.StatementDescription, nil, nil, nil)
	}
	for _, q := range c.pending {
		s, err := c.stmt(q.query, assert && q.one)
		if err != nil {
			return err
		}
		q.stmt = s
		c.args.set(s.ParamOIDs, q.args) // ExecStatement encodes them immediately
		b.ExecStatement(s.StatementDescription, c.args.values, c.args.formats, s.formats)
	}
	return nil
}

// readPending reads the results of the statements that appendPending added. After an error it
// reads the batch to its end.
func (c *postgresConn) readPending(all *pgconn.MultiResultReader, assert bool) error {
	if c.begin != "" {
		if err := c.readPendingResult(all, &pendingStmt{}, false); err != nil {
			return err
		}
		c.begin, c.begun = "", true
	}
	for _, q := range c.pending {
		if err := c.readPendingResult(all, q, assert); err != nil {
			return err
		}
	}
	c.pending = nil
	return nil
}

// readPendingResult reads the result of one pending statement. Unless the server asserted the
// row count, it checks that here.
func (c *postgresConn) readPendingResult(all *pgconn.MultiResultReader, q *pendingStmt, asserted bool) error {
	if !all.NextResult() {
		return cmp.Or(all.Close(), errNoResult)
	}
	r := all.ResultReader()
	for q.prefetch && r.NextRow() {
		q.rows = append(q.rows, cloneRow(r.Values()))
	}
	tag, err := r.Close()
	q.sent, q.count = true, tag.RowsAffected()
	switch {
	case err == nil && q.prefetch:
		c.prefetched = append(c.prefetched, q)
	case err == nil && q.one && !asserted && tag.RowsAffected() != 1:
		err = fmt.Errorf("%w: %s", errNotOne, q.query)
	}
	if err != nil {
		return joinErrors(err, all.Close())
	}
	return nil
}

// selects matches a query, after an optional comment that names it.
var selects = regexp.MustCompile(`(?i)^(\s*--[^\n]*\n)*\s*SELECT\b`)

// assertion returns a statement with the same effect that fails with division_by_zero unless it
// changes or returns one row.
func assertion(query string) string {
	if !selects.MatchString(query) {
		query += "\nRETURNING 1"
	}
	return "WITH done AS (\n" + query + "\n) SELECT 1 / CASE count(*) WHEN 1 THEN 1 ELSE 0 END FROM done"
}

// idle is the time without a response after which a connection may be lost.
const idle = time.Second

// flush sends the pending statements at the end of a closure unless they can travel with
// COMMIT. They cannot when the connection may be lost and nothing was sent on it in this
// transaction: a lost COMMIT has an unknown outcome, whereas the begin of a transaction can be
// repeated.
func (c *postgresConn) flush() error {
	if c.failed != nil || len(c.pending) == 0 || c.begun || time.Since(c.lastHeard) < idle {
		return c.failed
	}
	_, _, err := c.send("", nil)
	return err
}

// flushAssumed sends the pending statements after the closure has returned an error, if the
// closure relied on an assumed row count: with the real count it might have returned another
// error.
func (c *postgresConn) flushAssumed() error {
	if c.failed != nil || !slices.ContainsFunc(c.pending, func(q *pendingStmt) bool { return q.one }) {
		return c.failed
	}
	_, _, err := c.send("", nil)
	return err
}

// sendCommit sends the pending statements and COMMIT in one batch: when a statement fails, the
// server does not execute COMMIT. It returns the command tag of COMMIT, and whether any byte
// was sent. Only the connection's byte count decides that: when the connection is lost while
// waiting for a response, pgx reports that it was closed before sending (pgconn.SafeToRetry).
func (c *postgresConn) sendCommit() (done string, sent bool, err error) {
	// Queries that the closure has not read are not needed any more.
	c.pending = slices.DeleteFunc(c.pending, func(q *pendingStmt) bool { return q.prefetch })
	var b pgconn.Batch
	if err := c.appendPending(&b, true); err != nil {
		return "", false, err
	}
	end, err := c.stmt(commit, false)
	if err != nil {
		return "", false, err
	}
	end.own = true
	b.ExecStatement(end.StatementDescription, nil, nil, nil)
	c.trips.Add(1)
	before := c.sent()
	all := c.pg.ExecBatch(context.Background(), &b)
	sent = c.sent() > before
	if err := c.readPending(all, true); err != nil {
		return "", sent, err
	}
	if !all.NextResult() {
		return "", sent, cmp.Or(all.Close(), errNoResult)
	}
	tag, err := all.ResultReader().Close()
	return tag.String(), sent, joinErrors(err, all.Close())
}

// sent returns the number of bytes sent on the connection.
func (c *postgresConn) sent() int64 { return c.pg.Conn().(*deadlineConn).sent.Load() }
