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

// TestWALFile checks that after a flush the file has the content of all writes in their order,
// and that the buffer stays within its bound.
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
			at = random.IntN(size) // a jump, as after the log restarts
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
			t.Fatalf("%d bytes buffered, more than %d", len(f.pending), walPending)
		}
		if i%97 > 0 {
			continue
		}
		if code := f.flush(); code != sqlite3.SQLITE_OK || len(f.pending) > 0 {
			t.Fatalf("flush: code %d, %d bytes left", code, len(f.pending))
		}
		if got, err := os.ReadFile(file.Name()); err != nil || !bytes.Equal(got, want[:reached]) {
			t.Fatalf("after write %d the file differs from the writes (%v)", i, err)
		}
	}
	if code := f.sync(nil); code != sqlite3.SQLITE_OK {
		t.Errorf("sync: code %d", code)
	}
}

// TestWALFileFails checks that a failed write or sync is reported, and that its data is not
// written later, over what other writers may have stored there.
func TestWALFileFails(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte("as it was"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name) // read-only
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, file)
	f := &walFile{fd: int(file.Fd())}
	if code := f.write([]byte("lost"), 0); code != sqlite3.SQLITE_OK {
		t.Fatalf("write: code %d for a buffered write", code)
	}
	if code := f.flush(); code != sqlite3.SQLITE_IOERR_WRITE {
		t.Errorf("flush: code %d, want %d", code, sqlite3.SQLITE_IOERR_WRITE)
	}
	if code := f.flush(); code != sqlite3.SQLITE_OK {
		t.Errorf("second flush: code %d, want an empty buffer", code)
	}
	f = &walFile{path: name, fd: -1, named: true, fdatasync: syscall.Fdatasync}
	if code := f.sync(nil); code != sqlite3.SQLITE_IOERR_FSYNC {
		t.Errorf("sync: code %d, want %d", code, sqlite3.SQLITE_IOERR_FSYNC)
	}
	// Linux reports success the second time.
	f = &walFile{path: name, fd: int(file.Fd()), pending: []byte("lost")}
	code := f.sync(func() int32 { return sqlite3.SQLITE_OK })
	if code != sqlite3.SQLITE_IOERR_FSYNC || len(f.pending) > 0 {
		t.Errorf("second sync: code %d, want %d; %d bytes buffered, want none",
			code, sqlite3.SQLITE_IOERR_FSYNC, len(f.pending))
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

// TestSyncFails checks that a commit whose sync fails returns ErrUnavailable, as do all later
// ones, although the kernel reports success the next time; its closure is not rerun, as it may
// be stored. Earlier commits survive, and a new process opens the database and continues.
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
		t.Errorf("a commit whose sync fails: error %v after %d runs", err, runs)
	}
	if err := insert(d, 3, nothing); !errors.Is(err, ErrUnavailable) {
		t.Errorf("the commit after it: error %v, want ErrUnavailable", err)
	}
	if n := ids(t, d); n != 1 {
		t.Errorf("sum of ids in a View %d, want 1", n)
	}
	<-d.Broken()
	closed(t, d)

	unsynced.Delete(c.Path + "-wal") // as in another process
	if d, err = Open(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	defer closed(t, d)
	if n := ids(t, d); n != 1 && n != 3 {
		t.Errorf("sum of stored ids %d, want 1, or 3 with the unknown commit", n)
	}
	if err := insert(d, 10, nothing); err != nil {
		t.Error(err)
	}
}

// TestFileSyncFails checks that pages stay in the log when syncing the database file fails.
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
		if err != nil { // the log is synced
			t.Fatal(err)
		}
		conn, err := d.engine.(*sqliteEngine).writer.aux.connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		// While the writer has an open read, the last pages are left and nothing is synced.
		for err == nil {
			var pages, moved int64
			if pages, moved, err = conn.checkpoint("PASSIVE"); err == nil && moved == pages {
				t.Fatal("a checkpoint without a sync has succeeded")
			}
		}
		if pages, moved, err := conn.checkpoint("NOOP"); err != nil || moved == pages {
			t.Errorf("%d of %d pages count as moved, want fewer (%v)", moved, pages, err)
		}
		closed(t, conn)
	}
	closed(t, d)
	if log, err := os.Stat(c.Path + "-wal"); err != nil || log.Size() == 0 {
		t.Errorf("the log was removed (%v)", err)
	}
	unsynced.Delete(c.Path)
	if d, err = Open(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	defer closed(t, d)
	if n := ids(t, d); n != 0+1+2 {
		t.Errorf("sum of stored ids %d, want 3", n)
	}
}

// TestCheckpointerSyncFails checks that Broken is closed when the checkpointer cannot sync the
// database, also for one opened through a link.
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

// TestLogRewritten checks that Open rewrites and syncs the log that it finds before it answers:
// a killed process may have left it in the kernel's memory alone.
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
	reader, err := Open(t.Context(), reading) // without a reader, Open would checkpoint the log
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
		t.Errorf("the log was not rewritten (%v)", err)
	}
	if n := ids(t, d); n != 0 {
		t.Errorf("sum of stored ids %d, want 0", n)
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

// ids returns the sum of the ids in the table.
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

// TestWALVFS checks that SQLite accepts the VFS and opens logs through it.
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
		t.Errorf("VFS %q with %d open logs", walVFS(), len(walFiles))
	}
}

func closed(t *testing.T, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
