//go:build linux || darwin

package app

import (
	"math"
	"syscall"
)

// freeBytes returns how many bytes this process can still write to the disk of a folder.
func freeBytes(folder string) uint64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return math.MaxUint64
	}
	return s.Bavail * uint64(s.Bsize)
}

// sameDisk reports whether two folders share their free space, as far as is known.
func sameDisk(a, b string) bool {
	var first, second syscall.Stat_t
	return syscall.Stat(a, &first) == nil && syscall.Stat(b, &second) == nil && first.Dev == second.Dev
}
