//go:build !linux

package store

import "errors"

// freeBytes returns how much may still be written to the disk that a file is on, if that is
// known.
func freeBytes(string) (free int64, known bool) { return 0, false }

// reserveBytes makes a file that takes so much of its disk.
func reserveBytes(string, int64) error { return errors.ErrUnsupported }
