package ledger

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/ledger/tile"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// extendLog appends block b to the log: entry h is the raw header of block h. It computes the
// tree's new hashes and signs its new head.
func (l *Ledger) extendLog(ctx context.Context, tx *store.Tx, b *newBlock) error {
	n := b.header.Height
	b.firstHash = tlog.StoredHashCount(n)
	fresh := &extendedHashes{stored: hashReader(ctx, tx), first: b.firstHash}
	var err error
	if b.hashes, err = tlog.StoredHashes(n, b.raw, fresh); err != nil {
		return fmt.Errorf("log of %d entries: %w", n, err)
	}
	fresh.more = b.hashes
	if b.root, err = tlog.TreeHash(n+1, fresh); err != nil {
		return fmt.Errorf("log of %d entries: %w", n+1, err)
	}
	if b.declared, err = layout.LoadRollbacks(ctx, tx); err != nil {
		return err
	}
	b.note, err = note.Sign(&note.Note{Text: layout.CheckpointText(l.signer.Name(), n+1, b.root, b.declared)}, l.signer)
	if err != nil {
		return fmt.Errorf("sign the checkpoint: %w", err)
	}
	return nil
}

// hashReader returns a reader of the log's stored hashes.
func hashReader(ctx context.Context, tx *store.Tx) tlog.HashReader {
	queries := q.New(tx)
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(indexes))
		for i := 0; i < len(indexes); {
			// One query for each run of consecutive indexes, as in a tile.
			n := 1
			for i+n < len(indexes) && indexes[i+n] == indexes[i]+int64(n) {
				n++
			}
			rows, err := queries.ListLogHashes(
				ctx, q.ListLogHashesParams{First: indexes[i], BeforeIdx: indexes[i] + int64(n)},
			)
			if err != nil {
				return nil, err
			}
			if len(rows) != n {
				return nil, fmt.Errorf("hashes of the log from %d on: %w", indexes[i], layout.ErrDamaged)
			}
			for j, row := range rows {
				if copy(out[i+j][:], row.Hash) != tlog.HashSize {
					return nil, fmt.Errorf("hash %d of the log: %w", row.Idx, layout.ErrDamaged)
				}
			}
			i += n
		}
		return out, nil
	})
}

// extendedHashes reads stored hashes, and behind them hashes that are not stored yet.
type extendedHashes struct {
	stored tlog.HashReader
	first  int64       // storage index of more[0]
	more   []tlog.Hash // not stored yet
}

// ReadHashes returns the hashes with the given storage indexes.
func (e *extendedHashes) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	var old []int64
	for _, i := range indexes {
		if i < e.first {
			old = append(old, i)
		}
	}
	hashes, err := e.stored.ReadHashes(old)
	if err != nil {
		return nil, err
	}
	out := make([]tlog.Hash, len(indexes))
	for n, i := range indexes {
		if i < e.first {
			out[n], hashes = hashes[0], hashes[1:]
		} else {
			out[n] = e.more[i-e.first]
		}
	}
	return out, nil
}

// ErrNotFound reports that there is no such block, transaction, address, token or tile.
var ErrNotFound = errors.New("ledger: not found")

// Tile returns a tile or an entry bundle of the log by its path below /log/ (package tile). Tiles never
// change, neither full nor partial ones. Errors: ErrNotFound for malformed paths and for tiles that the
// log has not reached.
func (l *Ledger) Tile(ctx context.Context, tx *store.Tx, path string) ([]byte, error) {
	h, err := loadHead(ctx, tx)
	if err != nil {
		return nil, err
	}
	t, entries, ok := tile.Parse(path, h.height+1)
	switch {
	case !ok:
		return nil, ErrNotFound
	case !entries:
		return tlog.ReadTileData(t, hashReader(ctx, tx))
	}
	headers, err := q.New(tx).ListHeaders(ctx, q.ListHeadersParams{First: t.N << tile.Height, Count: int64(t.W)})
	if err != nil {
		return nil, err
	}
	if len(headers) != t.W {
		return nil, fmt.Errorf("ledger: %d headers from block %d, want %d", len(headers), t.N<<tile.Height, t.W)
	}
	var bundle []byte
	for _, header := range headers {
		bundle = tile.AppendEntry(bundle, header)
	}
	return bundle, nil
}

// recordProof returns the inclusion proof of a block in the log of size blocks.
func recordProof(ctx context.Context, tx *store.Tx, height, size int64) ([]chain.Hash, error) {
	proof, err := tlog.ProveRecord(size, height, hashReader(ctx, tx))
	if err != nil {
		return nil, err
	}
	out := make([]chain.Hash, len(proof))
	for i, h := range proof {
		out[i] = chain.Hash(h)
	}
	return out, nil
}
