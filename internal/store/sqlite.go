package store

import (
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

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteEngine serves one SQLite file: a writer, and readers beside it.
type sqliteEngine struct {
	path       string        // of the file itself, not of a link to it, when writing
	lock       *fileLock     // nil when reading alone
	writer     *sqliteWriter // nil when reading alone
	readers    *sqliteReaders
	unsyncable chan struct{} // closed when a file could not be synced
}

// writePragmas are the settings of connections that write. See
// https://www.sqlite.org/pragma.html.
var writePragmas = []string{
	"cache_size(-8192)",  // KiB
	"shrink_memory",      // so that the cache is allocated anew, of that size (packPages)
	"busy_timeout(5000)", // milliseconds; only a foreign process can hold the lock
	"journal_mode(WAL)",
	"synchronous(FULL)", // a commit waits for its fsync
	"foreign_keys(ON)",
	"temp_store(MEMORY)", // for savepoints and sorts
	fmt.Sprintf("wal_autocheckpoint(%d)", logPages),
	fmt.Sprintf("journal_size_limit(%d)", logBytes), // the log grows beyond while a View stays open
}

// Bounds of the log where there is room.
const (
	logPages int64 = 32_000   // of 4 KiB; sqliteCheckpointer moves them far sooner
	logBytes int64 = 64 << 20 // that it keeps when it starts from its beginning
)

// auxPragmas are those of connections that serve the writer and read no rows.
var auxPragmas = append([]string{"cache_size(-64)"}, writePragmas[1:]...)

// readPragmas are those of connections that read. Their caches are small, as there are
// several; and no mmap: mapped pages count as resident, once for each connection.
var readPragmas = []string{
	"cache_size(-1024)", // KiB
	"busy_timeout(5000)",
	"query_only(ON)",
	"temp_store(MEMORY)",
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

// own takes the database for this process, makes it when missing, brings it up to
// date and starts the writer.
func (e *sqliteEngine) openWriter(ctx context.Context, c Config) error {
	if err := os.MkdirAll(filepath.Dir(e.path), 0o700); err != nil {
		return err
	}
	var err error
	if e.path, err = realPath(e.path); err != nil {
		return err
	}
	c.Path = e.path
	// Before the file is opened: closing it again would take away the locks of whoever in
	// this process has it (https://www.sqlite.org/howtocorrupt.html, 2.2).
	if e.lock, err = lockFile(e.path + ".lock"); err != nil {
		return err
	}
	// SQLite would make the file with what the umask leaves, and gives its log the
	// file's permissions. A crash here leaves an empty file: an empty database.
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
	// Migrations go past the wrapped connections: they may end transactions.
	pool := sql.OpenDB(writes.Connector)
	err = resyncLog(ctx, pool, e.path)
	if err == nil {
		err = prepareFile(ctx, pool, c)
	}
	if err := joinErrors(err, pool.Close()); err != nil {
		return err
	}
	aux, err := openConnector(e.path, "rw", auxPragmas)
	if err != nil {
		return err
	}
	e.writer = newSQLiteWriter(writes, aux, c, sync.OnceFunc(func() { close(e.unsyncable) }))
	return nil
}

// realPath returns the path of the file that a path leads to. Links to one file are one
// database, and its log lies beside the file itself.
func realPath(path string) (string, error) {
	file, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	return filepath.Join(folder, filepath.Base(path)), err
}

// resyncLog makes durable what SQLite has found in the log of a process that was killed,
// or could not sync it, before anybody sees it or writes behind it. The transaction keeps
// others from writing to it.
func resyncLog(ctx context.Context, pool *sql.DB, path string) error {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return joinErrors(err, conn.Close())
	}
	err = rewriteAndSync(path + "-wal")
	_, end := conn.ExecContext(ctx, "ROLLBACK")
	return joinErrors(joinErrors(err, end), conn.Close())
}

// prepareFile checks that the file is a database on which commits are durable, and
// migrates it.
func prepareFile(ctx context.Context, pool *sql.DB, c Config) error {
	var mode, sync string
	err := pool.QueryRowContext(ctx, "SELECT journal_mode, synchronous FROM pragma_journal_mode, pragma_synchronous").Scan(&mode, &sync)
	if err != nil {
		return err
	}
	if mode != "wal" || sync != "2" {
		return fmt.Errorf("journal mode %s, synchronous %s: the file system does not allow a write-ahead log", mode, sync)
	}
	return migrate(ctx, goose.DialectSQLite3, pool, c)
}

// inspect checks that this program can read the database without changing it.
func (e *sqliteEngine) checkReadable(ctx context.Context, c Config) error {
	if _, err := os.Stat(e.path); err != nil {
		return err
	}
	reads, err := openConnector(e.path, "ro", readPragmas)
	if err != nil {
		return err
	}
	pool := sql.OpenDB(reads.Connector)
	return joinErrors(checkVersion(ctx, goose.DialectSQLite3, pool, c.migrations), pool.Close())
}

func (e *sqliteEngine) view(ctx context.Context, fn func(*Tx) error) error {
	begin := func(_ context.Context, sessions []*sqliteSession) error { return sessions[0].begin() }
	return e.readers.lend(ctx, 1, begin, func(txs []*Tx) error { return fn(txs[0]) })
}

func (e *sqliteEngine) views(ctx context.Context, n int, fn func([]*Tx) error) error {
	return e.readers.lend(ctx, n, e.beginTogether, fn)
}

// beginTogether begins transactions that see the same snapshot, each with a scanner.
func (e *sqliteEngine) beginTogether(ctx context.Context, sessions []*sqliteSession) (err error) {
	for _, s := range sessions {
		if s.scanner, err = openScanner(e.path); err != nil {
			return err
		}
	}
	if e.writer == nil {
		return beginUnchanged(ctx, sessions)
	}
	// With the writer's turn held, nothing is committed between the first and the last
	// of them. What that turn's transaction has written so far is seen by none.
	begun := false
	err = e.writer.runExclusive(ctx, func(*Tx) error {
		if begun { // the closure runs again, as its commit failed; it has written nothing
			return nil
		}
		err := beginAll(sessions)
		begun = err == nil
		return err
	})
	if begun {
		return nil // whatever became of the turn's commit
	}
	return err
}

// beginAll begins all transactions. The snapshot of the first one's scanner is the last to
// be fixed.
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

// beginUnchanged is beginAll when another process may write: it begins again until
// nothing was committed between the first beginning and the last. PRAGMA data_version
// changes with whatever another connection commits.
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

func (e *sqliteEngine) viewOnce(ctx context.Context, fn func(*Tx) error) error {
	return e.view(ctx, fn)
}

func (e *sqliteEngine) update(ctx context.Context, _ Isolation, fn func(*Tx) error) error {
	if e.writer == nil {
		return ErrReadOnly
	}
	return e.writer.update(ctx, fn)
}

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

// alone: the lock on the file is held from own to close.
func (e *sqliteEngine) exclusive() bool { return e.lock != nil }

func (e *sqliteEngine) broken() <-chan struct{} { return e.unsyncable }

// close closes what was opened, the writer last: the last connection to close moves
// the log into the file and removes it, for which it must be able to write.
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

// openConnector opens connections to the file at path, with mode "rw" or "ro".
func openConnector(path, mode string, pragmas []string) (*sqliteConnector, error) {
	packPages()
	q := url.Values{
		"mode":      {mode},
		"_pragma":   pragmas,
		"_dqs":      {"0"}, // double quotes are for names alone, as everywhere else
		"_error_rc": {"1"}, // messages that belong to their error
	}
	if vfs := walVFS(); vfs != "" && mode == "rw" {
		q.Set("vfs", vfs)
	}
	u := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}
	k, err := sqlite.NewConnector(u.String())
	if err != nil {
		return nil, err
	}
	return &sqliteConnector{k}, nil
}

// sqliteCode returns the extended result code of a SQLite error, else 0. See
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

// sqliteFull reports whether there was no room on the disk.
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

// sqliteTransient reports whether err is about the file, its disk or its locks, and not
// about a statement and its values.
func sqliteTransient(err error) bool {
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_PERM, sqlite3.SQLITE_ABORT, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_AUTH:
		return true
	}
	return sqliteFatal(err)
}

// sqliteUnsynced reports whether a file could not be synced.
func sqliteUnsynced(err error) bool {
	code := sqliteCode(err)
	return code == sqlite3.SQLITE_IOERR_FSYNC || code == sqlite3.SQLITE_IOERR_DIR_FSYNC
}

// legible names the errors with which SQLite meets a file that is no database.
func explainFileError(err error) error {
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%w: %w", ErrNotDatabase, err)
	}
	return err
}
