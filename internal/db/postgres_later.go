package db

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
)

// queued is a statement that goes to the server together with a later one (Tx.Later).
type queued struct {
	query string
	args  []driver.NamedValue
	one   bool // it must change one row
}

// errNotOne says that a statement in the queue has not changed one row. The closure, which
// was told that it did, runs again.
var errNotOne = errors.New("db: a statement has not changed one row")

// errNoResult says that the server has not answered a statement in the queue.
var errNoResult = errors.New("db: a statement without a result")

// later puts a statement in the queue.
func (c *postgresConn) later(query string, args []any) (sql.Result, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	if control.MatchString(query) {
		return nil, fmt.Errorf("db: a closure does not control its transaction: %s", query)
	}
	q := &queued{query: query, args: make([]driver.NamedValue, len(args))}
	for i, arg := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return nil, err
		}
		if b, ok := v.([]byte); ok {
			v = bytes.Clone(b) // its owner may go on to change it
		}
		q.args[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
		if err := c.CheckNamedValue(&q.args[i]); err != nil && !errors.Is(err, driver.ErrSkip) {
			return nil, err
		}
	}
	c.queue = append(c.queue, q)
	return q, nil
}

// LastInsertId implements sql.Result.
func (q *queued) LastInsertId() (int64, error) { return 0, driver.ErrSkip }

// RowsAffected implements sql.Result: it promises one row, which is checked once it is
// known.
func (q *queued) RowsAffected() (int64, error) {
	q.one = true
	return 1, nil
}

// batchWaiting adds BEGIN, if it waits, and the statements of the queue to a batch.
func (c *postgresConn) batchWaiting(b *pgconn.Batch) error {
	if c.begin != "" {
		begin, err := c.stmt(c.begin)
		if err != nil {
			return err
		}
		begin.own = true
		b.ExecStatement(begin.StatementDescription, nil, nil, nil)
	}
	for _, q := range c.queue {
		s, err := c.stmt(q.query)
		if err != nil {
			return err
		}
		c.args.set(s.ParamOIDs, q.args) // the batch encodes them at once
		b.ExecStatement(s.StatementDescription, c.args.values, c.args.formats, nil)
	}
	return nil
}

// readWaiting reads the results of what batchWaiting has added. After an error the batch
// is read to its end.
func (c *postgresConn) readWaiting(all *pgconn.MultiResultReader) error {
	read := func(q *queued) error {
		if !all.NextResult() {
			return cmp.Or(all.Close(), errNoResult)
		}
		tag, err := all.ResultReader().Close()
		if err == nil && q.one && tag.RowsAffected() != 1 {
			err = fmt.Errorf("%w: %s", errNotOne, q.query)
		}
		if err != nil {
			return also(err, all.Close())
		}
		return nil
	}
	if c.begin != "" {
		if err := read(&queued{}); err != nil {
			return err
		}
		c.begin, c.begun = "", true
	}
	for _, q := range c.queue {
		if err := read(q); err != nil {
			return err
		}
	}
	c.queue = nil
	return nil
}

// flush sends the queue at the end of a closure, unless it can go out together with COMMIT:
// what is to change one row must be looked at before.
func (c *postgresConn) flush() error {
	n := len(c.queue)
	if c.failed != nil || n == 0 || c.begun && !slices.ContainsFunc(c.queue, func(q *queued) bool { return q.one }) {
		return c.failed
	}
	last := c.queue[n-1]
	c.queue = c.queue[:n-1]
	_, r, err := c.send(last.query, last.args)
	if err != nil {
		return err
	}
	tag, err := r.close()
	if err == nil && last.one && tag.RowsAffected() != 1 {
		err = fmt.Errorf("%w: %s", errNotOne, last.query)
	}
	return c.note(err)
}

// sendCommit sends what is in the queue, and COMMIT behind it: when one of them fails, the
// server does not come to the COMMIT. It returns what the server has done.
func (c *postgresConn) sendCommit() (string, error) {
	c.trips.Add(1)
	if len(c.queue) == 0 {
		results, err := c.pg.Exec(context.Background(), commit).ReadAll()
		if err != nil || len(results) != 1 {
			return "", err
		}
		return results[0].CommandTag.String(), nil
	}
	var b pgconn.Batch
	if err := c.batchWaiting(&b); err != nil {
		return "", err
	}
	end, err := c.stmt(commit)
	if err != nil {
		return "", err
	}
	end.own = true
	b.ExecStatement(end.StatementDescription, nil, nil, nil)
	all := c.pg.ExecBatch(context.Background(), &b)
	if err := c.readWaiting(all); err != nil {
		return "", err
	}
	if !all.NextResult() {
		return "", all.Close()
	}
	tag, err := all.ResultReader().Close()
	return tag.String(), also(err, all.Close())
}
