package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
)

// writer is the only writer of a SQLite file. Its goroutine begins and commits
// transactions; in between it lends the connection to one caller at a time, which runs its
// closure in a savepoint. A COMMIT returns once the log is on disk, and only then becomes visible:
// all Updates that arrive meanwhile share the next commit.
type writer struct {
	config
	queue
	aux  *connector // opens connections that write no rows
	pool *sql.DB

	stopped         chan struct{}
	finishRequested atomic.Bool // the remainder of a long log is to be moved
	syncFailed      atomic.Bool // a file could not be synced: see failSync
	onSyncFailure   func()
	checkpointer    *checkpointer

	// Owned by the writer's goroutine:
	session   *session    // nil while closed
	probe     *conn       // a second connection: shows whether a failed commit was stored
	inTx      bool        // a transaction is open
	members   []*job      // jobs whose closures have run in the transaction
	slowTimer *time.Timer // of lendConn
	// lastTruncate is when the log was last truncated because the disk was full.
	lastTruncate time.Time
	appliedLimit int64 // checkpointer.threshold as set in the session; 0 for not yet

	mu     sync.Mutex // guards counts
	counts store.Stats
}

// newWriter starts the writer and its checkpointer.
func newWriter(k, aux *connector, c config, onSyncFailure func()) *writer {
	w := &writer{
		config:        c,
		queue:         queue{jobs: make(chan *job, queueLength), returned: make(chan outcome)},
		aux:           aux,
		pool:          sql.OpenDB(k),
		slowTimer:     time.NewTimer(c.slowRun),
		stopped:       make(chan struct{}),
		onSyncFailure: onSyncFailure,
	}
	w.pool.SetMaxIdleConns(-1) // a connection that is returned is closed
	w.blocked.Store(new(make(chan struct{})))
	w.checkpointer = &checkpointer{
		config: c, connector: aux, requestFinish: &w.finishRequested, update: w.update,
		failed: w.syncFailed.Load, onSyncFailure: w.failSync,
	}
	w.checkpointer.start()
	go w.loop()
	return w
}

// loop stores batches until the queue is closed.
func (w *writer) loop() {
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
func (w *writer) finishCheckpoint() {
	w.finishRequested.Store(false)
	if w.session == nil || w.inTx || w.syncFailed.Load() {
		return
	}
	if _, _, err := w.session.conn.checkpoint("PASSIVE"); err != nil {
		if full(err) {
			w.space.MarkFull(err)
		} else {
			w.Logger.Warn("moving the rest of the write-ahead log", "error", err)
		}
		if unsynced(err) {
			w.failSync(err)
		}
		return
	}
	w.count(func(s *store.Stats) { s.Checkpoints++ })
}

// collectBatch runs the closures of j and of the jobs queued behind it in one transaction.
func (w *writer) collectBatch(j *job) {
	start := time.Now()
	for j != nil {
		if j.claimed.CompareAndSwap(false, true) {
			w.runMember(j)
		}
		if len(w.members) >= w.Batch || time.Since(start) > w.batchTime {
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
func (w *writer) next() (*job, bool) {
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
func (w *writer) runMember(j *job) {
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
func (w *writer) attempt(j *job, savepoint bool) outcome {
	for first := true; ; first = false {
		if err := w.begin(savepoint); err != nil {
			return w.abandonTx(outcome{}, err)
		}
		o := w.lendConn(j)
		if err := w.session.conn.broken; err != nil {
			return w.abandonTx(o, err)
		}
		again := first && o.ok() && w.Faults.RunsTwice()
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
func (w *writer) begin(savepoint bool) error {
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

// applyLogLimit sets the size that the log's file keeps after a restart.
func (w *writer) applyLogLimit() error {
	threshold := w.checkpointer.threshold.Load()
	if threshold == w.appliedLimit {
		return nil
	}
	keep := logBytes
	if threshold < w.checkpointPages {
		keep = 2 * threshold * pageSize
	}
	err := w.session.conn.do(fmt.Sprintf("PRAGMA journal_size_limit=%d", keep))
	if err != nil {
		return err
	}
	w.appliedLimit = threshold
	return nil
}

// scarceAndLong reports whether the disk has little space and the log is long nevertheless, as
// much can be written between two checks of the checkpointer.
func (w *writer) scarceAndLong() bool {
	threshold := w.checkpointer.threshold.Load()
	if threshold >= w.checkpointPages || w.session == nil {
		return false
	}
	pages, moved, err := w.session.conn.checkpoint("NOOP")
	return err == nil && pages >= 2*threshold && moved < pages
}

// lendConn lends the connection to the caller of j and waits for its return.
func (w *writer) lendConn(j *job) outcome {
	w.slowTimer.Reset(w.slowRun)
	j.replies <- reply{tx: store.NewTx(store.Lent{Conn: w.session.sql, Ctx: context.Background()})}
	var o outcome
	select {
	case o = <-w.returned:
	case <-w.slowTimer.C:
		w.Logger.Warn("a slow update blocks the queue", "for", w.slowRun, "waiting", len(w.jobs))
		close(*w.blocked.Load())
		o = <-w.returned
		w.blocked.Store(new(make(chan struct{})))
	}
	leaked := w.session.closeLeakedRows() // after an error, too
	o.err = cmp.Or(o.err, leaked)
	return o
}

// endSavepoint keeps or rolls back the writes of the last closure.
func (w *writer) endSavepoint(savepoint, keep bool) error {
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
func (w *writer) abandonTx(o outcome, err error) outcome {
	w.discard()
	w.freeSpace(err)
	return outcome{err: notStored(err), exited: o.exited, broken: true} // COMMIT was not sent
}

// commitBatch commits the batch and answers its members.
func (w *writer) commitBatch() {
	if len(w.members) == 0 {
		return
	}
	stored, err := w.commit()
	if err != nil && !stored {
		w.rerunMembers(err)
		return
	}
	for _, j := range w.members {
		w.reply(j, outcome{err: cmp.Or(engine.Unavailable(err), j.err)})
	}
	clear(w.members)
	w.members = w.members[:0]
}

// rerunMembers reruns the members of a batch that was not stored because of err, each in its
// own transaction. None of them has been answered yet.
func (w *writer) rerunMembers(err error) {
	if len(w.members) == 0 {
		return
	}
	if !full(err) { // diskSpace logs that
		w.Logger.Warn("retrying use cases after a failed commit", "count", len(w.members), "error", err)
	}
	members := w.members
	w.members = nil
	w.count(func(s *store.Stats) { s.Reruns += int64(len(members)) }) // before any of them is answered
	for _, j := range members {
		o := w.attempt(j, false)
		if o.ok() {
			stored, err := w.commit()
			o.err = engine.Unavailable(err)
			if !stored && full(err) {
				o.err = notStored(err)
			}
		}
		w.reply(j, o)
	}
}

// commit commits the transaction. On failure, stored reports whether its
// effect is, or may be, in the database nevertheless.
func (w *writer) commit() (stored bool, err error) {
	stored, err = w.commitAndCheck()
	if err != nil && !stored {
		w.freeSpace(err)
	}
	return stored, err
}

// commitAndCheck commits and, after a failure, finds out whether the commit was stored nevertheless.
func (w *writer) commitAndCheck() (stored bool, err error) {
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
	err = w.commitWithFault(w.Faults.NextCommit())
	w.inTx = false
	updates, elapsed := max(1, len(w.members)), time.Since(start) // a rerun job is not in members
	w.count(func(s *store.Stats) { s.AddCommit(updates, elapsed) })
	w.checkpointer.wake()
	if err == nil {
		return true, nil
	}
	after, errVersion := w.dataVersion()
	stored = errVersion != nil || after != before
	if unsynced(err) {
		// It is in the log, and perhaps on disk: a rerun could store it twice.
		stored = true
		w.failSync(err)
	}
	// The next transaction overwrites what the failed commit left in the log. If there is none,
	// the next start may recover it, which ErrUnavailable allows for.
	w.discard()
	return stored, err
}

// failSync stops all commits. Any goroutine calls it after a failed sync.
func (w *writer) failSync(err error) {
	if !w.syncFailed.Swap(true) {
		w.Logger.Error("a file cannot be synced: nothing is stored until the service is restarted", "error", err)
	}
	w.onSyncFailure()
}

// freeSpace truncates the log after err if the disk is full, for the next attempt. Nothing of
// the failed commit remains: its last frame could not be written.
func (w *writer) freeSpace(err error) {
	if !full(err) {
		return
	}
	w.space.MarkFull(err)
	w.checkpointer.wake()
	if time.Since(w.lastTruncate) < engine.ProbeSpaceEvery {
		return
	}
	w.lastTruncate = time.Now()
	if err := w.checkpointer.truncateLog(); unsynced(err) {
		w.failSync(err)
	}
}

// commitWithFault commits, or fails in the way that a fault describes.
func (w *writer) commitWithFault(f store.Fault) error {
	c := w.session.conn
	switch f {
	case store.NotStored:
		return errors.Join(engine.ErrInjected, c.do("ROLLBACK"))
	case store.Stored:
		return errors.Join(engine.ErrInjected, c.do("COMMIT"))
	case store.Full:
		return errors.Join(&codeError{engine.ErrInjected, sqlite3.SQLITE_FULL}, c.do("ROLLBACK"))
	case store.Unsynced:
		return errors.Join(&codeError{engine.ErrInjected, sqlite3.SQLITE_IOERR_FSYNC}, c.do("COMMIT"))
	}
	return c.do("COMMIT")
}

// dataVersion returns a number, read through the probe, that every commit of the session
// changes.
func (w *writer) dataVersion() (int64, error) {
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
func (w *writer) connect() error {
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
func (w *writer) discard() {
	w.inTx = false
	if w.session == nil {
		return
	}
	if err := w.session.close(); err != nil {
		w.Logger.Error("closing the writer's connection", "error", err)
	}
	w.session, w.appliedLimit = nil, 0
}

// dropProbe closes the probe; connect opens another one.
func (w *writer) dropProbe() {
	if w.probe == nil {
		return
	}
	if err := w.probe.Close(); err != nil {
		w.Logger.Error("closing the writer's probe connection", "error", err)
	}
	w.probe = nil
}

// reply answers the caller of j with the result of its Update.
func (w *writer) reply(j *job, o outcome) {
	w.count(func(s *store.Stats) {
		if !j.internal {
			s.Updates++
		}
		if errors.Is(o.err, store.ErrUnavailable) {
			s.Unavailable++
		}
	})
	if !o.exited {
		j.replies <- reply{err: o.err}
	}
}

// count changes the counters under their lock.
func (w *writer) count(change func(*store.Stats)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(&w.counts)
}

func (w *writer) stats() store.Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.counts
	s.Queue = len(w.jobs)
	return s
}

// close stops the checkpointer and the writer. No Update is in progress.
func (w *writer) close() error {
	w.checkpointer.stopLoop()
	close(w.jobs)
	<-w.stopped
	return errors.Join(w.pool.Close(), w.checkpointer.close())
}
