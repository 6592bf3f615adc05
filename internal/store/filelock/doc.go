// Package filelock locks a file for one process at a time.
package filelock

import "errors"

// ErrLocked reports that another process, or another part of this one, holds the lock.
var ErrLocked = errors.New("the file is locked")
