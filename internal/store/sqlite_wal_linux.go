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
	named    bool   // the folder is known to hold it
	pending  []byte // gathered, and to be written
	at       int64  // from where on, in bytes

	fdatasync func(fd int) error // the kernel's, but for tests
}

// walPending is how much is gathered at most: 127 pages.
const walPending = 512 << 10

// write gathers what goes on where the last write ended, after it has written what does
// not. SQLite hears of a write that failed when it has the log read or synced, before a
// commit counts.
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

// flush writes what is gathered. When that fails it is given up: SQLite takes back the
// transaction, and the connection is not used again.
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

// sync waits until what was written is on disk, with what is needed to read it: the size
// of the file, where it has grown, and not its times. The first sync is SQLite's own. Where
// none can succeed any more, what is gathered is not even written: SQLite takes it back, and
// without the end of a commit no later start takes it for one.
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

// syncCode is syncOnce in SQLite's terms.
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
