package sqlite

import (
	"cmp"
	"os"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
)

const (
	// defaultBatch is the default of Config.Batch.
	defaultBatch = 64

	// batchTime closes a batch, so that its first member does not wait for many slow ones.
	batchTime = 5 * time.Millisecond

	checkpointEvery = 100 * time.Millisecond // interval between two checks of the log
	checkpointPages = 4000                   // log length that triggers a move: a page written often is moved once
)

// config is store.Config with constants that tests replace.
type config struct {
	store.Config
	batchTime, slowRun, checkpointEvery time.Duration
	checkpointPages                     int64
	maxPages                            int64                // bound of the file in pages; 0 for none but the disk
	syncFile                            func(*os.File) error // syncs the file in place of fdatasync
	space                               *engine.Space
}

func (c *config) setDefaults() {
	c.Batch = cmp.Or(c.Batch, defaultBatch)
	c.batchTime = cmp.Or(c.batchTime, batchTime)
	c.slowRun = cmp.Or(c.slowRun, engine.SlowRun)
	c.checkpointEvery = cmp.Or(c.checkpointEvery, checkpointEvery)
	c.checkpointPages = cmp.Or(c.checkpointPages, checkpointPages)
	if c.syncFile == nil {
		c.syncFile = fdatasync
	}
	c.space = engine.NewSpace(c.Logger, true)
}
