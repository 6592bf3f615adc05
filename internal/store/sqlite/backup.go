package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
)

// backupPages is the number of pages copied between two checks of the context.
const backupPages = 1024

// Backup copies a SQLite database, which a server may be using, to a new file, as of one moment
// after the call: all earlier commits, and none in part. The server continues to read and
// write; its write-ahead log grows by the writes during the copy. When Backup returns, the copy
// is durable and has passed SQLite's quick_check. An existing target is an error (fs.ErrExist).
// A crash leaves a partial copy.
func Backup(ctx context.Context, source, target string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("store: backup of %s: %w", source, explainFileError(err))
		}
	}()
	if _, err := os.Stat(source); err != nil {
		return err
	}
	f, err := os.OpenFile(target, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		err = engine.Join(err, f.Close())
		if err != nil {
			err = engine.Join(err, os.Remove(target))
		}
	}()
	if err := copyPages(ctx, source, f); err != nil {
		return err
	}
	// A copy must not have commits that the database could still lose: a killed process may have left them
	// in the kernel's memory.
	if err := syncForeignLog(source + "-wal"); err != nil {
		return err
	}
	// SQLite synced the copy unless the database was empty.
	return engine.Join(f.Sync(), engine.Join(quickCheck(ctx, target), syncFolder(filepath.Dir(target))))
}

// syncForeignLog makes durable what another process has committed to the log at path.
func syncForeignLog(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) { // moved into the file
		return nil
	}
	if err != nil {
		return err
	}
	return engine.Join(fdatasync(f), f.Close())
}

// copyPages copies the database to an empty file with SQLite's backup API.
func copyPages(ctx context.Context, source string, target *os.File) error {
	reads, err := openConnector(source, "ro", readPragmas)
	if err != nil {
		return err
	}
	conn, err := reads.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // it was only read from
	// Without a transaction each step would see later writes and start over.
	if err := conn.do("BEGIN"); err != nil {
		return err
	}
	if err := conn.do("SELECT count(*) FROM sqlite_schema"); err != nil {
		return err
	}
	// The copy gets checksums of its own, as SQLite copies pages from the log, too, which have none.
	if there, err := keepsChecksums(ctx, conn); err != nil {
		return err
	} else if there {
		if err := beginFile(target); err != nil {
			return err
		}
	}
	path, err := filepath.Abs(target.Name())
	if err != nil {
		return err
	}
	// No rollback journal: a partial copy is not used.
	options := url.Values{"mode": {"rw"}, "_pragma": {"journal_mode(OFF)", "synchronous(FULL)"}}
	b, err := conn.Conn.(interface {
		NewBackup(uri string) (*sqlite.Backup, error)
	}).NewBackup(fileURI(path, options))
	if err != nil {
		return err
	}
	return engine.Join(stepThrough(ctx, b), b.Finish())
}

// keepsChecksums reports whether the pages of a database have checksums: another program makes files without.
func keepsChecksums(ctx context.Context, c *conn) (bool, error) {
	header := make([]driver.Value, 1)
	rows, err := c.QueryContext(ctx, "SELECT substr(data, 1, 100) FROM sqlite_dbpage WHERE pgno = 1", nil)
	if err != nil {
		return false, err
	}
	defer rows.Close() //nolint:errcheck // it has only read
	if err := rows.Next(header); err != nil {
		return false, err
	}
	text, _ := header[0].([]byte)
	return hasChecksums(text), nil
}

// stepThrough copies all pages. The caller finishes the copy in any case.
func stepThrough(ctx context.Context, b *sqlite.Backup) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		more, err := b.Step(backupPages)
		if err != nil || !more {
			return err
		}
	}
}

// quickCheck runs SQLite's quick_check on a file that no process has open.
func quickCheck(ctx context.Context, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	// Immutable suppresses the creation of a log beside the file.
	k, err := sqlite.NewConnector(fileURI(path, url.Values{"mode": {"ro"}, "immutable": {"1"}}))
	if err != nil {
		return err
	}
	conn, err := (&connector{k}).connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // it has only read
	rows, err := conn.QueryContext(ctx, "PRAGMA quick_check(1)", nil)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // as above
	result := make([]driver.Value, 1)
	if err := rows.Next(result); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if result[0] != "ok" {
		return fmt.Errorf("%w: %v", store.ErrNotDatabase, result[0])
	}
	return nil
}

// syncFolder makes the directory entry of a new file durable.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return engine.Join(d.Sync(), d.Close())
}
