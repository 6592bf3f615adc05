package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/sqlite"
	"roshambo/internal/store/storetest"
)

// lines is a log destination that counts lines.
type lines struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), "\n")
}

// insertBlob inserts a row of size bytes.
func insertBlob(t *testing.T, d *store.DB, size int) error {
	return d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO b (body) VALUES ($1)", make([]byte, size))
		return err
	})
}

// fillUp inserts rows until the disk is full, and checks that the last error is certain:
// acknowledged rows are stored, and the refused one is not.
func fillUp(t *testing.T, d *store.DB, size int) {
	t.Helper()
	stored, err := 0, insertBlob(t, d, size)
	for err == nil && stored < 100_000 {
		stored++
		err = insertBlob(t, d, size)
	}
	if !errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrUnavailable) || !store.IsTransient(err) {
		t.Fatalf("after %d rows: %v, want ErrFull alone", stored, err)
	}
	if !d.Full() {
		t.Error("Full returned false after ErrFull")
	}
	if n := storetest.Number(t, d, "SELECT count(*) FROM b"); n != int64(stored) {
		t.Errorf("%d rows are stored, want the %d acknowledged ones", n, stored)
	}
}

// eventually waits until a condition holds, or the test ends.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for !is() {
		select {
		case <-t.Context().Done():
			t.Fatalf("the test ended before: %s", what)
		case <-time.After(time.Millisecond):
		}
	}
}

// TestFullDisk checks that Updates on a full disk return ErrFull, that the log reports it once,
// that the write-ahead log is truncated, and that the service recovers once there is space.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	path, log := filepath.Join(t.TempDir(), "test.db"), new(lines)
	logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	d := sqlite.With(store.Config{Path: path, Logger: logger}).
		WithCheckpoints(time.Millisecond, 4000).WithMaxPages(400).WithSlowRun(time.Hour).Open(t)
	storetest.Exec(t, d, "CREATE TABLE b (id INTEGER PRIMARY KEY, body BLOB) STRICT")
	fillUp(t, d, 20_000)
	for range 100 {
		if err := insertBlob(t, d, 20_000); !errors.Is(err, store.ErrFull) {
			t.Fatalf("without space: error %v, want ErrFull", err)
		}
	}
	if n := log.count(); n != 1 {
		t.Errorf("%d lines in the log, want 1:\n%s", n, log.text.String())
	}
	eventually(t, "the write-ahead log is short", func() bool {
		info, err := os.Stat(path + "-wal")
		return err == nil && info.Size() == 0
	})
	storetest.Exec(t, d, "DELETE FROM b")
	eventually(t, "there is room again", func() bool { return !d.Full() })
	if err := insertBlob(t, d, 20_000); err != nil {
		t.Errorf("with space: %v", err)
	}
	if n := storetest.Number(t, d, "SELECT count(*) FROM sqlite_schema WHERE name = 'room'"); n != 0 {
		t.Error("the probe for space has left its table behind")
	}
}

// TestFullWhileTruncating checks that a truncation of the log beside a refused commit, which changes the
// number by which the writer finds a commit's outcome, does not make that outcome unknown.
func TestFullWhileTruncating(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	faults := &store.Faults{Commit: func() store.Fault {
		if full.Load() {
			return store.Full
		}
		return store.NoFault
	}}
	d, truncateLog := sqlite.With(store.Config{Faults: faults}).OpenFile(t)
	storetest.Exec(t, d, "CREATE TABLE b (body BLOB) STRICT")
	full.Store(true)
	var truncations atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if truncateLog() == nil { // busy beside a transaction
				truncations.Add(1)
			}
		}
	}()
	for i := 0; i < 200 || truncations.Load() == 0; i++ {
		if err := insertBlob(t, d, 100); !errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrUnavailable) {
			t.Errorf("insert %d: %v, want ErrFull alone", i, err)
		}
	}
	close(stop)
	<-stopped
}
