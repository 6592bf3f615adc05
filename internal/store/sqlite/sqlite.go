// Package sqlite implements package store on one SQLite file, with one writer and several readers.
package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
	"roshambo/internal/store/filelock"
	"roshambo/internal/store/migrations"
)

// fileDB serves one SQLite file with one writer and several readers.
type fileDB struct {
	path       string         // of the file itself rather than a link to it, when writing
	lock       *filelock.Lock // nil when read-only, unless Config.Alone
	writer     *writer        // nil when read-only
	readers    *readers
	space      *engine.Space
	unsyncable chan struct{} // closed when a file could not be synced
}

// Open opens the database at c.Path, creates it when it is missing, and migrates its schema. Errors
// wrap ErrLocked (another process serves it), ErrNewer (a newer program has migrated it), ErrOther (its
// migrations had other texts) or ErrNotDatabase (the file is damaged or of another kind).
func Open(ctx context.Context, c store.Config) (*store.DB, error) {
	return openWith(ctx, config{Config: c})
}

// openWith is Open with the constants of c.
func openWith(ctx context.Context, c config) (*store.DB, error) {
	if c.Path == "" {
		return nil, errors.New("store: open: no path")
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	d, err := openFile(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("store: open %s: %w", c.Path, err)
	}
	return store.New(c.Config, d), nil
}

// openFile opens the file of c, checks or migrates it, and returns its engine.
func openFile(ctx context.Context, c config) (_ *fileDB, err error) {
	c.setDefaults()
	path, err := filepath.Abs(c.Path)
	if err != nil {
		return nil, err
	}
	d := &fileDB{path: path, space: c.space, unsyncable: make(chan struct{})}
	defer func() {
		if err != nil {
			err = engine.Join(err, d.Close())
		}
	}()
	if c.ReadOnly {
		err = d.checkReadable(ctx, c)
	} else {
		err = d.openWriter(ctx, c)
	}
	if err != nil {
		return nil, explainFileError(err)
	}
	reads, err := openConnector(path, "ro", readPragmas)
	if err != nil {
		return nil, err
	}
	d.readers = newReaders(reads, c)
	return d, nil
}

// openWriter locks the database for this process, creates it when it is missing, migrates it
// and starts the writer.
func (d *fileDB) openWriter(ctx context.Context, c config) error {
	if err := os.MkdirAll(filepath.Dir(d.path), 0o700); err != nil {
		return err
	}
	var err error
	if d.path, err = realPath(d.path); err != nil {
		return err
	}
	c.Path = d.path
	// Lock before opening the file: closing it again would release the locks of another
	// connection in this process (https://www.sqlite.org/howtocorrupt.html, 2.2). For the same reason the lock
	// is a file of its own.
	if err := d.acquire(d.path); err != nil {
		return err
	}
	// SQLite would create the file with the umask's permissions, and copies them to its log. A
	// crash here leaves an empty file, which is begun again.
	f, err := os.OpenFile(d.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := engine.Join(beginFile(f), f.Close()); err != nil {
		return err
	}
	pragmas := writePragmas
	if c.maxPages > 0 {
		pragmas = append([]string{fmt.Sprintf("max_page_count(%d)", c.maxPages)}, pragmas...)
	}
	writes, err := openConnector(d.path, "rw", pragmas)
	if err != nil {
		return err
	}
	// Migrations bypass the wrapped connections, as they may end transactions.
	pool := sql.OpenDB(writes.Connector)
	if err := engine.Join(prepareFile(ctx, pool, c), pool.Close()); err != nil {
		return err
	}
	aux, err := openConnector(d.path, "rw", auxPragmas)
	if err != nil {
		return err
	}
	d.writer = newWriter(writes, aux, c, sync.OnceFunc(func() { close(d.unsyncable) }))
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
func prepareFile(ctx context.Context, pool *sql.DB, c config) error {
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
	return migrations.Apply(ctx, migrations.SQLite, pool, c.Config)
}

// acquire keeps other processes away from the file. Errors: store.ErrLocked.
func (d *fileDB) acquire(path string) (err error) {
	d.lock, err = filelock.Acquire(path + ".lock")
	if errors.Is(err, filelock.ErrLocked) {
		return fmt.Errorf("lock %s.lock: %w", path, store.ErrLocked)
	}
	return err
}

// checkReadable checks that this program can read the database, without changing it.
func (d *fileDB) checkReadable(ctx context.Context, c config) error {
	if _, err := os.Stat(d.path); err != nil {
		return err
	}
	if c.Alone {
		path, err := realPath(d.path)
		if err != nil {
			return err
		}
		if err := d.acquire(path); err != nil {
			return err
		}
	}
	reads, err := openConnector(d.path, "ro", readPragmas)
	if err != nil {
		return err
	}
	pool := sql.OpenDB(reads.Connector)
	return engine.Join(migrations.Check(ctx, migrations.SQLite, pool, c.Config), pool.Close())
}

// Time implements store.Engine. It is not called: no other process can open the database.
func (d *fileDB) Time(context.Context) (time.Time, error) { return time.Now(), nil }

func (d *fileDB) View(ctx context.Context, fn func(*store.Tx) error) error {
	begin := func(_ context.Context, sessions []*session) error { return sessions[0].begin() }
	return d.readers.lend(ctx, 1, begin, func(txs []*store.Tx) error { return fn(txs[0]) })
}

func (d *fileDB) Views(ctx context.Context, n int, fn func([]*store.Tx) error) error {
	return d.readers.lend(ctx, n, d.beginTogether, fn)
}

// beginTogether begins transactions on one snapshot, each with a scanner.
func (d *fileDB) beginTogether(ctx context.Context, sessions []*session) (err error) {
	for _, s := range sessions {
		if s.scanner, err = openScanner(d.path); err != nil {
			return err
		}
	}
	if d.writer == nil {
		return beginUnchanged(ctx, sessions)
	}
	// While the writer is paused, no commit separates the transactions. Uncommitted writes of
	// the writer are visible to none of them.
	begun := false
	err = d.writer.runExclusive(ctx, func(*store.Tx) error {
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
func beginAll(sessions []*session) error {
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
func beginUnchanged(ctx context.Context, sessions []*session) error {
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

// ViewOnce implements store.Engine: a View has no round trips to save.
func (d *fileDB) ViewOnce(ctx context.Context, fn func(*store.Tx) error) error {
	return d.View(ctx, fn)
}

func (d *fileDB) Update(ctx context.Context, _ store.Isolation, fn func(*store.Tx) error) error {
	if d.writer == nil {
		return store.ErrReadOnly
	}
	err := d.writer.update(ctx, fn)
	if errors.Is(err, store.ErrFull) {
		d.space.MarkFull(err)
	}
	return err
}

// Stats returns the writer's counters, the number of Views and the size of the files.
func (d *fileDB) Stats() store.Stats {
	var s store.Stats
	if d.writer != nil {
		s = d.writer.stats()
	}
	s.Views = d.readers.views.Load()
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(d.path + suffix); err == nil {
			s.Bytes += info.Size()
		}
	}
	return s
}

// Exclusive reports whether this process holds the file lock, from openWriter to close.
func (d *fileDB) Exclusive() bool { return d.lock != nil }

func (d *fileDB) Broken() <-chan struct{} { return d.unsyncable }

func (d *fileDB) Full() bool { return d.space.Full() }

// maxIntegrityErrors bounds the number of errors that an integrity check reports.
const maxIntegrityErrors = "100"

// IntegrityQuery returns a query for the errors of the file or, unless table is "", of one table and its indexes, as
// store.DB.IntegrityErrors needs it.
func (d *fileDB) IntegrityQuery(table string) string {
	return "PRAGMA integrity_check(" + cmp.Or(table, maxIntegrityErrors) + ")"
}

// TablesQuery returns a query for all columns, as store.DB.Tables needs it.
func (d *fileDB) TablesQuery() string {
	return `SELECT t.name, c.name, c.type, c.pk, f."table", NULL
		FROM sqlite_schema t JOIN pragma_table_info(t.name) c
		LEFT JOIN pragma_foreign_key_list(t.name) f ON f."from" = c.name
		WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!' AND t.name <> '` + migrations.VersionTable + `'
		ORDER BY t.name, c.cid`
}

// OthersQuery returns "": the lock keeps other programs away.
func (d *fileDB) OthersQuery() string { return "" }

// Close closes the readers and then the writer: the last connection to close moves the log into
// the file and removes it, which needs write access.
func (d *fileDB) Close() error {
	var errs []error
	if d.readers != nil {
		errs = append(errs, d.readers.close())
	}
	if d.writer != nil {
		errs = append(errs, d.writer.close())
	}
	if d.lock != nil {
		errs = append(errs, d.lock.Release())
	}
	return errors.Join(errs...)
}
