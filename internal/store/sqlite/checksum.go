package sqlite

import (
	"bytes"
	"encoding/binary"
	"os"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// A disk that changes a bit leaves a value that looks right. So the last bytes of each page of the file are a checksum
// of the others: SQLite writes it with the page and compares it at each read from the file. A page that does not fit
// is an error (SQLITE_IOERR_DATA). Not found are pages that the disk has replaced by an older state of them, or by
// zeros, which fit. The format is that of SQLite's extension cksumvfs
// (https://www.sqlite.org/cksumvfs.html), which the driver lacks: a file has checksums when its header reserves 8 bytes
// of each page. Pages in the write-ahead log have none: they get theirs when they are moved into the file.
//
// An extension of the operating system's interface (VFS) does it for every connection of this process. Another program
// that writes pages into the file, as sqlite3 does when it closes a log that it has found, leaves checksums that do not
// fit: AcceptPages.

const (
	checksumBytes = 8
	// reservedAt is where the header of a file has the bytes that each page reserves.
	reservedAt = 20
	magic      = "SQLite format 3\x00"
)

// Functions of a VFS and of its files (https://www.sqlite.org/c3ref/io_methods.html).
type (
	openFunc   = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32
	moveFunc   = func(tls *libc.TLS, file, buffer uintptr, bytes int32, at int64) int32
	traitsFunc = func(tls *libc.TLS, file uintptr) int32
)

// shim is the VFS with checksums, over the operating system's own. SQLite refers to it and to its tables of
// methods for as long as the process runs, so they stay in these variables.
var shim struct {
	vfs    sqlite3.Tsqlite3_vfs
	inner  uintptr // the VFS of the operating system
	flagAt uintptr // of a file: behind the inner VFS's part is an int32, 1 when the file has checksums

	mu      sync.Mutex           // guards methods
	methods map[uintptr]*methods // by the inner table
}

// methods is a table of methods of a file, which begins as SQLite knows it.
type methods struct {
	table       sqlite3.Tsqlite3_io_methods
	read, write moveFunc // of the inner VFS, as the next
	traits      traitsFunc
}

// keepChecksums makes the VFS with checksums the default of this process. It comes before the first connection, and
// after packPages.
var keepChecksums = sync.OnceFunc(func() {
	tls := libc.NewTLS()
	defer tls.Close()
	shim.inner = sqlite3.Xsqlite3_vfs_find(tls, 0)
	name, err := libc.CString("checksums")
	if shim.inner == 0 || err != nil {
		panic("store: SQLite has no VFS")
	}
	shim.methods = map[uintptr]*methods{}
	shim.vfs = *from[*sqlite3.Tsqlite3_vfs](shim.inner)
	shim.flagAt = uintptr(shim.vfs.FszOsFile)
	shim.vfs.FszOsFile += 8 // keeps what follows aligned
	shim.vfs.FzName = name
	shim.vfs.FxOpen = to[openFunc](openChecked)
	if sqlite3.Xsqlite3_vfs_register(tls, uintptr(unsafe.Pointer(&shim.vfs)), 1) != sqlite3.SQLITE_OK {
		panic("store: SQLite refuses a VFS")
	}
})

// from returns the function or the pointer that SQLite has as a number.
func from[T any](p uintptr) T { return *(*T)(unsafe.Pointer(&p)) }

// to returns a function as SQLite calls it. It is one of a package: no other would stay in memory.
func to[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// openChecked opens a file, and gives a database's file the methods below. Its header, which SQLite reads before any
// page and writes with the first one, says whether it has checksums.
//
//nolint:revive // SQLite has six arguments for it
func openChecked(tls *libc.TLS, _, name, file uintptr, flags int32, outFlags uintptr) int32 {
	open := from[openFunc](from[*sqlite3.Tsqlite3_vfs](shim.inner).FxOpen)
	code := open(tls, shim.inner, name, file, flags, outFlags)
	if code != sqlite3.SQLITE_OK || flags&sqlite3.SQLITE_OPEN_MAIN_DB == 0 {
		return code
	}
	*from[*int32](file + shim.flagAt) = 0
	f := from[*sqlite3.Tsqlite3_file](file)
	f.FpMethods = uintptr(unsafe.Pointer(checkedMethods(f.FpMethods)))
	return code
}

// checkedMethods returns the table of methods over an inner one.
func checkedMethods(inner uintptr) *methods {
	shim.mu.Lock()
	defer shim.mu.Unlock()
	m, ok := shim.methods[inner]
	if !ok {
		table := *from[*sqlite3.Tsqlite3_io_methods](inner)
		m = &methods{table: table, read: from[moveFunc](table.FxRead), write: from[moveFunc](table.FxWrite),
			traits: from[traitsFunc](table.FxDeviceCharacteristics)}
		m.table.FxRead, m.table.FxWrite = to[moveFunc](readChecked), to[moveFunc](writeChecked)
		m.table.FxDeviceCharacteristics = to[traitsFunc](wholePages)
		shim.methods[inner] = m
	}
	return m
}

// methodsOf returns the methods of a file that openChecked has opened.
func methodsOf(file uintptr) *methods {
	return from[*methods](from[*sqlite3.Tsqlite3_file](file).FpMethods)
}

// readChecked reads from a file, and compares the checksum of a page.
func readChecked(tls *libc.TLS, file, buffer uintptr, n int32, at int64) int32 {
	code := methodsOf(file).read(tls, file, buffer, n, at)
	if code != sqlite3.SQLITE_OK {
		return code
	}
	text := libc.GoBytes(buffer, int(n)) // SQLite's own memory, no copy
	page := checkedPage(file, text, at)
	if page != nil && !fits(page) || page == nil && at == 0 && hidesChecksums(text) {
		return sqlite3.SQLITE_IOERR_DATA
	}
	return code
}

// hidesChecksums reports whether a text is the first page of a file with checksums but for the byte that says so. A
// change of this byte would switch all checks off.
func hidesChecksums(text []byte) bool {
	if len(text) != pageSize || !bytes.HasPrefix(text, []byte(magic)) {
		return false
	}
	page := bytes.Clone(text)
	page[reservedAt] = checksumBytes
	return fits(page)
}

// writeChecked writes to a file, a page with its checksum. SQLite uses the reserved bytes for nothing.
func writeChecked(tls *libc.TLS, file, buffer uintptr, n int32, at int64) int32 {
	if page := checkedPage(file, libc.GoBytes(buffer, int(n)), at); page != nil {
		seal(page)
	}
	return methodsOf(file).write(tls, file, buffer, n, at)
}

// wholePages returns the traits of a file without SQLITE_IOCAP_SUBPAGE_READ: SQLite would read long values past their
// checksums.
func wholePages(tls *libc.TLS, file uintptr) int32 {
	return methodsOf(file).traits(tls, file) &^ sqlite3.SQLITE_IOCAP_SUBPAGE_READ
}

// checkedPage returns a text at a place of a file if it is a page with a checksum, otherwise nil. The header of the
// file, if the text has it, says whether pages have one.
func checkedPage(file uintptr, text []byte, at int64) []byte {
	flag := from[*int32](file + shim.flagAt)
	if at == 0 && bytes.HasPrefix(text, []byte(magic)) {
		if *flag = 0; hasChecksums(text) {
			*flag = 1
		}
	}
	if *flag == 0 || len(text) != pageSize || at%pageSize != 0 {
		return nil
	}
	return text
}

// hasChecksums reports whether a text begins with the header of a file whose pages have checksums.
func hasChecksums(text []byte) bool {
	return len(text) > reservedAt && bytes.HasPrefix(text, []byte(magic)) && text[reservedAt] == checksumBytes
}

// fits reports whether a page has its checksum.
func fits(page []byte) bool {
	return checksum(page) == [checksumBytes]byte(page[pageSize-checksumBytes:])
}

// checksum returns the checksum of a page, two sums over its numbers of 32 bits in turn. A page of zeros, as in a file
// that was extended, has the checksum 0, and needs no other rule.
func checksum(page []byte) (sum [checksumBytes]byte) {
	var a, b uint32
	for text := page[:pageSize-checksumBytes]; len(text) >= 8; text = text[8:] {
		a += binary.LittleEndian.Uint32(text) + b
		b += binary.LittleEndian.Uint32(text[4:]) + a
	}
	binary.LittleEndian.PutUint32(sum[:], a)
	binary.LittleEndian.PutUint32(sum[4:], b)
	return sum
}

// seal writes the checksum of a page into it.
func seal(page []byte) {
	sum := checksum(page)
	copy(page[pageSize-checksumBytes:], sum[:])
}

// beginFile writes the first page of an empty file, as SQLite would, but that each page reserves bytes for a checksum.
// A crash leaves an empty file or this page.
func beginFile(f *os.File) error {
	if info, err := f.Stat(); err != nil || info.Size() > 0 {
		return err
	}
	// https://www.sqlite.org/fileformat.html, 1.3 and 1.6.
	page := make([]byte, pageSize)
	copy(page, magic)
	copy(page[16:], []byte{pageSize >> 8, pageSize & 0xff, 1, 1, checksumBytes, 64, 32, 32})
	page[31] = 1     // the number of pages
	page[100] = 0x0d // the root of the schema, a leaf without rows, whose rows will be before the reserved bytes
	binary.BigEndian.PutUint16(page[105:], pageSize-checksumBytes)
	seal(page)
	if _, err := f.WriteAt(page, 0); err != nil {
		return err
	}
	return f.Sync()
}
