package store

import (
	"errors"
	"syscall"

	sqlite3 "modernc.org/sqlite/lib"
)

// walFile is an open log. One goroutine at a time uses it, as it does the connection.
type walFile struct {
	path     string
	database *dbFile
	fd       int
	named    bool   // its directory entry is durable
	pending  []byte // buffered data
	at       int64  // file offset of pending, in bytes

	fdatasync func(fd int) error // the system call, except in tests
}

// walPending bounds the buffer: 127 pages.
const walPending = 512 << 10

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

// sync waits until written data is on disk, with the file size if it has grown but without
// timestamps. The first sync is SQLite's own. After a failed sync the buffer is dropped without
// being written: SQLite rolls back, and without the end of a commit a later start does not
// recover it.
func (f *walFile) sync(first func() int32) int32 {
	if syncFailed(f.path) {
		f.pending = f.pending[:0]
		return sqlite3.SQLITE_IOERR_FSYNC
	}
	if code := f.flush(); code != sqlite3.SQLITE_OK {
		return code
	}
	if f.named {
		first = f.datasync
	}
	code := syncCode(f.path, first)
	f.named = f.named || code == sqlite3.SQLITE_OK
	return code
}

// datasync calls fdatasync and returns a SQLite code.
func (f *walFile) datasync() int32 {
	for {
		switch err := f.fdatasync(f.fd); {
		case err == nil:
			return sqlite3.SQLITE_OK
		case !errors.Is(err, syscall.EINTR):
			return sqlite3.SQLITE_IOERR_FSYNC
		}
	}
}

// syncCode is syncOnce in terms of SQLite codes.
func syncCode(path string, sync func() int32) int32 {
	err := syncOnce(path, func() error {
		if code := sync(); code != sqlite3.SQLITE_OK {
			return &sqliteCodeError{code: int(code)}
		}
		return nil
	})
	if err != nil {
		return sqlite3.SQLITE_IOERR_FSYNC
	}
	return sqlite3.SQLITE_OK
}
