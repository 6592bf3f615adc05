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

// sqliteReaders lends read-only connections to Views, the one last used first, as
// its page cache and statements are warm.
type sqliteReaders struct {
	pool  *sql.DB
	slots slots // one per View that may run
	views atomic.Int64

	mu   sync.Mutex // guards idle
	idle []*sqliteSession
}

func newSQLiteReaders(k *sqliteConnector, c Config) *sqliteReaders {
	pool := sql.OpenDB(k)
	pool.SetMaxIdleConns(-1) // what is idle is kept here
	n := cmp.Or(c.Readers, min(max(4, 2*runtime.GOMAXPROCS(0)), 16))
	return &sqliteReaders{pool: pool, slots: newSlots(n, "View", c.slowRun)}
}

// lend runs fn with up to n deferred transactions, at least one, which begin begins:
// from its first query on, each is a snapshot.
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

// beginner begins a transaction in each of the sessions.
type beginner func(context.Context, []*sqliteSession) error

// read runs fn and gives the slots back, also when fn panics or ends its goroutine.
func (r *sqliteReaders) read(ctx context.Context, slots int, begin beginner, fn func([]*Tx) error) (after []func(), err error) {
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

// put ends the transaction and keeps the connection for the next View.
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

// close closes all connections. No View is under way.
func (r *sqliteReaders) close() error {
	var errs []error
	for _, s := range r.idle {
		errs = append(errs, s.close())
	}
	return errors.Join(append(errs, r.pool.Close())...)
}
