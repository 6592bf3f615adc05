package db

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
	conn    *sql.Conn // nil once the closure has returned
	ctx     context.Context
	scanner scanner // of the same snapshot; nil to scan through conn
	after   []func()
	count   int // statements run
	later   later
}

// later takes a statement that is to be sent together with the next one. Nil is none:
// then it is run at once.
type later func(query string, args []any) (sql.Result, error)

// Later is Tx for statements whose outcome the use case takes for granted: they are run
// before the next statement of another kind, or before the commit, and on PostgreSQL share
// its way to the server and back. Where one fails, or changes another number of rows than
// one although that was asked for, nothing is stored and the closure runs again, this time
// with each statement at once, and learns what is the matter.
type Later struct{ *Tx }

// Later returns tx for such statements.
func (tx *Tx) Later() Later { return Later{tx} }

// ExecContext runs a statement that returns no rows, at the latest before the commit.
func (l Later) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if l.later == nil {
		return l.Tx.ExecContext(ctx, query, args...)
	}
	l.use()
	return l.later(query, args)
}

// ExecContext runs a statement that returns no rows.
func (tx *Tx) ExecContext(_ context.Context, query string, args ...any) (sql.Result, error) {
	return tx.use().ExecContext(tx.ctx, query, args...)
}

// QueryContext runs a statement that returns rows.
func (tx *Tx) QueryContext(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	return tx.use().QueryContext(tx.ctx, query, args...)
}

// QueryRowContext runs a statement that returns at most one row.
func (tx *Tx) QueryRowContext(_ context.Context, query string, args ...any) *sql.Row {
	return tx.use().QueryRowContext(tx.ctx, query, args...)
}

// PrepareContext prepares a statement, which the closure closes. It is there for
// DBTX: the other methods keep their statements prepared.
func (tx *Tx) PrepareContext(_ context.Context, query string) (*sql.Stmt, error) {
	return tx.use().PrepareContext(tx.ctx, query)
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
		panic("db: Tx used after its closure has returned")
	}
	tx.count++
	return tx.conn
}
