package sqlite

import (
	"sync"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"
)

const (
	// cachedPages is the number of pages in the shared cache memory of this process: enough
	// for one database with its writer and four readers.
	cachedPages = 3072
	pageSize    = 4096
)

// packPages makes SQLite store cached pages contiguously. By default it allocates each page
// with a header that exceeds 4 KiB, for which its allocator reserves 8 KiB. When the shared
// memory is full, as with many databases in one process, caches shrink or pages are allocated
// singly.
//
// SQLite accepts this before its first connection only. If another package opened one first it
// refuses: caches then take twice the memory, and nothing else changes. See
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
	list := libc.VaList(args, memory, slot, int32(cachedPages))
	if sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_PAGECACHE, list) != sqlite3.SQLITE_OK {
		libc.Xfree(tls, memory)
	}
})
