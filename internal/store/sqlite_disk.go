package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
)

const (
	// spareBytes is the free space from which the disk no longer counts as full, where free
	// space is known.
	spareBytes = 1 << 20
	// minWALPages is the least log length that triggers a move, on any disk.
	minWALPages = 64
	// logShare is the divisor of the space that the log may take: a fourth of it.
	logShare = 4

	pageBytes = 4096

	// ballastBytes is the size of a file beside the database that is deleted when the disk is
	// full; ballastShare is the divisor of the free space that bounds it.
	ballastBytes = 1 << 20
	ballastShare = 16
)

// walThreshold returns the log length in pages that triggers a move. It is lower on a disk with
// little free space: otherwise the log would take the space that the file needs to grow, and
// pages could no longer be moved. There it is a power of two.
func (c *sqliteCheckpointer) walThreshold() int64 {
	free, known := freeBytes(c.path)
	if !known {
		return c.pages
	}
	if info, err := os.Stat(c.path + "-wal"); err == nil {
		free += info.Size()
	}
	share := max(minWALPages, free/logShare/pageBytes)
	if share >= c.pages {
		return c.pages
	}
	return 1 << (bits.Len64(uint64(share)) - 1)
}

// applyLogLimit sets the size that the log's file keeps after a restart.
func (w *sqliteWriter) applyLogLimit() error {
	threshold := w.checkpointer.threshold.Load()
	if threshold == w.appliedLimit {
		return nil
	}
	keep := logBytes
	if threshold < w.checkpointer.pages {
		keep = 2 * threshold * pageBytes
	}
	err := w.session.conn.do(fmt.Sprintf("PRAGMA journal_size_limit=%d", keep))
	if err != nil {
		return err
	}
	w.appliedLimit = threshold
	return nil
}

// scarceAndLong reports whether the disk has little space and the log is long nevertheless, as
// much can be written between two checks of the checkpointer.
func (w *sqliteWriter) scarceAndLong() bool {
	threshold := w.checkpointer.threshold.Load()
	if threshold >= w.checkpointer.pages || w.session == nil {
		return false
	}
	pages, moved, err := w.session.conn.checkpoint("NOOP")
	return err == nil && pages >= 2*threshold && moved < pages
}

// ballast returns the path of a file that only occupies space: see truncateLog.
func (c *sqliteCheckpointer) ballast() string { return c.path + "-ballast" }

// reserveBallast creates the ballast if it is missing and there is space. The service works
// without it, except that truncateLog may fail on a full disk.
func (c *sqliteCheckpointer) reserveBallast() {
	info, err := os.Stat(c.ballast())
	free, known := freeBytes(c.path)
	if err == nil && info.Size() > 0 || !known {
		return
	}
	if err := reserveBytes(c.ballast(), min(ballastBytes, max(free/ballastShare, pageBytes))); err != nil {
		c.removeBallast()
	}
}

// removeBallast deletes the ballast, which frees its space.
func (c *sqliteCheckpointer) removeBallast() {
	if err := os.Remove(c.ballast()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.log.Warn("removing the space reserve for a full disk", "error", err)
	}
}

// truncateLog moves the whole log into the file and truncates it, which frees space on a full
// disk. The file may have to grow although the log has taken all space; the deleted ballast
// makes room for that. It fails, and is retried later, while readers need the log.
func (c *sqliteCheckpointer) truncateLog() (err error) {
	c.removeBallast()
	conn, err := c.connector.connect(context.Background())
	if err != nil {
		return err
	}
	defer func() { err = joinErrors(err, conn.Close()) }()
	c.verdict.Lock()
	defer c.verdict.Unlock()
	if err := conn.do("PRAGMA busy_timeout=50"); err != nil { // milliseconds, for which writers wait
		return err
	}
	_, _, err = conn.checkpoint("TRUNCATE")
	return err
}

// probeSpace checks, by writing, whether a full disk has space again.
func (c *sqliteCheckpointer) probeSpace() {
	if !c.space.probeDue() {
		return
	}
	if err := c.truncateLog(); sqliteUnsynced(err) {
		c.onSyncFailure(err)
		return
	}
	if free, known := freeBytes(c.path); known && free < spareBytes {
		return
	}
	// Allocates new pages in the file, which keeps them for later writes.
	err := c.update(func(tx *Tx) error {
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
	c.reserveBallast()
	c.space.markFree()
}
