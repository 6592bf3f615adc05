package chain

import (
	"fmt"
	"testing"
)

// TestTree compares the root after each leaf with MerkleRoot over the same leaves.
func TestTree(t *testing.T) {
	t.Parallel()
	var tree Tree
	var all []Hash
	for n := range 300 {
		if got, want := tree.Root(), MerkleRoot(all); got != want || tree.Size() != int64(n) {
			t.Fatalf("%d leaves: size %d, root %v, want %v", n, tree.Size(), got, want)
		}
		tx := HashTx(fmt.Append(nil, "transaction ", n))
		all = append(all, tx)
		tree.Add(LeafHash(tx[:]))
	}
}
