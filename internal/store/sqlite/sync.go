package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"roshambo/internal/store/engine"
)

// SQLite syncs the write-ahead log in each COMMIT before other connections see it, the log again
// before it moves pages into the file, and the file before it overwrites the log. So an answer
// survives a power cut, and a View shows nothing that a power cut undoes.
//
// The kernel reports a failed sync once to each open descriptor. Afterwards it may treat the
// pages that it could not write as clean: the next sync succeeds although the data is only in
// memory (https://wiki.postgresql.org/wiki/Fsync_Errors). So after one failed sync of the log or
// of the file, this process commits nothing and moves no pages: all acknowledged commits stay in
// the log. DB.Broken ends the process, and the next one rewrites the log that it finds
// (rewriteAndSync).

// errUnsynced is the error of Updates after a sync has failed.
var errUnsynced = errors.New("a file could not be synced and its state on disk is unknown: restart the service")

// resyncLog makes durable what the log contains from a process that was killed or failed to
// sync it, before this process reads or extends it. The transaction excludes other writers.
func resyncLog(ctx context.Context, pool *sql.DB, path string) error {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return engine.Join(err, conn.Close())
	}
	err = rewriteAndSync(path + "-wal")
	_, end := conn.ExecContext(ctx, "ROLLBACK")
	return engine.Join(engine.Join(err, end), conn.Close())
}

// rewriteAndSync overwrites a file with its own content and syncs it. That makes durable what
// the kernel holds in memory, including pages that it failed to write, or had not written when
// the process that wrote them was killed. No other process writes to the file meanwhile. A
// crash here changes nothing, since every byte keeps its value.
func rewriteAndSync(path string) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() {
		if err = engine.Join(err, f.Close()); err != nil {
			err = fmt.Errorf("rewriting %s: %w", path, err)
		}
	}()
	text := make([]byte, 1<<20)
	for at := int64(0); ; {
		n, err := f.ReadAt(text, at)
		if _, failed := f.WriteAt(text[:n], at); failed != nil {
			return failed
		}
		at += int64(n)
		if errors.Is(err, io.EOF) {
			return f.Sync()
		}
		if err != nil {
			return err
		}
	}
}
