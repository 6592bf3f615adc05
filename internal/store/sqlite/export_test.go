package sqlite

import (
	"cmp"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"roshambo/internal/store"
)

// Config is store.Config with constants that tests replace.
type Config = config

// With returns c with the constants of the program.
func With(c store.Config) Config {
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	return config{Config: c}
}

// WithSlowRun replaces engine.SlowRun.
func (c config) WithSlowRun(d time.Duration) config {
	c.slowRun = d
	return c
}

// WithBatchTime replaces batchTime.
func (c config) WithBatchTime(d time.Duration) config {
	c.batchTime = d
	return c
}

// WithCheckpoints replaces checkpointEvery and checkpointPages.
func (c config) WithCheckpoints(every time.Duration, pages int64) config {
	c.checkpointEvery, c.checkpointPages = every, pages
	return c
}

// WithoutCheckpoints leaves all that is written in the log.
func (c config) WithoutCheckpoints() config { return c.WithCheckpoints(time.Hour, 1<<20) }

// WithMaxPages bounds the file, which simulates a full disk.
func (c config) WithMaxPages(n int64) config {
	c.maxPages = n
	return c
}

// Open opens the database, and closes it when t ends.
func (c config) Open(t testing.TB) *store.DB {
	t.Helper()
	d, _ := c.OpenFile(t)
	return d
}

// OpenFile is Open, and returns a function that truncates the log, as the check for space does.
func (c config) OpenFile(t testing.TB) (d *store.DB, truncateLog func() error) {
	t.Helper()
	c.Path = cmp.Or(c.Path, filepath.Join(t.TempDir(), "test.db"))
	e, err := openFile(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	d = store.New(c.Config, e)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, e.writer.checkpointer.truncateLog
}
