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

// Statements of the engine itself.
const (
	beginSerial   = "BEGIN ISOLATION LEVEL SERIALIZABLE"
	beginSnapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ"
	beginView     = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	commit        = "COMMIT"
	rollback      = "ROLLBACK"
)

// postgresConn is a connection as database/sql sees it. It keeps statements prepared by
// their text, and saves round trips: BEGIN goes out together with the first statement,
// and the answer to a ROLLBACK is read when the connection is used again. As BEGIN and
// the first statement are one step, that step is repeated on a new connection when the
// old one turns out to be gone: nothing has been read from it.
type postgresConn struct {
	pool           *postgresPool
	pg             *pgconn.PgConn // nil when there is none
	generation     uint64         // the pool's generation when it was opened
	stmts          map[statement]*postgresStmt
	uses           uint64          // of kept: the clock of postgresStmt.used
	named          int             // statements so far, for their names
	args           postgresArgs    // of the statement that is sent
	rollbackUnread bool            // the answer to a ROLLBACK is still to be read
	warn           bool            // the server has onWarning
	outdated       bool            // statements were prepared for tables that have changed
	trips          *atomic.Int64   // round trips of all connections
	ctx            context.Context // ends the statements and rows of a View; nil in an Update

	pending    []*pendingStmt // statements that go out with the next one, or with COMMIT
	prefetched []*pendingStmt // queries that were announced and have not been asked for
	begin      string         // is to go out with the next statement; "" for nothing
	begun      bool           // the server has a transaction
	once       onceState
	lastHeard  time.Time // when the server was last heard of
	reading    *postgresRows
	open       []*postgresRows
	failed     error // the first error in this transaction, after which there is no more
}

// statement is what a prepared statement is found by.
type statement struct {
	query string
	one   bool // it fails unless it changes one row: see assertion
}

// postgresStmt is a prepared statement.
type postgresStmt struct {
	*pgconn.StatementDescription
	columns []string
	formats []int16 // of the columns
	used    uint64  // when last, see postgresConn.uses
	own     bool    // the engine's
}

// errLost is wrapped by the errors of statements whose connection is gone.
var errLost = errors.New("the connection is gone")

// context returns what ends statements.
func (c *postgresConn) context() context.Context {
	if c.ctx == nil {
		return context.Background()
	}
	return c.ctx
}

// asking is where a View stands that asks once.
type onceState int

const (
	inTransaction onceState = iota // it is none
	onceUnused
	onceUsed
)

// errSecondQuery says that a View which asks once has asked more.
var errSecondQuery = errors.New("store: a View asks again")

// start has the next statement begin a transaction; with "" there will be but one.
func (c *postgresConn) start(begin string) {
	if c.once = inTransaction; begin == "" {
		c.once = onceUnused
	}
	c.begin, c.begun, c.failed, c.pending, c.prefetched = begin, false, nil, nil, nil
}

// lost reports whether the transaction is gone, and the connection with it.
func (c *postgresConn) lost() bool {
	return c.failed != nil && (errors.Is(c.failed, errLost) || c.pg == nil || c.pg.IsClosed() || postgresLost(c.failed))
}

// note keeps the first error of a transaction, and says whose connection is gone.
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

// stmt returns the prepared statement for a text; one has it fail unless it changes one
// row.
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

// makeRoom drops the statement longest unused when there are too many.
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

// send sends a statement, behind a BEGIN and what else waits, and returns its result. With
// "" it sends what waits, and there is no result.
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
		return nil, postgresResult{}, c.recordErr(errSecondQuery) // also what is no query: a transaction refuses it
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
	r := postgresResult{one: c.pg.ExecStatement(c.context(), s.StatementDescription, c.args.values, c.args.formats, s.formats)}
	return s, r, nil
}

// sendPending sends what waits, BEGIN and the queue, and a statement behind it, if any; if that
// begins the transaction, on a new connection when the one that there was is gone.
func (c *postgresConn) sendPending(query string, args []driver.NamedValue) (*postgresStmt, postgresResult, error) {
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
		if c.begun || c.pg != nil && !c.pg.IsClosed() && !postgresLost(err) || c.ctx != nil && c.ctx.Err() != nil || errors.Is(err, ErrUnavailable) {
			return nil, r, c.recordErr(err)
		}
		c.pool.discard(c)
		if budget.exhausted() {
			return nil, r, c.recordErr(notStored(err))
		}
	}
}

// resetPending forgets what came of the queue on a connection that was lost meanwhile.
func (c *postgresConn) resetPending() {
	for _, q := range c.pending {
		q.rows, q.sent = nil, false
	}
	c.prefetched = slices.DeleteFunc(c.prefetched, func(q *pendingStmt) bool { return slices.Contains(c.pending, q) })
}

func (c *postgresConn) trySendPending(budget *retryBudget, query string, args []driver.NamedValue) (*postgresStmt, postgresResult, error) {
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

// Prepare implements driver.Conn for those who insist on a statement: it only
// remembers the text, whose statement the connection keeps.
func (c *postgresConn) Prepare(query string) (driver.Stmt, error) {
	return &postgresText{conn: c, query: query}, nil
}

// Begin implements driver.Conn; nobody calls it.
func (c *postgresConn) Begin() (driver.Tx, error) { return nil, driver.ErrSkip }

// CheckNamedValue implements driver.NamedValueChecker.
func (c *postgresConn) CheckNamedValue(v *driver.NamedValue) error { return checkValue(v) }

// bufferRest takes what is still to come of open rows into memory, so that the connection
// is free for another statement.
func (c *postgresConn) bufferRest() {
	if c.reading != nil {
		c.reading.bufferRest()
	}
}

// closeRows closes the result sets that a closure left open, and returns how many
// there were.
func (c *postgresConn) closeRows() int {
	open := c.open
	c.open = nil
	for _, r := range open {
		_ = r.finish() // noted
	}
	return len(open)
}

// commit commits what was begun. With an error it says whether it is known that nothing
// was stored: when the connection is lost meanwhile, nobody knows.
func (c *postgresConn) commit() (rolledBack bool, err error) {
	if !c.begun && len(c.pending) == 0 {
		c.begin = ""
		return false, nil
	}
	c.warn = false
	done, sent, err := c.sendCommit()
	oneTrip := c.begin != ""     // not even BEGIN was answered
	c.begin, c.begun = "", false // there is nothing to take back
	switch {
	case err != nil:
		closed := c.pg.IsClosed()
		// Without the COMMIT, or with a statement that failed before it came to that, the
		// transaction is still there, to be taken back.
		c.begun = !closed && c.pg.TxStatus() != 'I'
		// When the server has ended the connection, and said so before anything else, it
		// has run nothing: it answers in order. Otherwise only its own word that it refuses
		// will do: of an answer that was not understood nobody knows what it was.
		ended := oneTrip && postgresShutdown(err)
		return !sent || ended || !closed && postgresRefused(err), c.recordErr(err)
	case done != commit:
		return true, c.recordErr(errors.New("store: the server has taken the transaction back"))
	case c.warn:
		// It is stored here, but a standby that should have it may not: "canceling wait
		// for synchronous replication" is a warning, not an error.
		return false, c.recordErr(errors.New("store: the server has committed with a warning"))
	}
	return false, nil
}

// rollback takes back what was begun. Its answer is read when the connection is used
// again.
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

// settle reads the answer to the last ROLLBACK.
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

// reset forgets the server's side of the connection.
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

// postgresText is what Prepare returns.
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
