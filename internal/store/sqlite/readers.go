package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
)

// readers lends read-only connections to Views, the most recently used first, since its
// page cache and statements are warm.
type readers struct {
	pool  *sql.DB
	slots engine.Slots // one per running View
	views atomic.Int64

	mu   sync.Mutex // guards idle
	idle []*session
}

// newReaders returns a pool without connections.
func newReaders(k *connector, c config) *readers {
	pool := sql.OpenDB(k)
	pool.SetMaxIdleConns(-1) // idle ones are kept in readers.idle
	n := cmp.Or(c.Readers, min(max(4, 2*runtime.GOMAXPROCS(0)), 16))
	return &readers{pool: pool, slots: engine.NewSlots(n, "View", c.slowRun)}
}

// beginner begins a transaction in each session.
type beginner func(context.Context, []*session) error

// lend runs fn with 1 to n deferred transactions, which begin starts; each is a snapshot as of
// its first query. It releases them even when fn panics or ends its goroutine.
func (r *readers) lend(ctx context.Context, n int, begin beginner, fn func([]*store.Tx) error) (err error) {
	slots, err := r.slots.Acquire(ctx, n)
	if err != nil {
		return err
	}
	sessions, txs := make([]*session, 0, slots), make([]*store.Tx, 0, slots)
	defer func() {
		for _, tx := range txs {
			tx.End()
		}
		for _, s := range sessions {
			s.conn.ctx = nil
			err = engine.Join(engine.Join(engine.Join(err, s.closeLeakedRows()), s.dropScanner()), r.release(s))
		}
		r.slots.Release(slots)
		r.views.Add(1)
	}()
	for range slots {
		s, err := r.acquire(ctx)
		if err != nil {
			return notStored(err)
		}
		sessions = append(sessions, s)
	}
	if err := begin(ctx, sessions); err != nil {
		return notStored(err)
	}
	for _, s := range sessions {
		s.conn.ctx = ctx
		lent := store.Lent{Conn: s.sql, Ctx: context.Background()}
		if s.scanner != nil {
			lent.Scan, lent.Ctx = s.scanner.scan, ctx
		}
		txs = append(txs, store.NewTx(lent))
	}
	return fn(txs)
}

// acquire returns the most recently used idle session, or a new one.
func (r *readers) acquire(ctx context.Context) (*session, error) {
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
func (r *readers) release(s *session) error {
	if err := s.conn.broken; err != nil {
		return engine.Join(notStored(err), s.close())
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
func (r *readers) close() error {
	var errs []error
	for _, s := range r.idle {
		errs = append(errs, s.close())
	}
	return errors.Join(append(errs, r.pool.Close())...)
}
