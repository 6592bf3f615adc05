package chain

import (
	"crypto/sha256"
	"errors"
	"math/bits"
)

// Merkle trees as in RFC 6962 section 2.1 and RFC 9162 section 2.1.3. The hash
// of a leaf starts with byte 0, that of a node with byte 1, so that neither can
// pass for the other.

// LeafHash returns the hash of a leaf that holds data.
func LeafHash(data []byte) Hash {
	var stack [512]byte
	return sha256.Sum256(append(append(stack[:0], 0), data...))
}

func nodeHash(left, right Hash) Hash {
	var msg [1 + 2*sha256.Size]byte
	msg[0] = 1
	copy(msg[1:], left[:])
	copy(msg[1+sha256.Size:], right[:])
	return sha256.Sum256(msg[:])
}

// MerkleRoot returns MTH over the transactions' hashes, in block order. The root
// of no transactions is the hash of nothing.
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

func leaves(txs []Hash) []Hash {
	level := make([]Hash, len(txs))
	for i, tx := range txs {
		level[i] = LeafHash(tx[:])
	}
	return level
}

// foldLevel pairs up neighbours in place; one left over rises as it is. That is
// the tree of RFC 6962: the left part is always the largest power of two.
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

// InclusionProof returns the proof that txs[index] is in MerkleRoot(txs): the
// hashes beside the way from the leaf to the root, lowest first.
// It panics when index is not in txs.
func InclusionProof(txs []Hash, index int) []Hash {
	if index < 0 || index >= len(txs) {
		panic("chain: no such transaction to prove")
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

// ErrInclusion is the answer to every inclusion proof that does not hold.
var ErrInclusion = errors.New("chain: the inclusion proof does not lead to the root")

// VerifyInclusion checks that the leaf with the given hash stands at index in a
// tree of size leaves with the given root (RFC 9162 section 2.1.3.2). For a
// transaction, leaf is LeafHash of its hash; for a block, of its header's raw.
func VerifyInclusion(leaf Hash, index, size int64, proof []Hash, root Hash) error {
	if index < 0 || index >= size {
		return ErrInclusion
	}
	node, last := index, size-1
	hash := leaf
	for _, sibling := range proof {
		if last == 0 {
			return ErrInclusion
		}
		if node%2 == 1 || node == last {
			hash = nodeHash(sibling, hash)
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
