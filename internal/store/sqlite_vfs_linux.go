package store

import (
	"errors"
	"sync"
	"syscall"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite writes each page of its log as two pieces, a header and the page: a commit of 32 throws
// takes some 140 writes, a seventh of the service's processor time. And it makes a commit visible
// only after it has synced the log (synchronous=FULL), or never syncs it (NORMAL). Writers therefore
// open their files through walVFS: it buffers appended log data and writes it in one piece when
// SQLite syncs the log, which every commit does before it becomes visible. It does not wait for the
// disk then: sqliteSyncer does, before any caller is answered.
//
// A crash before that means the same as without the buffer: all of the commit is stored or none,
// and no caller has an answer. Buffered data is lost with the process, as it would be lost with the
// machine.
//
// A transaction that exceeds the cache writes to the log before its commit, which is buffered
// as well; after a rollback SQLite never syncs it. The buffer is therefore written before the
// lock that excludes other writers is released: they write to the same place, and a later flush
// would overwrite their commits.

// walVFS returns the name of a VFS (https://www.sqlite.org/vfs.html) that is SQLite's own
// except for the log. It returns "", the name of SQLite's own VFS, when SQLite does not accept it:
// then every commit waits for its sync.
var walVFS = sync.OnceValue(func() string {
	const name = "roshambo"
	tls := libc.NewTLS()
	defer tls.Close()
	own := sqlite3.Xsqlite3_vfs_find(tls, 0)
	vfs := libc.Xmalloc(tls, types.Size_t(vfsSize))
	text, err := libc.CString(name)
	if own == 0 || vfs == 0 || err != nil {
		return ""
	}
	libc.Xmemcpy(tls, vfs, own, types.Size_t(vfsSize))
	libc.AtomicStorePUintptr(vfs+unsafe.Offsetof(sqlite3.Tsqlite3_vfs{}.FzName), text)
	libc.AtomicStorePUintptr(vfs+unsafe.Offsetof(sqlite3.Tsqlite3_vfs{}.FpNext), 0)
	libc.AtomicStorePUintptr(vfs+openAt, pointer(&struct{ f opener }{
		func(tls *libc.TLS, _, path, file uintptr, flags int32, outFlags uintptr) int32 {
			open := &struct{ uintptr }{libc.AtomicLoadPUintptr(unixVFS + openAt)}
			code := (*(*opener)(unsafe.Pointer(open)))(tls, unixVFS, path, file, flags, outFlags)
			switch {
			case code != sqlite3.SQLITE_OK:
			case flags&sqlite3.SQLITE_OPEN_MAIN_DB != 0:
				wrapDatabaseFile(tls, file)
			case flags&sqlite3.SQLITE_OPEN_WAL != 0:
				wrapLogFile(tls, path, file)
			}
			return code
		},
	}))
	unixVFS = own
	if sqlite3.Xsqlite3_vfs_register(tls, vfs, 0) != sqlite3.SQLITE_OK {
		return ""
	}
	return name
})

const (
	vfsSize     = unsafe.Sizeof(sqlite3.Tsqlite3_vfs{})
	methodsSize = unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{})
	openAt      = unsafe.Offsetof(sqlite3.Tsqlite3_vfs{}.FxOpen)
	methodsAt   = unsafe.Offsetof(sqlite3.Tsqlite3_file{}.FpMethods)
	fdAt        = unsafe.Offsetof(sqlite3.TunixFile{}.Fh)

	closeAt    = unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxClose)
	readAt     = unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxRead)
	writeAt    = unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxWrite)
	truncateAt = unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxTruncate)
	syncAt     = unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxSync)
	sizeAt     = unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxFileSize)
	lockAt     = unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxShmLock)
)

// writeLock is the shared memory lock that a writer holds (WAL_WRITE_LOCK).
const writeLock = 0

// unixVFS is SQLite's own VFS.
var unixVFS uintptr

// methods are the method tables of open files of one kind: the original and the wrapped copy.
// Both are created once, under walMu, and never freed.
type methods struct{ original, wrapped uintptr }

// fileMethods are those of database files, logMethods those of logs.
var fileMethods, logMethods methods

// dbFile is an open database file.
type dbFile struct {
	log *walFile // nil while it is closed
}

// The files open through walVFS, by the address of their sqlite3_file.
var (
	walMu    sync.Mutex // guards the maps below and the creation of methods
	dbFiles  = map[uintptr]*dbFile{}
	walFiles = map[uintptr]*walFile{}
)

// Types of SQLite's file functions. opener opens a file, given the VFS, a path, memory for the
// file, and flags; transfer reads or writes n bytes of memory at an offset.
type (
	opener    = func(tls *libc.TLS, vfs, path, file uintptr, flags int32, outFlags uintptr) int32
	transfer  = func(tls *libc.TLS, file, memory uintptr, n int32, at int64) int32
	closer    = func(tls *libc.TLS, file uintptr) int32
	truncater = func(tls *libc.TLS, file uintptr, size int64) int32
	syncer    = func(tls *libc.TLS, file uintptr, flags int32) int32
	sizer     = func(tls *libc.TLS, file, size uintptr) int32
	locker    = func(tls *libc.TLS, file uintptr, offset, n, flags int32) int32
)

// pointer returns the C function pointer of a Go function, the only field of a struct.
func pointer[F any](f *struct{ f F }) uintptr { return *(*uintptr)(unsafe.Pointer(f)) }

// original returns SQLite's own function of type F at an offset in the method table.
func original[F any](m *methods, at uintptr) F {
	return *(*F)(unsafe.Pointer(&struct{ uintptr }{libc.AtomicLoadPUintptr(m.original + at)}))
}

// install makes a file use the wrapped methods, with some functions replaced. It returns false
// when the file's methods differ from those of earlier files of its kind.
func (m *methods) install(tls *libc.TLS, file uintptr, replaced map[uintptr]uintptr) bool {
	has := libc.AtomicLoadPUintptr(file + methodsAt)
	if m.wrapped == 0 {
		ours := libc.Xmalloc(tls, types.Size_t(methodsSize))
		if ours == 0 {
			return false
		}
		libc.Xmemcpy(tls, ours, has, types.Size_t(methodsSize))
		for at, f := range replaced {
			libc.AtomicStorePUintptr(ours+at, f)
		}
		m.original, m.wrapped = has, ours
	}
	if has != m.original {
		return false
	}
	libc.AtomicStorePUintptr(file+methodsAt, m.wrapped)
	return true
}

// wrapDatabaseFile installs our methods in a database file.
func wrapDatabaseFile(tls *libc.TLS, file uintptr) {
	walMu.Lock()
	defer walMu.Unlock()
	if fileMethods.install(tls, file, map[uintptr]uintptr{
		closeAt: pointer(&struct{ f closer }{dbClose}),
		lockAt:  pointer(&struct{ f locker }{dbLock}),
	}) {
		dbFiles[file] = &dbFile{}
	}
}

// wrapLogFile installs the buffering methods in a log file if its database file is wrapped:
// otherwise the release of the write lock would go unnoticed.
func wrapLogFile(tls *libc.TLS, path, file uintptr) {
	database := sqlite3.Xsqlite3_database_file_object(tls, path)
	walMu.Lock()
	defer walMu.Unlock()
	d := dbFiles[database]
	if d == nil || !logMethods.install(tls, file, map[uintptr]uintptr{
		closeAt:    pointer(&struct{ f closer }{walClose}),
		readAt:     pointer(&struct{ f transfer }{walRead}),
		writeAt:    pointer(&struct{ f transfer }{walWrite}),
		truncateAt: pointer(&struct{ f truncater }{walTruncate}),
		syncAt:     pointer(&struct{ f syncer }{walSync}),
		sizeAt:     pointer(&struct{ f sizer }{walFileSize}),
	}) {
		return // the file keeps SQLite's methods
	}
	fd := int(libc.AtomicLoadPInt32(file + fdAt))
	f := &walFile{fd: fd, database: d}
	walFiles[file], d.log = f, f
}

// dbFileOf returns the database file at an address.
func dbFileOf(file uintptr) *dbFile {
	walMu.Lock()
	defer walMu.Unlock()
	return dbFiles[file]
}

// walFileOf returns the log file at an address.
func walFileOf(file uintptr) *walFile {
	walMu.Lock()
	defer walMu.Unlock()
	return walFiles[file]
}

// dbClose closes a database file.
func dbClose(tls *libc.TLS, file uintptr) int32 {
	walMu.Lock()
	delete(dbFiles, file)
	walMu.Unlock()
	return original[closer](&fileMethods, closeAt)(tls, file)
}

// dbLock acquires and releases shared memory locks. Before it releases the write lock it
// flushes the log. A flush that fails there loses nothing: committed data was written.
func dbLock(tls *libc.TLS, file uintptr, offset, n, flags int32) int32 {
	if f := dbFileOf(file); offset == writeLock && flags&sqlite3.SQLITE_SHM_UNLOCK != 0 && f.log != nil {
		_ = f.log.flush()
	}
	return original[locker](&fileMethods, lockAt)(tls, file, offset, n, flags)
}

// walWrite buffers n bytes of memory to be written at an offset.
func walWrite(_ *libc.TLS, file, memory uintptr, n int32, at int64) int32 {
	return walFileOf(file).write(libc.GoBytes(memory, int(n)), at)
}

// walRead flushes the buffer and reads the file. So do the functions below: they work on the
// file.
func walRead(tls *libc.TLS, file, memory uintptr, n int32, at int64) int32 {
	if code := walFileOf(file).flush(); code != sqlite3.SQLITE_OK {
		return code
	}
	return original[transfer](&logMethods, readAt)(tls, file, memory, n, at)
}

func walTruncate(tls *libc.TLS, file uintptr, size int64) int32 {
	if code := walFileOf(file).flush(); code != sqlite3.SQLITE_OK {
		return code
	}
	return original[truncater](&logMethods, truncateAt)(tls, file, size)
}

func walFileSize(tls *libc.TLS, file, size uintptr) int32 {
	if code := walFileOf(file).flush(); code != sqlite3.SQLITE_OK {
		return code
	}
	return original[sizer](&logMethods, sizeAt)(tls, file, size)
}

// walSync writes buffered data, and waits for the disk unless it is that of a commit.
func walSync(tls *libc.TLS, file uintptr, flags int32) int32 {
	f := walFileOf(file)
	commit := f.hasFrames()
	if code := f.flush(); code != sqlite3.SQLITE_OK || commit {
		return code
	}
	return original[syncer](&logMethods, syncAt)(tls, file, flags)
}

// walClose closes the log. Data still buffered belongs to no commit.
func walClose(tls *libc.TLS, file uintptr) int32 {
	walMu.Lock()
	walFiles[file].database.log = nil
	delete(walFiles, file)
	walMu.Unlock()
	return original[closer](&logMethods, closeAt)(tls, file)
}

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
