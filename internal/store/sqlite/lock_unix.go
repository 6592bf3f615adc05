//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"roshambo/internal/store"
)

// fileLock prevents other processes from serving the same database. It is a separate file
// beside the database: closing any descriptor of the database would release SQLite's own locks.
// The kernel releases the lock when the process ends in any way.
type fileLock struct{ f *os.File }

// lockFile creates and locks the file at path. The error wraps ErrLocked if another process
// holds the lock.
func lockFile(path string) (*fileLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = store.ErrLocked
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	return &fileLock{f}, nil
}

// release unlocks before it closes: a process that is being forked holds the descriptor, and
// the lock with it, until its exec.
func (l *fileLock) release() error {
	return errors.Join(syscall.Flock(int(l.f.Fd()), syscall.LOCK_UN), l.f.Close())
}
