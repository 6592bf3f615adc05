//go:build !linux

package store

import "time"

// monotonic returns the time since now.
func monotonic() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
