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
// Engine hides the differences: beginning, committing, retrying and error codes. Packages sqlite and
// postgres implement it, and open a DB of this package, which knows neither.
package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// DB is an open database. Its methods are safe for concurrent use.
type DB struct {
	engine Engine
	faults *Faults
	clock  *clock
	guard  func(ctx context.Context, tx *Tx) error                  // nil for none
	trace  func(ctx context.Context, call string) (end func(error)) // nil for none

	mu     sync.Mutex     // guards closed, and orders inside.Add before inside.Wait
	closed bool           // refuses new Views and Updates
	inside sync.WaitGroup // counts Views and Updates in progress
}

// Engine is the part of the contract that each database system implements.
type Engine interface {
	// View runs fn on a snapshot. When ctx ends, statements of fn fail.
	View(ctx context.Context, fn func(*Tx) error) error
	// ViewOnce is View for an fn that is expected to send one query.
	ViewOnce(ctx context.Context, fn func(*Tx) error) error
	// Views is View with 1 to n transactions on one snapshot.
	Views(ctx context.Context, n int, fn func([]*Tx) error) error
	// Update runs fn until its effect is durable, which is then the effect of its last run, or has
	// failed for good, on the caller's goroutine. When ctx ends before fn has begun, fn does not run.
	Update(ctx context.Context, level Isolation, fn func(*Tx) error) error
	Stats() Stats
	// Time returns the time of the server's clock.
	Time(ctx context.Context) (time.Time, error)
	// Exclusive reports whether no other process can change the database.
	Exclusive() bool
	// Broken is closed once this process can store nothing more.
	Broken() <-chan struct{}
	// Full reports whether the disk of the database counts as full.
	Full() bool
	Close() error
}

// New returns the database of an engine, opened as c says. Engines call it.
func New(c Config, e Engine) *DB {
	return &DB{engine: e, faults: c.Faults, clock: newClock(c), trace: c.Trace}
}

// View runs fn on a snapshot: all queries of fn see the database as of the first one,
// regardless of concurrent commits. Views run in parallel with one another and with Updates. fn
// cannot write. When ctx ends, queries of fn fail with its error. fn may be retried, and only
// its last run counts: it must reset the variables that it fills outside its body.
func (d *DB) View(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) error {
	return d.view(ctx, d.engine.View, fn)
}

// Read returns what get returns in a View.
func Read[T any](ctx context.Context, d *DB, get func(ctx context.Context, tx *Tx) (T, error)) (value T, err error) {
	err = d.View(ctx, func(ctx context.Context, tx *Tx) (err error) {
		value, err = get(ctx, tx)
		return err
	})
	return value, err
}

// ViewOnce is View for closures that send one query, or several that were all prefetched
// (Tx.Prefetch) before the first one. On PostgreSQL such a closure needs no transaction, which
// halves the cost of the View. A closure that sends a further query is retried as by View.
func (d *DB) ViewOnce(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) error {
	return d.view(ctx, d.engine.ViewOnce, fn)
}

// view runs fn by a call of the engine.
func (d *DB) view(ctx context.Context, call func(context.Context, func(*Tx) error) error,
	fn func(ctx context.Context, tx *Tx) error) (err error) {
	if err := d.enter(ctx, "View"); err != nil {
		return err
	}
	defer d.inside.Done()
	defer d.startTrace(ctx, "view", &err)()
	inner := &txContext{Context: ctx, db: d, call: "View"}
	return inner.end(d.runView(func(end func(error) error) error {
		return call(ctx, func(tx *Tx) error { return end(inner.run([]*Tx{tx}, fn)) })
	}))
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
	inner := &txContext{Context: ctx, db: d, call: "View"}
	return inner.end(d.runView(func(end func(error) error) error {
		return d.engine.Views(ctx, max(n, 1), func(txs []*Tx) error {
			return end(inner.run(txs, func(ctx context.Context, _ *Tx) error { return fn(ctx, txs) }))
		})
	}))
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
// not run and Update returns the error of ctx; once begun, fn runs to its end with a context
// that does not end. A panic of fn rolls back its writes and continues in the caller.
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

	// Alone is Serializable for a closure during which no other Update of any node runs: those that have
	// begun before end before its snapshot, and those that begin later have snapshots after its end. It is for
	// rare and short closures: all Updates wait for it, and it waits for the longest one. On SQLite, where one
	// Update runs at a time, all are alone.
	Alone
)

// UpdateAt is Update at an isolation level: at Snapshot, closures are not serializable.
func (d *DB) UpdateAt(ctx context.Context, level Isolation, fn func(ctx context.Context, tx *Tx) error) (err error) {
	if err := d.enter(ctx, "Update"); err != nil {
		return err
	}
	defer d.inside.Done()
	defer d.startTrace(ctx, "update", &err)()
	inner := &txContext{Context: context.WithoutCancel(ctx), db: d, call: "Update"}
	if guard := d.guard; guard != nil && ctx.Value(unguardedKey{}) == nil {
		guarded := fn
		fn = func(ctx context.Context, tx *Tx) error {
			if err := guard(ctx, tx); err != nil {
				return err
			}
			return guarded(ctx, tx)
		}
	}
	return inner.end(d.engine.Update(ctx, level, func(tx *Tx) error { return inner.run([]*Tx{tx}, fn) }))
}

// Guard makes every Update call guard first, in its transaction: the Update returns an error of guard. It
// is called once, before use.
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
	if err := d.engine.Close(); err != nil {
		return fmt.Errorf("store: close: %w", err)
	}
	return nil
}

// Stats returns counters of the database since it was opened.
func (d *DB) Stats() Stats { return d.engine.Stats() }

// Exclusive reports whether no other process can change the database while this one has it
// open: caches of its content then need to observe this process's changes only.
func (d *DB) Exclusive() bool { return d.engine.Exclusive() }

// Broken returns a channel that is closed once this process can store nothing more: SQLite
// could not sync a file, so the state on disk is unknown until another process opens the
// database. Updates then fail with ErrUnavailable.
func (d *DB) Broken() <-chan struct{} { return d.engine.Broken() }

// Full reports whether the disk of the database is full: Updates may fail with ErrFull, and
// load balancers should send no traffic here. It resets once there is space again.
func (d *DB) Full() bool { return d.engine.Full() }

// Now returns the time of the database as this node estimates it, in UTC. An Update uses [Tx.Now].
func (d *DB) Now() time.Time {
	now, _ := d.clock.now()
	return now.UTC()
}

// ClockOffset returns how far this node's clock is ahead of the database's or, while that is not believed, how
// far it is behind where it should be.
func (d *DB) ClockOffset() time.Duration { return d.clock.offset() }

// ClockDoubted reports whether the server's clock is not believed: nothing that has a time is stored.
func (d *DB) ClockDoubted() bool { return d.clock.isDoubted() }

// NotBefore makes the time of a single node at least t, the latest time that the database holds: its
// clock may have been set back while it was down.
func (d *DB) NotBefore(t time.Time) { d.clock.notBefore(t) }

// MeasureClock measures the server's clock, and logs jumps of it and of this node's. A node calls it
// every second. Errors: ErrTime while the server's clock is not believed.
func (d *DB) MeasureClock(ctx context.Context) error { return d.clock.measure(ctx, d.engine.Time) }

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

// closureFrame is the name of the function that is on the stack of every closure.
var closureFrame = runtime.FuncForPC(reflect.ValueOf((*txContext).run).Pointer()).Name()

// Nested reports whether a closure is running on this goroutine, and returns the text of the panic for a
// call in it whose context does not identify the closure, because it is not the context that the closure
// received. Engines check it only after a long wait, when a call may be waiting for itself.
func Nested(call string) (message string, nested bool) {
	pcs := make([]uintptr, 256)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for f, more := frames.Next(); more; f, more = frames.Next() {
		if f.Function == closureFrame {
			return fmt.Sprintf("store: %s called inside a closure: use the tx and the context that it was given", call), true
		}
	}
	return "", false
}

// insideKey is the context key of the call whose closure is running, for one database.
type insideKey struct{ db *DB }

// txContext is the context given to closures, which identifies their call.
type txContext struct {
	context.Context
	db     *DB
	call   string      // "View" or "Update"
	inside atomic.Bool // set while the closure runs, cleared before its AfterCommit callbacks
	txs    []*Tx       // of the last run
}

// run calls fn with c as its context and the database's faults in txs, of which it gets the first.
func (c *txContext) run(txs []*Tx, fn func(context.Context, *Tx) error) error {
	c.inside.Store(true)
	defer c.inside.Store(false)
	c.txs = txs
	for _, tx := range txs {
		tx.faults, tx.clock = c.db.faults, c.db.clock
	}
	if txs[0].lent.Remeasure {
		if err := c.db.MeasureClock(c); errors.Is(err, ErrTime) {
			return err
		} // if it fails, the estimate stays, and is checked again
	}
	return fn(c, txs[0])
}

// end runs the AfterCommit callbacks of the last run unless there is an error, which it returns.
func (c *txContext) end(err error) error {
	if err != nil {
		return err
	}
	for _, tx := range c.txs {
		for _, fn := range tx.after {
			fn()
		}
	}
	return nil
}

// Value identifies the running closure to enter, and otherwise returns the caller's value.
func (c *txContext) Value(key any) any {
	if k, ok := key.(insideKey); ok && k.db == c.db && c.inside.Load() {
		return c.call
	}
	return c.Context.Value(key)
}
