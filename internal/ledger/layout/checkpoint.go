package layout

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// CheckpointText returns the unsigned text of a checkpoint (c2sp.org/tlog-checkpoint) of a log
// with size entries, with one extension line for each declared rollback.
func CheckpointText(origin string, size int64, root tlog.Hash, rollbacks []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%d\n%s\n", origin, size, root)
	for _, line := range rollbacks {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// RollbackWord begins the line of a declared rollback.
const RollbackWord = "roshambo/rollback/v1"

// Rollback declares that a tree which was signed is given up. Once an operator accepts a
// rollback, every checkpoint carries its line after the root, an extension line of
// c2sp.org/tlog-checkpoint: the holder of a checkpoint of the lost tree can read there that the
// service admits the loss.
type Rollback struct {
	Size int64     // of the lost tree, in blocks
	Root tlog.Hash // of the lost tree
	Base int64     // trees larger than Base, up to Size, are void
}

// String returns the line for a checkpoint.
func (r Rollback) String() string {
	return fmt.Sprintf("%s %d %v %d", RollbackWord, r.Size, r.Root, r.Base)
}

// ParseRollback parses a line of String. Errors: ErrDamaged.
func ParseRollback(line string) (Rollback, error) {
	r, err := scanRollback(line)
	if err != nil || r.String() != line || r.Base < 0 || r.Base >= r.Size {
		return Rollback{}, fmt.Errorf("ledger: %q does not declare a rollback: %w", line, ErrDamaged)
	}
	return r, nil
}

// scanRollback reads the fields of a line, which need not be in the canonical form.
func scanRollback(line string) (r Rollback, err error) {
	var root string
	if _, err := fmt.Sscanf(line, RollbackWord+" %d %s %d", &r.Size, &root, &r.Base); err != nil {
		return r, err
	}
	r.Root, err = tlog.ParseHash(root)
	return r, err
}

// LoadRollbacks returns the lines of the declared rollbacks, in the order of their declaration;
// nil when there are none.
func LoadRollbacks(ctx context.Context, tx *store.Tx) ([]string, error) {
	text, err := q.New(tx).GetMeta(ctx, MetaRollbacks)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("ledger: declared rollbacks: %w", err)
	}
	lines := strings.Split(text, "\n")
	for _, line := range lines {
		if _, err := ParseRollback(line); err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// Edge computes the hashes of the log from the headers of its blocks, in ascending order. It
// keeps only the right edge of the tree, one hash per level, so its memory does not grow. The
// zero Edge is the empty log.
type Edge struct {
	size   int64        // blocks
	newest [64]edgeHash // of each level
}

// edgeHash is a hash with its storage index (tlog.StoredHashIndex).
type edgeHash struct {
	index int64
	hash  tlog.Hash
}

// Size returns the number of blocks.
func (e *Edge) Size() int64 { return e.size }

// ReadHashes implements tlog.HashReader for the right edge. Adding an entry and computing the
// root need no other hashes.
func (e *Edge) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		level, _ := tlog.SplitStoredHashIndex(x)
		if e.newest[level].index != x {
			return nil, fmt.Errorf("hash %d is not at the edge of the log", x)
		}
		out[i] = e.newest[level].hash
	}
	return out, nil
}

// Add appends a block's header. It returns the hashes that the log stores for it, and the
// storage index of the first; the others follow it.
func (e *Edge) Add(header []byte) (first int64, hashes []tlog.Hash) {
	hashes, err := tlog.StoredHashes(e.size, header, e)
	if err != nil {
		panic("layout: the edge of the log lacks a hash: " + err.Error())
	}
	first = tlog.StoredHashIndex(0, e.size)
	for level, hash := range hashes {
		e.newest[level] = edgeHash{first + int64(level), hash}
	}
	e.size++
	return first, hashes
}

// Root returns the root of the log.
func (e *Edge) Root() tlog.Hash {
	if e.size == 0 {
		return sha256.Sum256(nil) // RFC 6962 section 2.1
	}
	root, err := tlog.TreeHash(e.size, e)
	if err != nil {
		panic("layout: the edge of the log lacks a hash: " + err.Error())
	}
	return root
}

// Witnessed returns the checkpoint with the most cosignatures, of several the newest, with these
// cosignatures, and the size of its tree; nil without any. list is in descending order of size, with one
// row for each witness.
func Witnessed(list []q.LogCosignature) (signed []byte, size int64) {
	count, best := map[string]int{}, q.LogCosignature{}
	for _, c := range list {
		if count[c.Checkpoint]++; count[c.Checkpoint] > count[best.Checkpoint] {
			best = c
		}
	}
	if best.Checkpoint == "" {
		return nil, 0
	}
	return Cosigned(best.Checkpoint, list), best.Size
}

// Cosigned appends the lines of the cosignatures of a checkpoint to it.
func Cosigned(checkpoint string, list []q.LogCosignature) []byte {
	out := []byte(checkpoint)
	for _, c := range list {
		if c.Checkpoint == checkpoint {
			out = append(out, c.Lines...)
		}
	}
	return out
}
