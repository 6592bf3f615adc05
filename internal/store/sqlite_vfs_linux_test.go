package store

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

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
	f := &walFile{fd: int(file.Fd())}
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
}

// TestWALFileFails checks that a failed write is reported, and that its data is not
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

// TestHasFrames checks which syncs of SQLite wait for the disk: of what a commit, a restart of the
// log and a checkpoint leave in the buffer.
func TestHasFrames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		at, size int
		want     bool
	}{{0, 0, false}, {5000, 0, false}, {0, walHeader, false}, {walHeader, 24 + 4096, true}, {0, walHeader + 24, true},
		{walHeader, walHeader, true}} {
		f := &walFile{at: int64(c.at), pending: make([]byte, c.size)}
		if got := f.hasFrames(); got != c.want {
			t.Errorf("%d bytes at %d: %v, want %v", c.size, c.at, got, c.want)
		}
	}
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
