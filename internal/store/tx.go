package store

import (
	"context"
	"database/sql"
)

// Tx is the inside of one View or Update. It serves as sqlc's DBTX. Statements are
// prepared once per connection and kept by their text, so texts are constants.
//
// Result sets must be closed, and rows scanned, before the closure returns; the
// call fails otherwise. The context arguments are there for DBTX: a statement heeds
// the context of its View alone, so that a caller that hangs up cannot break a
// connection in mid-transaction.
type Tx struct {
	conn      *sql.Conn // nil once the closure has returned
	ctx       context.Context
	scanner   scanner // of the same snapshot; nil to scan through conn
	after     []func()
	count     int // statements run
	deferExec deferExec
	prefetch  prefetch
	notify    func(channel, message string) error // nil where nobody listens
	faults    *Faults
}

// later takes a statement that is to be sent together with the next one. Nil is none:
// then it is run at once.
type deferExec func(query string, args []any) (sql.Result, error)

// ahead takes a query that is to be sent together with the next statement. Nil is none:
// then it is run when it is asked for.
type prefetch func(query string, args []any)

// Ahead announces a query that the closure is going to ask for with the same arguments:
// on PostgreSQL it shares the way to the server and back of the statement that is asked
// for next, be that itself or another. Its answer is that of the first announcement, without
// what the closure has written since, and counts once. Announced and not asked for, it does
// no harm.
func (tx *Tx) Prefetch(query string, args ...any) {
	if tx.prefetch != nil {
		tx.use()
		tx.prefetch(query, args)
	}
}

// Later is Tx for statements whose outcome the use case takes for granted: they are run
// before the next statement of another kind, or before the commit, and on PostgreSQL share
// its way to the server and back. Where one meets a unique index, or changes another number
// of rows than one although that was asked for, nothing is stored and the closure runs
// again, this time with each statement at once, and learns what is the matter. Any other
// error of such a statement, as of a CHECK, is that of the closure's next statement, or of
// the Update: another run would meet with it again.
type Deferred struct{ *Tx }

// Later returns tx for such statements.
func (tx *Tx) Deferred() Deferred { return Deferred{tx} }

// Assumed reports whether outcomes are taken for granted: whoever would have to look before,
// as there is no way back after, may leave that out, as the closure runs again if need be.
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

// PrepareContext prepares a statement, which the closure closes. It is there for
// DBTX: the other methods keep their statements prepared.
func (tx *Tx) PrepareContext(_ context.Context, query string) (*sql.Stmt, error) {
	conn := tx.use()
	if err := tx.faults.statement(query); err != nil {
		return nil, err
	}
	return conn.PrepareContext(tx.ctx, query)
}

// Notify sends a message of less than 8000 bytes to who listens to a channel (DB.Listen), as
// the effect of the Update becomes durable: either both happen or none. It is for what is
// rare, as the server lets one such commit through at a time.
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

// AfterCommit has fn run once the effect of the Update is durable, before Update
// returns, on its caller's goroutine, in the order of the calls. It never runs when
// the effect was taken back or its outcome is unknown, and only the calls of the
// closure's last run count. In a View it runs when the View has succeeded.
func (tx *Tx) AfterCommit(fn func()) { tx.after = append(tx.after, fn) }

// Statements returns how many statements have been run: what a use case costs.
func (tx *Tx) Statements() int { return tx.count }

func (tx *Tx) use() *sql.Conn {
	if tx.conn == nil {
		panic("store: Tx used after its closure has returned")
	}
	tx.count++
	return tx.conn
}
