package sqlite

import (
	"errors"
	"io/fs"
	"log/slog"
	"math/bits"
	"os"
	"path/filepath"
)

const (
	// spareBytes is the free space from which the disk no longer counts as full, where free
	// space is known.
	spareBytes = 1 << 20
	// minWALPages is the least log length that triggers a move, on any disk.
	minWALPages = 64
	// logShare is the divisor of the space that the log may take: a fourth of it.
	logShare = 4

	// ballastBytes is the size of a file beside the database that is deleted when the disk is
	// full; ballastShare is the divisor of the free space that bounds it.
	ballastBytes = 1 << 20
	ballastShare = 16
)

// walThreshold returns the log length that triggers a move: pages, or fewer on a disk with
// little free space: otherwise the log would take the space that the file needs to grow, and
// pages could no longer be moved. There it is a power of two.
func walThreshold(path string, pages int64) int64 {
	free, known := freeBytes(path)
	if !known {
		return pages
	}
	if info, err := os.Stat(path + "-wal"); err == nil {
		free += info.Size()
	}
	share := max(minWALPages, free/logShare/pageSize)
	if share >= pages {
		return pages
	}
	return 1 << (bits.Len64(uint64(share)) - 1)
}

// ballast is a file beside the database that only occupies space: see checkpointer.truncateLog.
type ballast struct {
	path string // of the file
	log  *slog.Logger
}

// reserve creates the file if it is missing and there is space. The service works without it,
// except that truncateLog may fail on a full disk.
func (b ballast) reserve() {
	info, err := os.Stat(b.path)
	free, known := freeBytes(filepath.Dir(b.path))
	if err == nil && info.Size() > 0 || !known {
		return
	}
	if err := reserveBytes(b.path, min(ballastBytes, max(free/ballastShare, pageSize))); err != nil {
		b.remove()
	}
}

// remove deletes the file, which frees its space.
func (b ballast) remove() {
	if err := os.Remove(b.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.log.Warn("removing the space reserve for a full disk", "error", err)
	}
}
