// Package store keeps the service's tables behind two calls: View, which reads one
// unchanging snapshot, and Update, which returns nil only when its effect is on
// disk.
//
//	err := d.Update(ctx, func(ctx context.Context, tx *db.Tx) error {
//		run, err := queries.New(tx).LockRun(ctx, id)
//		if err != nil {
//			return err
//		}
//		if err := run.Throw(move); err != nil {
//			return err // takes back what this closure wrote, and nothing else
//		}
//		tx.AfterCommit(func() { watchers.Wake(id) })
//		return queries.New(tx).SaveRun(ctx, run)
//	})
//
// # What Update promises
//
//   - Atomic: all of the closure's writes are stored, or none.
//   - Serializable: closures behave as if they ran one after the other, unless they were run by
//     [DB.UpdateAt] at a level that says otherwise.
//   - Durable: after nil, neither kill -9 nor a power cut loses the effect.
//   - Certain: an error other than [ErrUnavailable] means that nothing was
//     stored. After ErrUnavailable the effect may or may not be there, unless
//     [ErrNotStored] is wrapped beside it.
//
// The closure may run more than once, and then only its last run counts. So
// nothing outside the database happens in it: it reads, decides and writes, and
// leaves the rest to [Tx.AfterCommit]. It finishes even when its caller has
// gone; a caller that goes while still queued is not run at all.
//
// # Engines
//
// One SQL text serves every engine: $1 parameters, ON CONFLICT, RETURNING, times
// as integers. What differs lies behind the engine interface: opening, beginning,
// committing and retrying, error codes, migrations. The files sqlite*.go are the
// SQLite engine, postgres*.go that of PostgreSQL.
package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Config says which database to open, and how.
type Config struct {
	// URL of the PostgreSQL database, postgres://user:password@host:5432/database, or
	// with several hosts of which one is the primary at a time. When "", Path counts.
	URL string

	// Path of the SQLite file. Its folder is made (mode 0700) when missing, the
	// file likewise (0600); beside it lie Path-wal, Path-shm, Path-ballast and
	// Path.lock.
	Path string

	// ReadOnly opens an existing database for reading alone, also while a server
	// has it open: Update then fails with ErrReadOnly and no migration runs.
	ReadOnly bool

	// Batch is the largest number of use cases that share one commit; 64 when 0.
	Batch int

	// Readers is the largest number of Views at the same time; further ones
	// wait. When 0, twice the number of processors, from 4 to 16.
	Readers int

	// Writers is the largest number of Updates at the same time on PostgreSQL; further
	// ones wait. When 0, four times the number of processors, from 8 to 32.
	Writers int

	// Logger is told what no caller is told: migrations applied, commits that were
	// made up for, a use case that holds up all others. Nil discards.
	Logger *slog.Logger

	// Trace, when set, is called with the caller's context as a View or an Update begins,
	// and what it returns as it ends. Call is "view" or "update".
	Trace func(ctx context.Context, call string) (end func(error))

	// Faults makes commits and statements fail and closures run twice; nil outside tests.
	Faults *Faults

	// What only tests change: the engine's embedded migrations, and constants.
	migrations         fs.FS
	batchTime, slowRun time.Duration
	checkpointEvery    time.Duration
	checkpointPages    int64
	maxPages           int64 // of the SQLite file; 0 for no bound but the disk's
	space              *diskSpace
}

// DB is an open database. Its methods are safe for concurrent use.
type DB struct {
	engine engine
	faults *Faults
	trace  func(ctx context.Context, call string) (end func(error)) // nil for none
	space  *diskSpace

	mu     sync.Mutex     // guards closed, and inside.Add against inside.Wait
	closed bool           // no new View or Update
	inside sync.WaitGroup // Views and Updates under way
}

// engine is what differs between database systems.
type engine interface {
	// view runs fn on a snapshot, and then its callbacks. When ctx ends, so do fn's
	// statements.
	view(ctx context.Context, fn func(*Tx) error) error
	// viewOnce is view for an fn that is likely to ask once.
	viewOnce(ctx context.Context, fn func(*Tx) error) error
	// views is view with up to n transactions, at least one, on the same snapshot.
	views(ctx context.Context, n int, fn func([]*Tx) error) error
	// update runs fn until its effect is durable or never will be, and in the first
	// case the callbacks of its last run, all on the caller's goroutine. When ctx
	// ends before fn has begun, fn does not begin.
	update(ctx context.Context, level Isolation, fn func(*Tx) error) error
	stats() Stats
	// alone reports whether no other process can change the database meanwhile.
	exclusive() bool
	// broken is closed once nothing can be stored any more in this process.
	broken() <-chan struct{}
	close() error
}

// Open opens the database, making it when there is none, and brings its schema up
// to date. The errors of a database that cannot be served wrap ErrLocked (another
// process has it), ErrNewer (a newer program has migrated it) or ErrNotDatabase
// (the file is none, or is damaged).
func Open(ctx context.Context, c Config) (*DB, error) {
	if c.Path == "" && c.URL == "" {
		return nil, fmt.Errorf("store: open: no path")
	}
	c.Batch = cmp.Or(c.Batch, defaultBatch)
	c.batchTime = cmp.Or(c.batchTime, batchTime)
	c.slowRun = cmp.Or(c.slowRun, slowRun)
	c.checkpointEvery = cmp.Or(c.checkpointEvery, checkpointEvery)
	c.checkpointPages = cmp.Or(c.checkpointPages, checkpointPages)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.space = &diskSpace{log: c.Logger, probed: c.URL == ""}
	if c.URL != "" {
		e, err := openPostgres(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("store: open %s: %w", MaskURL(c.URL), err)
		}
		return &DB{engine: e, faults: c.Faults, trace: c.Trace, space: c.space}, nil
	}
	e, err := openSQLite(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("store: open %s: %w", c.Path, err)
	}
	return &DB{engine: e, faults: c.Faults, trace: c.Trace, space: c.space}, nil
}

// View runs fn on a snapshot: whatever others store meanwhile, all of fn's queries
// see the database as it was at the first of them. Views run in parallel to one
// another and to updates. fn cannot write. When ctx ends, fn's queries fail with
// its error. fn may run more than once, and then only its last run counts: what it gathers
// in variables from outside begins anew in each.
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

// ViewOnce is View for closures that ask once: one query, or several of which all others
// were announced (Tx.Ahead) before the first was asked. On PostgreSQL that needs no
// transaction around it, which is half of what such a View costs. A closure that asks again
// is run again, as by View.
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

// Views is View for who reads much: fn gets up to n transactions, at least one, that see
// the same snapshot and may be used at the same time, each by one goroutine. There are
// fewer than n when other Views leave no room for more.
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
				tx.faults = d.faults
			}
			return end(inner.run(txs[0], func(ctx context.Context, _ *Tx) error { return fn(ctx, txs) }))
		})
	})
}

// errRerun ends the first of two runs that Faults.Twice or Faults.ViewTwice asks for.
var errRerun = errors.New("store: a closure runs twice")

// runView calls read, which has a View's closure end as end says, and once more if that was
// asked for.
func (d *DB) runView(read func(end func(error) error) error) error {
	if d.faults.viewTwice() {
		if err := read(func(err error) error { return cmp.Or(err, errRerun) }); !errors.Is(err, errRerun) {
			return err
		}
	}
	return read(func(err error) error { return err })
}

// Update runs fn and stores what it wrote; see the package comment for what that
// promises. An error of fn is returned as it is, and takes back fn's writes. When
// ctx ends before fn has begun, fn is not run and the error is ctx's; once begun,
// fn runs to its end with a context that does not end. A panic of fn takes back
// its writes and goes on in the caller.
func (d *DB) Update(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) error {
	return d.UpdateAt(ctx, Serializable, fn)
}

// Isolation is what closures of Updates are kept from seeing of one another.
type Isolation int

const (
	// Serializable has it that closures behave as if they ran one after the other.
	Serializable Isolation = iota

	// Snapshot has it that a closure sees what was there when it began, and of two at the
	// same time that write the same row, or insert the same key, one runs again behind the
	// other. It is for use cases of which somebody has shown that this is enough: that whatever else
	// they decide by, nobody changes without writing a row that they write, too. They do
	// not meet with the conflicts that a server sees for safety's sake in neighbours on a
	// page of an index. SQLite knows no difference.
	Snapshot
)

// UpdateAt is Update, for Snapshot without the promise that closures are serial.
func (d *DB) UpdateAt(ctx context.Context, level Isolation, fn func(ctx context.Context, tx *Tx) error) (err error) {
	if err := d.enter(ctx, "Update"); err != nil {
		return err
	}
	defer d.inside.Done()
	defer d.startTrace(ctx, "update", &err)()
	inner := &txContext{Context: ctx, db: d, call: "Update"}
	err = d.engine.update(ctx, level, func(tx *Tx) error { return inner.run(tx, fn) })
	if errors.Is(err, ErrFull) {
		d.space.markFull(err)
	}
	return err
}

// startTrace tells Config.Trace of a call; what it returns tells it of the call's end.
func (d *DB) startTrace(ctx context.Context, call string, err *error) (end func()) {
	if d.trace == nil {
		return func() {}
	}
	told := d.trace(ctx, call)
	return func() { told(*err) }
}

// Close waits for the Views and Updates under way, refuses new ones with ErrClosed,
// and closes the database. Closing again does nothing.
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

// Stats returns what the database has done since it was opened.
func (d *DB) Stats() Stats { return d.engine.stats() }

// Alone reports whether no other process can change the database while this one has it
// open: what is remembered of it then needs to hear of this process's changes only.
func (d *DB) Exclusive() bool { return d.engine.exclusive() }

// Broken returns what is closed once nothing can be stored any more until another process
// opens the database: a file of SQLite's could not be synced, and this process cannot know
// what of it is on disk. Updates fail with ErrUnavailable from then on; Views go on.
func (d *DB) Broken() <-chan struct{} { return d.engine.broken() }

// Full reports whether the disk of the database is full: some Updates fail with ErrFull, and
// no traffic should be sent here. It turns false by itself when there is room again.
func (d *DB) Full() bool { return d.space.full() }

// enter admits a View or an Update. One inside a closure of the same database
// panics: it would wait for the very closure it is in (Update), or see other data
// than its transaction (View).
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

// errNested is the panic of a call inside a closure whose context did not tell, as it
// is not the one that the closure was given.
const errNested = "store: %s called inside a closure: use the tx and the context that it was given"

// closureFrame is the name of the function on the stack of every closure.
var closureFrame = runtime.FuncForPC(reflect.ValueOf((*txContext).run).Pointer()).Name()

// nested reports whether a closure is running on this goroutine. Calls ask only when
// they have waited for long: then they may be waiting for themselves.
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

// insideKey asks a context for the call of this database whose closure it is in.
type insideKey struct{ db *DB }

// txContext is the context given to closures. It knows the call it belongs to and,
// in an update, does not end.
type txContext struct {
	context.Context
	db     *DB
	call   string      // "View" or "Update"
	ends   bool        // with the caller's
	inside atomic.Bool // the closure is running; its AfterCommit is not in it
}

func (c *txContext) run(tx *Tx, fn func(context.Context, *Tx) error) error {
	c.inside.Store(true)
	defer c.inside.Store(false)
	tx.faults = c.db.faults
	return fn(c, tx)
}

func (c *txContext) Value(key any) any {
	if k, ok := key.(insideKey); ok && k.db == c.db && c.inside.Load() {
		return c.call
	}
	return c.Context.Value(key)
}

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
