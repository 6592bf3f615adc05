package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
)

// By default SQLite checkpoints within the commit that exceeds a log size: it moves thousands
// of pages and syncs the file, while all writers wait some tens of milliseconds. The
// checkpointer does that work beside the writer instead. Alone it would never finish, since the
// writer keeps appending and the log restarts only when all of it has been moved. So the writer
// moves the short remainder between two of its transactions.
//
// A crash at any point loses nothing: until the log restarts, it still contains all moved
// pages.

// checkpointer moves pages from the write-ahead log into the file. The first fields are the writer's.
type checkpointer struct {
	config
	connector     *connector
	ballast       ballast
	requestFinish *atomic.Bool // asks the writer to move the remainder
	threshold     atomic.Int64 // log length in pages that triggers a move, for the free space of the disk
	update        func(ctx context.Context, fn func(*store.Tx) error) error
	failed        func() bool // reports whether a file could not be synced
	onSyncFailure func(error)
	// verdict is held from before a COMMIT until its outcome is known, and while the log is truncated:
	// that changes the number by which the writer finds the outcome.
	verdict sync.Mutex

	wakeups chan struct{} // holds one token if there was a commit since the last check
	stop    chan struct{}
	stopped chan struct{}

	// Owned by the loop; nil while closed:
	conn *conn
	// file is closed after all connections: closing any descriptor of a file releases all POSIX
	// locks of the process on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
	file *os.File
}

// start starts the loop.
func (c *checkpointer) start() {
	c.wakeups, c.stop, c.stopped = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	c.ballast = ballast{c.Path + "-ballast", c.Logger}
	c.ballast.reserve()
	c.threshold.Store(walThreshold(c.Path, c.checkpointPages))
	go c.loop()
}

// wake reports a commit to the loop.
func (c *checkpointer) wake() {
	select {
	case c.wakeups <- struct{}{}:
	default:
	}
}

// loop checks the log after commits, at most once per interval, until stopLoop.
func (c *checkpointer) loop() {
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
			if full(err) {
				c.space.MarkFull(err)
			} else {
				c.Logger.Warn("moving pages out of the write-ahead log", "error", err)
			}
			if unsynced(err) || errors.Is(err, errUnsynced) {
				c.onSyncFailure(err)
				return
			}
			c.disconnect()
		}
		c.probeSpace()
		if c.space.Full() {
			c.wake() // check again even without commits
		}
		timer.Reset(c.checkpointEvery)
		select {
		case <-c.stop:
			return
		case <-timer.C:
		}
	}
}

// checkpointOnce moves pages if the log is long, and asks the writer for the remainder once
// little is left. Pages that readers still need stay until a later check.
func (c *checkpointer) checkpointOnce() error {
	if err := c.connect(); err != nil {
		return err
	}
	threshold := walThreshold(c.Path, c.checkpointPages)
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
func (c *checkpointer) connect() (err error) {
	if c.conn != nil {
		return nil
	}
	if c.file == nil {
		if c.file, err = os.OpenFile(c.Path, os.O_RDWR, 0); err != nil {
			c.file = nil
			return err
		}
	}
	c.conn, err = c.connector.connect(context.Background())
	return err
}

// disconnect closes the connection; file stays open.
func (c *checkpointer) disconnect() {
	if c.conn == nil {
		return
	}
	if err := c.conn.Close(); err != nil {
		c.Logger.Warn("closing the connection that moves pages", "error", err)
	}
	c.conn = nil
}

// truncateLog moves the whole log into the file and truncates it, which frees space on a full
// disk. The file may have to grow although the log has taken all space; the deleted ballast
// makes room for that. It fails, and is retried later, while readers need the log.
func (c *checkpointer) truncateLog() (err error) {
	c.ballast.remove()
	conn, err := c.connector.connect(context.Background())
	if err != nil {
		return err
	}
	defer func() { err = engine.Join(err, conn.Close()) }()
	c.verdict.Lock()
	defer c.verdict.Unlock()
	if err := conn.do("PRAGMA busy_timeout=50"); err != nil { // milliseconds, for which writers wait
		return err
	}
	_, _, err = conn.checkpoint("TRUNCATE")
	return err
}

// probeSpace checks, by writing, whether a full disk has space again.
func (c *checkpointer) probeSpace() {
	if !c.space.ProbeDue() {
		return
	}
	if err := c.truncateLog(); unsynced(err) {
		c.onSyncFailure(err)
		return
	}
	if free, known := freeBytes(c.Path); known && free < spareBytes {
		return
	}
	// Allocates new pages in the file, which keeps them for later writes.
	err := c.update(context.Background(), func(tx *store.Tx) error {
		for _, statement := range []string{
			"CREATE TABLE room (x BLOB) STRICT", "INSERT INTO room VALUES (zeroblob(65536))", "DROP TABLE room",
		} {
			if _, err := tx.ExecContext(context.Background(), statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return // the next probe tries again
	}
	c.ballast.reserve()
	c.space.MarkFree()
}

// stopLoop ends the loop, closes its connection and removes the ballast.
func (c *checkpointer) stopLoop() {
	close(c.stop)
	<-c.stopped
	c.disconnect()
	c.ballast.remove()
}

// close closes the file. The process must have no other connection to it.
func (c *checkpointer) close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}
