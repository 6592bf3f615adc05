package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
)

// backupPages is how many pages are copied between two looks at whether somebody still
// wants the copy.
const backupPages = 1024

// Backup copies a SQLite database, which a server may be using, to a new file, as it was
// at one moment after the call: with all that was durable before, and nothing in part.
// Readers and the writer of the server go on meanwhile; its write-ahead log grows by what
// is written until the copy is done. The copy is on disk when Backup returns, and was
// read through once by SQLite. A file that is there already is an error (fs.ErrExist). A
// crash leaves a part of the copy behind.
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
		err = joinErrors(err, f.Close())
		if err != nil {
			err = joinErrors(err, os.Remove(target))
		}
	}()
	if err := copyPages(ctx, source, target); err != nil {
		return err
	}
	// SQLite has synced it, but for a copy of an empty database.
	return joinErrors(f.Sync(), joinErrors(quickCheck(ctx, target), syncFolder(filepath.Dir(target))))
}

func copyPages(ctx context.Context, source, target string) error {
	reads, err := openConnector(source, "ro", readPragmas)
	if err != nil {
		return err
	}
	conn, err := reads.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // it has only read
	// Without a transaction of its own each step would see what was written since the
	// last one, and begin again.
	if err := joinErrors(conn.do("BEGIN"), conn.do("SELECT count(*) FROM sqlite_schema")); err != nil {
		return err
	}
	path, err := filepath.Abs(target)
	if err != nil {
		return err
	}
	// What a crash leaves is not used, so that it need not be rolled back.
	q := url.Values{"mode": {"rw"}, "_pragma": {"journal_mode(OFF)", "synchronous(FULL)"}}
	to := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}
	b, err := conn.Conn.(interface {
		NewBackup(uri string) (*sqlite.Backup, error)
	}).NewBackup(to.String())
	if err != nil {
		return err
	}
	for more := true; more && err == nil; {
		if err = ctx.Err(); err == nil {
			more, err = b.Step(backupPages)
		}
	}
	return joinErrors(err, b.Finish())
}

// quickCheck has SQLite read through a file that nobody uses.
func quickCheck(ctx context.Context, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	// Immutable, so that no log is made beside it.
	u := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: url.Values{"mode": {"ro"}, "immutable": {"1"}}.Encode()}
	k, err := sqlite.NewConnector(u.String())
	if err != nil {
		return err
	}
	conn, err := (&sqliteConnector{k}).connect(ctx)
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
		return fmt.Errorf("%w: %v", ErrNotDatabase, result[0])
	}
	return nil
}

// syncFolder makes the name of a new file durable.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return joinErrors(d.Sync(), d.Close())
}
