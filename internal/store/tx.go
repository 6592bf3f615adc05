package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Tx is the transaction of one View or Update. It implements sqlc's DBTX. Each connection
// prepares a statement once and caches it by its text, so texts are constants.
//
// A closure must close its result sets and scan its rows before it returns; otherwise the call
// fails. The context arguments exist for DBTX: a statement obeys the context of its View alone,
// so that a caller that disconnects cannot break a connection within a transaction.
type Tx struct {
	conn      *sql.Conn // nil once the closure has returned
	ctx       context.Context
	scanner   scanner // of the same snapshot; nil to scan through conn
	after     []func()
	count     int // statements run
	deferExec deferExec
	prefetch  prefetch
	notify    func(channel, message string) error // nil where no other process can listen
	faults    *Faults
	clock     *clock
	now       time.Time // zero until Now is called
	dates     dates     // of an Update
	locks     bool      // SELECT can lock rows, and must where other Updates run at the same time
}

// deferExec queues a statement to be sent with the next one. When it is nil, statements run at
// once.
type deferExec func(query string, args []any) (sql.Result, error)

// prefetch queues a query to be sent with the next statement. When it is nil, a query runs when
// the closure calls it.
type prefetch func(query string, args []any)

// Prefetch announces a query that the closure will run with the same arguments: on PostgreSQL
// it shares the round trip of the next statement, whichever that is. Its result is used once,
// and excludes what the closure has written since the first announcement. A prefetched query
// that the closure does not run is harmless.
func (tx *Tx) Prefetch(query string, args ...any) {
	if tx.prefetch != nil {
		tx.use()
		tx.prefetch(query, args)
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
	if !tx.locks {
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
func (d Deferred) Assumed() bool { return d.deferExec != nil }

// ExecContext runs a statement that returns no rows, at the latest before the commit.
func (d Deferred) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if d.deferExec == nil {
		return d.Tx.ExecContext(ctx, query, args...)
	}
	d.use()
	if err := d.faults.statement(query); err != nil {
		return nil, err
	}
	return d.deferExec(query, args)
}

// ExecContext runs a statement that returns no rows.
func (tx *Tx) ExecContext(_ context.Context, query string, args ...any) (sql.Result, error) {
	conn := tx.use()
	if err := tx.faults.statement(query); err != nil {
		return nil, err
	}
	return conn.ExecContext(tx.ctx, query, args...)
}

// QueryContext runs a statement that returns rows.
func (tx *Tx) QueryContext(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	conn := tx.use()
	if err := tx.faults.statement(query); err != nil {
		return nil, err
	}
	return conn.QueryContext(tx.ctx, query, args...)
}

// QueryRowContext runs a statement that returns at most one row.
func (tx *Tx) QueryRowContext(_ context.Context, query string, args ...any) *sql.Row {
	conn, ctx := tx.use(), tx.ctx
	if err := tx.faults.statement(query); err != nil {
		ctx = context.WithValue(ctx, injectedKey{}, err) // only a driver can make a Row with an error
	}
	return conn.QueryRowContext(ctx, query, args...)
}

// PrepareContext prepares a statement, which the closure must close. It exists for DBTX: the
// other methods cache their statements already.
func (tx *Tx) PrepareContext(_ context.Context, query string) (*sql.Stmt, error) {
	conn := tx.use()
	if err := tx.faults.statement(query); err != nil {
		return nil, err
	}
	return conn.PrepareContext(tx.ctx, query)
}

// Notify sends a message of less than 8000 bytes to the listeners of a channel (DB.Listen) when
// the Update becomes durable: both happen, or neither. Use it for rare events: the server
// serializes commits that notify.
func (tx *Tx) Notify(channel, message string) error {
	tx.use()
	if err := tx.faults.statement("NOTIFY " + channel); err != nil {
		return err
	}
	if tx.notify == nil {
		return nil
	}
	return tx.notify(channel, message)
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
	if tx.conn == nil {
		panic("store: Tx used after its closure has returned")
	}
	tx.count++
	return tx.conn
}

// maxStatements bounds the prepared statements of one connection. One takes a few KB.
const maxStatements = 256

// verb returns the first word of a statement, behind spaces and comments; "" for none. It looks at
// every statement that runs, so it is not a regular expression, which takes 13 times as long (0.64 µs).
func verb(query string) string {
	for {
		query = strings.TrimLeft(query, " \t\r\n\f")
		var more bool
		switch {
		case strings.HasPrefix(query, "--"):
			_, query, more = strings.Cut(query, "\n")
		case strings.HasPrefix(query, "/*"):
			_, query, more = strings.Cut(query, "*/")
		default:
			end := strings.IndexFunc(query, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
			if end < 0 {
				end = len(query)
			}
			return query[:end]
		}
		if !more {
			return ""
		}
	}
}

// controls reports whether a closure would end its own transaction with a statement.
func controls(query string) bool {
	first := verb(query)
	return slices.ContainsFunc(control, func(word string) bool { return strings.EqualFold(word, first) })
}

// control are the first words of statements that control transactions.
var control = []string{"BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"}

// selects reports whether a statement is a query without effect.
func selects(query string) bool { return strings.EqualFold(verb(query), "SELECT") }

// errRowsOpen fails a closure that leaves result sets open, which would hold a snapshot or a
// statement for ever.
var errRowsOpen = errors.New("store: the closure returned with rows open: close each Rows and scan each Row")

// ctxCheckRows is the number of rows that a scan reads between two checks of its context.
const ctxCheckRows = 1 << 10

// checkValue accepts argument types that every engine takes unchanged, which bypasses the
// conversions of database/sql. It rejects texts with NUL, and times, which are stored as
// integers; other types go through the conversions (driver.ErrSkip).
func checkValue(v *driver.NamedValue) error {
	switch value := v.Value.(type) {
	case string:
		if strings.IndexByte(value, 0) >= 0 {
			return ErrNUL
		}
		return nil
	case nil, int64, []byte, bool, float64:
		return nil
	case time.Time:
		return errors.New("store: times are stored as integers")
	}
	return driver.ErrSkip
}
