package ledger

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
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

// tileHeight is the height of tiles by c2sp.org/tlog-tiles: 256 hashes each.
const tileHeight = 8

// Tile returns a tile or an entry bundle of the log by its path below /log/, for example
// "tile/0/x001/067" or "tile/entries/000.p/5" (c2sp.org/tlog-tiles). Tiles never change, neither
// full nor partial ones. Errors: ErrNotFound for malformed paths and for tiles that the log has
// not reached.
func (l *Ledger) Tile(ctx context.Context, tx *store.Tx, path string) ([]byte, error) {
	tile, entries, err := parseTilePath(path)
	if err != nil {
		return nil, ErrNotFound
	}
	h, err := loadHead(ctx, tx)
	if err != nil {
		return nil, err
	}
	// The number of hashes of the level: level 0 has one for each entry, each level above one for
	// 256 below.
	have := (h.height + 1) >> (tileHeight * tile.L)
	if tile.N > have/(1<<tileHeight) || tile.N*(1<<tileHeight)+int64(tile.W) > have {
		return nil, ErrNotFound
	}
	if entries {
		return entryBundle(ctx, tx, tile)
	}
	return tlog.ReadTileData(tile, hashReader(ctx, tx))
}

// parseTilePath parses a path of tlog-tiles. Package tlog parses an older format with the tile
// height in the path, so the height is inserted first.
func parseTilePath(path string) (tile tlog.Tile, entries bool, err error) {
	rest, ok := strings.CutPrefix(path, "tile/")
	if !ok {
		return tile, false, errors.New("no tile")
	}
	if n, ok := strings.CutPrefix(rest, "entries/"); ok {
		rest, entries = "0/"+n, true
	}
	tile, err = tlog.ParseTilePath(fmt.Sprintf("tile/%d/%s", tileHeight, rest))
	if err == nil && (tile.L < 0 || tile.L > 7) {
		err = errors.New("no such level")
	}
	return tile, entries, err
}

// entryBundle returns the entries of a tile of level 0, each after its length in 2 bytes
// big-endian.
func entryBundle(ctx context.Context, tx *store.Tx, tile tlog.Tile) ([]byte, error) {
	headers, err := q.New(tx).ListHeaders(ctx, q.ListHeadersParams{First: tile.N << tileHeight, Count: int64(tile.W)})
	if err != nil {
		return nil, err
	}
	if len(headers) != tile.W {
		return nil, fmt.Errorf("ledger: %d headers from block %d, want %d", len(headers), tile.N<<tileHeight, tile.W)
	}
	var out []byte
	for _, header := range headers {
		out = binary.BigEndian.AppendUint16(out, uint16(len(header)))
		out = append(out, header...)
	}
	return out, nil
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
