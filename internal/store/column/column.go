// Package column converts columns that occur in many tables and have no type in an engine:
// times are integers (Unix milliseconds), hashes and addresses are bytes, booleans are 1 and 0.
// NULL is a nil pointer.
package column

import (
	"time"

	"roshambo/chain"
)

// Time returns the UTC time of a number of Unix milliseconds.
func Time(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// TimeOrZero returns the UTC time of a number of Unix milliseconds, the zero time for 0.
func TimeOrZero(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return Time(ms)
}

// MillisOrZero is the inverse of TimeOrZero.
func MillisOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// OptionalTime returns the time of a nullable column, nil for NULL.
func OptionalTime(ms *int64) *time.Time {
	if ms == nil {
		return nil
	}
	t := Time(*ms)
	return &t
}

// Millis returns the Unix milliseconds of a time, NULL for nil.
func Millis(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
}

// OptionalHash returns the hash of a nullable column, nil for NULL. It panics on another length
// than 32 bytes.
func OptionalHash(b []byte) *chain.Hash {
	if b == nil {
		return nil
	}
	h := chain.Hash(b)
	return &h
}

// Hash returns the bytes of a hash, NULL for nil.
func Hash(h *chain.Hash) []byte {
	if h == nil {
		return nil
	}
	return h[:]
}

// OptionalAddress returns the address of a nullable column, nil for NULL. It panics on another
// length than 20 bytes.
func OptionalAddress(b []byte) *chain.Address {
	if b == nil {
		return nil
	}
	a := chain.Address(b)
	return &a
}

// Bool returns 1 for true and 0 for false.
func Bool(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
