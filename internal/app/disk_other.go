//go:build !linux && !darwin

package app

import "math"

// freeBytes returns how many bytes this process can still write to the disk of a folder, as far as is known.
func freeBytes(string) uint64 { return math.MaxUint64 }

// sameDisk reports whether two folders share their free space, as far as is known.
func sameDisk(string, string) bool { return false }
