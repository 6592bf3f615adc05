package ledger

import (
	"context"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// SignedHead returns the newest checkpoint (c2sp.org/tlog-checkpoint), signed by the log alone.
func (l *Ledger) SignedHead(ctx context.Context, tx *store.Tx) ([]byte, error) {
	h, err := l.servedHead(ctx, tx)
	if err != nil {
		return nil, fmt.Errorf("ledger: checkpoint: %w", err)
	}
	return []byte(h.note), nil
}

// servedHead returns the head, and records it as served: a caller may see it.
func (l *Ledger) servedHead(ctx context.Context, tx *store.Tx) (head, error) {
	h, err := loadHead(ctx, tx)
	if err != nil {
		return head{}, err
	}
	return h, l.recordServed(ctx, tx, h)
}

// Checkpoint returns the newest checkpoint with the cosignatures collected so far.
func (l *Ledger) Checkpoint(ctx context.Context, tx *store.Tx) ([]byte, error) {
	signed, err := l.SignedHead(ctx, tx)
	if err != nil {
		return nil, err
	}
	list, err := q.New(tx).ListCosignatures(ctx)
	if err != nil {
		return nil, fmt.Errorf("ledger: cosignatures: %w", err)
	}
	return layout.Cosigned(string(signed), list), nil
}

// Witnessed returns the checkpoint with the most cosignatures, of several the newest, and these
// cosignatures. Witnesses cosign a moment after a block, so the newest checkpoint usually has
// none. Errors: ErrNotFound when no checkpoint is cosigned.
func (l *Ledger) Witnessed(ctx context.Context, tx *store.Tx) ([]byte, error) {
	list, err := q.New(tx).ListCosignatures(ctx)
	if err != nil {
		return nil, fmt.Errorf("ledger: cosignatures: %w", err)
	}
	signed, _ := layout.Witnessed(list)
	if signed == nil {
		return nil, ErrNotFound
	}
	return signed, nil
}

// Cosignature is the cosignature of a checkpoint by a witness.
type Cosignature struct {
	Witness    string // its verifier key
	Size       int64  // of the tree, in blocks
	Checkpoint []byte // as SignedHead returned it
	Lines      string // verified signature lines, to append to the checkpoint
}

// KeepCosignature stores a cosignature in place of the witness's last one, unless that one is of a
// larger tree, and keeps the checkpoint for ever when it is due (LogKept).
func (l *Ledger) KeepCosignature(ctx context.Context, tx *store.Tx, c Cosignature) error {
	err := q.New(tx).PutCosignature(ctx, q.PutCosignatureParams{
		Witness: c.Witness, Size: c.Size, Checkpoint: string(c.Checkpoint), Lines: c.Lines})
	if err != nil {
		return fmt.Errorf("ledger: cosignature of %s: %w", c.Witness, err)
	}
	l.cosignatures.add(c)
	if err := l.keep(ctx, tx, c); err != nil {
		return fmt.Errorf("ledger: keep the checkpoint of %d blocks: %w", c.Size, err)
	}
	return nil
}

// CosignedBy returns the size of the largest checkpoint that a witness, named by its verifier key,
// has cosigned; 0 for none.
func (l *Ledger) CosignedBy(ctx context.Context, tx *store.Tx, witness string) (size int64, err error) {
	list, err := q.New(tx).ListCosignatures(ctx)
	if err != nil {
		return 0, fmt.Errorf("ledger: cosignatures: %w", err)
	}
	for _, c := range list {
		if c.Witness == witness {
			size = max(size, c.Size)
		}
	}
	return size, nil
}

// Consistency returns the proof that the log of old blocks is a prefix of the log of size blocks.
func (l *Ledger) Consistency(ctx context.Context, tx *store.Tx, old, size int64) (tlog.TreeProof, error) {
	proof, err := tlog.ProveTree(size, old, hashReader(ctx, tx))
	if err != nil {
		return nil, fmt.Errorf("ledger: consistency of %d and %d blocks: %w", old, size, err)
	}
	return proof, nil
}
