//go:build !linux

package postgres

import "syscall"

// boundUnacknowledged does nothing on this system: only Updates detect a stopped server, after
// readTimeout.
func boundUnacknowledged(string, string, syscall.RawConn) error { return nil }
