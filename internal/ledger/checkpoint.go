package ledger

import (
	"context"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// SignedHead returns the checkpoint of the log (c2sp.org/tlog-checkpoint) as the log
// alone has signed it.
func (l *Ledger) SignedHead(ctx context.Context, tx *store.Tx) ([]byte, error) {
	h, err := loadHead(ctx, tx)
	if err == nil {
		err = l.recordServed(ctx, tx, h)
	}
	if err != nil {
		return nil, fmt.Errorf("ledger: checkpoint: %w", err)
	}
	return []byte(h.note), nil
}

// Checkpoint returns the newest checkpoint of the log, with the cosignatures that there
// are of it by now.
func (l *Ledger) Checkpoint(ctx context.Context, tx *store.Tx) ([]byte, error) {
	signed, err := l.SignedHead(ctx, tx)
	if err != nil {
		return nil, err
	}
	list, err := q.New(tx).ListCosignatures(ctx)
	if err != nil {
		return nil, fmt.Errorf("ledger: cosignatures: %w", err)
	}
	return cosigned(string(signed), list), nil
}

// Witnessed returns the checkpoint that most witnesses have cosigned, of several the
// newest, with their cosignatures. While blocks follow one another the newest checkpoint
// has none yet; this one has. Without any it is ErrNotFound.
func (l *Ledger) Witnessed(ctx context.Context, tx *store.Tx) ([]byte, error) {
	list, err := q.New(tx).ListCosignatures(ctx)
	if err != nil {
		return nil, fmt.Errorf("ledger: cosignatures: %w", err)
	}
	// A note per checkpoint: they come in order of size, the largest first.
	count, best := map[string]int{}, ""
	for _, c := range list {
		if count[c.Checkpoint]++; count[c.Checkpoint] > count[best] {
			best = c.Checkpoint
		}
	}
	if best == "" {
		return nil, ErrNotFound
	}
	return cosigned(best, list), nil
}

// cosigned appends to a checkpoint what there is of it.
func cosigned(checkpoint string, list []q.LogCosignature) []byte {
	out := []byte(checkpoint)
	for _, c := range list {
		if c.Checkpoint == checkpoint {
			out = append(out, c.Lines...)
		}
	}
	return out
}

// Cosignature is what a witness made of a checkpoint.
type Cosignature struct {
	Witness    string // its verifier key
	Size       int64  // of the tree, in blocks
	Checkpoint []byte // as SignedHead returned it
	Lines      string // signature lines to be appended, verified
}

// KeepCosignature stores a cosignature, in the place of the last one of that witness.
// One of an older checkpoint than that is left out.
func (l *Ledger) KeepCosignature(ctx context.Context, tx *store.Tx, c Cosignature) error {
	err := q.New(tx).PutCosignature(ctx, q.PutCosignatureParams{
		Witness: c.Witness, Size: c.Size, Checkpoint: string(c.Checkpoint), Lines: c.Lines})
	if err != nil {
		return fmt.Errorf("ledger: cosignature of %s: %w", c.Witness, err)
	}
	return nil
}

// CosignedBy returns the size of the newest checkpoint that the witness with a verifier key has
// cosigned; 0 for none.
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

// Consistency proves that the log of old blocks is a prefix of that of size.
func (l *Ledger) Consistency(ctx context.Context, tx *store.Tx, old, size int64) (tlog.TreeProof, error) {
	proof, err := tlog.ProveTree(size, old, hashReader(ctx, tx))
	if err != nil {
		return nil, fmt.Errorf("ledger: consistency of %d and %d blocks: %w", old, size, err)
	}
	return proof, nil
}
