package ledger

import (
	"context"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// Anchor is a transaction with the proofs that it is in its block, and its block in the log:
// docs/protocol.md, section 5.
type Anchor struct {
	Record     Record
	Header     []byte       // raw header of its block; nil while pending, like the proofs
	TxProof    []chain.Hash // inclusion of the transaction's hash in the block's Merkle root
	BlockProof []chain.Hash // inclusion of the header in the log of the checkpoint
}

// Anchors returns transactions with the proofs that lead to one checkpoint, and that checkpoint
// with its cosignatures. Of the checkpoints that cover all the blocks it picks the one with the
// most cosignatures, and of several the newest. Errors: ErrNotFound for an unknown hash.
func (l *Ledger) Anchors(ctx context.Context, tx *store.Tx, hashes ...chain.Hash) ([]Anchor, string, error) {
	list := make([]Anchor, len(hashes))
	blocks := int64(0) // the checkpoint must cover at least so many
	for i, hash := range hashes {
		r, err := l.Tx(ctx, tx, hash)
		if err != nil {
			return nil, "", fmt.Errorf("ledger: anchor %v: %w", hash, err)
		}
		if list[i].Record = r; r.Sealed {
			blocks = max(blocks, r.Height+1)
		}
	}
	size, checkpoint, err := l.covering(ctx, tx, blocks)
	if err != nil {
		return nil, "", err
	}
	for i := range list {
		if err := l.anchor(ctx, tx, &list[i], size); err != nil {
			return nil, "", fmt.Errorf("ledger: anchor %v: %w", hashes[i], err)
		}
	}
	return list, checkpoint, nil
}

// covering returns the checkpoint that proves the first blocks of the log, and its size.
func (l *Ledger) covering(ctx context.Context, tx *store.Tx, blocks int64) (size int64, checkpoint string, err error) {
	h, err := l.servedHead(ctx, tx)
	if err != nil {
		return 0, "", err
	}
	list, err := q.New(tx).ListCosignatures(ctx)
	if err != nil {
		return 0, "", fmt.Errorf("ledger: cosignatures: %w", err)
	}
	size, checkpoint = h.height+1, h.note
	count := map[string]int{}
	for _, c := range list {
		count[c.Checkpoint]++
	}
	for _, c := range list { // in descending order of size
		if c.Size >= blocks && c.Size <= h.height+1 && count[c.Checkpoint] > count[checkpoint] {
			size, checkpoint = c.Size, c.Checkpoint
		}
	}
	return size, string(layout.Cosigned(checkpoint, list)), nil
}

// anchor adds the proofs of a sealed transaction; logSize is the size of the checkpoint.
func (l *Ledger) anchor(ctx context.Context, tx *store.Tx, a *Anchor, logSize int64) error {
	r := &a.Record
	if !r.Sealed {
		return nil
	}
	b, err := l.Block(ctx, tx, r.Height)
	if err != nil {
		return err
	}
	raws, err := blockRaws(ctx, tx, b)
	if err != nil {
		return err
	}
	if r.Index < 0 || r.Index >= int64(len(raws)) {
		return layout.ErrDamaged
	}
	hashes := make([]chain.Hash, len(raws))
	for i, raw := range raws {
		hashes[i] = chain.HashTx(raw)
	}
	a.Header, a.TxProof = b.Raw, chain.InclusionProof(hashes, int(r.Index))
	a.BlockProof, err = recordProof(ctx, tx, r.Height, logSize)
	return err
}
