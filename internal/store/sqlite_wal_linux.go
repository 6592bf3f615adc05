package store

import (
	"errors"
	"syscall"

	sqlite3 "modernc.org/sqlite/lib"
)

// walFile is an open log. One goroutine at a time uses it, as it does the connection.
type walFile struct {
	database *dbFile
	fd       int
	pending  []byte // buffered data
	at       int64  // file offset of pending, in bytes
}

const (
	walPending = 512 << 10 // bound of the buffer: 127 pages
	walHeader  = 32        // size of the log's header, in bytes
)

// write buffers data that continues the last write, after flushing data that it does not
// continue. SQLite receives the error of a failed flush when it reads or syncs the log, before
// a commit counts.
func (f *walFile) write(b []byte, at int64) int32 {
	if at != f.at+int64(len(f.pending)) || len(f.pending)+len(b) > walPending {
		if code := f.flush(); code != sqlite3.SQLITE_OK {
			return code
		}
		f.at = at
	}
	f.pending = append(f.pending, b...)
	return sqlite3.SQLITE_OK
}

// flush writes the buffer. On failure it drops the buffer: SQLite rolls the transaction back,
// and the connection is not used again.
func (f *walFile) flush() int32 {
	b, at := f.pending, f.at
	f.pending = f.pending[:0]
	f.at += int64(len(b))
	for len(b) > 0 {
		n, err := syscall.Pwrite(f.fd, b, at)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.ENOSPC), err == nil && n == 0:
			return sqlite3.SQLITE_FULL
		case err != nil:
			return sqlite3.SQLITE_IOERR_WRITE
		default:
			b, at = b[n:], at+int64(n)
		}
	}
	return sqlite3.SQLITE_OK
}

// hasFrames reports whether the buffer holds pages. SQLite syncs the log in three places: at the end
// of a commit, whose last page was just written; after the header of a log that restarts, which must
// be on disk before the pages that overwrite it; and at the beginning of a checkpoint, which writes
// nothing before.
func (f *walFile) hasFrames() bool {
	header := f.at == 0 && len(f.pending) == walHeader
	return len(f.pending) > 0 && !header
}
