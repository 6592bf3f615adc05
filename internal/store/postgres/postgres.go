// Package postgres implements package store on a PostgreSQL database, which several processes may use at
// the same time.
package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
)

// Open connects to the database at c.URL and migrates its schema. Errors wrap ErrNewer (a newer program
// has migrated it) or ErrOther (its migrations had other texts).
func Open(ctx context.Context, c store.Config) (*store.DB, error) { return openWith(ctx, c, idleAfter) }

// openWith is Open with another idleAfter.
func openWith(ctx context.Context, c store.Config, idle time.Duration) (*store.DB, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	e, err := openEngine(ctx, c, idle)
	if err != nil {
		return nil, fmt.Errorf("store: open %s: %w", MaskURL(c.URL), classify(err))
	}
	d := store.New(c, e)
	// A node whose clock differs from the server's starts, reads, and stores once they agree.
	if err := d.MeasureClock(ctx); err != nil && !errors.Is(err, store.ErrTime) {
		return nil, engine.Join(err, e.Close())
	}
	return d, nil
}

// openEngine connects to the server, checks and migrates the database, and returns its engine.
func openEngine(ctx context.Context, c store.Config, idle time.Duration) (_ *serverDB, err error) {
	other, views, updates, err := connConfigs(c)
	if err != nil {
		return nil, err
	}
	trip := tripBound(c, other)
	other.OnNotice, views.OnNotice, updates.OnNotice = onWarning, onWarning, onWarning
	d := &serverDB{
		faults: c.Faults, log: c.Logger, space: engine.NewSpace(c.Logger, false), conflictGate: make(chan struct{}, 1),
	}
	defer func() {
		if err != nil {
			err = engine.Join(err, d.Close())
		}
	}()
	n := min(max(4, 2*runtime.GOMAXPROCS(0)), 16)
	d.reads = newPool(views, engine.NewSlots(cmp.Or(c.Readers, n), "View", engine.SlowRun), trip, &d.viewTrips, c.Logger)
	if !c.ReadOnly {
		// Each waits for the disk most of the time, and one sync serves all commits that wait.
		n = min(max(16, 8*runtime.GOMAXPROCS(0)), 32)
		slots := engine.NewSlots(cmp.Or(c.Writers, n), "Update", engine.SlowRun)
		d.writes = newPool(updates, slots, trip, &d.updateTrips, c.Logger)
		d.writes.generation, d.writes.idle = d.reads.generation, idle
	}
	if err := d.prepare(ctx, c, other); err != nil {
		return nil, err
	}
	return d, nil
}
