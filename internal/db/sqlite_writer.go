package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"
)

const (
	defaultBatch = 64

	// batchTime ends the gathering of a batch: its first member waits no longer
	// than this for the others. Only slow closures get near it.
	batchTime = 5 * time.Millisecond

	// slowRun is how long a closure may hold up all others before that is logged.
	slowRun = time.Second

	queueLength = 1024
)

// sqliteWriter is the one writer of a SQLite file. Its goroutine begins and commits
// transactions; in between it lends the connection to one caller after the other,
// whose closures run on their own goroutines, each in a savepoint. So the cost of a
// commit, one fsync, is shared by all who waited while the last one went on.
type sqliteWriter struct {
	pool   *sql.DB
	probe  *sqliteConn // tells whether a failed commit was stored
	batch  int
	faults *Faults
	log    *slog.Logger

	jobs    chan *job
	back    chan outcome // from the caller that has the connection
	stopped chan struct{}

	session *sqliteSession // nil: to be opened
	begun   bool           // session is in a transaction
	members []*job         // whose closures have run in it
	counts  writerCounts
}

type writerCounts struct {
	updates, unavailable, reruns, batches, largest, commitNanos, longest atomic.Int64
}

// job is one Update waiting for its turn, and then for its outcome.
type job struct {
	turn  chan turn   // one slot, so that the writer never waits for a caller
	taken atomic.Bool // by the writer; or by the caller, who has left
	err   error       // of the closure; the Update's when the batch is stored
}

// turn tells a caller to run its closure on tx, or how its Update ended.
type turn struct {
	tx  *Tx
	err error
}

// outcome is what became of a closure.
type outcome struct {
	err  error
	gone bool // it panicked or ended its goroutine: nobody waits for a verdict
}

func newSQLiteWriter(pool *sql.DB, probe *sqliteConn, c Config) *sqliteWriter {
	w := &sqliteWriter{
		pool: pool, probe: probe, batch: c.Batch, faults: c.Faults, log: c.Logger,
		jobs: make(chan *job, queueLength), back: make(chan outcome), stopped: make(chan struct{}),
	}
	go w.loop()
	return w
}

// update queues fn, runs it when its turn comes, and returns when its effect is
// durable or cannot be.
func (w *sqliteWriter) update(ctx context.Context, fn func(*Tx) error) error {
	j := &job{turn: make(chan turn, 1)}
	select {
	case w.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	}
	var after []func()
	for {
		t, err := j.await(ctx)
		if err != nil {
			return err
		}
		if t.tx != nil {
			after = w.run(t.tx, fn)
			continue
		}
		if t.err == nil {
			for _, fn := range after {
				fn()
			}
		}
		return t.err
	}
}

// await waits for the job's next turn. The caller may leave only before the first.
func (j *job) await(ctx context.Context) (turn, error) {
	select {
	case t := <-j.turn:
		return t, nil
	case <-ctx.Done():
		if j.taken.CompareAndSwap(false, true) {
			return turn{}, ctx.Err()
		}
		return <-j.turn, nil
	}
}

// run runs fn on the borrowed connection and gives it back whatever happens: a
// panic, or a runtime.Goexit as in testing's FailNow, goes on in the caller.
func (w *sqliteWriter) run(tx *Tx, fn func(*Tx) error) (after []func()) {
	o := outcome{gone: true}
	defer func() {
		tx.conn = nil
		w.back <- o
	}()
	o.err = fn(tx)
	o.gone = false
	return tx.after
}

func (w *sqliteWriter) loop() {
	defer close(w.stopped)
	for j := range w.jobs {
		w.gather(j)
		w.store()
		w.tidy()
	}
}

// gather runs the closure of j and of those that wait behind it, in one
// transaction.
func (w *sqliteWriter) gather(j *job) {
	start := time.Now()
	for {
		if j.taken.CompareAndSwap(false, true) {
			w.admit(j)
		}
		if len(w.members) >= w.batch || time.Since(start) > batchTime {
			return
		}
		var more bool
		select {
		case j, more = <-w.jobs:
			if more {
				continue
			}
		default:
		}
		return
	}
}

// admit runs the closure of j and makes it a member of the batch. One that fails is
// a member too, unless it is the first: it may have seen what earlier members wrote,
// so its error is true only once that is durable.
func (w *sqliteWriter) admit(j *job) {
	alone := len(w.members) == 0
	err, gone := w.attempt(j, !alone)
	switch {
	case gone:
	case errors.Is(err, errBroken):
		w.finish(j, unavailable(err))
	case alone && err != nil:
		w.finish(j, err)
	default:
		j.err = err
		w.members = append(w.members, j)
	}
	if !w.begun && len(w.members) > 0 {
		// The transaction broke, and with it went what earlier members wrote.
		w.rerun()
	}
}

// attempt runs the closure of j in the transaction, which it begins if need be, and
// takes back what a failing one wrote. Its error wraps errBroken when that of the
// closure does not count, and then there is no transaction any more.
func (w *sqliteWriter) attempt(j *job, savepoint bool) (err error, gone bool) {
	if err := w.begin(); err != nil {
		return fmt.Errorf("%w: begin: %w", errBroken, err), false
	}
	for {
		if savepoint {
			if err := w.session.conn.do("SAVEPOINT use_case"); err != nil {
				return w.breakOff(err), false
			}
		}
		o := w.lend(j)
		if broken := w.session.conn.broken; broken != nil {
			return w.breakOff(broken), o.gone
		}
		again := o.err == nil && !o.gone && w.faults.twice()
		if err := w.conclude(savepoint, o.err == nil && !o.gone && !again); err != nil {
			return w.breakOff(err), o.gone
		}
		if !again {
			return o.err, o.gone
		}
		if err := w.begin(); err != nil {
			return fmt.Errorf("%w: begin: %w", errBroken, err), false
		}
	}
}

// conclude keeps or takes back what the last closure wrote.
func (w *sqliteWriter) conclude(savepoint, keep bool) error {
	c := w.session.conn
	if savepoint {
		if !keep {
			if err := c.do("ROLLBACK TO use_case"); err != nil {
				return err
			}
		}
		return c.do("RELEASE use_case")
	}
	if keep {
		return nil
	}
	w.begun = false
	return c.do("ROLLBACK")
}

// lend gives the connection to the caller of j and waits until it is back.
func (w *sqliteWriter) lend(j *job) outcome {
	start := time.Now()
	j.turn <- turn{tx: &Tx{conn: w.session.sql, ctx: context.Background()}}
	o := <-w.back
	if took := time.Since(start); took > slowRun {
		w.log.Warn("a use case held up all others", "took", took)
	}
	if err := w.session.settle(); err != nil && o.err == nil {
		o.err = err
	}
	return o
}

func (w *sqliteWriter) begin() error {
	if w.begun {
		return nil
	}
	if w.session == nil {
		s, err := openSession(context.Background(), w.pool)
		if err != nil {
			return err
		}
		w.session = s
	}
	// A crash between here and the commit: the transaction was never there.
	if err := w.session.conn.do("BEGIN IMMEDIATE"); err != nil {
		return errors.Join(err, w.discard())
	}
	w.begun = true
	return nil
}

// breakOff gives up a transaction in which nothing can be relied on any more.
func (w *sqliteWriter) breakOff(err error) error {
	w.log.Error("transaction broken off", "err", err)
	return errors.Join(errBroken, err, w.discard())
}

// store commits the batch and tells its members.
func (w *sqliteWriter) store() {
	if len(w.members) == 0 {
		return
	}
	err, stored := w.commit()
	switch {
	case err == nil:
		for _, j := range w.members {
			w.finish(j, j.err)
		}
	case stored:
		for _, j := range w.members {
			w.finish(j, unavailable(err))
		}
	default:
		w.rerun()
	}
	clear(w.members)
	w.members = w.members[:0]
}

// rerun runs each member of a batch that was not stored once more, alone.
func (w *sqliteWriter) rerun() {
	members := w.members
	w.members = nil
	for _, j := range members {
		w.counts.reruns.Add(1)
		err, gone := w.attempt(j, false)
		if err == nil && !gone {
			if err, _ = w.commit(); err != nil {
				err = unavailable(err)
			}
		} else if errors.Is(err, errBroken) {
			err = unavailable(err)
		}
		if !gone {
			w.finish(j, err)
		}
	}
}

// commit makes the transaction durable. When it fails, stored says whether its
// effect is, or may be, in the database all the same.
func (w *sqliteWriter) commit() (err error, stored bool) {
	w.counts.batches.Add(1)
	w.counts.largest.Store(max(w.counts.largest.Load(), int64(len(w.members))))
	before, err := w.version()
	if err != nil {
		return errors.Join(err, w.discard()), false
	}
	start := time.Now()
	// A crash before COMMIT has written the last frame of the batch to the log:
	// none of the batch is there, and no caller was told otherwise. After that and
	// before its fsync has returned: all of it or none, and again no caller knows.
	// After the fsync: all of it.
	err = w.commitWith(w.faults.commit())
	took := time.Since(start).Nanoseconds()
	w.counts.commitNanos.Add(took)
	w.counts.longest.Store(max(w.counts.longest.Load(), took))
	w.begun = false
	if err == nil {
		return nil, true
	}
	after, errVersion := w.version()
	stored = errVersion != nil || after != before
	w.log.Error("commit failed", "err", err, "stored", stored)
	return errors.Join(err, errVersion, w.discard()), stored
}

func (w *sqliteWriter) commitWith(f Fault) error {
	c := w.session.conn
	switch f {
	case NotStored:
		return errors.Join(errInjected, c.do("ROLLBACK"))
	case Stored:
		return errors.Join(errInjected, c.do("COMMIT"))
	}
	return c.do("COMMIT")
}

// version returns a number that changes with every commit of the writer.
func (w *sqliteWriter) version() (int64, error) {
	rows, err := w.probe.QueryContext(context.Background(), "PRAGMA data_version", nil)
	if err != nil {
		return 0, err
	}
	dest := make([]driver.Value, 1)
	err = rows.Next(dest)
	if err := errors.Join(err, rows.Close()); err != nil {
		return 0, err
	}
	return dest[0].(int64), nil
}

// discard closes the connection, which ends its transaction. The next transaction
// opens a fresh one.
func (w *sqliteWriter) discard() error {
	s := w.session
	w.session, w.begun = nil, false
	return s.close()
}

// tidy replaces a connection that a closure has spoilt.
func (w *sqliteWriter) tidy() {
	if w.session != nil && w.session.leaked {
		if err := w.discard(); err != nil {
			w.log.Error("closing the writer's connection", "err", err)
		}
	}
}

func (w *sqliteWriter) finish(j *job, err error) {
	w.counts.updates.Add(1)
	if errors.Is(err, ErrUnavailable) {
		w.counts.unavailable.Add(1)
	}
	j.turn <- turn{err: err}
}

// close ends the writer. No update is under way.
func (w *sqliteWriter) close() error {
	close(w.jobs)
	<-w.stopped
	if w.session == nil {
		return nil
	}
	return w.session.close()
}

func unavailable(err error) error { return fmt.Errorf("%w: %w", ErrUnavailable, err) }
