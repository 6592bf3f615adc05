package store

import (
	"log/slog"
	"sync"
	"time"
)

const (
	// logFullEvery is how often the log says that the disk is full.
	logFullEvery = time.Minute
	// probeSpaceEvery is how often SQLite looks whether there is room again.
	probeSpaceEvery = time.Second
	// fullTimeout is how long a server's disk counts as full after the last Update that found it
	// so: nothing else of what happens there can be seen from here.
	fullTimeout = 30 * time.Second
)

// room is what is known of the room on the disk of a database.
type diskSpace struct {
	log    *slog.Logger
	probed bool // whether there is room again is found out by writing, not by waiting

	mu     sync.Mutex // guards what follows
	isFull bool
	last   time.Time // when an Update found no room
	said   time.Time // when the log last said so
	probe  time.Time // when room was last looked for
}

// markFull notes that there was no room, and says so in the log now and then.
func (r *diskSpace) markFull(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isFull, r.last = true, time.Now()
	if r.last.Sub(r.said) < logFullEvery {
		return
	}
	r.log.Error("the disk of the database is full: what is to be written is refused, and nothing of it stored, until there is room",
		"err", err)
	r.said = r.last
}

func (r *diskSpace) full() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isFull && !r.probed && time.Since(r.last) > fullTimeout {
		r.isFull = false
		r.log.Info("no update has found the disk of the database full for a while", "for", fullTimeout)
	}
	return r.isFull
}

// due reports whether it is time to look for room again.
func (r *diskSpace) probeDue() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.isFull || time.Since(r.probe) < probeSpaceEvery {
		return false
	}
	r.probe = time.Now()
	return true
}

// markFree notes that there is room again.
func (r *diskSpace) markFree() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isFull {
		r.isFull, r.said = false, time.Time{}
		r.log.Info("there is room on the disk of the database again")
	}
}
