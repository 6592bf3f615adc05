package ledgertest

import (
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// Faults injects faults into commits. The zero value injects none.
type Faults struct{ storetest.Script }

// Play sets the faults of the following commits.
func (f *Faults) Play(m Mishap) { f.Script.Play(m.Twice, m.Commits...) }

// Mishap is a way in which the commit of a use case fails or succeeds, and the result its caller
// gets.
type Mishap struct {
	Name    string
	Twice   bool          // its closure runs twice
	Commits []store.Fault // of its first commits
	// Unavailable reports that the caller gets store.ErrUnavailable; otherwise the use case
	// succeeds.
	Unavailable bool
	// Stored reports that the effect is stored, once, whichever result the caller gets.
	Stored bool
}

// Mishaps lists all ways in which a commit can end. Faults come in pairs: after a failed commit
// the effect is stored or not.
var Mishaps = []Mishap{
	{Name: "none", Stored: true},
	{Name: "run twice", Twice: true, Stored: true},
	{Name: "failed and not stored, then stored", Commits: []store.Fault{store.NotStored}, Stored: true},
	{Name: "failed and not stored", Commits: []store.Fault{store.NotStored, store.NotStored}, Unavailable: true},
	{Name: "failed but stored", Commits: []store.Fault{store.Stored}, Unavailable: true, Stored: true},
	{
		Name: "not stored, then failed but stored", Twice: true,
		Commits: []store.Fault{store.NotStored, store.Stored}, Unavailable: true, Stored: true,
	},
}
