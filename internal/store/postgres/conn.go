package postgres

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
	"roshambo/internal/store/migrations"
)

// Transaction control statements.
const (
	beginSerial   = "BEGIN ISOLATION LEVEL SERIALIZABLE"
	beginSnapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ"
	beginView     = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	commit        = "COMMIT"
	rollback      = "ROLLBACK"
)

// Statements that admit an Update, between its BEGIN and its first statement: of two Updates at store.Alone, or one of
// them and any other one, the second waits for the end of the first. LOCK TABLE is the one statement that waits
// without taking the snapshot of the transaction first: with an advisory lock, whose function a SELECT calls, an
// Update could wait for another one and then not see what it has stored. The locks of two other Updates do not
// conflict, and are kept in the memory of their own sessions. Every database has the table, whose rows only
// migrations change.
const (
	admit      = "LOCK TABLE " + migrations.VersionTable + " IN ROW EXCLUSIVE MODE"
	admitAlone = "LOCK TABLE " + migrations.VersionTable + " IN SHARE ROW EXCLUSIVE MODE"
)

// conn is a connection as database/sql uses it. It saves round trips: BEGIN travels with the first
// statement, and the response to a ROLLBACK is read when the connection is next used.
type conn struct {
	link
	generation     uint64                   // of the pool when the connection was opened
	latest         *atomic.Uint64           // generation of the pool
	idle           time.Duration            // without a response after which the connection may be lost
	trip           time.Duration            // the usual bound of a round trip
	suspect        func(*conn, error)       // tells the pool that the server does not answer
	args           pgx.ExtendedQueryBuilder // of the statement that is added to a batch
	rollbackUnread bool                     // the response to a ROLLBACK is unread
	warn           bool                     // the server sent a warning
	leaked         bool                     // rows were left open, for which sql.Conn.Close would wait for ever

	pending    []*pendingStmt // sent with the next statement, or with COMMIT
	prefetched []*pendingStmt // prefetched queries with results that the closure has not read
	begin      string         // BEGIN to send with the next statement; "" for none
	admit      string         // to send after BEGIN; "" for a View
	once       onceState
	heard      bool      // the server has answered a statement of this transaction
	wrote      bool      // a byte of the last batch was sent
	lastHeard  time.Time // time of the last response, when the connection is idle
	reading    *rows     // the last streamed result
	open       []*rows   // results, of which some are closed
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

// start resets the connection for a closure whose first statement sends begin, and admit unless it is ""; with
// begin "" there is no transaction and one query.
func (c *conn) start(begin, admit string) {
	if c.once = inTransaction; begin == "" {
		c.once = onceUnused
	}
	c.begin, c.admit, c.heard, c.failed, c.pending, c.prefetched = begin, admit, false, nil, nil, nil
}

// bound sets how long each read and write of the connection may take.
func (c *conn) bound(d time.Duration) {
	if wire, ok := c.pg.PgConn().Conn().(*deadlineConn); ok {
		wire.limit.Store(int64(d))
	}
}

// begun reports whether the server is in a transaction.
func (c *conn) begun() bool { return c.pg.PgConn().TxStatus() != 'I' }

// enqueue adds a deferred statement to the pending ones.
func (c *conn) enqueue(query string, args []any) (sql.Result, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	if engine.Controls(query) {
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
func (c *conn) prefetch(query string, args []any) {
	q := &pendingStmt{query: query, prefetch: true}
	if c.failed != nil || !engine.Selects(query) || q.copyArgs(args) != nil {
		return
	}
	if q.find(c.pending) < 0 && q.find(c.prefetched) < 0 {
		c.pending = append(c.pending, q)
	}
}

// closeRows closes the result sets that a closure left open, and returns ErrRowsOpen if there
// were any.
func (c *conn) closeRows() error {
	c.open = slices.DeleteFunc(c.open, isClosed)
	if len(c.open) == 0 {
		return nil
	}
	for _, r := range c.open {
		_ = r.Close() // recorded in failed
	}
	c.leaked = true
	return engine.ErrRowsOpen
}

func isClosed(r *rows) bool { return r.closed }

// rollback rolls the transaction back. Its response is read at the next use of the connection.
func (c *conn) rollback() {
	c.begin, c.pending, c.prefetched = "", nil, nil
	if c.pg.IsClosed() || c.rollbackUnread || !c.begun() {
		return
	}
	c.pg.PgConn().Frontend().SendQuery(&pgproto3.Query{String: rollback})
	if err := c.pg.PgConn().Frontend().Flush(); err != nil {
		_ = c.Close() // nothing to save
		return
	}
	c.rollbackUnread = true
}

// ResetSession implements driver.SessionResetter: before the connection is used again, it reads
// the response to the last ROLLBACK, and refuses a connection that may have been lost.
func (c *conn) ResetSession(ctx context.Context) error {
	c.bound(store.TripBound(ctx, c.trip))
	for c.rollbackUnread && c.generation == c.latest.Load() {
		// Without the end of ctx: pgx would replace the bound by a longer one, for a request to cancel.
		m, err := c.pg.PgConn().ReceiveMessage(context.WithoutCancel(ctx))
		if err != nil {
			if timedOut(err) {
				c.suspect(c, err) // the next connection of the pool need not try as well
			}
			return driver.ErrBadConn
		}
		if _, ready := m.(*pgproto3.ReadyForQuery); ready {
			c.rollbackUnread = false
		}
	}
	if !c.IsValid() {
		return driver.ErrBadConn
	}
	return nil
}

// maxNamed bounds the prepared statements of one connection, which is replaced when it has more.
// The texts of the service are constants, fewer than that.
const maxNamed = 1000

// IsValid implements driver.Validator.
func (c *conn) IsValid() bool {
	return !c.pg.IsClosed() && !c.outdated && len(c.stmts) <= maxNamed && c.generation == c.latest.Load()
}

// Close implements driver.Conn.
func (c *conn) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), cancelTimeout)
	defer cancel()
	return c.pg.Close(ctx)
}

// pendingStmt is a statement of a batch. Deferred statements (Tx.Deferred) and prefetched
// queries (Tx.Prefetch) wait for the batch of a later statement. It implements sql.Result for
// the former.
type pendingStmt struct {
	query    string
	args     []any
	own      bool  // it controls the transaction
	one      bool  // it must change or return one row
	prefetch bool  // a query whose rows are kept in memory
	streams  bool  // a query whose rows are read from the network
	stmt     *stmt // once it is prepared
	sent     bool
	tag      pgconn.CommandTag // once sent, unless it streams
	rows     *rows             // of queries, once sent
}

// copyArgs checks arguments and copies them into q.
func (q *pendingStmt) copyArgs(args []any) error {
	q.args = make([]any, 0, len(args))
	for _, arg := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return err
		}
		if err := engine.CheckValue(&driver.NamedValue{Value: v}); err != nil {
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
