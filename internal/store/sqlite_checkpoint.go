package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
)

// SQLite moves what stands in its write-ahead log into the database file within the
// commit that makes the log long: thousands of pages and an fsync of the file, for which
// all who write wait some tens of milliseconds. So that is done here, beside the writer.
// It alone would never end, as the writer goes on to append meanwhile: the log starts
// from its beginning only when all of it has been moved. So the writer moves the little
// that is left, between two of its transactions.
//
// A crash anywhere here loses nothing: until the log starts from its beginning, all that
// was moved still stands in it.
const (
	checkpointEvery = 100 * time.Millisecond // between two looks at the log
	checkpointPages = 4000                   // in the log that are worth moving: one written often is moved once
)

// sqliteCheckpointer moves pages from the log into the file.
type sqliteCheckpointer struct {
	connector     *sqliteConnector
	path          string
	every         time.Duration
	pages         int64        // checkpointPages, but for tests
	requestFinish *atomic.Bool // asks the writer to move the rest
	threshold     atomic.Int64 // pages in the log that are worth moving on this disk
	space         *diskSpace
	update        func(fn func(*Tx) error) error // the writer's
	log           *slog.Logger
	onSyncFailure func() // called when a file could not be synced

	wakeups chan struct{} // holds one token while there was a commit since the last look
	stop    chan struct{}
	stopped chan struct{}

	// Of the loop; nil when they are to be opened:
	conn *sqliteConn
	// file is closed after all connections: POSIX takes a process's locks on a file away
	// when any descriptor of it is closed (https://www.sqlite.org/howtocorrupt.html, 2.2).
	file *os.File
}

func newSQLiteCheckpointer(k *sqliteConnector, c Config, w *sqliteWriter) *sqliteCheckpointer {
	p := &sqliteCheckpointer{
		connector: k, path: c.Path, every: c.checkpointEvery, pages: c.checkpointPages, requestFinish: &w.finishRequested, log: c.Logger, onSyncFailure: w.onSyncFailure,
		space: c.space, update: func(fn func(*Tx) error) error { return w.update(context.Background(), fn) },
		wakeups: make(chan struct{}, 1), stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	p.reserveBallast()
	p.threshold.Store(p.walThreshold())
	go p.loop()
	return p
}

// wake says that there was a commit.
func (c *sqliteCheckpointer) wake() {
	select {
	case c.wakeups <- struct{}{}:
	default:
	}
}

func (c *sqliteCheckpointer) loop() {
	defer close(c.stopped)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-c.wakeups:
		}
		if err := c.checkpointOnce(); err != nil {
			// Nothing is lost, and SQLite itself moves pages when the log is very long.
			if sqliteFull(err) {
				c.space.markFull(err)
			} else {
				c.log.Warn("moving pages out of the write-ahead log", "err", err)
			}
			c.disconnect()
			if syncFailed(c.path) {
				c.onSyncFailure() // the log would only grow
			}
		}
		c.probeSpace()
		if c.space.full() {
			c.wake() // also when nobody writes
		}
		timer.Reset(c.every)
		select {
		case <-c.stop:
			return
		case <-timer.C:
		}
	}
}

// look moves pages if there are many, and asks the writer for the rest if little is left
// of a long log. What readers still need stays until a later look.
func (c *sqliteCheckpointer) checkpointOnce() error {
	if err := c.connect(); err != nil {
		return err
	}
	threshold := c.walThreshold()
	c.threshold.Store(threshold)
	pages, moved, err := c.conn.checkpoint("NOOP")
	if err == nil && pages-moved >= threshold {
		if pages, moved, err = c.conn.checkpoint("PASSIVE"); err == nil {
			err = syncOnce(c.path, c.file.Sync)
		}
	}
	if err == nil && pages >= threshold && pages-moved < threshold/2 {
		c.requestFinish.Store(true)
	}
	return err
}

func (c *sqliteCheckpointer) connect() (err error) {
	if c.conn != nil {
		return nil
	}
	if c.file == nil {
		if c.file, err = os.OpenFile(c.path, os.O_RDWR, 0); err != nil {
			c.file = nil
			return err
		}
	}
	c.conn, err = c.connector.connect(context.Background())
	return err
}

func (c *sqliteCheckpointer) disconnect() {
	if c.conn == nil {
		return
	}
	if err := c.conn.Close(); err != nil {
		c.log.Warn("closing the connection that moves pages", "err", err)
	}
	c.conn = nil
}

// end ends the loop.
func (c *sqliteCheckpointer) stopLoop() {
	close(c.stop)
	<-c.stopped
	c.disconnect()
	c.removeBallast()
}

// close is called when the process has no connection to the file any more.
func (c *sqliteCheckpointer) close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}

// checkpoint runs a checkpoint of a mode, PASSIVE, which waits for nobody, or NOOP, which
// only looks. It returns how many pages stand in the log, and how many of them have been
// moved. See https://www.sqlite.org/pragma.html#pragma_wal_checkpoint.
func (c *sqliteConn) checkpoint(mode string) (pages, moved int64, err error) {
	s, err := c.ownStmt("PRAGMA wal_checkpoint(" + mode + ")")
	if err != nil {
		return 0, 0, err
	}
	rows, err := s.inner.(driver.StmtQueryContext).QueryContext(context.Background(), nil)
	if err != nil {
		return 0, 0, err
	}
	row := make([]driver.Value, 3) // whether it had to stop early, pages, moved
	if err := errors.Join(rows.Next(row), rows.Close()); err != nil {
		return 0, 0, err
	}
	return row[1].(int64), row[2].(int64), nil
}
