package engine

import (
	"log/slog"
	"sync"
	"time"
)

const (
	// logFullEvery is the least time between two log lines that report a full disk.
	logFullEvery = time.Minute
	// ProbeSpaceEvery is how often SQLite checks whether there is space again.
	ProbeSpaceEvery = time.Second
	// fullTimeout is how long a server's disk counts as full after the last Update that found
	// it so: this process has no other view of that disk.
	fullTimeout = 30 * time.Second
)

// Space tracks whether the disk of a database is full.
type Space struct {
	log    *slog.Logger
	probed bool // the engine finds free space by writing (MarkFree), rather than a timeout

	mu     sync.Mutex // guards the fields below
	isFull bool
	last   time.Time // time of the last Update that found the disk full
	logged time.Time // time of the last log line
	paired bool      // the log reports a full disk and not yet the space after it
	probe  time.Time // time of the last check for space
}

// NewSpace returns the state of a disk with space. With probed, the engine finds out when a full disk has
// space again, and calls MarkFree.
func NewSpace(log *slog.Logger, probed bool) *Space { return &Space{log: log, probed: probed} }

// MarkFull records that a write found no space, and logs that at most every logFullEvery.
func (r *Space) MarkFull(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isFull, r.last = true, time.Now()
	if r.last.Sub(r.logged) < logFullEvery {
		return
	}
	r.log.Error("the disk of the database is full: writes are refused and not stored until there is space",
		"error", err)
	r.logged, r.paired = r.last, true
}

// Full reports whether the disk counts as full.
func (r *Space) Full() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isFull && !r.probed && time.Since(r.last) > fullTimeout {
		r.isFull, r.paired = false, false
		r.log.Info("no update has found the database's disk full recently", "for", fullTimeout)
	}
	return r.isFull
}

// ProbeDue reports whether the next check for space is due, and records it.
func (r *Space) ProbeDue() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.isFull || time.Since(r.probe) < ProbeSpaceEvery {
		return false
	}
	r.probe = time.Now()
	return true
}

// MarkFree records that there is space again. A disk at its limit changes between the two states
// many times a second, so this is logged only after a line that reported a full disk.
func (r *Space) MarkFree() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isFull = false
	if r.paired {
		r.paired = false
		r.log.Info("the disk of the database has space again")
	}
}
