package store

import "context"

// Fault is the kind of failure of one commit.
type Fault int

// The outcomes of a commit, in pairs: the caller of a failed commit cannot distinguish
// NotStored from Stored.
const (
	NoFault   Fault = iota
	NotStored       // the commit fails and stored nothing
	Stored          // the commit fails although it stored everything

	// Unsynced applies to SQLite alone: syncing the log fails in this commit and from then on.
	Unsynced

	// Full means that the disk is full: nothing was stored, and the caller receives ErrFull.
	Full
)

// Faults injects failures into a sound database, for tests. Its functions may be nil. Commit
// and Twice are called by one goroutine at a time, ViewTwice and Statement concurrently.
type Faults struct {
	// Commit returns the fault of the next commit.
	Commit func() Fault
	// Twice reports, after an Update's closure has succeeded, whether to roll it back and run
	// it once more.
	Twice func() bool
	// ViewTwice reports, before each View, whether to run its closure a second time after it
	// has succeeded, on a new snapshot, as after a schema change.
	ViewTwice func() bool
	// Statement is called before each statement of a closure. When it returns an error, the
	// statement fails with that error without being executed. Unlike after most server errors,
	// the transaction stays usable on every engine: only the closure can keep its earlier
	// writes from being committed. A deferred statement fails at once.
	Statement func(query string) error
}

// NextCommit returns the fault of the next commit; f may be nil. Engines call it.
func (f *Faults) NextCommit() Fault {
	if f == nil || f.Commit == nil {
		return NoFault
	}
	return f.Commit()
}

// RunsTwice reports whether the closure that has just succeeded is to run once more; f may be nil.
// Engines call it.
func (f *Faults) RunsTwice() bool { return f != nil && f.Twice != nil && f.Twice() }

func (f *Faults) viewTwice() bool { return f != nil && f.ViewTwice != nil && f.ViewTwice() }

// statement returns the injected error of a statement, or nil; f may be nil.
func (f *Faults) statement(query string) error {
	if f == nil || f.Statement == nil {
		return nil
	}
	return f.Statement(query)
}

// injectedKey is the context key of an error that a statement must fail with.
type injectedKey struct{}

// Injected returns the error that an engine must fail a statement with, or nil.
func Injected(ctx context.Context) error {
	err, _ := ctx.Value(injectedKey{}).(error)
	return err
}
