package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// TestWALFile: whatever is written, in whatever order, is in the file once it was flushed,
// as if each piece had been written by itself; and no more is held back than is said.
func TestWALFile(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, file)
	const size = 3 * walPending
	random := rand.New(rand.NewPCG(1, 2))
	want, reached := make([]byte, size), 0
	f := &walFile{path: file.Name(), fd: int(file.Fd()), named: true, fdatasync: syscall.Fdatasync}
	at := 0
	for i := range 2000 {
		if i%50 == 0 || at >= size {
			at = random.IntN(size) // elsewhere, as after a log starts from its beginning
		}
		piece := make([]byte, min(1+random.IntN(5000), size-at))
		for j := range piece {
			piece[j] = byte(random.Uint32())
		}
		if code := f.write(piece, int64(at)); code != sqlite3.SQLITE_OK {
			t.Fatalf("write %d: code %d", i, code)
		}
		copy(want[at:], piece)
		at += len(piece)
		reached = max(reached, at)
		if len(f.pending) > walPending {
			t.Fatalf("%d bytes held back, more than %d", len(f.pending), walPending)
		}
		if i%97 > 0 {
			continue
		}
		if code := f.flush(); code != sqlite3.SQLITE_OK || len(f.pending) > 0 {
			t.Fatalf("flush: code %d, %d bytes left", code, len(f.pending))
		}
		if got, err := os.ReadFile(file.Name()); err != nil || !bytes.Equal(got, want[:reached]) {
			t.Fatalf("after write %d the file is not what was written (%v)", i, err)
		}
	}
	if code := f.sync(nil); code != sqlite3.SQLITE_OK {
		t.Errorf("sync: code %d", code)
	}
}

// TestWALFileFails: a write or a sync that fails is told, and what was to be written is
// not written later, over what others may have put there.
func TestWALFileFails(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte("as it was"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name) // for reading alone
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, file)
	f := &walFile{fd: int(file.Fd())}
	if code := f.write([]byte("lost"), 0); code != sqlite3.SQLITE_OK {
		t.Fatalf("write: code %d before anything was written", code)
	}
	if code := f.flush(); code != sqlite3.SQLITE_IOERR_WRITE {
		t.Errorf("flush: code %d, want %d", code, sqlite3.SQLITE_IOERR_WRITE)
	}
	if code := f.flush(); code != sqlite3.SQLITE_OK {
		t.Errorf("second flush: code %d, want nothing to be left", code)
	}
	f = &walFile{path: name, fd: -1, named: true, fdatasync: syscall.Fdatasync}
	if code := f.sync(nil); code != sqlite3.SQLITE_IOERR_FSYNC {
		t.Errorf("sync: code %d, want %d", code, sqlite3.SQLITE_IOERR_FSYNC)
	}
	// Linux would say yes the second time.
	f = &walFile{path: name, fd: int(file.Fd()), pending: []byte("lost")}
	if code := f.sync(func() int32 { return sqlite3.SQLITE_OK }); code != sqlite3.SQLITE_IOERR_FSYNC || len(f.pending) > 0 {
		t.Errorf("second sync: code %d, want %d, and %d bytes held back", code, sqlite3.SQLITE_IOERR_FSYNC, len(f.pending))
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, full)
	f = &walFile{fd: int(full.Fd()), pending: []byte("no room")}
	if code := f.flush(); code != sqlite3.SQLITE_FULL {
		t.Errorf("flush to a full disk: code %d, want %d", code, sqlite3.SQLITE_FULL)
	}
}

// TestSyncFails: a commit that the kernel could not sync is answered with ErrUnavailable, as
// all are behind it, although the kernel says yes the next time; its closure does not run
// again, as it may be stored. What was answered before is there, and a process that opens
// the database anew goes on.
func TestSyncFails(t *testing.T) {
	t.Parallel()
	c := Config{Path: filepath.Join(t.TempDir(), "test.db")}.withoutCheckpoints()
	d, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	insert := func(d *DB, id int, before func()) error {
		return d.Update(t.Context(), func(ctx context.Context, tx *Tx) error {
			runs++
			before()
			_, err := tx.ExecContext(ctx, "INSERT INTO n (id) VALUES ($1)", id)
			return err
		})
	}
	create(t, d)
	nothing := func() {}
	if err := insert(d, 1, nothing); err != nil {
		t.Fatal(err)
	}
	fail := func() {
		walMu.Lock()
		defer walMu.Unlock()
		for _, f := range walFiles {
			if f.path == c.Path+"-wal" {
				f.fdatasync = func(int) error {
					f.fdatasync = syscall.Fdatasync
					return syscall.EIO
				}
			}
		}
	}
	runs = 0
	if err := insert(d, 2, fail); !errors.Is(err, ErrUnavailable) || runs != 1 {
		t.Errorf("a commit that cannot be synced: %v, after %d runs", err, runs)
	}
	if err := insert(d, 3, nothing); !errors.Is(err, ErrUnavailable) {
		t.Errorf("the commit behind it: %v", err)
	}
	if n := ids(t, d); n != 1 {
		t.Errorf("a View sees ids that add up to %d, want 1", n)
	}
	<-d.Broken()
	closed(t, d)

	unsynced.Delete(c.Path + "-wal") // as in another process
	if d, err = Open(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	defer closed(t, d)
	if n := ids(t, d); n != 1 && n != 3 {
		t.Errorf("the ids stored add up to %d, want 1, and perhaps the 2 of which nobody knew", n)
	}
	if err := insert(d, 10, nothing); err != nil {
		t.Error(err)
	}
}

// TestFileSyncFails: when it is the database that cannot be synced, nothing that was moved
// there is dropped from the log.
func TestFileSyncFails(t *testing.T) {
	t.Parallel()
	c := Config{Path: filepath.Join(t.TempDir(), "test.db")}.withoutCheckpoints()
	d, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	create(t, d)
	unsynced.Store(c.Path, nil)
	for id := range 3 {
		err := d.Update(t.Context(), func(ctx context.Context, tx *Tx) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO n (id) VALUES ($1)", id)
			return err
		})
		if err != nil { // it is in the log
			t.Fatal(err)
		}
		conn, err := d.engine.(*sqliteEngine).writer.aux.connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		// As long as the writer still reads, the last pages are left, and nothing is synced.
		for err == nil {
			var pages, moved int64
			if pages, moved, err = conn.checkpoint("PASSIVE"); err == nil && moved == pages {
				t.Fatal("a checkpoint that was not synced has succeeded")
			}
		}
		if pages, moved, err := conn.checkpoint("NOOP"); err != nil || moved == pages {
			t.Errorf("%d of %d pages count as moved, %v", moved, pages, err)
		}
		closed(t, conn)
	}
	closed(t, d)
	if log, err := os.Stat(c.Path + "-wal"); err != nil || log.Size() == 0 {
		t.Errorf("the log is gone (%v)", err)
	}
	unsynced.Delete(c.Path)
	if d, err = Open(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	defer closed(t, d)
	if n := ids(t, d); n != 0+1+2 {
		t.Errorf("the ids stored add up to %d, want 3", n)
	}
}

// TestCheckpointerSyncFails: when what moves pages cannot sync the database, that is
// told, too, also of one that was opened by way of a link.
func TestCheckpointerSyncFails(t *testing.T) {
	t.Parallel()
	folder, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	c := Config{Path: filepath.Join(link, "test.db"), checkpointEvery: time.Millisecond, checkpointPages: 1}
	d, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, d)
	unsynced.Store(filepath.Join(folder, "test.db"), nil)
	create(t, d)
	<-d.Broken()
}

// TestLogRewritten: what a process finds in the log it writes there itself, before it
// answers anything: the kernel may have it from one that was killed, and the disk not.
func TestLogRewritten(t *testing.T) {
	t.Parallel()
	c := Config{Path: filepath.Join(t.TempDir(), "test.db")}.withoutCheckpoints()
	d, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	create(t, d)
	killed := Config{Path: filepath.Join(t.TempDir(), "killed.db")}.withoutCheckpoints()
	for _, end := range []string{"", "-wal"} {
		body, err := os.ReadFile(c.Path + end)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(killed.Path+end, body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	closed(t, d)
	then := time.Unix(1e9, 0)
	if err := os.Chtimes(killed.Path+"-wal", then, then); err != nil {
		t.Fatal(err)
	}
	reading := killed
	reading.ReadOnly = true
	reader, err := Open(t.Context(), reading) // without one, Open moves all that is in the log
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, reader)
	ids(t, reader)
	if d, err = Open(t.Context(), killed); err != nil {
		t.Fatal(err)
	}
	defer closed(t, d)
	if log, err := os.Stat(killed.Path + "-wal"); err != nil || !log.ModTime().After(then) || log.Size() == 0 {
		t.Errorf("the log was not written (%v)", err)
	}
	if n := ids(t, d); n != 0 {
		t.Errorf("the ids stored add up to %d, want 0", n)
	}
}

func (c Config) withoutCheckpoints() Config {
	c.checkpointEvery, c.checkpointPages = time.Hour, 1<<20
	return c
}

func create(t *testing.T, d *DB) {
	t.Helper()
	err := d.Update(t.Context(), func(ctx context.Context, tx *Tx) error {
		_, err := tx.ExecContext(ctx, "CREATE TABLE n (id INTEGER PRIMARY KEY) STRICT")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ids adds up the ids in the table.
func ids(t *testing.T, d *DB) (sum int) {
	t.Helper()
	err := d.View(t.Context(), func(ctx context.Context, tx *Tx) error {
		return tx.QueryRowContext(ctx, "SELECT coalesce(sum(id), 0) FROM n").Scan(&sum)
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestWALVFS: SQLite takes the VFS, and opens logs by way of it.
func TestWALVFS(t *testing.T) {
	t.Parallel()
	d, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "test.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, d)
	create(t, d)
	walMu.Lock()
	defer walMu.Unlock()
	if walVFS() == "" || len(walFiles) == 0 {
		t.Errorf("VFS %q, %d logs open by way of it", walVFS(), len(walFiles))
	}
}

func closed(t *testing.T, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
