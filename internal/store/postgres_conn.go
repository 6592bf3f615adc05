package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

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

// postgresConn is the driver connection that database/sql uses. It caches prepared statements
// by their text, and saves round trips: it sends BEGIN together with the first statement, and
// reads the response to a ROLLBACK when the connection is next used. Since BEGIN and the first
// statement travel together and nothing was read before, that step is repeated on a new
// connection when the old one was lost.
type postgresConn struct {
	pool           *postgresPool
	pg             *pgconn.PgConn // nil while disconnected
	generation     uint64         // of the pool when the connection was opened
	stmts          map[statement]*postgresStmt
	uses           uint64          // clock of postgresStmt.used
	named          int             // statements prepared so far, to name them
	args           postgresArgs    // of the statement being sent
	rollbackUnread bool            // the response to a ROLLBACK is unread
	warn           bool            // the server sent a warning
	outdated       bool            // a table changed after statements were prepared for it
	trips          *atomic.Int64   // round trips of all connections of the pool
	ctx            context.Context // cancels statements and rows of a View; nil in an Update

	pending    []*pendingStmt // sent with the next statement, or with COMMIT
	prefetched []*pendingStmt // prefetched queries with results that the closure has not read
	begin      string         // BEGIN to send with the next statement; "" for none
	begun      bool           // the server is in a transaction
	once       onceState
	lastHeard  time.Time // time of the last response
	reading    *postgresRows
	open       []*postgresRows
	failed     error // the first error in this transaction, which fails all later statements
}

// statement is the cache key of a prepared statement.
type statement struct {
	query string
	one   bool // it fails unless it changes one row: see assertion
}

// postgresStmt is a prepared statement.
type postgresStmt struct {
	*pgconn.StatementDescription
	columns []string
	formats []int16 // of the columns
	used    uint64  // value of postgresConn.uses at the last use
	own     bool    // transaction control of the engine
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
	c.begin, c.begun, c.failed, c.pending, c.prefetched = begin, false, nil, nil, nil
}

// lost reports whether the transaction failed because the connection was lost.
func (c *postgresConn) lost() bool {
	return c.failed != nil && (errors.Is(c.failed, errLost) || c.pg == nil || c.pg.IsClosed() || postgresLost(c.failed))
}

// recordErr stores the first error of a transaction, and returns err, wrapped with errLost when
// the connection is closed.
func (c *postgresConn) recordErr(err error) error {
	if err == nil {
		return nil
	}
	if c.pg == nil || c.pg.IsClosed() {
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

// stmt returns the prepared statement of a query. With one, the statement fails unless it
// changes one row.
func (c *postgresConn) stmt(query string, one bool) (*postgresStmt, error) {
	c.uses++
	if s, ok := c.stmts[statement{query, one}]; ok {
		s.used = c.uses
		return s, nil
	}
	text := query
	if one {
		text = assertion(query)
	}
	if err := c.evictStmt(); err != nil {
		return nil, err
	}
	c.named++
	c.trips.Add(1)
	d, err := c.pg.Prepare(c.context(), "s"+strconv.Itoa(c.named), text, nil)
	if err != nil {
		return nil, err
	}
	s := &postgresStmt{StatementDescription: d, used: c.uses}
	for _, f := range d.Fields {
		s.columns = append(s.columns, f.Name)
		s.formats = append(s.formats, resultFormat(f.DataTypeOID))
	}
	c.stmts[statement{query, one}] = s
	return s, nil
}

// evictStmt drops the least recently used statement when the cache is full.
func (c *postgresConn) evictStmt() error {
	if len(c.stmts) < maxStatements {
		return nil
	}
	var oldest *postgresStmt
	var text statement
	for q, s := range c.stmts {
		if oldest == nil || s.used < oldest.used {
			oldest, text = s, q
		}
	}
	delete(c.stmts, text)
	c.trips.Add(1)
	return c.pg.Deallocate(c.context(), oldest.Name)
}

// send sends a statement, preceded by a pending BEGIN and pending statements, and returns its
// result. With "" it sends the pending ones alone and returns no result.
func (c *postgresConn) send(query string, args []driver.NamedValue) (*postgresStmt, postgresResult, error) {
	if c.failed != nil {
		return nil, postgresResult{}, c.failed
	}
	if c.ctx != nil && c.ctx.Err() != nil {
		return nil, postgresResult{}, c.ctx.Err()
	}
	if s, ok := c.stmts[statement{query: query}]; (!ok || s.own) && control.MatchString(query) {
		return nil, postgresResult{}, fmt.Errorf("store: a closure does not control its transaction: %s", query)
	}
	if c.once == onceUsed || c.once == onceUnused && query != "" && !selects.MatchString(query) {
		// A statement other than SELECT is rerun as well: the read-only transaction refuses it.
		return nil, postgresResult{}, c.recordErr(errSecondQuery)
	}
	c.bufferRest()
	if c.begin != "" || len(c.pending) > 0 || c.once == onceUnused {
		return c.sendPending(query, args)
	}
	s, err := c.stmt(query, false)
	if err != nil {
		return nil, postgresResult{}, c.recordErr(err)
	}
	c.args.set(s.ParamOIDs, args)
	c.trips.Add(1)
	one := c.pg.ExecStatement(c.context(), s.StatementDescription, c.args.values, c.args.formats, s.formats)
	return s, postgresResult{one: one}, nil
}

// sendPending sends BEGIN, the pending statements and then query, unless that is "". If BEGIN
// is among them, a lost connection is replaced and the step repeated within a retry budget.
func (c *postgresConn) sendPending(
	query string, args []driver.NamedValue,
) (*postgresStmt, postgresResult, error) {
	var budget retryBudget
	for {
		c.resetPending()
		s, r, err := c.trySendPending(&budget, query, args)
		if err == nil {
			if c.once == onceUnused {
				c.once = onceUsed
			}
			return s, r, nil
		}
		connected := c.pg != nil && !c.pg.IsClosed() && !postgresLost(err)
		cancelled := c.ctx != nil && c.ctx.Err() != nil
		if c.begun || connected || cancelled || errors.Is(err, ErrUnavailable) {
			return nil, r, c.recordErr(err)
		}
		c.pool.discard(c)
		if budget.exhausted() {
			return nil, r, c.recordErr(notStored(err))
		}
	}
}

// resetPending discards the results of pending statements on a lost connection, so that they
// can be sent again.
func (c *postgresConn) resetPending() {
	for _, q := range c.pending {
		q.rows, q.sent = nil, false
	}
	c.prefetched = slices.DeleteFunc(c.prefetched, func(q *pendingStmt) bool { return slices.Contains(c.pending, q) })
}

// trySendPending is one attempt of sendPending. It connects first unless the transaction has
// begun.
func (c *postgresConn) trySendPending(
	budget *retryBudget, query string, args []driver.NamedValue,
) (*postgresStmt, postgresResult, error) {
	var r postgresResult
	if !c.begun {
		if err := c.pool.connect(c.context(), c, budget); err != nil {
			return nil, r, err
		}
	}
	var b pgconn.Batch
	if err := c.appendPending(&b, false); err != nil {
		return nil, r, err
	}
	var s *postgresStmt
	if query != "" {
		var err error
		if s, err = c.stmt(query, false); err != nil {
			return nil, r, err
		}
		c.args.set(s.ParamOIDs, args)
		b.ExecStatement(s.StatementDescription, c.args.values, c.args.formats, s.formats)
	}
	c.trips.Add(1)
	r.all = c.pg.ExecBatch(c.context(), &b)
	if err := c.readPending(r.all, false); err != nil || query != "" {
		return s, r, err
	}
	return nil, r, r.all.Close()
}

// ExecContext implements driver.ExecerContext. ctx never ends, see Tx.
func (c *postgresConn) ExecContext(_ context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	_, r, err := c.send(query, args)
	if err != nil {
		return nil, err
	}
	tag, err := r.close()
	if err != nil {
		return nil, c.recordErr(err)
	}
	return driver.RowsAffected(tag.RowsAffected()), nil
}

// QueryContext implements driver.QueryerContext. ctx never ends, see Tx.
func (c *postgresConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := injected(ctx); err != nil {
		return nil, err
	}
	rows, err := c.takePrefetched(query, args)
	if err != nil {
		return nil, err
	}
	if rows == nil {
		s, r, err := c.send(query, args)
		if err != nil {
			return nil, err
		}
		rows = &postgresRows{conn: c, stmt: s, result: r}
		if err := rows.startReading(); err != nil {
			return nil, err
		}
	}
	c.open = append(c.open, rows)
	return rows, nil
}

// Prepare implements driver.Conn for callers that need a statement: it stores the text, and the
// connection's cache holds the prepared statement.
func (c *postgresConn) Prepare(query string) (driver.Stmt, error) {
	return &postgresText{conn: c, query: query}, nil
}

// Begin implements driver.Conn. It is unused: the engine controls transactions.
func (c *postgresConn) Begin() (driver.Tx, error) { return nil, driver.ErrSkip }

// CheckNamedValue implements driver.NamedValueChecker.
func (c *postgresConn) CheckNamedValue(v *driver.NamedValue) error { return checkValue(v) }

// bufferRest reads the remaining rows of the open result into memory, so that the connection
// can send another statement.
func (c *postgresConn) bufferRest() {
	if c.reading != nil {
		c.reading.bufferRest()
	}
}

// closeRows closes the result sets that a closure left open, and returns their number.
func (c *postgresConn) closeRows() int {
	open := c.open
	c.open = nil
	for _, r := range open {
		_ = r.finish() // recorded in failed
	}
	return len(open)
}

// commit commits the transaction. With an error, rolledBack reports whether nothing was stored
// for certain; it is false when the connection was lost and the outcome is unknown.
func (c *postgresConn) commit() (rolledBack bool, err error) {
	if !c.begun && len(c.pending) == 0 {
		c.begin = ""
		return false, nil
	}
	c.warn = false
	done, sent, err := c.sendCommit()
	oneTrip := c.begin != ""     // no response has arrived, not even to BEGIN
	c.begin, c.begun = "", false // nothing is left to roll back
	switch {
	case err != nil:
		closed := c.pg.IsClosed()
		// When COMMIT was not sent, or a statement before it failed, the transaction is still
		// open and is rolled back later.
		c.begun = !closed && c.pg.TxStatus() != 'I'
		// The server answers in order: if its first response ends the connection, it has
		// executed nothing. Otherwise only an explicit refusal proves a rollback; after a
		// malformed response the outcome is unknown.
		ended := oneTrip && postgresShutdown(err)
		return !sent || ended || !closed && postgresRefused(err), c.recordErr(err)
	case done != commit:
		return true, c.recordErr(errors.New("store: the server has rolled the transaction back"))
	case c.warn:
		// The commit is stored here, but perhaps not on a required standby: "canceling wait for
		// synchronous replication" is a warning, not an error.
		return false, c.recordErr(errors.New("store: the server has committed with a warning"))
	}
	return false, nil
}

// rollback rolls the transaction back. Its response is read at the next use of the connection.
func (c *postgresConn) rollback() {
	c.begin, c.pending, c.prefetched = "", nil, nil
	if !c.begun || c.pg == nil || c.pg.IsClosed() {
		c.begun = false
		return
	}
	c.begun = false
	c.pg.Frontend().SendQuery(&pgproto3.Query{String: rollback})
	if err := c.pg.Frontend().Flush(); err != nil {
		c.pool.discard(c)
		return
	}
	c.rollbackUnread = true
}

// drainRollback reads the response to the last ROLLBACK.
func (c *postgresConn) drainRollback(ctx context.Context) error {
	for c.rollbackUnread {
		m, err := c.pg.ReceiveMessage(ctx)
		if err != nil {
			return err
		}
		if _, ready := m.(*pgproto3.ReadyForQuery); ready {
			c.rollbackUnread = false
		}
	}
	return nil
}

// reset clears the state that belongs to the server's side of the connection.
func (c *postgresConn) reset() {
	c.pg, c.rollbackUnread, c.begun, c.reading, c.outdated = nil, false, false, nil, false
	clear(c.stmts)
}

// Close implements driver.Conn.
func (c *postgresConn) Close() error {
	c.closeRows()
	if c.pg == nil {
		return nil
	}
	pg := c.pg
	c.reset()
	ctx, cancel := context.WithTimeout(context.Background(), cancelTimeout)
	defer cancel()
	return pg.Close(ctx)
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
