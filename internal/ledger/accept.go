package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// CheckHeadFile holds a database that this process does not seal against a file, and returns
// how many blocks the database has. strict says that only the process with the file seals. A
// file that is not there is ErrHeadFileLost.
func CheckHeadFile(ctx context.Context, d *store.DB, f *HeadFile, strict bool) (size int64, err error) {
	m, there := f.get() // before the snapshot
	var a fileCheck
	err = d.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		a, err = f.compare(ctx, tx, m, strict)
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case a.rolled != nil:
		return a.size, a.rolled
	case !there:
		return a.size, fmt.Errorf("%w: %s", ErrHeadFileLost, f.path)
	}
	return a.size, nil
}

// aged is a database, and how it is behind a file.
type fileCheck struct {
	logState
	key    string         // of the chain
	rolled *RollbackError // nil when it is not
}

func (f *HeadFile) compare(ctx context.Context, tx *store.Tx, m memory, strict bool) (a fileCheck, err error) {
	if a.key, err = q.New(tx).GetMeta(ctx, layout.MetaChain); err != nil {
		return a, fmt.Errorf("ledger: the chain's key: %w", err)
	}
	if m.newest().Size > 0 && m.Chain != a.key {
		return a, fmt.Errorf("%w: %s", ErrOtherChain, f.path)
	}
	h, err := loadHead(ctx, tx)
	if err != nil {
		return a, err
	}
	if a.logState, err = loadLogState(ctx, tx, h); err != nil {
		return a, err
	}
	err = f.checkLog(ctx, tx, m, a.logState, strict)
	if rolled, ok := errors.AsType[*RollbackError](err); ok {
		a.rolled, err = rolled, nil
	}
	return a, err
}

// ErrNothingToAccept says that the database is not behind what was signed, or not by the tree
// that was named.
var ErrNothingToAccept = errors.New("there is no such rollback to accept")

// Acceptance says which rollback is accepted.
type Acceptance struct {
	// Size is that of the largest tree that was signed; that of the database when there is no
	// file to say what was.
	Size int64
	// Checkpoint, unless nil, is a signed checkpoint that the file does not know of, such as
	// from a witness.
	Checkpoint []byte
	Strict     bool // only the process with the file seals
}

// AcceptRollback declares in the database that the largest tree that a file remembers is given
// up, and has the file remember what the database has in its place. When the file is not there
// it is made, and nothing is declared. It returns the line that checkpoints have from now on;
// "" for none.
//
// A crash between the database and the file leaves the declaration in the database. It excuses
// what the file remembers, and the next start goes on.
func AcceptRollback(ctx context.Context, d *store.DB, f *HeadFile, o Acceptance) (line string, err error) {
	m, there := f.get()
	if o.Checkpoint != nil {
		if there, err = m.adoptCheckpoint(ctx, d, o.Checkpoint); err != nil {
			return "", err
		}
	}
	size, strict := o.Size, o.Strict
	var a fileCheck
	err = d.Update(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if a, err = f.compare(ctx, tx, m, strict); err != nil {
			return err
		}
		switch {
		case a.rolled != nil && size != a.rolled.Size:
			return fmt.Errorf("%w: the tree that is given up has %d blocks, not %d", ErrNothingToAccept, a.rolled.Size, size)
		case a.rolled == nil && there:
			return fmt.Errorf("%w: the database goes on from what %s remembers", ErrNothingToAccept, f.path)
		case a.rolled == nil && size != a.size:
			return fmt.Errorf("%w: the database has %d blocks, not %d, and %s is not there to say what is lost", ErrNothingToAccept, a.size, size, f.path)
		case a.rolled == nil:
			return nil
		}
		if line, err = a.declareLost(ctx, tx, m); err != nil {
			return err
		}
		return q.New(tx).PutMeta(ctx, q.PutMetaParams{Name: layout.MetaRollbacks, Value: strings.Join(a.declared, "\n")})
	})
	if err != nil {
		return "", err
	}
	return line, f.change(func(kept *memory) bool {
		*kept = memory{Chain: a.key, Stored: a.root, Rollbacks: a.declared}
		return true
	})
}

// learn takes a signed checkpoint for what is remembered, unless it is older.
func (m *memory) adoptCheckpoint(ctx context.Context, d *store.DB, checkpoint []byte) (learnt bool, err error) {
	var key string
	err = d.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		key, err = q.New(tx).GetMeta(ctx, layout.MetaChain)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("ledger: the chain's key: %w", err)
	}
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return false, fmt.Errorf("ledger: the chain's key: %w", err)
	}
	if _, err := note.Open(checkpoint, note.VerifierList(verifier)); err != nil {
		return false, fmt.Errorf("%w: the checkpoint is not signed by %s: %w", ErrNothingToAccept, key, err)
	}
	t, err := noteTree(string(checkpoint))
	if err != nil {
		return false, err
	}
	if t.Size < m.newest().Size {
		return false, fmt.Errorf("%w: the checkpoint is of %d blocks, and a tree of %d is remembered", ErrNothingToAccept, t.Size, m.newest().Size)
	}
	m.Chain, m.Stored, m.Signed = key, t, nil
	return true, nil
}

// giveUp adds to the declared rollbacks those that the file remembers and the database has
// lost, and that of the largest tree that is remembered, whose line it returns.
func (a *fileCheck) declareLost(ctx context.Context, tx *store.Tx, m memory) (line string, err error) {
	declared := slices.Clone(m.Rollbacks)
	base := int64(0)
	for _, d := range a.declared {
		if slices.Contains(declared, d) {
			continue
		}
		declared = append(declared, d)
		if r, err := layout.ParseRollback(d); err == nil && r.Base < a.rolled.Size {
			base = max(base, r.Base)
		}
	}
	lost := treeHead{a.rolled.Size, a.rolled.Root}
	what, err := a.lacks(ctx, tx, lost)
	if err != nil {
		return "", err
	}
	if what != "" {
		switch missing, err := a.lacks(ctx, tx, m.Stored); {
		case err != nil:
			return "", err
		case missing == "" && 0 < m.Stored.Size && m.Stored.Size < lost.Size:
			base = m.Stored.Size
		case a.size < lost.Size:
			base = a.size
		}
		line = layout.Rollback{Size: lost.Size, Root: lost.Root, Base: base}.String()
		declared = append(declared, line)
	}
	a.declared = declared
	return line, nil
}

// Adopt makes the file of a database that nobody seals, where it is not there.
func (f *HeadFile) Adopt(ctx context.Context, d *store.DB) error {
	var a fileCheck
	err := d.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		a, err = f.compare(ctx, tx, memory{}, true)
		return err
	})
	if err != nil {
		return err
	}
	return f.change(func(kept *memory) bool {
		*kept = memory{Chain: a.key, Stored: a.root, Rollbacks: a.declared}
		return true
	})
}

// Copy writes what is remembered to another file.
func (f *HeadFile) Copy(path string) error {
	to := &HeadFile{path: path}
	m, _ := f.get()
	return to.change(func(kept *memory) bool {
		*kept = m
		return true
	})
}
