package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// By default SQLite checkpoints within the commit that exceeds a log size: it moves thousands
// of pages and syncs the file, while all writers wait some tens of milliseconds. The
// checkpointer does that work beside the writer instead. Alone it would never finish, since the
// writer keeps appending and the log restarts only when all of it has been moved. So the writer
// moves the short remainder between two of its transactions.
//
// A crash at any point loses nothing: until the log restarts, it still contains all moved
// pages.
const (
	checkpointEvery = 100 * time.Millisecond // interval between two checks of the log
	checkpointPages = 4000                   // log length that triggers a move: a page written often is moved once
)

// sqliteCheckpointer moves pages from the write-ahead log into the file.
type sqliteCheckpointer struct {
	connector     *sqliteConnector
	path          string
	every         time.Duration
	pages         int64        // checkpointPages, except in tests
	requestFinish *atomic.Bool // asks the writer to move the remainder
	threshold     atomic.Int64 // log length in pages that triggers a move, for the free space of the disk
	space         *diskSpace
	update        func(fn func(*Tx) error) error // the writer's
	log           *slog.Logger
	syncFile      func(*os.File) error
	failed        func() bool // reports whether a file could not be synced
	onSyncFailure func(error)
	// verdict is held from before a COMMIT until its outcome is known, and while the log is truncated:
	// that changes the number by which the writer finds the outcome.
	verdict sync.Mutex

	wakeups chan struct{} // holds one token if there was a commit since the last check
	stop    chan struct{}
	stopped chan struct{}

	// Owned by the loop; nil while closed:
	conn *sqliteConn
	// file is closed after all connections: closing any descriptor of a file releases all POSIX
	// locks of the process on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
	file *os.File
}

// newSQLiteCheckpointer starts the checkpointer of w.
func newSQLiteCheckpointer(k *sqliteConnector, c Config, w *sqliteWriter) *sqliteCheckpointer {
	p := &sqliteCheckpointer{
		connector: k, path: c.Path, every: c.checkpointEvery, pages: c.checkpointPages,
		requestFinish: &w.finishRequested, log: c.Logger, space: c.space,
		syncFile: c.syncFile, failed: w.syncFailed.Load, onSyncFailure: w.failSync,
		update:  func(fn func(*Tx) error) error { return w.update(context.Background(), fn) },
		wakeups: make(chan struct{}, 1), stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	if p.syncFile == nil {
		p.syncFile = fdatasync
	}
	p.reserveBallast()
	p.threshold.Store(p.walThreshold())
	go p.loop()
	return p
}

// wake reports a commit to the loop.
func (c *sqliteCheckpointer) wake() {
	select {
	case c.wakeups <- struct{}{}:
	default:
	}
}

// loop checks the log after commits, at most once per interval, until stopLoop.
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
		if c.failed() {
			return // the log keeps all that it has
		}
		if err := c.checkpointOnce(); err != nil {
			// No data is lost, and SQLite itself moves pages once the log is very long.
			if sqliteFull(err) {
				c.space.markFull(err)
			} else {
				c.log.Warn("moving pages out of the write-ahead log", "error", err)
			}
			if sqliteUnsynced(err) || errors.Is(err, errUnsynced) {
				c.onSyncFailure(err)
				return
			}
			c.disconnect()
		}
		c.probeSpace()
		if c.space.full() {
			c.wake() // check again even without commits
		}
		timer.Reset(c.every)
		select {
		case <-c.stop:
			return
		case <-timer.C:
		}
	}
}

// checkpointOnce moves pages if the log is long, and asks the writer for the remainder once
// little is left. Pages that readers still need stay until a later check.
func (c *sqliteCheckpointer) checkpointOnce() error {
	if err := c.connect(); err != nil {
		return err
	}
	threshold := c.walThreshold()
	c.threshold.Store(threshold)
	pages, moved, err := c.conn.checkpoint("NOOP")
	if err != nil {
		return err
	}
	if pages-moved >= threshold {
		if pages, moved, err = c.conn.checkpoint("PASSIVE"); err != nil {
			return err
		}
		if err := c.syncFile(c.file); err != nil {
			return fmt.Errorf("%w: %w", errUnsynced, err)
		}
	}
	if pages >= threshold && (pages-moved < threshold/2 || pages >= logPages) {
		c.requestFinish.Store(true)
	}
	return nil
}

// connect opens the connection and the file if they are closed.
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

// disconnect closes the connection; file stays open.
func (c *sqliteCheckpointer) disconnect() {
	if c.conn == nil {
		return
	}
	if err := c.conn.Close(); err != nil {
		c.log.Warn("closing the connection that moves pages", "error", err)
	}
	c.conn = nil
}

// stopLoop ends the loop, closes its connection and removes the ballast.
func (c *sqliteCheckpointer) stopLoop() {
	close(c.stop)
	<-c.stopped
	c.disconnect()
	c.removeBallast()
}

// close closes the file. The process must have no other connection to it.
func (c *sqliteCheckpointer) close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}

// checkpoint runs a checkpoint in a mode: PASSIVE waits for no reader or writer, NOOP only
// reports. It returns the number of pages in the log and how many of them have been moved. See
// https://www.sqlite.org/pragma.html#pragma_wal_checkpoint.
func (c *sqliteConn) checkpoint(mode string) (pages, moved int64, err error) {
	s, err := c.ownStmt("PRAGMA wal_checkpoint(" + mode + ")")
	if err != nil {
		return 0, 0, err
	}
	rows, err := s.inner.(driver.StmtQueryContext).QueryContext(context.Background(), nil)
	if err != nil {
		return 0, 0, err
	}
	row := make([]driver.Value, 3) // whether it stopped early, pages, moved
	if err := errors.Join(rows.Next(row), rows.Close()); err != nil {
		return 0, 0, err
	}
	return row[1].(int64), row[2].(int64), nil
}
