package ledger

import (
	"context"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/db"
)

// Anchor is a transaction with the proofs that it is in its block, and its block in
// the log: protocol.md section 5.
type Anchor struct {
	Record     Record
	Header     []byte       // raw of its block; nil while pending, as what follows
	TxProof    []chain.Hash // of the transaction's hash in the block's Merkle root
	BlockProof []chain.Hash // of the header in the log of the checkpoint
}

// Anchors returns the transactions with the proofs that lead to one checkpoint,
// which it returns as well.
func (l *Ledger) Anchors(ctx context.Context, tx *db.Tx, hashes ...chain.Hash) ([]Anchor, string, error) {
	h, err := l.Head(ctx, tx)
	if err != nil {
		return nil, "", err
	}
	list := make([]Anchor, len(hashes))
	for i, hash := range hashes {
		if list[i], err = l.anchor(ctx, tx, hash, h.Block.Header.Height+1); err != nil {
			return nil, "", fmt.Errorf("ledger: anchor %v: %w", hash, err)
		}
	}
	return list, h.Checkpoint, nil
}

func (l *Ledger) anchor(ctx context.Context, tx *db.Tx, hash chain.Hash, logSize int64) (Anchor, error) {
	r, err := l.Tx(ctx, tx, hash)
	if err != nil || !r.Sealed {
		return Anchor{Record: r}, err
	}
	b, err := l.Block(ctx, tx, r.Height)
	if err != nil {
		return Anchor{}, err
	}
	raws, err := blockRaws(ctx, tx, b)
	if err != nil {
		return Anchor{}, err
	}
	if r.Index < 0 || r.Index >= int64(len(raws)) {
		return Anchor{}, errDamaged
	}
	hashes := make([]chain.Hash, len(raws))
	for i, raw := range raws {
		hashes[i] = chain.HashTx(raw)
	}
	a := Anchor{Record: r, Header: b.Raw, TxProof: chain.InclusionProof(hashes, int(r.Index))}
	a.BlockProof, err = recordProof(ctx, tx, r.Height, logSize)
	return a, err
}
