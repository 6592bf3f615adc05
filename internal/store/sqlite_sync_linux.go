package store

import (
	"errors"
	"os"
	"syscall"
)

// fdatasync waits until the content of f is on disk, with its size if that has changed but
// without timestamps, which would cost a journal entry of the file system.
func fdatasync(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
