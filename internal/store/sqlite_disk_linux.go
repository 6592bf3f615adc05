package store

import (
	"os"
	"syscall"
)

// freeBytes returns how much may still be written to the disk that a file is on, if that is
// known.
func freeBytes(path string) (free int64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil || s.Blocks == 0 {
		return 0, false
	}
	return int64(s.Bavail) * s.Bsize, true
}

// reserveBytes makes a file that takes so much of its disk.
func reserveBytes(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return joinErrors(syscall.Fallocate(int(f.Fd()), 0, 0, size), f.Close())
}
