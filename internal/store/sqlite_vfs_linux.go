package store

import (
	"sync"
	"syscall"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite writes each page of its log in two pieces, a header and the page, and has the
// kernel sync the log with all that is known of the file, such as when it was changed,
// for which a file system writes to its journal. A commit of 32 throws is some 140
// writes. Writers therefore open their files by way of walVFS: what one appends to the log
// is gathered and written in one piece when SQLite has it synced, which it does in each
// commit before anybody may see it, and synced is what is needed to read it again.
//
// A crash before the sync has returned means what it meant before: none of the commit is
// there, or all of it, and nobody was told anything. What was gathered and not written is
// lost with the process, as it would be lost with the machine.
//
// What a transaction writes before its commit, as its pages do not fit into memory, is
// gathered, too. When it is taken back SQLite never asks for that to be synced. So it is
// written before the lock that keeps other writers out is given back: they write to the same
// place, and would have it written over their commits afterwards.

// walVFS returns the name of a VFS (https://www.sqlite.org/vfs.html) that is SQLite's own
// but for what is done with the log, and with a sync that fails (syncOnce); "" when SQLite
// does not take it, for its own.
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
				wrapDatabaseFile(tls, path, file)
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

// writeLock is the lock of the shared memory that a writer holds (WAL_WRITE_LOCK).
const writeLock = 0

// unixVFS is SQLite's own VFS.
var unixVFS uintptr

// methods are what is done with open files of one kind: SQLite's own, and ours, which are
// those but for some. Both come to be once, under walMu, and stay.
type methods struct{ original, wrapped uintptr }

var fileMethods, logMethods methods

// dbFile is an open database.
type dbFile struct {
	path string
	log  *walFile // nil while it is not open
}

// The files that are open by way of walVFS, by their sqlite3_file.
var (
	walMu    sync.Mutex // guards what follows, and the making of methods
	dbFiles  = map[uintptr]*dbFile{}
	walFiles = map[uintptr]*walFile{}
)

// Types of what SQLite calls with a file: to open one, given the VFS, a path, the memory
// for the file, how, and where to say how it was; to read and to write, given memory, how
// many bytes, and from where in the file on; and others.
type (
	opener    = func(tls *libc.TLS, vfs, path, file uintptr, flags int32, outFlags uintptr) int32
	transfer  = func(tls *libc.TLS, file, memory uintptr, n int32, at int64) int32
	closer    = func(tls *libc.TLS, file uintptr) int32
	truncater = func(tls *libc.TLS, file uintptr, size int64) int32
	syncer    = func(tls *libc.TLS, file uintptr, flags int32) int32
	sizer     = func(tls *libc.TLS, file, size uintptr) int32
	locker    = func(tls *libc.TLS, file uintptr, offset, n, flags int32) int32
)

// pointer returns a Go function, the one field of a struct, as SQLite has it called.
func pointer[F any](f *struct{ f F }) uintptr { return *(*uintptr)(unsafe.Pointer(f)) }

// own returns the function of type F that SQLite has at a place among its methods.
func original[F any](m *methods, at uintptr) F {
	return *(*F)(unsafe.Pointer(&struct{ uintptr }{libc.AtomicLoadPUintptr(m.original + at)}))
}

// take has a file use our methods, and says whether it does: not when it has others than
// those of its kind have had so far.
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

// wrapDatabaseFile takes over a database that was opened.
func wrapDatabaseFile(tls *libc.TLS, path, file uintptr) {
	walMu.Lock()
	defer walMu.Unlock()
	if fileMethods.install(tls, file, map[uintptr]uintptr{
		closeAt: pointer(&struct{ f closer }{dbClose}),
		syncAt:  pointer(&struct{ f syncer }{dbSync}),
		lockAt:  pointer(&struct{ f locker }{dbLock}),
	}) {
		dbFiles[file] = &dbFile{path: libc.GoString(path)}
	}
}

// wrapLogFile has what is written to a log that was opened gathered, if its database was
// taken over: only then it is known when others may write.
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
		return // it stays as SQLite has opened it
	}
	f := &walFile{path: libc.GoString(path), fd: int(libc.AtomicLoadPInt32(file + fdAt)), database: d, fdatasync: syscall.Fdatasync}
	walFiles[file], d.log = f, f
}

func dbFileOf(file uintptr) *dbFile {
	walMu.Lock()
	defer walMu.Unlock()
	return dbFiles[file]
}

func walFileOf(file uintptr) *walFile {
	walMu.Lock()
	defer walMu.Unlock()
	return walFiles[file]
}

func dbClose(tls *libc.TLS, file uintptr) int32 {
	walMu.Lock()
	delete(dbFiles, file)
	walMu.Unlock()
	return original[closer](&fileMethods, closeAt)(tls, file)
}

func dbSync(tls *libc.TLS, file uintptr, flags int32) int32 {
	return syncCode(dbFileOf(file).path, func() int32 { return original[syncer](&fileMethods, syncAt)(tls, file, flags) })
}

// dbLock takes and gives back locks of the shared memory. Before others may write,
// nothing is held back from the log. When that cannot be written nothing is lost: what
// belongs to a commit was synced.
func dbLock(tls *libc.TLS, file uintptr, offset, n, flags int32) int32 {
	if f := dbFileOf(file); offset == writeLock && flags&sqlite3.SQLITE_SHM_UNLOCK != 0 && f.log != nil {
		_ = f.log.flush()
	}
	return original[locker](&fileMethods, lockAt)(tls, file, offset, n, flags)
}

func walWrite(_ *libc.TLS, file, memory uintptr, n int32, at int64) int32 {
	return walFileOf(file).write(libc.GoBytes(memory, int(n)), at)
}

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

// walSync makes durable what was written. The first time it is done SQLite's way, by
// which the folder is synced, too, when the log is new.
func walSync(tls *libc.TLS, file uintptr, flags int32) int32 {
	return walFileOf(file).sync(func() int32 { return original[syncer](&logMethods, syncAt)(tls, file, flags) })
}

// walClose closes the log. What is gathered by then belongs to no commit.
func walClose(tls *libc.TLS, file uintptr) int32 {
	walMu.Lock()
	walFiles[file].database.log = nil
	delete(walFiles, file)
	walMu.Unlock()
	return original[closer](&logMethods, closeAt)(tls, file)
}
