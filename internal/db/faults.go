package db

import "errors"

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

// Faults makes an otherwise sound database misbehave, for tests. Its functions may be nil,
// and but for ViewTwice are called one at a time.
type Faults struct {
	// Commit is asked before each commit how it shall go.
	Commit func() Fault
	// Twice is asked when an update's closure has succeeded whether to take its
	// effect back and run it once more.
	Twice func() bool
	// ViewTwice is asked before each View whether to run its closure once more when it has
	// succeeded, on another snapshot, as for tables that have changed meanwhile.
	ViewTwice func() bool
}

func (f *Faults) commit() Fault {
	if f == nil || f.Commit == nil {
		return NoFault
	}
	return f.Commit()
}

func (f *Faults) twice() bool { return f != nil && f.Twice != nil && f.Twice() }

func (f *Faults) viewTwice() bool { return f != nil && f.ViewTwice != nil && f.ViewTwice() }
