package sqlite

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"

	"roshambo/internal/store"
)

// fileLock prevents other processes from serving the same database. Windows releases the lock
// when the process ends in any way.
type fileLock struct{ f *os.File }

// lockFile creates and locks the file at path. The error wraps ErrLocked if another process
// holds the lock.
func lockFile(path string) (*fileLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		err = store.ErrLocked
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	return &fileLock{f}, nil
}

func (l *fileLock) release() error { return l.f.Close() }
