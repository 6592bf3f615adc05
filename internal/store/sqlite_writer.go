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
	defaultBatch = 64

	// batchTime ends the gathering of a batch, so that its first member does not
	// wait for many slow ones.
	batchTime = 5 * time.Millisecond

	// slowRun is how long a closure may hold up others until that is logged, and
	// those look whether they wait for themselves.
	slowRun = time.Second
)

// sqliteWriter is the one writer of a SQLite file. Its goroutine begins and commits
// transactions; in between it lends the connection to one caller after the other,
// who run their closures, each in a savepoint. So the cost of a commit, which is one
// fsync, is shared by all who came while the last one was under way.
type sqliteWriter struct {
	aux           *sqliteConnector // of connections that write nothing
	pool          *sql.DB
	batch         int
	batchTime     time.Duration
	slowRun       time.Duration
	faults        *Faults
	log           *slog.Logger
	onSyncFailure func() // called when a file could not be synced

	jobs            chan *job
	returned        chan outcome                  // from the caller who has the connection
	blocked         atomic.Pointer[chan struct{}] // closed while one has had it for threshold
	stopped         chan struct{}
	finishRequested atomic.Bool // the little that is left of a long log is to be moved
	checkpointer    *sqliteCheckpointer
	space           *diskSpace

	// Of the writer's goroutine:
	session   *sqliteSession // nil when it is to be opened
	probe     *sqliteConn    // a second connection: tells whether a failed commit was stored
	inTx      bool           // a transaction
	members   []*job         // whose closures have run in it
	slowTimer *time.Timer    // of lend
	// shortened is when the log was last shortened, as the disk was full.
	lastTruncate time.Time
	appliedLimit int64 // what the session has been told of moving.long; 0 for nothing yet

	mu     sync.Mutex // guards counts
	counts Stats
}

func newSQLiteWriter(k, aux *sqliteConnector, c Config, onSyncFailure func()) *sqliteWriter {
	w := &sqliteWriter{
		aux:           aux,
		pool:          sql.OpenDB(k),
		batch:         c.Batch,
		batchTime:     c.batchTime,
		slowRun:       c.slowRun,
		slowTimer:     time.NewTimer(c.slowRun),
		faults:        c.Faults,
		log:           c.Logger,
		onSyncFailure: onSyncFailure,
		space:         c.space,
		jobs:          make(chan *job, queueLength),
		returned:      make(chan outcome),
		stopped:       make(chan struct{}),
	}
	w.pool.SetMaxIdleConns(-1) // a connection given back is one to be closed
	w.blocked.Store(new(make(chan struct{})))
	w.checkpointer = newSQLiteCheckpointer(aux, c, w)
	go w.loop()
	return w
}

func (w *sqliteWriter) loop() {
	defer close(w.stopped)
	for j := range w.jobs {
		w.collectBatch(j)
		w.commitBatch()
		if w.finishRequested.Load() {
			w.finishCheckpoint()
		}
	}
	w.discard()
	w.dropProbe()
}

// finishCheckpoint moves what is left of the log, so that the next transaction starts it from
// its beginning. One that fails is tried again after the next look at the log.
func (w *sqliteWriter) finishCheckpoint() {
	w.finishRequested.Store(false)
	if w.session == nil || w.inTx {
		return
	}
	if _, _, err := w.session.conn.checkpoint("PASSIVE"); err != nil {
		if sqliteFull(err) {
			w.space.markFull(err)
		} else {
			w.log.Warn("moving the rest of the write-ahead log", "err", err)
		}
		if sqliteUnsynced(err) {
			w.onSyncFailure()
		}
		return
	}
	w.count(func(s *Stats) { s.Checkpoints++ })
}

// gather runs the closures of j and of those who wait behind it in one transaction.
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

// next returns the next job that waits, nil when there will be none, and false when none
// waits now. Before it says so it lets others run once: requests that have come and are
// being read join the batch, so that under load fewer commits do, and nobody waits for
// nothing.
func (w *sqliteWriter) next() (*job, bool) {
	for yielded := false; ; yielded = true {
		select {
		case j := <-w.jobs:
			return j, true
		default:
			if yielded {
				return nil, false
			}
			runtime.Gosched()
		}
	}
}

// admit runs the closure of j and makes it a member of the batch. One that fails
// becomes a member too, unless it is the first: it may have seen what earlier
// members wrote, so its error is true only once that is durable.
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

// attempt runs the closure of j in the transaction, which it begins if need be, and
// takes back what a failing one wrote.
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

// begin begins the transaction, and in it a savepoint. The first member of a batch
// needs none: what it wrote is all there is to take back.
func (w *sqliteWriter) begin(savepoint bool) error {
	if !w.inTx {
		if err := w.connect(); err != nil {
			return err
		}
		if err := w.applyLogLimit(); err != nil {
			return err
		}
		// A crash between here and COMMIT: the transaction was never there.
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

// lend gives the connection to the caller of j and waits until it is back.
func (w *sqliteWriter) lendConn(j *job) outcome {
	w.slowTimer.Reset(w.slowRun)
	j.replies <- reply{tx: &Tx{conn: w.session.sql, ctx: context.Background()}}
	var o outcome
	select {
	case o = <-w.returned:
	case <-w.slowTimer.C:
		w.log.Warn("a use case holds up all others", "for", w.slowRun, "waiting", len(w.jobs))
		close(*w.blocked.Load())
		o = <-w.returned
		w.blocked.Store(new(make(chan struct{})))
	}
	o.err = cmp.Or(o.err, w.session.closeLeakedRows())
	return o
}

// conclude keeps or takes back what the last closure wrote.
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

// breakOff gives up a transaction in which nothing can be relied on any more.
func (w *sqliteWriter) abandonTx(o outcome, err error) outcome {
	w.discard()
	w.freeSpace(err)
	return outcome{err: notStored(err), exited: o.exited, broken: true} // there was no COMMIT
}

// store commits the batch and tells its members.
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

// rerun runs the members of a batch that was not stored, because of err, once more,
// each alone. None of them has been told anything yet.
func (w *sqliteWriter) rerunMembers(err error) {
	if len(w.members) == 0 {
		return
	}
	if !sqliteFull(err) { // of which room speaks
		w.log.Warn("use cases run again, as their commit failed", "how many", len(w.members), "err", err)
	}
	members := w.members
	w.members = nil
	w.count(func(s *Stats) { s.Reruns += int64(len(members)) }) // before any of them is told
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

// commit makes the transaction durable. When it fails, stored says whether its
// effect is, or may be, in the database all the same.
func (w *sqliteWriter) commit() (stored bool, err error) {
	before, err := w.dataVersion()
	if err != nil {
		w.discard()
		return false, err
	}
	start := time.Now()
	// A crash while COMMIT writes to the log: none of the batch is there. After its
	// last frame, before the fsync has returned: all of it or none. After that: all.
	// No caller has been told anything before.
	err = w.commitWithFault(w.faults.commit())
	took := time.Since(start)
	w.inTx = false
	w.count(func(s *Stats) { s.committed(max(1, len(w.members)), took) }) // one that runs again is no member
	w.checkpointer.wake()
	if err == nil {
		return true, nil
	}
	after, errVersion := w.dataVersion()
	stored = errVersion != nil || after != before
	if sqliteUnsynced(err) {
		// It is in the log, and perhaps on disk: run again it could be there twice.
		w.log.Error("the write-ahead log cannot be synced: nothing is stored until the service is started again", "err", err)
		stored = true
		w.onSyncFailure()
	}
	// What it left in the log is overwritten by the next transaction, or by nobody:
	// then it may come back at the next start, and its callers know that it may.
	w.discard()
	if !stored {
		w.freeSpace(err)
	}
	return stored, err
}

// makeRoom gives the room of the log back to a disk that is full, for what is tried next.
// Nothing of the commit that failed stays in it: its last frame could not be written.
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
		w.onSyncFailure()
	}
}

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
		unsynced.Store(w.checkpointer.path+"-wal", nil)
		return errors.Join(&sqliteCodeError{sqlite3.SQLITE_IOERR_FSYNC, errInjected.Error()}, c.do("COMMIT"))
	}
	return c.do("COMMIT")
}

// version returns a number that every commit of the session changes, as seen by
// another connection.
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

// connect opens the writer's connections when there are none.
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

// discard closes the connection, which ends the transaction. The next one opens a fresh
// one. The probe stays: it keeps the memory in which SQLite says how far the log goes. When
// the last connection is closed the log is read again by the next one, and a commit in it
// that has failed after its last frame would be taken for one that has not, and be there
// beside the run that makes up for it.
func (w *sqliteWriter) discard() {
	w.inTx = false
	if w.session == nil {
		return
	}
	if err := w.session.close(); err != nil {
		w.log.Error("closing the writer's connection", "err", err)
	}
	w.session, w.appliedLimit = nil, 0
}

func (w *sqliteWriter) dropProbe() {
	if w.probe == nil {
		return
	}
	if err := w.probe.Close(); err != nil {
		w.log.Error("closing the writer's second connection", "err", err)
	}
	w.probe = nil
}

// finish tells the caller of j how its Update ended.
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

// close ends the writer. No update is under way.
func (w *sqliteWriter) close() error {
	w.checkpointer.stopLoop()
	close(w.jobs)
	<-w.stopped
	return errors.Join(w.pool.Close(), w.checkpointer.close())
}
