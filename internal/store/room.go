package store

import (
	"log/slog"
	"sync"
	"time"
)

const (
	// sayFullEvery is how often the log says that the disk is full.
	sayFullEvery = time.Minute
	// probeRoomEvery is how often SQLite looks whether there is room again.
	probeRoomEvery = time.Second
	// fullFor is how long a server's disk counts as full after the last Update that found it
	// so: nothing else of what happens there can be seen from here.
	fullFor = 30 * time.Second
)

// room is what is known of the room on the disk of a database.
type room struct {
	log    *slog.Logger
	probed bool // whether there is room again is found out by writing, not by waiting

	mu    sync.Mutex // guards what follows
	gone  bool
	last  time.Time // when an Update found no room
	said  time.Time // when the log last said so
	probe time.Time // when room was last looked for
}

// isGone notes that there was no room, and says so in the log now and then.
func (r *room) isGone(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone, r.last = true, time.Now()
	if r.last.Sub(r.said) < sayFullEvery {
		return
	}
	r.log.Error("the disk of the database is full: what is to be written is refused, and nothing of it stored, until there is room",
		"err", err)
	r.said = r.last
}

func (r *room) full() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone && !r.probed && time.Since(r.last) > fullFor {
		r.gone = false
		r.log.Info("no update has found the disk of the database full for a while", "for", fullFor)
	}
	return r.gone
}

// due reports whether it is time to look for room again.
func (r *room) due() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.gone || time.Since(r.probe) < probeRoomEvery {
		return false
	}
	r.probe = time.Now()
	return true
}

// isBack notes that there is room again.
func (r *room) isBack() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		r.gone, r.said = false, time.Time{}
		r.log.Info("there is room on the disk of the database again")
	}
}
