package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/platform/durable"
)

// HeadFile remembers the newest tree of the log in a file outside of the database. A database that
// was rolled back (a lost write-ahead log, an older backup, a standby that was behind) looks sound
// by itself. Comparing it with the file detects the rollback before the service signs a second
// tree of the same size.
//
// The sealer writes the file before the database stores the block; storing makes the checkpoint
// visible. A crash has these effects:
//
//   - Before the file is written: neither the file nor the database has the block. The signature
//     is lost, and the next sealer makes another block.
//   - While the file is written: the new text is in a temporary file, which the next start
//     removes, or the rename has happened, which is the next case.
//   - After the file is written, before the database stores the block: the file names the block as
//     signed. Its transactions are still pending, because they were durable before. The next
//     sealer builds the same block, with the same tree and signature.
//   - After the database stored the block: both agree. The next write of the file marks the block
//     as stored.
//
// So a plain crash never makes a start fail. With SQLite the service never signs two trees of the
// same size: a signed block is stored, rebuilt from the pending transactions, or missing because
// the database was rolled back.
//
// On PostgreSQL another node, which cannot see this node's file, may seal a different block after
// a crash. That is no fork as long as the first block was not stored. There the sealer also writes
// the file after the block is stored, every node records the heads it reads from the database, and
// no node serves a checkpoint that its own file lacks. A signed tree that is not known to be
// stored is rebuilt if possible, and given up otherwise.
type HeadFile struct {
	path string

	mu     sync.Mutex // guards the fields below and the file
	kept   memory     // the file's content
	exists bool       // whether the file exists
}

// memory is the content of the file.
type memory struct {
	Chain     string       `json:"chain"`               // verifier key
	Stored    treeHead     `json:"stored"`              // largest tree that the database has stored
	Signed    *signedBlock `json:"signed,omitempty"`    // signed last, perhaps not stored
	Rollbacks []string     `json:"rollbacks,omitempty"` // lines declared when Stored was written
	// Recovered is when a program declared a recovery last, in Unix milliseconds: a database that is restored once
	// more does not know of it.
	Recovered int64 `json:"recovered,omitempty"`
}

// treeHead identifies a tree of the log; size 0 stands for none.
type treeHead struct {
	Size int64     `json:"size"`
	Root tlog.Hash `json:"root"` // base64
}

// signedBlock holds the inputs from which a signed block is rebuilt.
type signedBlock struct {
	treeHead
	Time         int64       `json:"time"`         // of the block, in Unix milliseconds
	Transactions []tlog.Hash `json:"transactions"` // their hashes, in order
}

// newest returns the largest remembered tree.
func (m *memory) newest() treeHead {
	if m.Signed != nil {
		return m.Signed.treeHead
	}
	return m.Stored
}

// due returns the largest remembered tree that the database has to have. The signed one counts only where no other
// process seals (strict): elsewhere another node may have stored a block in its place.
func (m *memory) due(strict bool) treeHead {
	if strict {
		return m.newest()
	}
	return m.Stored
}

// OpenHeadFile reads the file at a path. A file that does not exist remembers nothing; a malformed
// one is an error.
func OpenHeadFile(path string) (*HeadFile, error) {
	f := &HeadFile{path: path}
	var err error
	f.kept, f.exists, err = readMemory(path)
	return f, err
}

// readMemory reads the file at a path, and reports whether it exists.
func readMemory(path string) (m memory, exists bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	if err != nil {
		return m, false, fmt.Errorf("ledger: head file: %w", err)
	}
	if m, err = decodeMemory(text); err != nil {
		return m, true, fmt.Errorf("ledger: cannot read %s, so the signed trees are unknown: %w", path, err)
	}
	return m, true, nil
}

// decodeMemory parses the text of a head file.
func decodeMemory(text []byte) (m memory, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return m, err
	}
	if d.More() || m.Stored.Size < 0 || m.Signed != nil && m.Signed.Size <= m.Stored.Size {
		return m, layout.ErrDamaged
	}
	return m, nil
}

// Path returns the path of the file.
func (f *HeadFile) Path() string { return f.path }

// Size returns the size of the largest remembered tree, and whether the file exists.
func (f *HeadFile) Size() (size int64, exists bool) {
	m, exists := f.get()
	return m.newest().Size, exists
}

// get returns the file's content, and whether the file exists.
func (f *HeadFile) get() (memory, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.kept, f.exists
}

// create creates the file of a chain that has signed nothing, unless the file exists. It precedes
// the first block, so a database with blocks and no file has lost its file.
func (f *HeadFile) create(key string) error {
	return f.change(func(m *memory) bool {
		m.Chain = key
		return !f.exists
	})
}

// removeParts removes temporary files that crashes left behind. It runs at the start: a process
// that shares the folder and loses its temporary file writes it again a second later.
func (f *HeadFile) removeParts() error {
	folder, name := filepath.Split(f.path)
	files, err := os.ReadDir(filepath.Clean(folder))
	if err != nil {
		return fmt.Errorf("head file: %w", err)
	}
	for _, file := range files {
		if !strings.HasPrefix(file.Name(), name+".") || !strings.HasSuffix(file.Name(), durable.Part) {
			continue
		}
		if err := os.Remove(filepath.Join(folder, file.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("head file: %w", err)
		}
	}
	return nil
}

// sign remembers a signed block before the database stores it. Errors: errHeadMoved when the database
// has a tree of that size already, because another process sealed since the block was built.
func (f *HeadFile) sign(b *newBlock) error {
	err := f.change(func(m *memory) bool {
		same := m.Signed != nil && m.Signed.treeHead == b.tree()
		if !same {
			m.Signed = &signedBlock{treeHead: b.tree(), Time: b.header.Time, Transactions: b.txHashes()}
		}
		return !same
	})
	if err != nil {
		return err
	}
	if m, _ := f.get(); m.Stored.Size >= b.tree().Size {
		return errHeadMoved
	}
	return nil
}

// stored remembers that the database has a tree, and which rollbacks it declares. With durable
// false it leaves writing the file to the next change: until then the file names the tree as
// signed, which is equivalent where no other process seals.
func (f *HeadFile) stored(tree treeHead, declared []string, durable bool) error {
	change := func(m *memory) bool {
		if len(missing(declared, m.Rollbacks)) > 0 {
			// checkLog has verified that the declared rollbacks void the earlier content.
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

// recovered remembers when a program declared a recovery last, which another node may have done: this node then waits
// as long, also on a database that was restored once more. A crash before this is written leaves it to the next call.
func (f *HeadFile) recovered(at int64) error {
	return f.change(func(m *memory) bool {
		later := at > m.Recovered
		m.Recovered = max(m.Recovered, at)
		return later
	})
}

// change applies fn to a copy of the content and, if fn reports a change, writes the file. When
// writing fails, the content in memory stays as it was, and the file has either version.
func (f *HeadFile) change(fn func(*memory) bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	next := f.kept
	if !fn(&next) {
		return nil
	}
	// Nodes that share a data folder share the file.
	if other, _, err := readMemory(f.path); err == nil && other.Chain == next.Chain {
		if other.after(&next) {
			next.Stored, next.Rollbacks = other.Stored, other.Rollbacks
		}
		next.Recovered = max(next.Recovered, other.Recovered)
	}
	if next.Signed != nil && next.Signed.Size <= next.Stored.Size {
		next.Signed = nil // stored, or never to be stored: another process was first
	}
	if err := durable.WriteJSON(f.path, 0o600, next); err != nil {
		return fmt.Errorf("ledger: head file: %w", err)
	}
	f.kept, f.exists = next, true
	return nil
}

// replace replaces the content.
func (f *HeadFile) replace(m memory) error {
	return f.change(func(kept *memory) bool { *kept = m; return true })
}

// after reports whether m describes a later state of the database than o.
func (m *memory) after(o *memory) bool {
	return len(missing(o.Rollbacks, m.Rollbacks)) == 0 &&
		(len(m.Rollbacks) > len(o.Rollbacks) || m.Stored.Size > o.Stored.Size)
}

// tree returns the tree of the log that ends with the block.
func (b *newBlock) tree() treeHead { return treeHead{b.header.Height + 1, b.root} }

// txHashes returns the hashes of the block's transactions, in order.
func (b *newBlock) txHashes() []tlog.Hash {
	list := make([]tlog.Hash, len(b.txs))
	for i, p := range b.txs {
		list[i] = tlog.Hash(p.hash)
	}
	return list
}

// pick returns the block's transactions out of the pending ones, and whether all of them are
// pending.
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
	return picked, true // none for an empty block
}
