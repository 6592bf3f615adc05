package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
)

// The kernel says once that a file could not be synced. What it could not write it may take
// for written from then on: the next sync succeeds, and what was to be on disk is only in its
// memory (https://wiki.postgresql.org/wiki/Fsync_Errors). So a file of which a sync has
// failed cannot be synced any more in this process (syncOnce). No commit is answered with
// success then, and the log does not start from its beginning: all that was answered before
// stays in it. The next process has what it reads in the log written again (rewriteAndSync).

// unsynced are the files, by their path, of which a sync has failed.
var unsynced sync.Map

// errUnsynced says that a file could not be synced earlier.
var errUnsynced = errors.New("an earlier sync of the file has failed, and nobody knows what of it is on disk: the service must be started again")

// syncOnce syncs the file at path, unless that has failed before.
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

// rewriteAndSync writes a file over itself and has it synced: what the kernel remembers of it is
// on disk then, also what it could not write before, or had no time for since the process
// that wrote it was killed. Nobody else writes to it meanwhile. A crash here changes nothing,
// as every byte is what it was.
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
			err = fmt.Errorf("writing %s again: %w", path, err)
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
