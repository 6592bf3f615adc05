package postgres

import (
	"cmp"
	"context"
	"errors"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
)

func (d *serverDB) View(ctx context.Context, fn func(*store.Tx) error) error {
	return d.Views(ctx, 1, func(txs []*store.Tx) error { return fn(txs[0]) })
}

// ViewOnce runs fn without a transaction: a single query has its own snapshot. When fn sends a
// second query, ViewOnce reruns it within a transaction.
func (d *serverDB) ViewOnce(ctx context.Context, fn func(*store.Tx) error) error {
	err := d.viewsFrom(ctx, 1, "", func(txs []*store.Tx) error { return fn(txs[0]) })
	if errors.Is(err, errSecondQuery) {
		return d.View(ctx, fn)
	}
	return err
}

func (d *serverDB) Views(ctx context.Context, n int, fn func([]*store.Tx) error) error {
	return d.viewsFrom(ctx, n, beginView, fn)
}

// viewsFrom runs fn on up to n transactions that each start with begin; with "" they have no
// transaction and one query. It retries after a schema change, and when the connections turn out
// to be lost before the server has answered.
func (d *serverDB) viewsFrom(ctx context.Context, n int, begin string, fn func([]*store.Tx) error) error {
	slots, err := d.reads.slots.Acquire(ctx, n)
	if err != nil {
		return err
	}
	r := &view{db: d, begin: begin, fn: fn}
	if err = r.run(ctx, slots); full(err) { // by a temporary file of a query
		return notStored(err)
	}
	return err
}

// view is one View.
type view struct {
	db     *serverDB
	begin  string
	fn     func([]*store.Tx) error
	budget retryBudget
}

// run retries the closure until a final result and then releases the slots, even when the
// closure panics or ends its goroutine.
func (r *view) run(ctx context.Context, slots int) error {
	defer func() {
		r.db.reads.slots.Release(slots)
		r.db.count(func(s *store.Stats) { s.Views++ })
	}()
	for {
		again, err := r.attempt(ctx, slots)
		if !again || r.budget.exhausted() {
			return err
		}
	}
}

// attempt runs the closure once. With again, it may be run once more; err is the final error if
// it is not.
func (r *view) attempt(ctx context.Context, slots int) (again bool, err error) {
	pool := r.db.reads
	sessions, txs := make([]*session, 0, slots), make([]*store.Tx, 0, slots)
	defer func() { // runs after a panic and runtime.Goexit, too
		heard, lost, late := false, false, false
		for _, tx := range txs {
			tx.End()
		}
		for _, s := range sessions {
			err = engine.Join(err, s.conn.closeRows())
			if errors.Is(s.conn.failed, errSecondQuery) {
				err = errSecondQuery // whichever error fn returned
			}
			if heard = heard || s.conn.heard; s.conn.lost() && ctx.Err() == nil {
				lost, err = true, notStored(cmp.Or(err, s.conn.failed))
				late = late || timedOut(s.conn.failed)
				pool.discard(s.conn)
			}
			s.conn.rollback()
			pool.release(s)
		}
		again = lost && !heard && !late || outdated(err) // rerun with statements for the new schema
	}()
	for range slots {
		s, err := pool.acquire(ctx, &r.budget)
		if err != nil {
			return false, err
		}
		sessions = append(sessions, s)
		s.conn.start(r.begin, "")
	}
	together := sessions
	if slots > 1 {
		if together, err = beginTogether(ctx, sessions); err != nil {
			return false, notStored(err)
		}
	}
	for _, s := range together {
		s.conn.ctx = ctx
		txs = append(txs, store.NewTx(store.Lent{
			Conn: s.sql, Ctx: context.Background(), Prefetch: s.conn.prefetch,
		}))
	}
	return false, r.fn(txs)
}

// beginTogether begins transactions on one snapshot and returns their sessions: the first one
// exports its snapshot and the others import it. On a server that cannot export snapshots it
// returns the first session alone.
func beginTogether(ctx context.Context, sessions []*session) ([]*session, error) {
	first := sessions[0].conn
	var snapshot string
	row := sessions[0].sql.QueryRowContext(context.Background(), "SELECT pg_export_snapshot()")
	if err := row.Scan(&snapshot); err != nil {
		if first.lost() {
			return nil, err
		}
		first.rollback()
		first.start(beginView, "")
		return sessions[:1], nil
	}
	for _, s := range sessions[1:] {
		if err := s.conn.adoptSnapshot(ctx, snapshot); err != nil {
			return nil, err
		}
	}
	return sessions, nil
}

// adoptSnapshot begins a View on a snapshot that another connection has exported.
func (c *conn) adoptSnapshot(ctx context.Context, snapshot string) error {
	name, err := c.pg.PgConn().EscapeString(snapshot)
	if err != nil {
		return err
	}
	c.begin = ""
	c.trips.Add(1)
	_, err = c.pg.PgConn().Exec(ctx, beginView+"; SET TRANSACTION SNAPSHOT '"+name+"'").ReadAll()
	return c.recordErr(err)
}

// serverTime is the time of the server in Unix milliseconds, not the time at which the transaction began.
const serverTime = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)"

// Time implements store.Engine.
func (d *serverDB) Time(ctx context.Context) (time.Time, error) {
	ms := int64(0)
	err := d.ViewOnce(ctx, func(tx *store.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT "+serverTime).Scan(&ms)
	})
	return time.UnixMilli(ms), err
}
