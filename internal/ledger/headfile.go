package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
)

// HeadFile is a file that remembers the newest tree of the log outside of the database. A
// database that was rolled back (a lost write-ahead log, an older backup, a standby that was
// behind) looks sound by itself; held against the file it is found out before a second tree
// is signed in the place of one that is known.
//
// The sealer writes the file before the block is stored in the database, and the database
// makes the checkpoint visible. What a crash means:
//
//   - before the file is written: neither the file nor the database has the block. What was
//     signed has left no trace. The next sealer makes another block.
//   - while the file is written: the new text lies in a file beside it, which the next start
//     removes, or the rename has happened and it is the next case.
//   - after the file is written, before the database has the block: the file names the block
//     as signed, and its transactions are pending, as they were durable before they were
//     sealed. The next sealer makes the very same block, with the same tree and signature.
//   - after the database has the block: the database is what the file says. The next write of
//     the file takes the block for stored.
//
// So an honest crash never makes a start refuse. With SQLite no tree is ever signed in the
// place of another: a block that was signed is either stored, or made again from what is
// pending, or it is missing because the database was rolled back.
//
// On PostgreSQL another node may seal a different block after a crash, as it cannot see this
// node's file. That is no fork as long as the first block was not stored. So there the sealer
// writes the file once more when the block is stored, every node writes the heads that it
// reads from the database, and no node hands out a checkpoint that its own file does not
// have. A tree that was signed and is not known to be stored is made again if it can be, and
// is otherwise given up.
type HeadFile struct {
	path string

	mu    sync.Mutex // guards what follows, and the file
	kept  memory
	there bool // the file
}

// memory is what the file holds.
type memory struct {
	Chain     string       `json:"chain"`               // verifier key
	Stored    treeHead     `json:"stored"`              // the largest tree that was in the database
	Signed    *signedBlock `json:"signed,omitempty"`    // was signed; may not have been stored
	Rollbacks []string     `json:"rollbacks,omitempty"` // declared when Stored was written
}

// treeHead names a tree; with size 0, none.
type treeHead struct {
	Size int64     `json:"size"`
	Root tlog.Hash `json:"root"` // base64
}

// signedBlock is what makes a block again.
type signedBlock struct {
	treeHead
	Time         int64       `json:"time"`
	Transactions []tlog.Hash `json:"transactions"` // hashes
}

// newest returns the largest tree that is remembered.
func (m *memory) newest() treeHead {
	if m.Signed != nil {
		return m.Signed.treeHead
	}
	return m.Stored
}

// OpenHeadFile reads the file at a path. One that is not there remembers nothing.
func OpenHeadFile(path string) (*HeadFile, error) {
	f := &HeadFile{path: path}
	var err error
	f.kept, f.there, err = readMemory(path)
	return f, err
}

func readMemory(path string) (m memory, there bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	if err != nil {
		return m, false, fmt.Errorf("ledger: head file: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err = d.Decode(&m)
	if err == nil && (d.More() || m.Stored.Size < 0 || m.Signed != nil && m.Signed.Size <= m.Stored.Size) {
		err = layout.ErrDamaged
	}
	if err != nil {
		return m, true, fmt.Errorf("ledger: %s cannot be read, so it is not known what was signed: %w", path, err)
	}
	return m, true, nil
}

// Path returns where the file lies.
func (f *HeadFile) Path() string { return f.path }

// Size returns the size of the largest tree that is remembered, and whether the file is
// there.
func (f *HeadFile) Size() (size int64, there bool) {
	m, there := f.get()
	return m.newest().Size, there
}

// get returns what the file holds, and whether it is there.
func (f *HeadFile) get() (memory, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.kept, f.there
}

// begin makes the file of a chain that has signed nothing. It comes before the first block: a
// database with blocks and no file has lost its file.
func (f *HeadFile) create(key string) error {
	return f.change(func(m *memory) bool {
		m.Chain = key
		return !f.there
	})
}

// tidy removes what crashes have left of files that were being written. It is called at the
// start: another process that has just made one writes its file again a second later.
func (f *HeadFile) removeParts() error {
	folder, name := filepath.Split(f.path)
	files, err := os.ReadDir(filepath.Clean(folder))
	if err != nil {
		return fmt.Errorf("head file: %w", err)
	}
	for _, file := range files {
		if !strings.HasPrefix(file.Name(), name+".") || !strings.HasSuffix(file.Name(), partSuffix) {
			continue
		}
		if err := os.Remove(filepath.Join(folder, file.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("head file: %w", err)
		}
	}
	return nil
}

// partSuffix ends the names of files that are being written.
const partSuffix = ".part"

// sign remembers a block before it is stored.
func (f *HeadFile) sign(b *newBlock) error {
	return f.change(func(m *memory) bool {
		same := m.Signed != nil && m.Signed.treeHead == b.tree()
		if !same {
			m.Signed = &signedBlock{treeHead: b.tree(), Time: b.header.Time, Transactions: b.txHashes()}
		}
		return !same
	})
}

// stored remembers that the database has a tree, and which rollbacks it declares. Without
// durable the file is written with the next change: it names the tree as signed, which says
// as much where no other process seals.
func (f *HeadFile) stored(tree treeHead, declared []string, durable bool) error {
	change := func(m *memory) bool {
		if len(declared) > len(m.Rollbacks) {
			// What was remembered before is given up: fits has seen to it.
			m.Stored, m.Signed, m.Rollbacks = tree, nil, declared
			return true
		}
		if tree.Size <= m.Stored.Size {
			return false
		}
		m.Stored = tree
		if m.Signed != nil && m.Signed.Size <= tree.Size {
			m.Signed = nil
		}
		return true
	}
	if durable {
		return f.change(change)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.kept)
	return nil
}

// change writes the file when fn has changed what it holds. When that fails, what is
// remembered stays as it was; the file may have the one or the other.
func (f *HeadFile) change(fn func(*memory) bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	next := f.kept
	if !fn(&next) {
		return nil
	}
	// Nodes that share a data folder share the file, too.
	if other, _, err := readMemory(f.path); err == nil && other.Chain == next.Chain && other.after(&next) {
		next.Stored, next.Rollbacks = other.Stored, other.Rollbacks
		if next.Signed != nil && next.Signed.Size <= next.Stored.Size {
			next.Signed = nil
		}
	}
	text, err := json.MarshalIndent(next, "", "  ")
	if err == nil {
		err = replaceFile(f.path, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("ledger: head file: %w", err)
	}
	f.kept, f.there = next, true
	return nil
}

// after reports whether m is of a later state of the database than o.
func (m *memory) after(o *memory) bool {
	return isPrefix(o.Rollbacks, m.Rollbacks) && (len(m.Rollbacks) > len(o.Rollbacks) || m.Stored.Size > o.Stored.Size)
}

// replaceFile writes a file so that after a crash it has the old text or the new one, and
// the new one once this returns.
func replaceFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*"+partSuffix) // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// tree returns the log's tree with the block.
func (b *newBlock) tree() treeHead { return treeHead{b.header.Height + 1, b.root} }

func (b *newBlock) txHashes() []tlog.Hash {
	list := make([]tlog.Hash, len(b.txs))
	for i, p := range b.txs {
		list[i] = tlog.Hash(p.hash)
	}
	return list
}

// pick returns the block's transactions from those that are pending, and whether all are
// there.
func (s *signedBlock) pick(list []pending) (picked []pending, all bool) {
	at := make(map[chain.Hash]int, len(list))
	for i, p := range list {
		at[p.hash] = i
	}
	for _, hash := range s.Transactions {
		i, ok := at[chain.Hash(hash)]
		if !ok {
			return nil, false
		}
		picked = append(picked, list[i])
	}
	return picked, len(picked) > 0
}

// isPrefix reports whether a list begins with another one.
func isPrefix(first, list []string) bool {
	return len(first) <= len(list) && slices.Equal(first, list[:len(first)])
}
