package ledgertest

import (
	"sync"

	"roshambo/internal/store"
)

// Faults plays what goes wrong with commits. The zero value plays nothing.
type Faults struct {
	mu    sync.Mutex    // guards what follows
	next  []store.Fault // one per commit, and then none
	twice bool          // each closure runs twice
}

// Config returns what store.Config takes.
func (f *Faults) Config() *store.Faults {
	return &store.Faults{
		Commit: func() store.Fault {
			f.mu.Lock()
			defer f.mu.Unlock()
			if len(f.next) == 0 {
				return store.NoFault
			}
			fault := f.next[0]
			f.next = f.next[1:]
			return fault
		},
		Twice: func() bool {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.twice
		},
	}
}

// Play sets what happens to the commits from now on.
func (f *Faults) Play(m Mishap) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next, f.twice = m.Commits, m.Twice
}

// Mishap is something that happens to the commit of a use case, and what its caller
// is told.
type Mishap struct {
	Name    string
	Twice   bool          // its closure runs twice
	Commits []store.Fault // of its first commits
	// Unavailable says that the caller is told store.ErrUnavailable; otherwise the use
	// case succeeds.
	Unavailable bool
	// Stored says that its effect is there, once, whatever the caller was told.
	Stored bool
}

// Mishaps are all the ways in which a commit can go, faults in pairs: after one
// that failed, its effect is there or not.
var Mishaps = []Mishap{
	{Name: "none", Stored: true},
	{Name: "run twice", Twice: true, Stored: true},
	{Name: "failed and not stored, then stored", Commits: []store.Fault{store.NotStored}, Stored: true},
	{Name: "failed and not stored", Commits: []store.Fault{store.NotStored, store.NotStored}, Unavailable: true},
	{Name: "failed but stored", Commits: []store.Fault{store.Stored}, Unavailable: true, Stored: true},
	{Name: "not stored, then failed but stored", Twice: true, Commits: []store.Fault{store.NotStored, store.Stored}, Unavailable: true, Stored: true},
}
