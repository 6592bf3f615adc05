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

// queued is a statement that goes to the server together with a later one: one whose
// outcome is taken for granted (Tx.Later), or a query that was announced (Tx.Ahead).
type pendingStmt struct {
	query    string
	args     []driver.NamedValue
	one      bool // it must change, or find, one row
	sent     bool
	count    int64 // of rows, once sent
	prefetch bool  // a query; once answered, its rows
	stmt     *postgresStmt
	rows     [][][]byte
}

// errNotOne says that a statement in the queue has not changed one row. The closure, which
// was told that it did, runs again.
var errNotOne = errors.New("store: a statement has not changed one row")

// errNoResult says that the server has not answered a statement in the queue.
var errNoResult = errors.New("store: a statement without a result")

// later puts a statement in the queue.
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

// announce puts a query in the queue, unless it is there, or answered, already. One that
// cannot be sent is left out: whoever asks for it learns why.
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

// copyArgs checks arguments and keeps them.
func (c *postgresConn) copyArgs(q *pendingStmt, args []any) error {
	q.args = make([]driver.NamedValue, len(args))
	for i, arg := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return err
		}
		if b, ok := v.([]byte); ok {
			v = bytes.Clone(b) // its owner may go on to change it
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

// RowsAffected implements sql.Result: it promises one row, which is checked once it is
// known.
func (q *pendingStmt) RowsAffected() (int64, error) {
	if q.sent {
		return q.count, nil
	}
	q.one = true
	return 1, nil
}

// asks reports whether q is the query that is asked for.
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

// announced returns the rows of a query that was announced, having sent what waits if it
// is still among that; nil when it was not announced.
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

// appendPending adds BEGIN, if it waits, and the statements of the queue to a batch. With
// assert, the server itself sees to it that those which must change one row do: the batch
// ends there otherwise.
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
		c.args.set(s.ParamOIDs, q.args) // the batch encodes them at once
		b.ExecStatement(s.StatementDescription, c.args.values, c.args.formats, s.formats)
	}
	return nil
}

// readPending reads the results of what appendPending has added. After an error the batch
// is read to its end.
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

// selects matches queries, behind the comment that names them.
var selects = regexp.MustCompile(`(?i)^(\s*--[^\n]*\n)*\s*SELECT\b`)

// assertion returns a statement that does the same and fails (division_by_zero) unless
// that is one row.
func assertion(query string) string {
	if !selects.MatchString(query) {
		query += "\nRETURNING 1"
	}
	return "WITH done AS (\n" + query + "\n) SELECT 1 / CASE count(*) WHEN 1 THEN 1 ELSE 0 END FROM done"
}

// idle is after how long without use a connection is not trusted to be there still.
const idle = time.Second

// flush sends the queue at the end of a closure, unless it can go out together with COMMIT.
// It cannot when it would be the first that is sent on a connection which may be gone: what
// becomes of a COMMIT on such a one nobody knows, while what begins a transaction may be
// repeated.
func (c *postgresConn) flush() error {
	if c.failed != nil || len(c.pending) == 0 || c.begun || time.Since(c.lastHeard) < idle {
		return c.failed
	}
	_, _, err := c.send("", nil)
	return err
}

// doubt sends the queue when the closure has returned an error, and something that was
// promised is still in the queue: had the closure known better, it might have returned
// another one.
func (c *postgresConn) flushAssumed() error {
	if c.failed != nil || !slices.ContainsFunc(c.pending, func(q *pendingStmt) bool { return q.one }) {
		return c.failed
	}
	_, _, err := c.send("", nil)
	return err
}

// sendCommit sends what waits, and COMMIT behind it: when one of them fails, the server
// does not come to the COMMIT. It returns what the server has done, and whether it may have
// been sent anything of it: only the connection knows. What pgx says of its errors does not
// help, as the one of a connection that is lost while an answer is waited for is that it was
// closed before (pgconn.SafeToRetry).
func (c *postgresConn) sendCommit() (done string, sent bool, err error) {
	c.pending = slices.DeleteFunc(c.pending, func(q *pendingStmt) bool { return q.prefetch }) // nobody has asked
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

// sent returns how many bytes went out to the server.
func (c *postgresConn) sent() int64 { return c.pg.Conn().(*deadlineConn).sent.Load() }
