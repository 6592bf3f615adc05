package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/pressly/goose/v3/database"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteEngine serves one SQLite file with one writer and several readers.
type sqliteEngine struct {
	path       string        // of the file itself rather than a link to it, when writing
	lock       *fileLock     // nil when read-only
	writer     *sqliteWriter // nil when read-only
	readers    *sqliteReaders
	unsyncable chan struct{} // closed when a file could not be synced
}

// writePragmas are the settings of the writer's connection. See
// https://www.sqlite.org/pragma.html.
var writePragmas = []string{
	"cache_size(-8192)",  // KiB
	"shrink_memory",      // reallocates the cache with this size (packPages)
	"busy_timeout(5000)", // milliseconds; only another process can hold the lock
	"journal_mode(WAL)",
	"synchronous(FULL)", // a commit syncs the log before it becomes visible
	"foreign_keys(ON)",
	"temp_store(MEMORY)",                            // for savepoints and sorts
	"wal_autocheckpoint(0)",                         // a checkpoint inside a COMMIT would hide a failed sync
	fmt.Sprintf("journal_size_limit(%d)", logBytes), // the log exceeds it while a View stays open
}

// Bounds of the write-ahead log while the disk has space.
const (
	logPages int64 = 32_000   // of 4 KiB; sqliteCheckpointer moves pages much earlier
	logBytes int64 = 64 << 20 // size that the file keeps after the log restarts
)

// auxPragmas are the settings of auxiliary connections, which serve the writer and read no
// rows.
var auxPragmas = append([]string{"cache_size(-64)"}, writePragmas[1:]...)

// readPragmas are the settings of readers. Their caches are small, as there are several, and
// mmap is off: mapped pages count as resident once per connection.
var readPragmas = []string{
	"cache_size(-1024)", // KiB
	"busy_timeout(5000)",
	"query_only(ON)",
	"temp_store(MEMORY)",
}

// openSQLite opens the file of c, checks or migrates it, and returns its engine.
func openSQLite(ctx context.Context, c Config) (_ *sqliteEngine, err error) {
	c.Batch = cmp.Or(c.Batch, defaultBatch)
	c.batchTime = cmp.Or(c.batchTime, batchTime)
	c.checkpointEvery = cmp.Or(c.checkpointEvery, checkpointEvery)
	c.checkpointPages = cmp.Or(c.checkpointPages, checkpointPages)
	path, err := filepath.Abs(c.Path)
	if err != nil {
		return nil, err
	}
	if c.migrations == nil {
		if c.migrations, err = migrations("sqlite"); err != nil {
			return nil, err
		}
	}
	e := &sqliteEngine{path: path, unsyncable: make(chan struct{})}
	defer func() {
		if err != nil {
			err = joinErrors(err, e.close())
		}
	}()
	if c.ReadOnly {
		err = e.checkReadable(ctx, c)
	} else {
		err = e.openWriter(ctx, c)
	}
	if err != nil {
		return nil, explainFileError(err)
	}
	reads, err := openConnector(path, "ro", readPragmas)
	if err != nil {
		return nil, err
	}
	e.readers = newSQLiteReaders(reads, c)
	return e, nil
}

// openWriter locks the database for this process, creates it when it is missing, migrates it
// and starts the writer.
func (e *sqliteEngine) openWriter(ctx context.Context, c Config) error {
	if err := os.MkdirAll(filepath.Dir(e.path), 0o700); err != nil {
		return err
	}
	var err error
	if e.path, err = realPath(e.path); err != nil {
		return err
	}
	c.Path = e.path
	// Lock before opening the file: closing it again would release the locks of another
	// connection in this process (https://www.sqlite.org/howtocorrupt.html, 2.2).
	if e.lock, err = lockFile(e.path + ".lock"); err != nil {
		return err
	}
	// SQLite would create the file with the umask's permissions, and copies them to its log. A
	// crash here leaves an empty file, which is an empty database.
	f, err := os.OpenFile(e.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	pragmas := writePragmas
	if c.maxPages > 0 {
		pragmas = append([]string{fmt.Sprintf("max_page_count(%d)", c.maxPages)}, pragmas...)
	}
	writes, err := openConnector(e.path, "rw", pragmas)
	if err != nil {
		return err
	}
	// Migrations bypass the wrapped connections, as they may end transactions.
	pool := sql.OpenDB(writes.Connector)
	if err := joinErrors(prepareFile(ctx, pool, c), pool.Close()); err != nil {
		return err
	}
	aux, err := openConnector(e.path, "rw", auxPragmas)
	if err != nil {
		return err
	}
	e.writer = newSQLiteWriter(writes, aux, c, sync.OnceFunc(func() { close(e.unsyncable) }))
	return nil
}

// realPath resolves the links in a path. Links to one file are one database, whose log lies
// beside the file itself.
func realPath(path string) (string, error) {
	file, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	return filepath.Join(folder, filepath.Base(path)), err
}

// prepareFile makes the log durable, checks that the file has a write-ahead log, and migrates it. A
// migration is durable at the latest with the first sync of the log: a power cut before that undoes
// whole migrations, and the next start applies them again.
func prepareFile(ctx context.Context, pool *sql.DB, c Config) error {
	if err := resyncLog(ctx, pool, c.Path); err != nil {
		return err
	}
	var mode, sync string
	row := pool.QueryRowContext(ctx, "SELECT journal_mode, synchronous FROM pragma_journal_mode, pragma_synchronous")
	err := row.Scan(&mode, &sync)
	if err != nil {
		return err
	}
	if mode != "wal" || sync != "2" {
		return fmt.Errorf("journal mode %s, synchronous %s: the file system does not allow a write-ahead log", mode, sync)
	}
	return migrate(ctx, database.DialectSQLite3, pool, c)
}

// checkReadable checks that this program can read the database, without changing it.
func (e *sqliteEngine) checkReadable(ctx context.Context, c Config) error {
	if _, err := os.Stat(e.path); err != nil {
		return err
	}
	reads, err := openConnector(e.path, "ro", readPragmas)
	if err != nil {
		return err
	}
	pool := sql.OpenDB(reads.Connector)
	return joinErrors(checkVersion(ctx, database.DialectSQLite3, pool, c.migrations), pool.Close())
}

// time implements engine. It is not called: no other process can open the database.
func (e *sqliteEngine) time(context.Context) (time.Time, error) { return time.Now(), nil }

func (e *sqliteEngine) view(ctx context.Context, fn func(*Tx) error) error {
	begin := func(_ context.Context, sessions []*sqliteSession) error { return sessions[0].begin() }
	return e.readers.lend(ctx, 1, begin, func(txs []*Tx) error { return fn(txs[0]) })
}

func (e *sqliteEngine) views(ctx context.Context, n int, fn func([]*Tx) error) error {
	return e.readers.lend(ctx, n, e.beginTogether, fn)
}

// beginTogether begins transactions on one snapshot, each with a scanner.
func (e *sqliteEngine) beginTogether(ctx context.Context, sessions []*sqliteSession) (err error) {
	for _, s := range sessions {
		if s.scanner, err = openScanner(e.path); err != nil {
			return err
		}
	}
	if e.writer == nil {
		return beginUnchanged(ctx, sessions)
	}
	// While the writer is paused, no commit separates the transactions. Uncommitted writes of
	// the writer are visible to none of them.
	begun := false
	err = e.writer.runExclusive(ctx, func(*Tx) error {
		if begun { // a retry after a failed commit; the closure has written nothing
			return nil
		}
		err := beginAll(sessions)
		begun = err == nil
		return err
	})
	if begun {
		return nil // regardless of the writer's commit
	}
	return err
}

// beginAll begins all transactions, and fixes the snapshot of the first session's scanner last.
func beginAll(sessions []*sqliteSession) error {
	for _, s := range sessions {
		if err := s.begin(); err != nil {
			return err
		}
	}
	for _, s := range slices.Backward(sessions) {
		if err := s.pinSnapshot(); err != nil {
			return err
		}
	}
	return nil
}

// beginUnchanged is beginAll when another process may write: it repeats until no commit
// happened between the first and the last begin. PRAGMA data_version changes with every commit
// of another connection.
func beginUnchanged(ctx context.Context, sessions []*sqliteSession) error {
	for {
		before, err := sessions[0].scanner.dataVersion()
		if err != nil {
			return err
		}
		if err := beginAll(sessions); err != nil {
			return err
		}
		after, err := sessions[0].scanner.dataVersion()
		if err != nil || before == after {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, s := range sessions {
			if err := errors.Join(s.scanner.do("ROLLBACK"), s.conn.do("ROLLBACK")); err != nil {
				return err
			}
		}
	}
}

// viewOnce implements engine: a View has no round trips to save.
func (e *sqliteEngine) viewOnce(ctx context.Context, fn func(*Tx) error) error {
	return e.view(ctx, fn)
}

func (e *sqliteEngine) update(ctx context.Context, _ Isolation, fn func(*Tx) error) error {
	if e.writer == nil {
		return ErrReadOnly
	}
	return e.writer.update(ctx, fn)
}

// stats returns the writer's counters, the number of Views and the size of the files.
func (e *sqliteEngine) stats() Stats {
	var s Stats
	if e.writer != nil {
		s = e.writer.stats()
	}
	s.Views = e.readers.views.Load()
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(e.path + suffix); err == nil {
			s.Bytes += info.Size()
		}
	}
	return s
}

// exclusive reports whether this process holds the file lock, from openWriter to close.
func (e *sqliteEngine) exclusive() bool { return e.lock != nil }

func (e *sqliteEngine) broken() <-chan struct{} { return e.unsyncable }

// maxIntegrityErrors bounds the number of errors that an integrity check reports.
const maxIntegrityErrors = "100"

// integrityQuery implements integrityEngine.
func (e *sqliteEngine) integrityQuery() string {
	return "PRAGMA integrity_check(" + maxIntegrityErrors + ")"
}

// close closes the readers and then the writer: the last connection to close moves the log into
// the file and removes it, which needs write access.
func (e *sqliteEngine) close() error {
	var errs []error
	if e.readers != nil {
		errs = append(errs, e.readers.close())
	}
	if e.writer != nil {
		errs = append(errs, e.writer.close())
	}
	if e.lock != nil {
		errs = append(errs, e.lock.release())
	}
	return errors.Join(errs...)
}

// openConnector returns a connector for the file at path, with mode "rw" or "ro".
func openConnector(path, mode string, pragmas []string) (*sqliteConnector, error) {
	packPages()
	q := url.Values{
		"mode":      {mode},
		"_pragma":   pragmas,
		"_dqs":      {"0"}, // double quotes delimit names only, as in standard SQL
		"_error_rc": {"1"}, // error messages of the failing connection
	}
	u := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}
	k, err := sqlite.NewConnector(u.String())
	if err != nil {
		return nil, err
	}
	return &sqliteConnector{k}, nil
}

// sqliteCode returns the extended result code of a SQLite error, or 0. See
// https://www.sqlite.org/rescode.html.
func sqliteCode(err error) int {
	if e, ok := errors.AsType[*sqliteCodeError](err); ok {
		return e.Code()
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}

func sqliteUnique(err error) bool {
	switch sqliteCode(err) {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return true
	}
	return false
}

// sqliteFull reports whether the disk was full.
func sqliteFull(err error) bool { return sqliteCode(err)&0xff == sqlite3.SQLITE_FULL }

// sqliteFatal reports whether SQLite may have ended the transaction because of err:
// https://www.sqlite.org/lang_transaction.html, section 3.1.
func sqliteFatal(err error) bool {
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_BUSY,
		sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return true
	}
	return false
}

// sqliteTransient reports whether err concerns the file, its disk or its locks rather than a
// statement and its values.
func sqliteTransient(err error) bool {
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_PERM, sqlite3.SQLITE_ABORT, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_AUTH:
		return true
	}
	return sqliteFatal(err)
}

// sqliteUnsynced reports whether syncing a file failed.
func sqliteUnsynced(err error) bool {
	code := sqliteCode(err)
	return code == sqlite3.SQLITE_IOERR_FSYNC || code == sqlite3.SQLITE_IOERR_DIR_FSYNC
}

// explainFileError wraps the errors of a file that is no database with ErrNotDatabase.
func explainFileError(err error) error {
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%w: %w", ErrNotDatabase, err)
	}
	return err
}
