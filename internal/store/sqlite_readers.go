package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// sqliteReaders lends read-only connections to Views, the most recently used first, since its
// page cache and statements are warm.
type sqliteReaders struct {
	pool  *sql.DB
	slots slots // one per running View
	views atomic.Int64

	mu   sync.Mutex // guards idle
	idle []*sqliteSession
}

// newSQLiteReaders returns a pool without connections.
func newSQLiteReaders(k *sqliteConnector, c Config) *sqliteReaders {
	pool := sql.OpenDB(k)
	pool.SetMaxIdleConns(-1) // idle ones are kept in sqliteReaders.idle
	n := cmp.Or(c.Readers, min(max(4, 2*runtime.GOMAXPROCS(0)), 16))
	return &sqliteReaders{pool: pool, slots: newSlots(n, "View", c.slowRun)}
}

// lend runs fn with 1 to n deferred transactions, which begin starts; each is a snapshot as of
// its first query.
func (r *sqliteReaders) lend(ctx context.Context, n int, begin beginner, fn func([]*Tx) error) error {
	slots, err := r.slots.acquire(ctx, n)
	if err != nil {
		return err
	}
	after, err := r.read(ctx, slots, begin, fn)
	if err != nil {
		return err
	}
	for _, fn := range after {
		fn()
	}
	return nil
}

// beginner begins a transaction in each session.
type beginner func(context.Context, []*sqliteSession) error

// read runs fn and then releases the slots, even when fn panics or ends its goroutine.
func (r *sqliteReaders) read(
	ctx context.Context, slots int, begin beginner, fn func([]*Tx) error,
) (after []func(), err error) {
	sessions, txs := make([]*sqliteSession, 0, slots), make([]*Tx, 0, slots)
	defer func() {
		for i, s := range sessions {
			txs[i].conn = nil
			s.conn.ctx = nil
			err = joinErrors(joinErrors(joinErrors(err, s.closeLeakedRows()), s.dropScanner()), r.release(s))
		}
		r.slots.release(slots)
		r.views.Add(1)
	}()
	for range slots {
		s, err := r.acquire(ctx)
		if err != nil {
			return nil, notStored(err)
		}
		sessions = append(sessions, s)
		txs = append(txs, &Tx{conn: s.sql, ctx: context.Background()})
	}
	if err := begin(ctx, sessions); err != nil {
		return nil, notStored(err)
	}
	for i, s := range sessions {
		s.conn.ctx = ctx
		if s.scanner != nil {
			txs[i].scanner, txs[i].ctx = s.scanner, ctx
		}
	}
	err = fn(txs)
	for _, tx := range txs {
		after = append(after, tx.after...)
	}
	return after, err
}

// acquire returns the most recently used idle session, or a new one.
func (r *sqliteReaders) acquire(ctx context.Context) (*sqliteSession, error) {
	r.mu.Lock()
	if n := len(r.idle); n > 0 {
		s := r.idle[n-1]
		r.idle = r.idle[:n-1]
		r.mu.Unlock()
		return s, nil
	}
	r.mu.Unlock()
	return openSession(context.WithoutCancel(ctx), r.pool)
}

// release ends the transaction and keeps the session for the next View.
func (r *sqliteReaders) release(s *sqliteSession) error {
	if err := s.conn.broken; err != nil {
		return joinErrors(notStored(err), s.close())
	}
	if err := s.conn.do("ROLLBACK"); err != nil {
		return errors.Join(err, s.close())
	}
	r.mu.Lock()
	r.idle = append(r.idle, s)
	r.mu.Unlock()
	return nil
}

// close closes all connections. No View is in progress.
func (r *sqliteReaders) close() error {
	var errs []error
	for _, s := range r.idle {
		errs = append(errs, s.close())
	}
	return errors.Join(append(errs, r.pool.Close())...)
}
