package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// sqliteReaders lends read-only connections to Views, the one last used first, as
// its page cache and statements are warm.
type sqliteReaders struct {
	pool  *sql.DB
	slots chan struct{} // one per View that may run
	slow  time.Duration // Config.slowRun
	views atomic.Int64

	mu   sync.Mutex // guards idle
	idle []*sqliteSession
}

func newSQLiteReaders(k *sqliteConnector, c Config) *sqliteReaders {
	pool := sql.OpenDB(k)
	pool.SetMaxIdleConns(-1) // what is idle is kept here
	n := cmp.Or(c.Readers, min(max(4, 2*runtime.GOMAXPROCS(0)), 16))
	return &sqliteReaders{pool: pool, slots: make(chan struct{}, n), slow: c.slowRun}
}

// view runs fn in a deferred transaction: from its first query on, a snapshot.
func (r *sqliteReaders) view(ctx context.Context, fn func(*Tx) error) error {
	if err := r.wait(ctx); err != nil {
		return err
	}
	after, err := r.read(ctx, fn)
	if err != nil {
		return err
	}
	for _, fn := range after {
		fn()
	}
	return nil
}

// wait takes a slot.
func (r *sqliteReaders) wait(ctx context.Context) error {
	select {
	case r.slots <- struct{}{}:
		return nil
	default:
	}
	slow := time.NewTimer(r.slow)
	defer slow.Stop()
	for {
		select {
		case r.slots <- struct{}{}:
			return nil
		case <-slow.C:
			if nested() {
				panic(fmt.Sprintf(errNested, "View"))
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// read runs fn and gives the slot back, also when fn panics or ends its goroutine.
func (r *sqliteReaders) read(ctx context.Context, fn func(*Tx) error) (after []func(), err error) {
	defer func() {
		<-r.slots
		r.views.Add(1)
	}()
	s, err := r.take(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	tx := &Tx{conn: s.sql, ctx: context.Background()}
	defer func() {
		tx.conn = nil
		s.conn.ctx = nil
		err = also(also(err, s.settle()), r.put(s))
	}()
	if err := s.conn.do("BEGIN"); err != nil {
		return nil, unavailable(err)
	}
	s.conn.ctx = ctx
	err = fn(tx)
	return tx.after, err
}

func (r *sqliteReaders) take(ctx context.Context) (*sqliteSession, error) {
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
func (r *sqliteReaders) put(s *sqliteSession) error {
	if err := s.conn.broken; err != nil {
		return also(unavailable(err), s.close())
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
