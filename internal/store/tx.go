package store

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"time"
)

// Tx is the transaction of one View or Update. It implements sqlc's DBTX. Each connection
// prepares a statement once and caches it by its text, so texts are constants.
//
// A closure must close its result sets and scan its rows before it returns; otherwise the call
// fails. The context arguments exist for DBTX: a statement obeys the context of its View alone,
// so that a caller that disconnects cannot break a connection within a transaction.
type Tx struct {
	lent   Lent
	after  []func()
	count  int // statements run
	faults *Faults
	clock  *clock
	now    time.Time // zero until Now is called
	dates  dates     // of an Update
}

// Lent is what an engine lends a closure.
type Lent struct {
	Conn *sql.Conn // nil once the closure has returned
	Ctx  context.Context
	// Scan runs a query on the snapshot of Conn, and passes rows that are not retained; nil to read through Conn.
	Scan func(ctx context.Context, query string, args []any, fn func(Row)) error
	// Defer queues a statement to be sent with the next one. When it is nil, statements run at once.
	Defer func(query string, args []any) (sql.Result, error)
	// Prefetch queues a query to be sent with the next statement. When it is nil, a query runs when the
	// closure calls it.
	Prefetch func(query string, args []any)
	// Copy inserts rows in bulk. When it is nil, BulkLoad sends INSERT statements.
	Copy  func(table string, columns []string, rows [][]any) error
	Locks bool // SELECT can lock rows, and must where other Updates run at the same time
	// Remeasure is set after COMMIT has refused the times of the last run, or the closure has with ErrTime.
	Remeasure bool
}

// NewTx returns the transaction of a closure. Engines call it.
func NewTx(l Lent) *Tx { return &Tx{lent: l} }

// End takes back the lent connection. Engines call it when the closure has returned.
func (tx *Tx) End() { tx.lent.Conn = nil }

// Prefetch announces a query that the closure will run with the same arguments: on PostgreSQL
// it shares the round trip of the next statement, whichever that is. Its result is used once,
// and excludes what the closure has written since the first announcement. A prefetched query
// that the closure does not run is harmless.
func (tx *Tx) Prefetch(query string, args ...any) {
	if tx.lent.Prefetch != nil {
		tx.use()
		tx.lent.Prefetch(query, args)
	}
}

// Locking is a Tx for SELECTs that lock the rows of one table until COMMIT. SQLite, whose Updates run one
// after the other, needs no locks, and a View takes none.
type Locking struct {
	*Tx
	clause string
}

// HoldRows returns tx for a SELECT that keeps the rows of the table with an alias from being deleted, or
// locked by LockRows, before tx has ended. Other changes of these rows go on. A row that has changed
// since the snapshot of tx began makes the closure run again.
func (tx *Tx) HoldRows(alias string) Locking { return tx.locking("\nFOR KEY SHARE OF ", alias) }

// LockRows returns tx for a SELECT that waits for the transactions which hold or lock the rows of the
// table with an alias, and then excludes them until tx has ended.
func (tx *Tx) LockRows(alias string) Locking { return tx.locking("\nFOR UPDATE OF ", alias) }

func (tx *Tx) locking(clause, alias string) Locking {
	if !tx.lent.Locks {
		return Locking{Tx: tx}
	}
	return Locking{tx, clause + alias}
}

// ExecContext runs a SELECT for its locks and the number of its rows.
func (l Locking) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return l.Tx.ExecContext(ctx, query+l.clause, args...)
}

// QueryContext runs a SELECT.
func (l Locking) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return l.Tx.QueryContext(ctx, query+l.clause, args...)
}

// QueryRowContext runs a SELECT that returns at most one row.
func (l Locking) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return l.Tx.QueryRowContext(ctx, query+l.clause, args...)
}

// Prefetch announces a SELECT, as Tx.Prefetch does.
func (l Locking) Prefetch(query string, args ...any) { l.Tx.Prefetch(query+l.clause, args...) }

// Assume runs a SELECT that the closure assumes to find one row, as an outcome of Deferred, and reports
// whether it could: otherwise the closure must read the row.
func (l Locking) Assume(ctx context.Context, query string, args ...any) (assumed bool, err error) {
	d := l.Deferred()
	if !d.Assumed() {
		return false, nil
	}
	result, err := d.ExecContext(ctx, query+l.clause, args...)
	if err != nil {
		return false, err
	}
	_, err = result.RowsAffected() // makes the outcome an assumption
	return true, err
}

// Deferred is a Tx for statements whose outcome the use case assumes. They run before the next
// statement of another kind, or before the commit, and on PostgreSQL share its round trip. When
// one violates a unique index, or changes a number of rows other than one after the closure
// called RowsAffected, nothing is stored and the closure is retried with each statement sent at
// once, so that it sees the real outcome. Any other error of a deferred statement, such as a
// CHECK violation, is returned by the closure's next statement or by the Update, since a retry
// would fail again.
type Deferred struct{ *Tx }

// Deferred returns tx for statements whose outcome is assumed.
func (tx *Tx) Deferred() Deferred { return Deferred{tx} }

// Assumed reports whether outcomes are assumed. A closure may then skip a read that only guards
// against a failing statement: a failure retries the closure with Assumed false.
func (d Deferred) Assumed() bool { return d.lent.Defer != nil }

// ExecContext runs a statement that returns no rows, at the latest before the commit.
func (d Deferred) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if d.lent.Defer == nil {
		return d.Tx.ExecContext(ctx, query, args...)
	}
	d.use()
	if err := d.faults.statement(query); err != nil {
		return nil, err
	}
	return d.lent.Defer(query, args)
}

// ExecContext runs a statement that returns no rows.
func (tx *Tx) ExecContext(_ context.Context, query string, args ...any) (sql.Result, error) {
	conn := tx.use()
	if err := tx.faults.statement(query); err != nil {
		return nil, err
	}
	return conn.ExecContext(tx.lent.Ctx, query, args...)
}

// QueryContext runs a statement that returns rows.
func (tx *Tx) QueryContext(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	conn := tx.use()
	if err := tx.faults.statement(query); err != nil {
		return nil, err
	}
	return conn.QueryContext(tx.lent.Ctx, query, args...)
}

// QueryRowContext runs a statement that returns at most one row.
func (tx *Tx) QueryRowContext(_ context.Context, query string, args ...any) *sql.Row {
	conn, ctx := tx.use(), tx.lent.Ctx
	if err := tx.faults.statement(query); err != nil {
		ctx = context.WithValue(ctx, injectedKey{}, err) // only a driver can make a Row with an error
	}
	return conn.QueryRowContext(ctx, query, args...)
}

// Scan runs a query over many rows: it calls fn for each one, and copies or allocates nothing
// per row where the engine permits, as SQLite does within Views. Arguments are integers, texts
// and blobs. Reading a column as another type than its own ends the scan with an error.
func (tx *Tx) Scan(query string, args []any, fn func(Row)) error {
	if tx.lent.Scan == nil {
		rows, err := tx.QueryContext(tx.lent.Ctx, query, args...)
		if err != nil {
			return err
		}
		return copyRows(rows, fn)
	}
	tx.use()
	if err := tx.faults.statement(query); err != nil {
		return err
	}
	return tx.lent.Scan(tx.lent.Ctx, query, args, fn)
}

// PrepareContext exists for DBTX alone: the other methods prepare their statements and keep them.
func (tx *Tx) PrepareContext(context.Context, string) (*sql.Stmt, error) {
	return nil, errors.New("store: a Tx prepares its statements itself")
}

// AfterCommit registers fn to run once the Update is durable, before Update returns, on the
// caller's goroutine, in the order of registration. It does not run after a rollback or an
// unknown outcome, and only registrations of the closure's last run count. In a View it runs
// after the View has succeeded.
func (tx *Tx) AfterCommit(fn func()) { tx.after = append(tx.after, fn) }

// Statements returns the number of statements run, for cost accounting.
func (tx *Tx) Statements() int { return tx.count }

// use counts a statement and returns the connection. It panics after the closure has returned.
func (tx *Tx) use() *sql.Conn {
	if tx.lent.Conn == nil {
		panic("store: Tx used after its closure has returned")
	}
	tx.count++
	return tx.lent.Conn
}

// Now returns the time of the use case: the same one in all of it, in UTC and whole milliseconds. On
// PostgreSQL the Update's COMMIT compares it with the server's clock and, if they differ by more than
// ClockTolerance, the closure is retried with a new estimate.
func (tx *Tx) Now() time.Time {
	if tx.now.IsZero() {
		now, _ := tx.clock.now()
		tx.now = now.UTC().Truncate(time.Millisecond)
		tx.Dated(tx.now)
	}
	return tx.now
}

// Dated makes COMMIT compare a time that the Update stores with the server's clock, like the time of Now.
func (tx *Tx) Dated(at time.Time) { tx.dates.include(at.UnixMilli(), at.UnixMilli()) }

// Long admits an Update that takes longer than ClockTolerance: its times may be earlier than its COMMIT. It
// is for a use case beside which nothing else is stored.
func (tx *Tx) Long() { tx.dates.long = true }

// NotAhead makes COMMIT refuse a time that is ahead of the server's clock; it may be earlier.
func (tx *Tx) NotAhead(at time.Time) { tx.dates.include(math.MaxInt64, at.UnixMilli()) }

// ClockBounds returns the bounds, in Unix milliseconds, of the server's clock at COMMIT for the times
// that the Update stores. ok is false when there are none, or when they are made up. Engines call it.
func (tx *Tx) ClockBounds() (from, to int64, ok bool) {
	from, to = tx.dates.bounds()
	return from, to, tx.dates.known && tx.clock.fixed == nil
}
