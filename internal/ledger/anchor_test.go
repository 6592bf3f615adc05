package ledger_test

import (
	"context"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// anchors returns the anchors of some transactions and the root and size of the log
// that they lead to.
func (e *economy) anchors(t testing.TB, hashes ...chain.Hash) (list []ledger.Anchor, tree treeHead) {
	t.Helper()
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		anchors, checkpoint, err := e.Anchors(ctx, tx, hashes...)
		if err != nil {
			return err
		}
		list, tree = anchors, e.opened(t, checkpoint)
		return nil
	})
	return list, tree
}

type treeHead struct {
	size int64
	root chain.Hash
	note string
}

// opened reads a checkpoint of the log.
func (e *economy) opened(t testing.TB, checkpoint string) treeHead {
	t.Helper()
	key, err := note.NewVerifier(e.VerifierKey())
	if err != nil {
		t.Fatal(err)
	}
	n, err := note.Open([]byte(checkpoint), note.VerifierList(key))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(n.Text, "\n")
	size, errSize := strconv.ParseInt(lines[1], 10, 64)
	root, errRoot := base64.StdEncoding.DecodeString(lines[2])
	if lines[0] != e.Origin() || errSize != nil || errRoot != nil {
		t.Fatalf("checkpoint %q: %v, %v", n.Text, errSize, errRoot)
	}
	return treeHead{size, chain.Hash(root), checkpoint}
}

// wantAnchored checks that an anchor proves its transaction.
func wantAnchored(t testing.TB, a ledger.Anchor, tree treeHead) {
	t.Helper()
	r := a.Record
	header, err := chain.ParseHeader(a.Header)
	if err != nil || !r.Sealed || header.Height != r.Height || chain.HashTx(r.Raw) != r.Hash {
		t.Errorf("%v: sealed %v at height %d, header %+v, error %v", r.Hash, r.Sealed, r.Height, header, err)
		return
	}
	if err := chain.VerifyInclusion(
		chain.LeafHash(r.Hash[:]), r.Index, header.TxCount, a.TxProof, header.MerkleRoot,
	); err != nil {
		t.Errorf("transaction %d of block %d: %v", r.Index, r.Height, err)
	}
	if err := chain.VerifyInclusion(
		chain.LeafHash(a.Header), r.Height, tree.size, a.BlockProof, tree.root,
	); err != nil {
		t.Errorf("block %d of %d: %v", r.Height, tree.size, err)
	}
}

// TestAnchors checks that the present checkpoint proves every sealed transaction of blocks of many
// sizes, and that a pending one comes without a proof.
func TestAnchors(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	var hashes []chain.Hash
	for _, n := range []int{1, 2, 3, 63, 64, 65, 130} {
		hashes = append(hashes, e.Faucets(t, ann, n)...)
		e.SealAll(t)
	}
	for i := range hashes {
		if i%7 != 0 && i > 6 {
			continue
		}
		list, tree := e.anchors(t, hashes[i], hashes[len(hashes)-1-i])
		if len(list) != 2 {
			t.Fatalf("%d anchors of two transactions", len(list))
		}
		for _, a := range list {
			wantAnchored(t, a, tree)
		}
	}
	waiting := e.Faucets(t, ann, 1)
	list, tree := e.anchors(t, e.sealed(t)[0].Hash, waiting[0])
	wantAnchored(t, list[0], tree)
	if a := list[1]; a.Record.Hash != waiting[0] || a.Record.Sealed || a.Header != nil || a.TxProof != nil ||
		a.BlockProof != nil {
		t.Errorf("waiting: %+v", a)
	}
	if list, _ := e.anchors(t); len(list) != 0 {
		t.Errorf("nothing was asked for, got %d", len(list))
	}
	err := e.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, _, err := e.Anchors(ctx, tx, hashes[0], e.NewHash())
		return err
	})
	if !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("unknown transaction: error %v", err)
	}
}

// TestAnchorsAreCosigned checks that the most cosigned of the checkpoints that cover the blocks
// is used, together with its cosignatures.
func TestAnchorsAreCosigned(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	e.SealAll(t)
	first, second := e.sealed(t)[0].Hash, e.sealed(t)[1].Hash
	old := e.Cosign(t, "one", "two")
	last := e.Faucets(t, ann, 1)[0]
	e.SealAll(t)
	prove := func(hashes ...chain.Hash) (string, treeHead) {
		list, tree := e.anchors(t, hashes...)
		if len(list) != len(hashes) {
			t.Fatalf("%d anchors of %d transactions", len(list), len(hashes))
		}
		for _, a := range list {
			wantAnchored(t, a, tree)
		}
		return tree.note, tree
	}
	if got, tree := prove(first); got != old || tree.size != 2 {
		t.Errorf(
			"an old block is proven by a tree of %d:\n%s\nwant the one that was cosigned:\n%s",
			tree.size,
			got,
			old,
		)
	}
	if got, tree := prove(first, second); got != old || tree.size != 2 { // the second is in the tree's last block
		t.Errorf("two old blocks are proven by a tree of %d:\n%s\nwant the one that was cosigned", tree.size, got)
	}
	if got, tree := prove(first, last); tree.size != 3 || strings.Count(got, "\n— ") != 1 {
		t.Errorf("a new block is proven by a tree of %d:\n%s\nwant the newest, without cosignatures", tree.size, got)
	}
	now := e.Cosign(t, "one")
	if got, _ := prove(last); got != now {
		t.Errorf("got\n%s\nwant\n%s", got, now)
	}
	if got, tree := prove(first); tree.size != 3 || got != now { // now both have one cosignature: the newest
		t.Errorf("an old block is proven by a tree of %d:\n%s", tree.size, got)
	}
}

// TestAnchorsOfOtherTrees checks that no checkpoint is used that is of a larger tree than the database has,
// however many have cosigned it, and that one of the same size may be.
func TestAnchorsOfOtherTrees(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	e.join(t)
	e.SealAll(t)
	hash, newest := e.sealed(t)[1].Hash, e.checkpoint(t)
	for _, c := range []struct {
		size int64
		want string
	}{{3, newest}, {2, "a text of 2 blocks\ncosigned\n"}} {
		text := "a text of " + strconv.FormatInt(c.size, 10) + " blocks\n"
		e.Keep(t, ledger.Cosignature{Witness: "w", Size: c.size, Checkpoint: []byte(text), Lines: "cosigned\n"})
		e.View(t, func(ctx context.Context, tx *store.Tx) error {
			_, got, err := e.Anchors(ctx, tx, hash)
			if got != c.want {
				t.Errorf("a cosigned tree of %d blocks: anchored by %q, want %q", c.size, got, c.want)
			}
			return err
		})
		e.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, "DELETE FROM log_cosignature")
			return err
		})
	}
}

// TestAnchorIndex checks that a transaction is proven at an index of its block alone.
func TestAnchorIndex(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	e.Faucets(t, ann, 2)
	e.SealAll(t)
	e.View(t, func(ctx context.Context, tx *store.Tx) error {
		for index, want := range map[int64]error{
			-1: layout.ErrDamaged, 0: nil, 1: nil, 2: nil, 3: layout.ErrDamaged, 4: layout.ErrDamaged,
		} {
			a := ledger.Anchor{Record: ledger.Record{Sealed: true, Height: 1, Index: index}}
			if err := e.Prove(ctx, tx, &a, 2); !errors.Is(err, want) {
				t.Errorf("index %d of three: error %v, want %v", index, err, want)
			}
		}
		return nil
	})
}
