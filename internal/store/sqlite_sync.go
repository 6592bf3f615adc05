package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
)

// The kernel reports a failed sync once. Afterwards it may treat the pages that it could not
// write as clean: the next sync succeeds although the data is only in memory
// (https://wiki.postgresql.org/wiki/Fsync_Errors). So after a failed sync this process no
// longer syncs the file (syncOnce). From then on no commit succeeds and the log does not
// restart: all acknowledged commits stay in it. The next process rewrites the log that it finds
// (rewriteAndSync).

// unsynced contains the paths of files that failed to sync.
var unsynced sync.Map

// errUnsynced is the error of a sync after an earlier one has failed.
var errUnsynced = errors.New(
	"an earlier sync of the file has failed and its state on disk is unknown: restart the service")

// syncOnce calls sync for the file at path, unless an earlier sync has failed.
func syncOnce(path string, sync func() error) error {
	if syncFailed(path) {
		return errUnsynced
	}
	err := sync()
	if err != nil {
		unsynced.Store(path, nil)
	}
	return err
}

// syncFailed reports whether a sync of the file at path has failed.
func syncFailed(path string) bool {
	_, failed := unsynced.Load(path)
	return failed
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
		if err = joinErrors(err, f.Close()); err != nil {
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
