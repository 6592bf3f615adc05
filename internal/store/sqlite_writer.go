package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

const (
	// defaultBatch is the default of Config.Batch.
	defaultBatch = 64

	// batchTime closes a batch, so that its first member does not wait for many slow ones.
	batchTime = 5 * time.Millisecond
)

// sqliteWriter is the only writer of a SQLite file. Its goroutine begins and commits
// transactions; in between it lends the connection to one caller at a time, which runs its
// closure in a savepoint. A COMMIT returns once the log is on disk, and only then becomes visible:
// all Updates that arrive meanwhile share the next commit.
type sqliteWriter struct {
	aux       *sqliteConnector // opens connections that write no rows
	pool      *sql.DB
	batch     int
	batchTime time.Duration
	slowRun   time.Duration
	faults    *Faults
	log       *slog.Logger

	jobs            chan *job
	returned        chan outcome                  // sent by the caller that was lent the connection
	blocked         atomic.Pointer[chan struct{}] // closed while a closure exceeds slowRun
	stopped         chan struct{}
	finishRequested atomic.Bool // the remainder of a long log is to be moved
	syncFailed      atomic.Bool // a file could not be synced: see failSync
	onSyncFailure   func()
	checkpointer    *sqliteCheckpointer
	space           *diskSpace

	// Owned by the writer's goroutine:
	session   *sqliteSession // nil while closed
	probe     *sqliteConn    // a second connection: shows whether a failed commit was stored
	inTx      bool           // a transaction is open
	members   []*job         // jobs whose closures have run in the transaction
	slowTimer *time.Timer    // of lendConn
	// lastTruncate is when the log was last truncated because the disk was full.
	lastTruncate time.Time
	appliedLimit int64 // checkpointer.threshold as set in the session; 0 for not yet

	mu     sync.Mutex // guards counts
	counts Stats
}

// newSQLiteWriter starts the writer and its checkpointer.
func newSQLiteWriter(k, aux *sqliteConnector, c Config, onSyncFailure func()) *sqliteWriter {
	w := &sqliteWriter{
		aux:       aux,
		pool:      sql.OpenDB(k),
		batch:     c.Batch,
		batchTime: c.batchTime,
		slowRun:   c.slowRun,
		slowTimer: time.NewTimer(c.slowRun),
		faults:    c.Faults,
		log:       c.Logger,
		space:     c.space,
		jobs:      make(chan *job, queueLength),
		returned:  make(chan outcome),
		stopped:   make(chan struct{}),
	}
	w.onSyncFailure = onSyncFailure
	w.pool.SetMaxIdleConns(-1) // a connection that is returned is closed
	w.blocked.Store(new(make(chan struct{})))
	w.checkpointer = newSQLiteCheckpointer(aux, c, w)
	go w.loop()
	return w
}

// loop stores batches until the queue is closed.
func (w *sqliteWriter) loop() {
	defer close(w.stopped)
	for j := range w.jobs {
		w.collectBatch(j)
		w.commitBatch()
		if w.finishRequested.Load() || w.scarceAndLong() {
			w.finishCheckpoint()
		}
	}
	w.discard()
	if !w.syncFailed.Load() { // otherwise its end would move the log into the file
		w.dropProbe()
	}
}

// finishCheckpoint moves the remainder of the log, so that the next transaction restarts it. A
// failure is retried after the next check of the checkpointer.
func (w *sqliteWriter) finishCheckpoint() {
	w.finishRequested.Store(false)
	if w.session == nil || w.inTx || w.syncFailed.Load() {
		return
	}
	if _, _, err := w.session.conn.checkpoint("PASSIVE"); err != nil {
		if sqliteFull(err) {
			w.space.markFull(err)
		} else {
			w.log.Warn("moving the rest of the write-ahead log", "error", err)
		}
		if sqliteUnsynced(err) {
			w.failSync(err)
		}
		return
	}
	w.count(func(s *Stats) { s.Checkpoints++ })
}

// collectBatch runs the closures of j and of the jobs queued behind it in one transaction.
func (w *sqliteWriter) collectBatch(j *job) {
	start := time.Now()
	for j != nil {
		if j.claimed.CompareAndSwap(false, true) {
			w.runMember(j)
		}
		if len(w.members) >= w.batch || time.Since(start) > w.batchTime {
			return
		}
		var ok bool
		if j, ok = w.next(); !ok {
			return
		}
	}
}

// next returns the next queued job, nil when the queue is closed, and false when it is empty.
// Before that it yields the processor once: requests being read join the batch, which makes
// commits fewer under load, and an idle service adds no delay.
func (w *sqliteWriter) next() (*job, bool) {
	for yielded := false; ; yielded = true {
		select {
		case j := <-w.jobs:
			return j, true
		default:
		}
		if yielded {
			return nil, false
		}
		runtime.Gosched()
	}
}

// runMember runs the closure of j and adds it to the batch. A failed one is added as well
// unless it is the first: it may have seen the writes of earlier members, so its error holds
// only once those are durable.
func (w *sqliteWriter) runMember(j *job) {
	alone := len(w.members) == 0
	o := w.attempt(j, !alone)
	if o.broken {
		w.reply(j, o)
		w.rerunMembers(o.err)
		return
	}
	if o.exited || alone && o.err != nil {
		w.reply(j, o)
		return
	}
	j.err = o.err
	w.members = append(w.members, j)
}

// attempt runs the closure of j in the transaction, which it begins if necessary, and rolls
// back the writes of a failed one.
func (w *sqliteWriter) attempt(j *job, savepoint bool) outcome {
	for first := true; ; first = false {
		if err := w.begin(savepoint); err != nil {
			return w.abandonTx(outcome{}, err)
		}
		o := w.lendConn(j)
		if err := w.session.conn.broken; err != nil {
			return w.abandonTx(o, err)
		}
		again := first && o.ok() && w.faults.twice()
		if err := w.endSavepoint(savepoint, o.ok() && !again); err != nil {
			return w.abandonTx(o, err)
		}
		if !again {
			return o
		}
	}
}

// begin begins the transaction, and in it a savepoint. The first member of a batch needs none:
// only its own writes could be rolled back.
func (w *sqliteWriter) begin(savepoint bool) error {
	if !w.inTx {
		if w.syncFailed.Load() {
			return errUnsynced
		}
		if err := w.connect(); err != nil {
			return err
		}
		if err := w.applyLogLimit(); err != nil {
			return err
		}
		// A crash between here and COMMIT: the transaction never happened.
		if err := w.session.conn.do("BEGIN IMMEDIATE"); err != nil {
			return fmt.Errorf("begin: %w", err)
		}
		w.inTx = true
	}
	if savepoint {
		return w.session.conn.do("SAVEPOINT use_case")
	}
	return nil
}

// lendConn lends the connection to the caller of j and waits for its return.
func (w *sqliteWriter) lendConn(j *job) outcome {
	w.slowTimer.Reset(w.slowRun)
	j.replies <- reply{tx: &Tx{conn: w.session.sql, ctx: context.Background()}}
	var o outcome
	select {
	case o = <-w.returned:
	case <-w.slowTimer.C:
		w.log.Warn("a slow update blocks the queue", "for", w.slowRun, "waiting", len(w.jobs))
		close(*w.blocked.Load())
		o = <-w.returned
		w.blocked.Store(new(make(chan struct{})))
	}
	leaked := w.session.closeLeakedRows() // after an error, too
	o.err = cmp.Or(o.err, leaked)
	return o
}

// endSavepoint keeps or rolls back the writes of the last closure.
func (w *sqliteWriter) endSavepoint(savepoint, keep bool) error {
	c := w.session.conn
	switch {
	case savepoint && keep:
		return c.do("RELEASE use_case")
	case savepoint:
		if err := c.do("ROLLBACK TO use_case"); err != nil {
			return err
		}
		return c.do("RELEASE use_case")
	case keep:
		return nil
	}
	w.inTx = false
	return c.do("ROLLBACK")
}

// abandonTx gives up a transaction that has become unreliable.
func (w *sqliteWriter) abandonTx(o outcome, err error) outcome {
	w.discard()
	w.freeSpace(err)
	return outcome{err: notStored(err), exited: o.exited, broken: true} // COMMIT was not sent
}

// commitBatch commits the batch and answers its members.
func (w *sqliteWriter) commitBatch() {
	if len(w.members) == 0 {
		return
	}
	stored, err := w.commit()
	if err != nil && !stored {
		w.rerunMembers(err)
		return
	}
	for _, j := range w.members {
		w.reply(j, outcome{err: cmp.Or(unavailable(err), j.err)})
	}
	clear(w.members)
	w.members = w.members[:0]
}

// rerunMembers reruns the members of a batch that was not stored because of err, each in its
// own transaction. None of them has been answered yet.
func (w *sqliteWriter) rerunMembers(err error) {
	if len(w.members) == 0 {
		return
	}
	if !sqliteFull(err) { // diskSpace logs that
		w.log.Warn("retrying use cases after a failed commit", "count", len(w.members), "error", err)
	}
	members := w.members
	w.members = nil
	w.count(func(s *Stats) { s.Reruns += int64(len(members)) }) // before any of them is answered
	for _, j := range members {
		o := w.attempt(j, false)
		if o.ok() {
			stored, err := w.commit()
			o.err = unavailable(err)
			if !stored && sqliteFull(err) {
				o.err = notStored(err)
			}
		}
		w.reply(j, o)
	}
}

// commit commits the transaction. On failure, stored reports whether its
// effect is, or may be, in the database nevertheless.
func (w *sqliteWriter) commit() (stored bool, err error) {
	stored, err = w.commitAndCheck()
	if err != nil && !stored {
		w.freeSpace(err)
	}
	return stored, err
}

// commitAndCheck commits and, after a failure, finds out whether the commit was stored nevertheless.
func (w *sqliteWriter) commitAndCheck() (stored bool, err error) {
	w.checkpointer.verdict.Lock()
	defer w.checkpointer.verdict.Unlock()
	before, err := w.dataVersion()
	if err != nil {
		w.discard()
		return false, err
	}
	start := time.Now()
	// A crash while COMMIT writes to the log: none of the batch is stored. After its last frame
	// and before COMMIT returns, when the log is synced: all of it or none. After that: all. No
	// caller has been answered before.
	err = w.commitWithFault(w.faults.commit())
	w.inTx = false
	w.count(func(s *Stats) { s.committed(max(1, len(w.members)), time.Since(start)) }) // a rerun job is not in members
	w.checkpointer.wake()
	if err == nil {
		return true, nil
	}
	after, errVersion := w.dataVersion()
	stored = errVersion != nil || after != before
	if sqliteUnsynced(err) {
		// It is in the log, and perhaps on disk: a rerun could store it twice.
		stored = true
		w.failSync(err)
	}
	// The next transaction overwrites what the failed commit left in the log. If there is none,
	// the next start may recover it, which ErrUnavailable allows for.
	w.discard()
	return stored, err
}

// freeSpace truncates the log after err if the disk is full, for the next attempt. Nothing of
// the failed commit remains: its last frame could not be written.
func (w *sqliteWriter) freeSpace(err error) {
	if !sqliteFull(err) {
		return
	}
	w.space.markFull(err)
	w.checkpointer.wake()
	if time.Since(w.lastTruncate) < probeSpaceEvery {
		return
	}
	w.lastTruncate = time.Now()
	if err := w.checkpointer.truncateLog(); sqliteUnsynced(err) {
		w.failSync(err)
	}
}

// commitWithFault commits, or fails in the way that a fault describes.
func (w *sqliteWriter) commitWithFault(f Fault) error {
	c := w.session.conn
	switch f {
	case NotStored:
		return errors.Join(errInjected, c.do("ROLLBACK"))
	case Stored:
		return errors.Join(errInjected, c.do("COMMIT"))
	case Full:
		return errors.Join(&sqliteCodeError{sqlite3.SQLITE_FULL, errInjected.Error()}, c.do("ROLLBACK"))
	case Unsynced:
		return errors.Join(&sqliteCodeError{sqlite3.SQLITE_IOERR_FSYNC, errInjected.Error()}, c.do("COMMIT"))
	}
	return c.do("COMMIT")
}

// dataVersion returns a number, read through the probe, that every commit of the session
// changes.
func (w *sqliteWriter) dataVersion() (int64, error) {
	rows, err := w.probe.QueryContext(context.Background(), "PRAGMA data_version", nil)
	if err != nil {
		w.dropProbe()
		return 0, err
	}
	dest := make([]driver.Value, 1)
	if err := errors.Join(rows.Next(dest), rows.Close()); err != nil {
		w.dropProbe()
		return 0, err
	}
	return dest[0].(int64), nil
}

// connect opens the writer's connections if they are closed.
func (w *sqliteWriter) connect() error {
	ctx := context.Background()
	if w.probe == nil {
		probe, err := w.aux.connect(ctx)
		if err != nil {
			return err
		}
		w.probe = probe
	}
	if w.session == nil {
		s, err := openSession(ctx, w.pool)
		if err != nil {
			return err
		}
		w.session = s
	}
	return nil
}

// discard closes the session, which ends its transaction; the next transaction opens a new one.
// The probe stays open: it keeps the shared memory that records how far the log extends. If the
// last connection were closed, the next one would read the log again and recover a commit that
// had failed after its last frame, in addition to the rerun that replaces it.
func (w *sqliteWriter) discard() {
	w.inTx = false
	if w.session == nil {
		return
	}
	if err := w.session.close(); err != nil {
		w.log.Error("closing the writer's connection", "error", err)
	}
	w.session, w.appliedLimit = nil, 0
}

// dropProbe closes the probe; connect opens another one.
func (w *sqliteWriter) dropProbe() {
	if w.probe == nil {
		return
	}
	if err := w.probe.Close(); err != nil {
		w.log.Error("closing the writer's probe connection", "error", err)
	}
	w.probe = nil
}

// reply answers the caller of j with the result of its Update.
func (w *sqliteWriter) reply(j *job, o outcome) {
	w.count(func(s *Stats) {
		if !j.internal {
			s.Updates++
		}
		if errors.Is(o.err, ErrUnavailable) {
			s.Unavailable++
		}
	})
	if !o.exited {
		j.replies <- reply{err: o.err}
	}
}

// count changes the counters under their lock.
func (w *sqliteWriter) count(change func(*Stats)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(&w.counts)
}

func (w *sqliteWriter) stats() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.counts
	s.Queue = len(w.jobs)
	return s
}

// close stops the checkpointer and the writer. No Update is in progress.
func (w *sqliteWriter) close() error {
	w.checkpointer.stopLoop()
	close(w.jobs)
	<-w.stopped
	return errors.Join(w.pool.Close(), w.checkpointer.close())
}
