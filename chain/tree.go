package chain

import (
	"crypto/sha256"
	"math/bits"
)

// Tree is a Merkle tree as in RFC 6962 that leaves are added to. It keeps what its
// root depends on and no more: one hash for each binary digit of its size. The zero
// value is the empty tree.
type Tree struct {
	size int64
	full [63]Hash // of the full tree of 2^k leaves, where size has the digit k
}

// Add adds a leaf by its hash (LeafHash), or the root of a full tree, when the whole is
// to be a tree of such.
func (t *Tree) Add(leaf Hash) {
	level := bits.TrailingZeros64(^uint64(t.size)) // as many full trees end here
	for k := range level {
		leaf = nodeHash(t.full[k], leaf)
	}
	t.full[level] = leaf
	t.size++
}

// Size returns how many leaves there are.
func (t *Tree) Size() int64 { return t.size }

// Root returns the root. That of no leaves is the hash of nothing.
func (t *Tree) Root() Hash {
	if t.size == 0 {
		return sha256.Sum256(nil)
	}
	level := bits.TrailingZeros64(uint64(t.size))
	root := t.full[level]
	for level++; t.size>>level > 0; level++ {
		if t.size>>level&1 == 1 {
			root = nodeHash(t.full[level], root)
		}
	}
	return root
}
