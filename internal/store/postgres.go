package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// postgresEngine serves a PostgreSQL database, which other processes may use concurrently.
// Views and Updates have separate connections, so that neither waits for the other.
type postgresEngine struct {
	reads    *postgresPool
	writes   *postgresPool // nil when read-only
	faults   *Faults
	log      *slog.Logger
	clock    *clock
	faultsMu sync.Mutex // serializes calls of the functions of faults

	// conflictGate is held by an Update that has conflicted several times: such Updates run one
	// after the other, so that each makes progress.
	conflictGate chan struct{}
	viewTrips    atomic.Int64 // round trips of Views
	updateTrips  atomic.Int64 // round trips of Updates

	mu     sync.Mutex // guards counts
	counts Stats
}

// openPostgres connects to the server, checks and migrates the database, and returns its
// engine.
func openPostgres(ctx context.Context, c Config) (_ *postgresEngine, err error) {
	other, views, updates, err := postgresConfig(c)
	if err != nil {
		return nil, err
	}
	other.OnNotice, views.OnNotice, updates.OnNotice = onWarning, onWarning, onWarning
	if c.migrations == nil {
		if c.migrations, err = migrations("postgres"); err != nil {
			return nil, err
		}
	}
	e := &postgresEngine{faults: c.Faults, log: c.Logger, clock: c.clock, conflictGate: make(chan struct{}, 1)}
	defer func() {
		if err != nil {
			err = joinErrors(err, e.close())
		}
	}()
	n := min(max(4, 2*runtime.GOMAXPROCS(0)), 16)
	e.reads = newPostgresPool(views, newSlots(cmp.Or(c.Readers, n), "View", c.slowRun), 0, &e.viewTrips, c.Logger)
	if !c.ReadOnly {
		// Each waits for the disk most of the time, and one sync serves all commits that wait
		// (docs/benchmarks.md compares 8, 16 and 32 connections).
		n = min(max(16, 8*runtime.GOMAXPROCS(0)), 32)
		slots := newSlots(cmp.Or(c.Writers, n), "Update", c.slowRun)
		e.writes = newPostgresPool(updates, slots, readTimeout, &e.updateTrips, c.Logger)
		e.writes.generation, e.writes.idle = e.reads.generation, cmp.Or(c.idleAfter, idleAfter)
	}
	if err := e.prepare(ctx, c, other); err != nil {
		return nil, err
	}
	return e, nil
}

// prepare waits for the server, checks that commits are durable and that session settings
// persist, and brings the schema up to date; a read-only engine checks the schema version
// instead.
func (e *postgresEngine) prepare(ctx context.Context, c Config, config *pgx.ConnConfig) error {
	checked, err := checkPooling(ctx, config) // before any setting is sent
	if err != nil {
		return err
	}
	if err := e.checkReading(ctx, c, config, checked); err != nil {
		return err
	}
	if c.ReadOnly {
		return checkPostgresVersion(ctx, config, c)
	}
	if err := e.checkWriting(ctx); err != nil {
		return err
	}
	return migratePostgres(ctx, config, c)
}

// checkReading checks the server and the settings by a connection that reads, and the pooling unless
// that was checked.
func (e *postgresEngine) checkReading(ctx context.Context, c Config, config *pgx.ConnConfig, pooling bool) error {
	s, err := e.reads.acquire(ctx, new(retryBudget))
	if err != nil {
		return err
	}
	defer e.reads.release(s)
	if !pooling {
		if _, err := checkPooling(ctx, config); err != nil {
			return err
		}
	}
	if err := e.checkServer(ctx, s.conn.pg.PgConn(), c); err != nil {
		return err
	}
	if err := checkSettingsKept(ctx, s.conn.pg.PgConn()); err != nil || c.ReadOnly {
		return err
	}
	return e.checkStandbys(ctx, s.conn.pg.PgConn(), countHosts(config))
}

// checkWriting checks that the settings of connections that write persist.
func (e *postgresEngine) checkWriting(ctx context.Context) error {
	s, err := e.writes.acquire(ctx, new(retryBudget))
	if err != nil {
		return err
	}
	defer e.writes.release(s)
	return checkSettingsKept(ctx, s.conn.pg.PgConn())
}

// checkServer checks the server settings that the operator chooses: encoding,
// synchronous_commit and fsync.
func (e *postgresEngine) checkServer(ctx context.Context, pg *pgconn.PgConn, c Config) error {
	r := pg.ExecParams(ctx, `SELECT current_setting('synchronous_commit'), current_setting('fsync'),
		current_setting('server_encoding')`, nil, nil, nil, nil).Read()
	if r.Err != nil {
		return r.Err
	}
	commit, fsync, encoding := string(r.Rows[0][0]), string(r.Rows[0][1]), string(r.Rows[0][2])
	switch {
	case encoding != "UTF8":
		return fmt.Errorf("the database's encoding is %s: create it with the encoding UTF8", encoding)
	case commit == "off" && !c.ReadOnly:
		return errors.New("synchronous_commit is off: acknowledged commits could be lost; turn it on for this database")
	case fsync == "off" && !c.ReadOnly:
		e.log.Warn("the server runs with fsync = off: a power cut can destroy the database")
	}
	return nil
}

func (e *postgresEngine) view(ctx context.Context, fn func(*Tx) error) error {
	return e.views(ctx, 1, func(txs []*Tx) error { return fn(txs[0]) })
}

// viewOnce runs fn without a transaction: a single query has its own snapshot. When fn sends a
// second query, viewOnce reruns it within a transaction.
func (e *postgresEngine) viewOnce(ctx context.Context, fn func(*Tx) error) error {
	err := e.viewsFrom(ctx, 1, "", func(txs []*Tx) error { return fn(txs[0]) })
	if errors.Is(err, errSecondQuery) {
		return e.view(ctx, fn)
	}
	return err
}

func (e *postgresEngine) views(ctx context.Context, n int, fn func([]*Tx) error) error {
	return e.viewsFrom(ctx, n, beginView, fn)
}

// viewsFrom runs fn on up to n transactions that each start with begin; with "" they have no
// transaction and one query. It retries after a schema change, and when the connections turn out
// to be lost before the server has answered.
func (e *postgresEngine) viewsFrom(ctx context.Context, n int, begin string, fn func([]*Tx) error) error {
	slots, err := e.reads.slots.acquire(ctx, n)
	if err != nil {
		return err
	}
	r := &postgresRead{engine: e, begin: begin, fn: fn}
	after, err := r.run(ctx, slots)
	if isFull(err) { // by a temporary file of a query
		return notStored(err)
	}
	if err != nil {
		return err
	}
	for _, fn := range after {
		fn()
	}
	return nil
}

// postgresRead is one View.
type postgresRead struct {
	engine *postgresEngine
	begin  string
	fn     func([]*Tx) error
	budget retryBudget
}

// run retries the closure until a final result and then releases the slots, even when the
// closure panics or ends its goroutine.
func (r *postgresRead) run(ctx context.Context, slots int) (after []func(), err error) {
	defer func() {
		r.engine.reads.slots.release(slots)
		r.engine.count(func(s *Stats) { s.Views++ })
	}()
	for {
		after, again, err := r.attempt(ctx, slots)
		if !again || r.budget.exhausted() {
			return after, err
		}
	}
}

// attempt runs the closure once. With again, it may be run once more; err is the final error if
// it is not.
func (r *postgresRead) attempt(ctx context.Context, slots int) (after []func(), again bool, err error) {
	pool := r.engine.reads
	sessions, txs := make([]*postgresSession, 0, slots), make([]*Tx, 0, slots)
	defer func() { // runs after a panic and runtime.Goexit, too
		heard, lost := false, false
		for i, s := range sessions {
			if i < len(txs) {
				txs[i].conn = nil
			}
			err = joinErrors(err, s.conn.closeRows())
			if errors.Is(s.conn.failed, errSecondQuery) {
				err = errSecondQuery // whichever error fn returned
			}
			if heard = heard || s.conn.heard; s.conn.lost() && ctx.Err() == nil {
				lost, err = true, notStored(cmp.Or(err, s.conn.failed))
				pool.discard(s.conn)
			}
			s.conn.rollback()
			pool.release(s)
		}
		again = lost && !heard || postgresOutdated(err) // rerun with statements for the new schema
	}()
	for range slots {
		s, err := pool.acquire(ctx, &r.budget)
		if err != nil {
			return nil, false, err
		}
		sessions = append(sessions, s)
		s.conn.start(r.begin)
	}
	together := sessions
	if slots > 1 {
		if together, err = beginTogether(ctx, sessions); err != nil {
			return nil, false, notStored(err)
		}
	}
	for _, s := range together {
		s.conn.ctx = ctx
		txs = append(txs, &Tx{conn: s.sql, ctx: context.Background(), scanner: s.conn, prefetch: s.conn.prefetch})
	}
	err = r.fn(txs)
	for _, tx := range txs {
		after = append(after, tx.after...)
	}
	return after, false, err
}

// beginTogether begins transactions on one snapshot and returns their sessions: the first one
// exports its snapshot and the others import it. On a server that cannot export snapshots it
// returns the first session alone.
func beginTogether(ctx context.Context, sessions []*postgresSession) ([]*postgresSession, error) {
	first := sessions[0].conn
	var snapshot string
	row := sessions[0].sql.QueryRowContext(context.Background(), "SELECT pg_export_snapshot()")
	if err := row.Scan(&snapshot); err != nil {
		if first.lost() {
			return nil, err
		}
		first.rollback()
		first.start(beginView)
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
func (c *postgresConn) adoptSnapshot(ctx context.Context, snapshot string) error {
	name, err := c.pg.PgConn().EscapeString(snapshot)
	if err != nil {
		return err
	}
	c.begin = ""
	c.pool.trips.Add(1)
	_, err = c.pg.PgConn().Exec(ctx, beginView+"; SET TRANSACTION SNAPSHOT '"+name+"'").ReadAll()
	return c.recordErr(err)
}

// stats returns the counters, with the round trips and the Updates waiting for a slot.
func (e *postgresEngine) stats() Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.counts
	s.UpdateTrips = e.updateTrips.Load()
	s.RoundTrips = e.viewTrips.Load() + s.UpdateTrips
	if e.writes != nil {
		s.Queue = int(e.writes.slots.waiting.Load())
	}
	return s
}

// count changes the counters under their lock.
func (e *postgresEngine) count(change func(*Stats)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change(&e.counts)
}

// exclusive returns false: any number of nodes may serve one database.
func (e *postgresEngine) exclusive() bool { return false }

// broken returns nil: a failed write may succeed later, and the server guards its own disk.
func (e *postgresEngine) broken() <-chan struct{} { return nil }

// close closes both pools. No View or Update is in progress.
func (e *postgresEngine) close() error {
	var errs []error
	for _, p := range []*postgresPool{e.reads, e.writes} {
		if p != nil {
			errs = append(errs, p.close())
		}
	}
	return errors.Join(errs...)
}

// nextFault returns the fault of the next commit.
func (e *postgresEngine) nextFault() Fault {
	e.faultsMu.Lock()
	defer e.faultsMu.Unlock()
	return e.faults.commit()
}

// twice reports whether the closure that has just succeeded is to run once more.
func (e *postgresEngine) twice() bool {
	e.faultsMu.Lock()
	defer e.faultsMu.Unlock()
	return e.faults.twice()
}
