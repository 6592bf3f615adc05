package chain

import (
	"crypto/sha256"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"
)

func TestMerkleAgainstSumDB(t *testing.T) {
	t.Parallel()
	var txs []Hash
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(indexes))
		for i, x := range indexes {
			out[i] = stored[x]
		}
		return out, nil
	})
	for n := range 70 {
		tx := HashTx([]byte{byte(n)})
		txs = append(txs, tx)
		more, err := tlog.StoredHashes(int64(n), tx[:], reader)
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, more...)
		want, err := tlog.TreeHash(int64(n+1), reader)
		if err != nil {
			t.Fatal(err)
		}
		root := MerkleRoot(txs)
		if root != Hash(want) {
			t.Fatalf("root of %d: got %v, want %v", n+1, root, want)
		}
		for i, tx := range txs {
			proof := InclusionProof(txs, i)
			size, index := int64(len(txs)), int64(i)
			if err := VerifyInclusion(LeafHash(tx[:]), index, size, proof, root); err != nil {
				t.Fatalf("leaf %d of %d: %v", i, size, err)
			}
			for what, err := range map[string]error{
				"index":   VerifyInclusion(LeafHash(tx[:]), (index+1)%(size+1), size, proof, root),
				"root":    VerifyInclusion(LeafHash(tx[:]), index, size, proof, tx),
				"longer":  VerifyInclusion(LeafHash(tx[:]), index, size, append(slices.Clip(proof), tx), root),
				"minus":   VerifyInclusion(LeafHash(tx[:]), -1, size, proof, root),
				"no size": VerifyInclusion(LeafHash(tx[:]), 0, 0, proof, root),
			} {
				if err == nil {
					t.Fatalf("leaf %d of %d with a wrong %s: accepted", i, size, what)
				}
			}
		}
	}
}

// TestMerkleRootOfEmptyTree checks the value that RFC 6962 defines, SHA-256 of the empty string.
func TestMerkleRootOfEmptyTree(t *testing.T) {
	t.Parallel()
	if got, want := MerkleRoot(nil), Hash(sha256.Sum256(nil)); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestInclusionRefuses draws proofs with one fault: only the true leaf at its true index is
// accepted.
func TestInclusionRefuses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		txs := make([]Hash, rapid.IntRange(1, 40).Draw(t, "size"))
		for i := range txs {
			txs[i] = HashTx([]byte{byte(i)})
		}
		size, index := int64(len(txs)), rapid.IntRange(0, len(txs)-1).Draw(t, "index")
		leaf, proof, root := LeafHash(txs[index][:]), InclusionProof(txs, index), MerkleRoot(txs)
		i := rapid.IntRange(0, len(proof)).Draw(t, "position in the proof")
		other := genHash(t, "hash")
		wrong := map[string]error{
			"another leaf":   VerifyInclusion(other, int64(index), size, proof, root),
			"the hash alone": VerifyInclusion(txs[index], int64(index), size, proof, root),
			"one hash more":  VerifyInclusion(leaf, int64(index), size, slices.Insert(slices.Clone(proof), i, other), root),
		}
		if i < len(proof) {
			changed := slices.Clone(proof)
			changed[i] = other
			wrong["another hash"] = VerifyInclusion(leaf, int64(index), size, changed, root)
			wrong["one hash less"] = VerifyInclusion(leaf, int64(index), size, slices.Delete(slices.Clone(proof), i, i+1), root)
		}
		if elsewhere := rapid.Int64Range(-3, size+3).Draw(t, "elsewhere"); elsewhere != int64(index) {
			wrong["another index"] = VerifyInclusion(leaf, elsewhere, size, proof, root)
		}
		for what, err := range wrong {
			if err == nil {
				t.Fatalf("leaf %d of %d with %s: accepted", index, size, what)
			}
		}
	})
}

func TestInclusionProofPanics(t *testing.T) {
	t.Parallel()
	for _, index := range []int{-1, 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("index %d of 1: no panic", index)
				}
			}()
			InclusionProof(make([]Hash, 1), index)
		}()
	}
}
