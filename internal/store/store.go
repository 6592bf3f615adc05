// Package store keeps the service's tables behind two calls: View, which reads one immutable
// snapshot, and Update, which returns nil only after its effect is durable.
//
//	err := d.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
//		run, err := queries.New(tx).LockRun(ctx, id)
//		if err != nil {
//			return err
//		}
//		if err := run.Throw(move); err != nil {
//			return err // rolls back the writes of this closure and no others
//		}
//		tx.AfterCommit(func() { watchers.Wake(id) })
//		return queries.New(tx).SaveRun(ctx, run)
//	})
//
// # What Update promises
//
//   - Atomic: all writes of the closure are stored, or none.
//   - Serial: closures behave as if they ran one after the other, unless [DB.UpdateAt] runs
//     them at a weaker isolation level.
//   - Durable: after nil, neither kill -9 nor a power cut loses the effect.
//   - Certain: an error other than [ErrUnavailable] means that nothing was stored. After
//     ErrUnavailable the outcome is unknown, unless the error also wraps [ErrNotStored].
//
// A closure may be retried, and only its last run counts. It therefore has no effects outside
// the database: it reads, decides and writes, and leaves the rest to [Tx.AfterCommit]. Once
// begun, a closure finishes even when its caller cancels; a caller that cancels while it is
// queued is removed from the queue.
//
// # Engines
//
// One SQL text serves every engine: $1 parameters, ON CONFLICT, RETURNING, times as integers.
// The engine interface hides the differences: opening, beginning, committing, retrying, error
// codes and migrations. The files sqlite*.go implement SQLite, the files postgres*.go
// PostgreSQL; the other files are the contract that both share.
package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Config names the database and sets the limits of its use.
type Config struct {
	// URL of the PostgreSQL database, postgres://user:password@host:5432/database, or with
	// several hosts, one of which is the primary at any time. When it is "", Path applies.
	URL string

	// Path of the SQLite file. Open creates its folder (mode 0700) and the file (0600) when
	// they are missing; Path-wal, Path-shm, Path-ballast and Path.lock lie beside it.
	Path string

	// ReadOnly opens an existing database for reading, even while a server has it open. Update
	// then fails with ErrReadOnly, and Open applies no migration.
	ReadOnly bool

	// Batch is the largest number of Updates that share one commit on SQLite; 64 when 0.
	Batch int

	// Readers is the largest number of concurrent Views; further ones wait. When 0, twice the
	// number of processors, between 4 and 16.
	Readers int

	// Writers is the largest number of concurrent Updates on PostgreSQL; further ones wait.
	// When 0, eight times the number of processors, between 16 and 32.
	Writers int

	// Logger receives what no error reports: migrations applied, commits retried, closures that
	// delay all others. Nil discards.
	Logger *slog.Logger

	// Trace, when set, is called with the caller's context when a View or an Update begins; the
	// function that it returns is called with the error when the call ends. Call is "view" or
	// "update".
	Trace func(ctx context.Context, call string) (end func(error))

	// Now replaces the database's clock where a program makes up the time: tests, and the history of
	// a demo. Nil otherwise.
	Now func() time.Time

	// Faults injects failing commits and statements and extra runs of closures; nil outside
	// tests.
	Faults *Faults

	// HostClock replaces this node's clock, and the time since some start that does not jump with it,
	// in tests; nil otherwise.
	HostClock func() (wall time.Time, elapsed time.Duration)

	// Set by tests alone: the engine's migrations, and constants.
	migrations         fs.FS
	batchTime, slowRun time.Duration
	idleAfter          time.Duration
	checkpointEvery    time.Duration
	checkpointPages    int64
	maxPages           int64 // bound of the SQLite file in pages; 0 for none but the disk
	space              *diskSpace
	clock              *clock
	syncFile           func(*os.File) error // syncs the file of SQLite in place of fdatasync
}

// DB is an open database. Its methods are safe for concurrent use.
type DB struct {
	engine engine
	faults *Faults
	clock  *clock
	guard  func(ctx context.Context, tx *Tx) error                  // nil for none
	trace  func(ctx context.Context, call string) (end func(error)) // nil for none
	space  *diskSpace

	mu     sync.Mutex     // guards closed, and orders inside.Add before inside.Wait
	closed bool           // refuses new Views and Updates
	inside sync.WaitGroup // counts Views and Updates in progress
}

// engine is the part of the contract that each database system implements.
type engine interface {
	// view runs fn on a snapshot, and its callbacks afterwards. When ctx ends, statements of fn
	// fail.
	view(ctx context.Context, fn func(*Tx) error) error
	// viewOnce is view for an fn that is expected to send one query.
	viewOnce(ctx context.Context, fn func(*Tx) error) error
	// views is view with 1 to n transactions on one snapshot.
	views(ctx context.Context, n int, fn func([]*Tx) error) error
	// update runs fn until its effect is durable or has failed for good, and in the first case
	// runs the callbacks of its last run, all on the caller's goroutine. When ctx ends before
	// fn has begun, fn does not run.
	update(ctx context.Context, level Isolation, fn func(*Tx) error) error
	stats() Stats
	// time returns the time of the server's clock.
	time(ctx context.Context) (time.Time, error)
	// exclusive reports whether no other process can change the database.
	exclusive() bool
	// broken is closed once this process can store nothing more.
	broken() <-chan struct{}
	close() error
}

// Open opens the database, creates it when it is missing, and migrates its schema. Errors wrap
// ErrLocked (another process serves it), ErrNewer (a newer program has migrated it), ErrOther (its
// migrations had other texts) or ErrNotDatabase (the file is damaged or of another kind).
func Open(ctx context.Context, c Config) (*DB, error) {
	if c.Path == "" && c.URL == "" {
		return nil, fmt.Errorf("store: open: no path")
	}
	c.slowRun = cmp.Or(c.slowRun, slowRun)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.space = &diskSpace{log: c.Logger, probed: c.URL == ""}
	c.clock = newClock(c)
	if c.URL != "" {
		e, err := openPostgres(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("store: open %s: %w", MaskURL(c.URL), err)
		}
		d := &DB{engine: e, faults: c.Faults, clock: c.clock, trace: c.Trace, space: c.space}
		if err := d.MeasureClock(ctx); err != nil {
			return nil, joinErrors(err, e.close())
		}
		return d, nil
	}
	e, err := openSQLite(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("store: open %s: %w", c.Path, err)
	}
	return &DB{engine: e, faults: c.Faults, clock: c.clock, trace: c.Trace, space: c.space}, nil
}

// View runs fn on a snapshot: all queries of fn see the database as of the first one,
// regardless of concurrent commits. Views run in parallel with one another and with Updates. fn
// cannot write. When ctx ends, queries of fn fail with its error. fn may be retried, and only
// its last run counts: it must reset the variables that it fills outside its body.
func (d *DB) View(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) (err error) {
	if err := d.enter(ctx, "View"); err != nil {
		return err
	}
	defer d.inside.Done()
	defer d.startTrace(ctx, "view", &err)()
	inner := &txContext{Context: ctx, db: d, call: "View", ends: true}
	return d.runView(func(end func(error) error) error {
		return d.engine.view(ctx, func(tx *Tx) error { return end(inner.run(tx, fn)) })
	})
}

// ViewOnce is View for closures that send one query, or several that were all prefetched
// (Tx.Prefetch) before the first one. On PostgreSQL such a closure needs no transaction, which
// halves the cost of the View. A closure that sends a further query is retried as by View.
func (d *DB) ViewOnce(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) (err error) {
	if err := d.enter(ctx, "View"); err != nil {
		return err
	}
	defer d.inside.Done()
	defer d.startTrace(ctx, "view", &err)()
	inner := &txContext{Context: ctx, db: d, call: "View", ends: true}
	return d.runView(func(end func(error) error) error {
		return d.engine.viewOnce(ctx, func(tx *Tx) error { return end(inner.run(tx, fn)) })
	})
}

// Views is View for large reads: fn receives 1 to n transactions that see the same snapshot and
// may be used concurrently, each by one goroutine. It receives fewer than n when other Views
// occupy the remaining connections.
func (d *DB) Views(ctx context.Context, n int, fn func(ctx context.Context, txs []*Tx) error) (err error) {
	if err := d.enter(ctx, "View"); err != nil {
		return err
	}
	defer d.inside.Done()
	defer d.startTrace(ctx, "view", &err)()
	inner := &txContext{Context: ctx, db: d, call: "View", ends: true}
	return d.runView(func(end func(error) error) error {
		return d.engine.views(ctx, max(n, 1), func(txs []*Tx) error {
			for _, tx := range txs {
				tx.faults, tx.clock = d.faults, d.clock
			}
			return end(inner.run(txs[0], func(ctx context.Context, _ *Tx) error { return fn(ctx, txs) }))
		})
	})
}

// errRerun ends the first of two runs that Faults.Twice or Faults.ViewTwice requests.
var errRerun = errors.New("store: a closure is rerun by a fault")

// runView calls read, which passes its closure's error through end, and calls it a second time
// when Faults.ViewTwice requests it.
func (d *DB) runView(read func(end func(error) error) error) error {
	if d.faults.viewTwice() {
		if err := read(func(err error) error { return cmp.Or(err, errRerun) }); !errors.Is(err, errRerun) {
			return err
		}
	}
	return read(func(err error) error { return err })
}

// Update runs fn and stores its writes; the package comment lists the guarantees. It returns an
// error of fn unchanged, and rolls back fn's writes. When ctx ends before fn has begun, fn does
// not run and the error is that of ctx; once begun, fn runs to its end with a context that does
// not end. A panic of fn rolls back its writes and continues in the caller.
func (d *DB) Update(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) error {
	return d.UpdateAt(ctx, Serializable, fn)
}

// Isolation is the isolation level of an Update's closure.
type Isolation int

const (
	// Serializable makes closures behave as if they ran one after the other.
	Serializable Isolation = iota

	// Snapshot gives a closure the state at its beginning, and of two concurrent closures that
	// write the same row, or insert the same key, retries one after the other. It is for use
	// cases proven correct at this level: every row that their decision depends on is also
	// written by them. They avoid the false conflicts that serializable transactions have with
	// neighbours on an index page. SQLite treats both levels alike.
	Snapshot
)

// UpdateAt is Update at an isolation level: at Snapshot, closures are not serializable.
func (d *DB) UpdateAt(ctx context.Context, level Isolation, fn func(ctx context.Context, tx *Tx) error) (err error) {
	if err := d.enter(ctx, "Update"); err != nil {
		return err
	}
	defer d.inside.Done()
	defer d.startTrace(ctx, "update", &err)()
	inner := &txContext{Context: ctx, db: d, call: "Update"}
	if guard := d.guard; guard != nil && ctx.Value(unguardedKey{}) == nil {
		guarded := fn
		fn = func(ctx context.Context, tx *Tx) error {
			if err := guard(ctx, tx); err != nil {
				return err
			}
			return guarded(ctx, tx)
		}
	}
	err = d.engine.update(ctx, level, func(tx *Tx) error { return inner.run(tx, fn) })
	if errors.Is(err, ErrFull) {
		d.space.markFull(err)
	}
	return err
}

// Guard makes every Update call guard first, in its transaction: an error of guard is that of the Update.
// It is called once, before use.
func (d *DB) Guard(guard func(ctx context.Context, tx *Tx) error) { d.guard = guard }

// unguardedKey is the context key of Unguarded.
type unguardedKey struct{}

// Unguarded returns a context whose Updates skip the guard.
func Unguarded(ctx context.Context) context.Context {
	return context.WithValue(ctx, unguardedKey{}, true)
}

// startTrace calls Config.Trace for a call and returns the function that reports its end.
func (d *DB) startTrace(ctx context.Context, call string, err *error) (end func()) {
	if d.trace == nil {
		return func() {}
	}
	report := d.trace(ctx, call)
	return func() { report(*err) }
}

// Close refuses new Views and Updates with ErrClosed, waits for those in progress and closes
// the database. A second call does nothing.
func (d *DB) Close() error {
	d.mu.Lock()
	again := d.closed
	d.closed = true
	d.mu.Unlock()
	d.inside.Wait()
	if again {
		return nil
	}
	if err := d.engine.close(); err != nil {
		return fmt.Errorf("store: close: %w", err)
	}
	return nil
}

// Stats returns counters of the database since it was opened.
func (d *DB) Stats() Stats { return d.engine.stats() }

// Exclusive reports whether no other process can change the database while this one has it
// open: caches of its content then need to observe this process's changes only.
func (d *DB) Exclusive() bool { return d.engine.exclusive() }

// Broken returns a channel that is closed once this process can store nothing more: SQLite
// could not sync a file, so the state on disk is unknown until another process opens the
// database. Updates then fail with ErrUnavailable.
func (d *DB) Broken() <-chan struct{} { return d.engine.broken() }

// Full reports whether the disk of the database is full: Updates may fail with ErrFull, and
// load balancers should send no traffic here. It resets once there is space again.
func (d *DB) Full() bool { return d.space.full() }

// enter admits a View or an Update. It panics on a call inside a closure of the same database:
// an Update there would wait for itself, and a View would see other data than its transaction.
func (d *DB) enter(ctx context.Context, call string) error {
	if in, ok := ctx.Value(insideKey{d}).(string); ok {
		panic(fmt.Sprintf("store: %s called inside the closure of %s: use the tx that it was given", call, in))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return ErrClosed
	}
	d.inside.Add(1)
	return nil
}

// errNested is the panic of a nested call whose context does not identify the closure, because
// it is not the context that the closure received.
const errNested = "store: %s called inside a closure: use the tx and the context that it was given"

// closureFrame is the name of the function that is on the stack of every closure.
var closureFrame = runtime.FuncForPC(reflect.ValueOf((*txContext).run).Pointer()).Name()

// insideClosure reports whether a closure is running on this goroutine. Calls check it only
// after a long wait, when they may be waiting for themselves.
func insideClosure() bool {
	pcs := make([]uintptr, 256)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for f, more := frames.Next(); more; f, more = frames.Next() {
		if f.Function == closureFrame {
			return true
		}
	}
	return false
}

// insideKey is the context key of the call whose closure is running, for one database.
type insideKey struct{ db *DB }

// txContext is the context given to closures. It identifies their call and, in an Update, does
// not end.
type txContext struct {
	context.Context
	db     *DB
	call   string      // "View" or "Update"
	ends   bool        // ends with the caller's context
	inside atomic.Bool // set while the closure runs, cleared before its AfterCommit callbacks
}

// run calls fn with c as its context and the database's faults in tx.
func (c *txContext) run(tx *Tx, fn func(context.Context, *Tx) error) error {
	c.inside.Store(true)
	defer c.inside.Store(false)
	tx.faults, tx.clock = c.db.faults, c.db.clock
	return fn(c, tx)
}

// Value identifies the running closure to enter, and otherwise returns the caller's value.
func (c *txContext) Value(key any) any {
	if k, ok := key.(insideKey); ok && k.db == c.db && c.inside.Load() {
		return c.call
	}
	return c.Context.Value(key)
}

// Deadline, Done and Err are those of the caller in a View, and of a context that never ends in
// an Update.
func (c *txContext) Deadline() (time.Time, bool) {
	if c.ends {
		return c.Context.Deadline()
	}
	return time.Time{}, false
}

func (c *txContext) Done() <-chan struct{} {
	if c.ends {
		return c.Context.Done()
	}
	return nil
}

func (c *txContext) Err() error {
	if c.ends {
		return c.Context.Err()
	}
	return nil
}
