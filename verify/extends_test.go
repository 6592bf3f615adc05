package verify_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"roshambo/chain"
	"roshambo/chain/export"
	"roshambo/verify"
)

// TestExportExtends compares a whole chain with checkpoints that were kept earlier: of every size of its
// tree, of a longer one, of another tree, and by another key.
func TestExportExtends(t *testing.T) {
	t.Parallel()
	random := rand.NewChaCha8([32]byte{11})
	signers, keys := make([]note.Signer, 2), make([]string, 2)
	for i := range signers {
		private, public, err := note.GenerateKey(random, "roshambo-extended")
		if err != nil {
			t.Fatal(err)
		}
		if signers[i], err = note.NewSigner(private); err != nil {
			t.Fatal(err)
		}
		keys[i] = public
	}
	text := validChain(signers[0].Name()).blocks.seal(t, signers[0], keys[0])
	roots := treeRoots(t, text)
	size := len(roots) - 1
	checkpoint := func(size int, root chain.Hash, signer note.Signer) string {
		body := fmt.Sprintf("%s\n%d\n%s\n", signer.Name(), size, base64.StdEncoding.EncodeToString(root[:]))
		signed, err := note.Sign(&note.Note{Text: body}, signer)
		if err != nil {
			t.Fatal(err)
		}
		return string(signed)
	}
	check := func(name, kept, want string) {
		t.Helper()
		report, err := verify.Export(bytes.NewReader(text), verify.ChainOptions{Extends: kept})
		if err != nil {
			t.Fatal(err)
		}
		if report.Valid != (want == "") || !report.Valid && !strings.Contains(report.Problems[0].Found, want) {
			t.Errorf("%s: %v, want %q", name, report.Problems, want)
		}
	}
	for n := range roots {
		check(fmt.Sprintf("size %d", n), checkpoint(n, roots[n], signers[0]), "")
	}
	check("a longer tree", checkpoint(size+1, roots[size], signers[0]),
		fmt.Sprintf("a tree of %d blocks, where the chain has %d", size+1, size))
	check("another tree", checkpoint(size-1, roots[size], signers[0]),
		fmt.Sprintf("a tree of %d blocks with root", size-1))
	check("another empty tree", checkpoint(0, roots[1], signers[0]), "a tree of 0 blocks with root")
	check("another key", checkpoint(1, roots[1], signers[1]), "not signed by the verifier key")
	check("no note", "a text", "not a signed note")
}

// treeRoots returns the root of the tree of an export before each block and at the end.
func treeRoots(t *testing.T, text []byte) (roots []chain.Hash) {
	t.Helper()
	x, err := export.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var tree chain.Tree
	for {
		roots = append(roots, tree.Root())
		b, err := x.Block()
		if errors.Is(err, io.EOF) {
			return roots
		}
		if err != nil {
			t.Fatal(err)
		}
		tree.Add(chain.LeafHash(b.Header))
	}
}
