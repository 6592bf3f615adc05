//go:build !linux

package store

import "os"

// fdatasync waits until f is on disk.
func fdatasync(f *os.File) error { return f.Sync() }
