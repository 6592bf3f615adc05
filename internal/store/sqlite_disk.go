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
	// spareBytes is how much must be free on the disk for it to count as not full, where
	// that is known.
	spareBytes = 1 << 20
	// minWALPages is the least that is worth moving out of the log, however small the disk is.
	minWALPages = 64
	// logShare is which part of the room the log may take: a fourth.
	logShare = 4

	pageBytes = 4096

	// ballastBytes is how much a file beside the database takes, to be given back when the
	// disk is full; ballastShare is the most it takes of what is free.
	ballastBytes = 1 << 20
	ballastShare = 16
)

// walThreshold returns how many pages the log may have before they are moved: fewer where the disk
// has little room, as the log would take what the file needs to grow, and then nothing could
// be moved any more. It is a power of two there.
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

// bound has SQLite keep the log as short as the disk needs: between two looks of the
// checkpointer much can be written.
func (w *sqliteWriter) applyLogLimit() error {
	threshold := w.checkpointer.threshold.Load()
	if threshold == w.appliedLimit {
		return nil
	}
	moveAt, keep := logPages, logBytes
	if threshold < w.checkpointer.pages {
		moveAt, keep = 2*threshold, 2*threshold*pageBytes // the checkpointer's turn comes first
	}
	c := w.session.conn
	err := errors.Join(c.do(fmt.Sprintf("PRAGMA wal_autocheckpoint=%d", moveAt)), c.do(fmt.Sprintf("PRAGMA journal_size_limit=%d", keep)))
	if err == nil {
		w.appliedLimit = threshold
	}
	return err
}

// ballast is the path of a file that only takes space: see shorten.
func (c *sqliteCheckpointer) ballast() string { return c.path + "-ballast" }

// reserveBallast makes the ballast when there is none and room for it. Without it the service
// does as well, but for shorten.
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

func (c *sqliteCheckpointer) removeBallast() {
	if err := os.Remove(c.ballast()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.log.Warn("removing what was kept for a full disk", "err", err)
	}
}

// shorten moves the log of a disk that is full into the file, and gives its room back to the
// disk. What is moved may need the file to grow, though the log has taken all there was: the
// ballast makes room for that. While readers need what stands in the log, that fails, and is
// tried again.
func (c *sqliteCheckpointer) truncateLog() error {
	c.removeBallast()
	conn, err := c.connector.connect(context.Background())
	if err != nil {
		return err
	}
	err = conn.do("PRAGMA busy_timeout=50") // those who write wait meanwhile
	if err == nil {
		_, _, err = conn.checkpoint("TRUNCATE")
	}
	return joinErrors(err, conn.Close())
}

// probeSpace finds out whether the disk that was full has room again, by writing.
func (c *sqliteCheckpointer) probeSpace() {
	if !c.space.probeDue() {
		return
	}
	if err := c.truncateLog(); err != nil && sqliteUnsynced(err) {
		c.onSyncFailure()
		return
	}
	if free, known := freeBytes(c.path); known && free < spareBytes {
		return
	}
	// Pages that are new to the file, which it keeps for what is written next.
	err := c.update(func(tx *Tx) error {
		for _, statement := range []string{"CREATE TABLE room (x BLOB) STRICT", "INSERT INTO room VALUES (zeroblob(65536))", "DROP TABLE room"} {
			if _, err := tx.ExecContext(context.Background(), statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		c.reserveBallast()
		c.space.markFree()
	}
}
