package store

import (
	"sync"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"
)

const (
	// cachedPages is how many pages the caches of all connections of this process hold
	// in one piece of memory: those of one database, with its writer and four readers.
	cachedPages = 3072
	pageSize    = 4096
)

// packPages has SQLite keep cached pages side by side. By itself it allocates each alone,
// with a header that takes it just beyond 4 KiB, for which its allocator sets aux
// 8 KiB. When the piece is full, as with many databases in one process, caches hold less,
// or pages are allocated alone again.
//
// SQLite takes this before its first connection only; if another package was faster it
// refuses, caches take twice the memory, and nothing else changes. See
// https://www.sqlite.org/malloc.html, 3.2.
var packPages = sync.OnceFunc(func() {
	tls := libc.NewTLS()
	defer tls.Close()
	const word = unsafe.Sizeof(uintptr(0))
	args := libc.Xcalloc(tls, 4, types.Size_t(word))
	if args == 0 {
		return
	}
	defer libc.Xfree(tls, args)
	headerAt := args + 3*word
	if sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_PCACHE_HDRSZ, libc.VaList(args, headerAt)) != sqlite3.SQLITE_OK {
		return
	}
	slot := pageSize + libc.AtomicLoadPInt32(headerAt)
	memory := libc.Xmalloc(tls, types.Size_t(slot)*cachedPages)
	if memory == 0 {
		return
	}
	if sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_PAGECACHE, libc.VaList(args, memory, slot, int32(cachedPages))) != sqlite3.SQLITE_OK {
		libc.Xfree(tls, memory)
	}
})
