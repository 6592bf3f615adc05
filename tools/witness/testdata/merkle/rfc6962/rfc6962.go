// Package rfc6962 provides the part of the package of the same name that a witness needs: the
// hash of the empty tree.
package rfc6962

import "crypto/sha256"

// Hasher hashes trees as RFC 6962 does.
type Hasher struct{}

// DefaultHasher is the only Hasher.
var DefaultHasher Hasher

// EmptyRoot returns the root of a tree without leaves.
func (Hasher) EmptyRoot() []byte {
	sum := sha256.Sum256(nil)
	return sum[:]
}
