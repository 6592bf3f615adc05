package store

import (
	"io/fs"
	"time"
)

// WithMigrations replaces the embedded migrations.
func (c Config) WithMigrations(m fs.FS) Config {
	c.migrations = m
	return c
}

// WithSlowRun replaces slowRun.
func (c Config) WithSlowRun(d time.Duration) Config {
	c.slowRun = d
	return c
}

// WithIdleAfter replaces idleAfter.
func (c Config) WithIdleAfter(d time.Duration) Config {
	c.idleAfter = d
	return c
}

// WithBatchTime replaces batchTime.
func (c Config) WithBatchTime(d time.Duration) Config {
	c.batchTime = d
	return c
}

// WithCheckpoints replaces checkpointEvery and checkpointPages.
func (c Config) WithCheckpoints(every time.Duration, pages int64) Config {
	c.checkpointEvery, c.checkpointPages = every, pages
	return c
}

// WithMaxPages bounds the SQLite file, which simulates a full disk.
func (c Config) WithMaxPages(n int64) Config {
	c.maxPages = n
	return c
}

// TruncateLog truncates the write-ahead log of SQLite, as the check for space does.
func (d *DB) TruncateLog() error {
	return d.engine.(*sqliteEngine).writer.checkpointer.truncateLog()
}
