package postgres

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
)

// serverDB serves a PostgreSQL database, which other processes may use concurrently.
// Views and Updates have separate connections, so that neither waits for the other.
type serverDB struct {
	reads    *pool
	writes   *pool // nil when read-only
	faults   *store.Faults
	log      *slog.Logger
	space    *engine.Space
	faultsMu sync.Mutex // serializes calls of the functions of faults

	// conflictGate is held by an Update that has conflicted several times: such Updates run one
	// after the other, so that each makes progress.
	conflictGate chan struct{}
	viewTrips    atomic.Int64 // round trips of Views
	updateTrips  atomic.Int64 // round trips of Updates

	mu     sync.Mutex // guards counts
	counts store.Stats
}

// Stats returns the counters, with the round trips and the Updates waiting for a slot.
func (d *serverDB) Stats() store.Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.counts
	s.UpdateTrips = d.updateTrips.Load()
	s.RoundTrips = d.viewTrips.Load() + s.UpdateTrips
	if d.writes != nil {
		_, s.Queue = d.writes.slots.Count()
	}
	return s
}

// count changes the counters under their lock.
func (d *serverDB) count(change func(*store.Stats)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(&d.counts)
}

// Exclusive returns false: any number of nodes may serve one database.
func (d *serverDB) Exclusive() bool { return false }

// Broken returns nil: a failed write may succeed later, and the server guards its own disk.
func (d *serverDB) Broken() <-chan struct{} { return nil }

func (d *serverDB) Full() bool { return d.space.Full() }

// Close closes both pools. No View or Update is in progress.
func (d *serverDB) Close() error {
	var errs []error
	for _, p := range []*pool{d.reads, d.writes} {
		if p != nil {
			errs = append(errs, p.close())
		}
	}
	return errors.Join(errs...)
}

// nextFault returns the fault of the next commit.
func (d *serverDB) nextFault() store.Fault {
	d.faultsMu.Lock()
	defer d.faultsMu.Unlock()
	return d.faults.NextCommit()
}

// twice reports whether the closure that has just succeeded is to run once more.
func (d *serverDB) twice() bool {
	d.faultsMu.Lock()
	defer d.faultsMu.Unlock()
	return d.faults.RunsTwice()
}
