package chain

import (
	"crypto/sha256"
	"math/bits"
)

// Tree is a Merkle tree of RFC 6962 that grows by one leaf at a time. It keeps one hash for
// each 1 in the binary representation of its size, the roots of its perfect subtrees, so its
// memory is constant. The zero value is the empty tree.
type Tree struct {
	size int64
	full [63]Hash // full[k] is the root of the perfect subtree of 2^k leaves, if size has bit k
}

// Add appends a leaf by its hash (LeafHash). The hash may also be the root of a perfect tree,
// when every leaf is one of the same size.
func (t *Tree) Add(leaf Hash) {
	level := bits.TrailingZeros64(^uint64(t.size)) // perfect subtrees that merge with the leaf
	for k := range level {
		leaf = nodeHash(t.full[k], leaf)
	}
	t.full[level] = leaf
	t.size++
}

// Size returns the number of leaves.
func (t *Tree) Size() int64 { return t.size }

// Root returns the root, which for an empty tree is the SHA-256 of the empty string. It does
// not change the tree.
func (t *Tree) Root() Hash {
	if t.size == 0 {
		return sha256.Sum256(nil)
	}
	// Fold the perfect subtrees from the smallest to the largest; each is left of the fold so far.
	level := bits.TrailingZeros64(uint64(t.size))
	root := t.full[level]
	for level++; t.size>>level > 0; level++ {
		if t.size>>level&1 == 1 {
			root = nodeHash(t.full[level], root)
		}
	}
	return root
}
