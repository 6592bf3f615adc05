//go:build !linux

package store

import "syscall"

// boundUnacknowledged does nothing here: a server whose machine is gone is given up
// after readTimeout, by Updates alone.
func boundUnacknowledged(string, string, syscall.RawConn) error { return nil }
