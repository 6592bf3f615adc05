package chain

import (
	"crypto/sha256"
	"errors"
	"math/bits"
)

// Merkle trees of RFC 6962 section 2.1 and RFC 9162 section 2.1.3. The input of a leaf's hash
// begins with byte 0 and the input of a node's hash with byte 1, so that neither can pass for
// the other.

// LeafHash returns the hash of the leaf that holds data: SHA-256(0x00 || data). The leaves of
// a block's tree hold transaction hashes, the leaves of the log's tree header raws.
func LeafHash(data []byte) Hash {
	var stack [512]byte // avoids an allocation for headers and hashes
	return sha256.Sum256(append(append(stack[:0], 0), data...))
}

// nodeHash returns SHA-256(0x01 || left || right).
func nodeHash(left, right Hash) Hash {
	var msg [1 + 2*sha256.Size]byte
	msg[0] = 1
	copy(msg[1:], left[:])
	copy(msg[1+sha256.Size:], right[:])
	return sha256.Sum256(msg[:])
}

// MerkleRoot returns the Merkle tree hash (MTH) of the transactions' hashes, in block order.
// The root of no transactions is the SHA-256 of the empty string, as RFC 6962 defines.
func MerkleRoot(txs []Hash) Hash {
	if len(txs) == 0 {
		return sha256.Sum256(nil)
	}
	level := leaves(txs)
	for len(level) > 1 {
		level = foldLevel(level)
	}
	return level[0]
}

// leaves returns the leaf hashes of the transactions' hashes.
func leaves(txs []Hash) []Hash {
	level := make([]Hash, len(txs))
	for i, tx := range txs {
		level[i] = LeafHash(tx[:])
	}
	return level
}

// foldLevel returns the next level of the tree, and overwrites level. It pairs neighbours; an
// odd last node moves up unchanged. The result is the tree of RFC 6962, whose left subtree
// always has the largest power of two of leaves.
func foldLevel(level []Hash) []Hash {
	n := 0
	for i := 0; i+1 < len(level); i += 2 {
		level[n] = nodeHash(level[i], level[i+1])
		n++
	}
	if len(level)%2 == 1 {
		level[n] = level[len(level)-1]
		n++
	}
	return level[:n]
}

// InclusionProof returns the proof that txs[index] is a leaf of MerkleRoot(txs): the siblings
// on the path from the leaf to the root, lowest first. It is empty for a single transaction.
// InclusionProof panics when index is out of range.
func InclusionProof(txs []Hash, index int) []Hash {
	if index < 0 || index >= len(txs) {
		panic("chain: index of an inclusion proof out of range")
	}
	proof := make([]Hash, 0, bits.Len(uint(len(txs))))
	level := leaves(txs)
	for len(level) > 1 {
		if sibling := index ^ 1; sibling < len(level) {
			proof = append(proof, level[sibling])
		}
		level = foldLevel(level)
		index /= 2
	}
	return proof
}

// ErrInclusion reports an inclusion proof that does not hold, for whatever reason.
var ErrInclusion = errors.New("chain: the inclusion proof does not lead to the root")

// VerifyInclusion returns nil when proof shows that the tree of size leaves with the given
// root has the leaf hash leaf at index, and ErrInclusion otherwise (RFC 9162 section 2.1.3.2).
// For a transaction leaf is LeafHash of its hash, for a block LeafHash of its header's raw.
// Any arguments are safe.
func VerifyInclusion(leaf Hash, index, size int64, proof []Hash, root Hash) error {
	if index < 0 || index >= size {
		return ErrInclusion
	}
	// node and last are the positions of the leaf's ancestor and of the last node on the
	// current level; last is 0 at the root.
	node, last := index, size-1
	hash := leaf
	for _, sibling := range proof {
		if last == 0 {
			return ErrInclusion
		}
		if node%2 == 1 || node == last {
			hash = nodeHash(sibling, hash)
			// A last node without a sibling moves up unchanged: skip those levels.
			for node%2 == 0 && node != 0 {
				node, last = node/2, last/2
			}
		} else {
			hash = nodeHash(hash, sibling)
		}
		node, last = node/2, last/2
	}
	if last != 0 || hash != root {
		return ErrInclusion
	}
	return nil
}
