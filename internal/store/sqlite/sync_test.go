package sqlite

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"roshambo/internal/store"
)

// TestSyncFails checks that a commit whose sync fails returns ErrUnavailable, as do all later
// ones, although the kernel reports success the next time; its closure is not rerun, as it may
// be stored. Earlier commits survive, no checkpoint moves the log, and a new process opens the
// database and continues.
func TestSyncFails(t *testing.T) {
	t.Parallel()
	var failing atomic.Bool
	c := With(store.Config{Path: filepath.Join(t.TempDir(), "test.db")}).WithoutCheckpoints()
	c.Faults = &store.Faults{Commit: func() store.Fault {
		if failing.CompareAndSwap(true, false) {
			return store.Unsynced
		}
		return store.NoFault
	}}
	d, err := openWith(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	create(t, d)
	if err := insertID(d, 1); err != nil {
		t.Fatal(err)
	}
	reruns := d.Stats().Reruns
	failing.Store(true)
	if err := insertID(d, 2); !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrNotStored) {
		t.Errorf("a commit whose sync fails: error %v, want ErrUnavailable with an unknown outcome", err)
	}
	if err := insertID(d, 3); !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, store.ErrNotStored) {
		t.Errorf("the commit after it: error %v, want ErrUnavailable and ErrNotStored", err)
	}
	if n := d.Stats().Reruns - reruns; n != 0 {
		t.Errorf("%d reruns, want none", n)
	}
	<-d.Broken()
	closed(t, d)
	if log, err := os.Stat(c.Path + "-wal"); err != nil || log.Size() == 0 {
		t.Errorf("the log was moved into the file and removed (%v)", err)
	}

	c.Faults = nil // as in another process
	if d, err = openWith(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	defer closed(t, d)
	if n := ids(t, d); n != 1 && n != 3 {
		t.Errorf("sum of stored ids %d, want 1, or 3 with the unknown commit", n)
	}
	if err := insertID(d, 10); err != nil {
		t.Error(err)
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
	c := With(store.Config{Path: filepath.Join(link, "test.db")}).WithCheckpoints(time.Millisecond, 1)
	c.syncFile = func(*os.File) error { return syscall.EIO }
	d, err := openWith(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, d)
	err = d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "CREATE TABLE n (id INTEGER PRIMARY KEY) STRICT")
		return err
	})
	if err != nil && !errors.Is(err, store.ErrUnavailable) { // the checkpoint may fail before the answer
		t.Error(err)
	}
	<-d.Broken()
	if err := insertID(d, 1); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a commit after the failed sync: error %v, want ErrUnavailable", err)
	}
}

// TestLogRewritten checks that Open rewrites and syncs the log that it finds before it answers:
// a killed process may have left it in the kernel's memory alone.
func TestLogRewritten(t *testing.T) {
	t.Parallel()
	c := With(store.Config{Path: filepath.Join(t.TempDir(), "test.db")}).WithoutCheckpoints()
	d, err := openWith(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	create(t, d)
	killed := With(store.Config{Path: filepath.Join(t.TempDir(), "killed.db")}).WithoutCheckpoints()
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
	reader, err := openWith(t.Context(), reading) // without a reader, Open would checkpoint the log
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, reader)
	ids(t, reader)
	if d, err = openWith(t.Context(), killed); err != nil {
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

func create(t *testing.T, d *store.DB) {
	t.Helper()
	err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "CREATE TABLE n (id INTEGER PRIMARY KEY) STRICT")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func insertID(d *store.DB, id int) error {
	return d.Update(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO n (id) VALUES ($1)", id)
		return err
	})
}

// ids returns the sum of the ids in the table.
func ids(t *testing.T, d *store.DB) (sum int) {
	t.Helper()
	err := d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT coalesce(sum(id), 0) FROM n").Scan(&sum)
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func closed(t *testing.T, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
