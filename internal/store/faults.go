package store

import (
	"context"
	"errors"
)

var errInjected = errors.New("injected fault")

// Fault is what goes wrong with one commit.
type Fault int

// The ways in which a commit goes, in pairs: the caller of a commit that failed
// cannot see which of the two it was.
const (
	NoFault   Fault = iota
	NotStored       // the commit fails, and nothing was stored
	Stored          // the commit fails, and all was stored

	// Unsynced is SQLite's alone: the log cannot be synced, in this commit and for good.
	Unsynced

	// Full is that the disk is full: nothing was stored, and the caller is told so.
	Full
)

// Faults makes an otherwise sound database misbehave, for tests. Its functions may be nil.
// Commit and Twice are called one at a time, ViewTwice and Statement by any number of
// goroutines.
type Faults struct {
	// Commit is asked before each commit how it shall go.
	Commit func() Fault
	// Twice is asked when an update's closure has succeeded whether to take its
	// effect back and run it once more.
	Twice func() bool
	// ViewTwice is asked before each View whether to run its closure once more when it has
	// succeeded, on another snapshot, as for tables that have changed meanwhile.
	ViewTwice func() bool
	// Statement is asked before each statement of a closure. When it returns an error, the
	// statement is not carried out and fails with that error. The transaction itself stays
	// sound on every engine, unlike after most errors of a server: only the closure can
	// keep what it did before from being committed. A statement of Later fails at once.
	Statement func(query string) error
}

func (f *Faults) commit() Fault {
	if f == nil || f.Commit == nil {
		return NoFault
	}
	return f.Commit()
}

func (f *Faults) twice() bool { return f != nil && f.Twice != nil && f.Twice() }

func (f *Faults) viewTwice() bool { return f != nil && f.ViewTwice != nil && f.ViewTwice() }

func (f *Faults) statement(query string) error {
	if f == nil || f.Statement == nil {
		return nil
	}
	return f.Statement(query)
}

// injectedKey is the key of the error with which a statement's context makes it fail.
type injectedKey struct{}

// injected returns the error that a statement is to fail with, for drivers.
func injected(ctx context.Context) error {
	err, _ := ctx.Value(injectedKey{}).(error)
	return err
}
