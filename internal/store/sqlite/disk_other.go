//go:build !linux

package sqlite

import (
	"errors"
	"os"
)

// freeBytes reports that the free space is unknown on this system.
func freeBytes(string) (free int64, known bool) { return 0, false }

// reserveBytes returns errors.ErrUnsupported: this system cannot allocate space for a file.
func reserveBytes(string, int64) error { return errors.ErrUnsupported }

// fdatasync waits until f is on disk.
func fdatasync(f *os.File) error { return f.Sync() }
