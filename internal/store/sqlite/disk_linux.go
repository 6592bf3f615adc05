package sqlite

import (
	"errors"
	"os"
	"syscall"

	"roshambo/internal/store/engine"
)

// freeBytes returns the free space of the disk that contains path. known is false when the file
// system does not report it.
func freeBytes(path string) (free int64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil || s.Blocks == 0 {
		return 0, false
	}
	return int64(s.Bavail) * s.Bsize, true
}

// reserveBytes creates a file at path and allocates size bytes of the disk to it.
func reserveBytes(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return engine.Join(syscall.Fallocate(int(f.Fd()), 0, 0, size), f.Close())
}

// fdatasync waits until the content of f is on disk, with its size if that has changed but
// without timestamps, which would cost a journal entry of the file system.
func fdatasync(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
