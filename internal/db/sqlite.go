package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

var (
	errBroken   = errors.New("transaction broken off")
	errInjected = errors.New("injected fault")
	errRowsOpen = errors.New("db: the closure returned with rows open: close them, and scan each QueryRow")
)

// sqliteEngine serves one SQLite file: a writer, and readers beside it.
type sqliteEngine struct {
	path    string
	lock    *fileLock // nil when reading alone
	writes  *sql.DB   // the writer's connections; nil when reading alone
	probe   *sqliteConn
	writer  *sqliteWriter
	reads   *sql.DB
	readers *sqliteReaders
}

func openSQLite(ctx context.Context, c Config) (_ *sqliteEngine, err error) {
	path, err := filepath.Abs(c.Path)
	if err != nil {
		return nil, err
	}
	if c.migrations == nil {
		if c.migrations, err = migrations("sqlite"); err != nil {
			return nil, err
		}
	}
	e := &sqliteEngine{path: path}
	defer func() {
		if err != nil {
			err = also(legible(err), e.close())
		}
	}()
	if c.ReadOnly {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
	} else if err := e.openWriter(ctx, c); err != nil {
		return nil, err
	}
	n := c.Readers
	if n == 0 {
		n = max(4, 2*runtime.GOMAXPROCS(0))
	}
	k, err := newConnector(path, "ro", readPragmas)
	if err != nil {
		return nil, err
	}
	e.reads = sql.OpenDB(k)
	e.reads.SetMaxIdleConns(-1) // the readers keep what is idle
	e.readers = newSQLiteReaders(e.reads, n)
	if c.ReadOnly {
		return e, checkVersion(ctx, goose.DialectSQLite3, e.reads, c.migrations)
	}
	return e, nil
}

// openWriter takes the file for this process, makes it when missing, migrates it,
// and starts the writer.
func (e *sqliteEngine) openWriter(ctx context.Context, c Config) error {
	if err := os.MkdirAll(filepath.Dir(e.path), 0o700); err != nil {
		return err
	}
	var err error
	if e.lock, err = lockFile(e.path + ".lock"); err != nil {
		return err
	}
	// SQLite would make the file with the permissions that the umask leaves, and
	// gives its log the same ones. A crash here leaves an empty file, which is an
	// empty database.
	f, err := os.OpenFile(e.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	k, err := newConnector(e.path, "rw", writePragmas)
	if err != nil {
		return err
	}
	e.writes = sql.OpenDB(k)
	e.writes.SetMaxIdleConns(-1)
	if err := migrate(ctx, goose.DialectSQLite3, e.writes, c); err != nil {
		return err
	}
	if e.probe, err = k.connect(ctx); err != nil {
		return err
	}
	e.writer = newSQLiteWriter(e.writes, e.probe, c)
	return nil
}

func (e *sqliteEngine) view(ctx context.Context, fn func(*Tx) error) error {
	return e.readers.view(ctx, fn)
}

func (e *sqliteEngine) update(ctx context.Context, fn func(*Tx) error) error {
	if e.writer == nil {
		return ErrReadOnly
	}
	return e.writer.update(ctx, fn)
}

func (e *sqliteEngine) stats() Stats {
	s := Stats{Views: e.readers.views.Load()}
	if w := e.writer; w != nil {
		s.Updates = w.counts.updates.Load()
		s.Unavailable = w.counts.unavailable.Load()
		s.Reruns = w.counts.reruns.Load()
		s.Batches = w.counts.batches.Load()
		s.LargestBatch = w.counts.largest.Load()
		s.CommitTime = time.Duration(w.counts.commitNanos.Load())
		s.LongestCommit = time.Duration(w.counts.longest.Load())
		s.Queue = len(w.jobs)
	}
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(e.path + suffix); err == nil {
			s.Bytes += info.Size()
		}
	}
	return s
}

// close closes what was opened. The readers go first: the last connection to close
// moves the log into the file and removes it, and that must be one that can write.
func (e *sqliteEngine) close() error {
	var errs []error
	if e.readers != nil {
		errs = append(errs, e.readers.close())
	}
	if e.reads != nil {
		errs = append(errs, e.reads.Close())
	}
	if e.writer != nil {
		errs = append(errs, e.writer.close())
	}
	if e.writes != nil {
		errs = append(errs, e.writes.Close())
	}
	if e.probe != nil {
		errs = append(errs, e.probe.Close())
	}
	if e.lock != nil {
		errs = append(errs, e.lock.release())
	}
	return errors.Join(errs...)
}

var writePragmas = []string{
	"busy_timeout = 5000", // milliseconds; only a foreign process can hold the lock
	"journal_mode = WAL",
	"synchronous = FULL", // each commit waits for its fsync
	"foreign_keys = ON",
	"cache_size = -8192",            // KiB
	"temp_store = MEMORY",           // of savepoints and sorts
	"journal_size_limit = 67108864", // bytes; more only while a View stays open
}

// readPragmas say nothing of mmap: mapped pages count as resident, once for each
// connection.
var readPragmas = []string{
	"busy_timeout = 5000",
	"query_only = ON",
	"cache_size = -4096",
	"temp_store = MEMORY",
}

// newConnector opens connections to the file at path, with mode "rw" or "ro".
func newConnector(path, mode string, pragmas []string) (*sqliteConnector, error) {
	// Double quotes are for identifiers alone (_dqs), as on every other engine.
	u := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "mode=" + mode + "&_dqs=0&_error_rc=1"}
	k, err := sqlite.NewConnector(u.String())
	if err != nil {
		return nil, err
	}
	return &sqliteConnector{Connector: k, pragmas: pragmas}, nil
}

// legible wraps the errors with which SQLite meets a file that is no database.
func legible(err error) error {
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%w: %w", ErrNotDatabase, err)
	}
	return err
}
