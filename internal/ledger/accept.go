package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// CheckHeadFile compares a database that this process does not seal with a head file, and returns
// the number of blocks in the database. strict declares that only the process with the file seals.
// Errors: ErrHeadFileLost when the file does not exist, ErrOtherChain, *RollbackError.
func CheckHeadFile(ctx context.Context, d *store.DB, f *HeadFile, strict bool) (size int64, err error) {
	m, exists := f.get() // before the snapshot, which must not be older
	a, err := f.read(ctx, d, m, strict)
	switch {
	case err != nil:
		return 0, err
	case a.rolled != nil:
		return a.size, a.rolled
	case !exists:
		return a.size, fmt.Errorf("%w: %s", ErrHeadFileLost, f.path)
	}
	return a.size, nil
}

type fileCheck struct {
	logState
	key    string         // verifier key of the chain
	rolled *RollbackError // nil when the database continues the trees in the file
}

// read is compare in a View.
func (f *HeadFile) read(ctx context.Context, d *store.DB, m memory, strict bool) (fileCheck, error) {
	return store.Read(ctx, d, func(ctx context.Context, tx *store.Tx) (fileCheck, error) {
		return f.compare(ctx, tx, m, strict)
	})
}

func (f *HeadFile) compare(ctx context.Context, tx *store.Tx, m memory, strict bool) (a fileCheck, err error) {
	if a.key, err = q.New(tx).GetMeta(ctx, layout.MetaChain); err != nil {
		return a, fmt.Errorf("ledger: the chain's key: %w", err)
	}
	if m.newest().Size > 0 && m.Chain != a.key {
		return a, fmt.Errorf("%w: %s", ErrOtherChain, f.path)
	}
	if _, a.logState, err = loadLog(ctx, tx); err != nil {
		return a, err
	}
	err = f.checkLog(ctx, tx, m, a.logState, strict)
	if rolled, ok := errors.AsType[*RollbackError](err); ok {
		a.rolled, err = rolled, nil
	}
	return a, err
}

// ErrNothingToAccept reports that the database is not behind the signed log, or not behind the
// named tree.
var ErrNothingToAccept = errors.New("there is no such rollback to accept")

// Acceptance names the rollback that an operator accepts.
type Acceptance struct {
	// Size of the largest signed tree, in blocks. Without a head file it is the size of the
	// database instead. A program (Paced) gives none.
	Size int64
	// Checkpoint, unless nil, is a signed checkpoint that the file does not have, for example
	// from a witness.
	Checkpoint []byte
	Strict     bool // only the process with the file seals
	// Reason is the public reason of the recovery that follows; "" is DefaultReason.
	Reason string
	// Paced says that a program accepts, at most once an hour (see DeclareLost): the largest tree that this node knows
	// or another one has reported.
	Paced bool
}

// AcceptRollback declares in the database that the largest tree in the head file is given up, and
// makes the file remember the tree of the database instead. When the file does not exist it
// creates it and declares nothing. It returns the line that checkpoints carry from now on; "" for
// none.
//
// A crash between the database and the file leaves the declaration in the database. The
// declaration excuses the tree in the file, so the next start succeeds.
func AcceptRollback(ctx context.Context, d *store.DB, f *HeadFile, o Acceptance) (line string, err error) {
	m, exists := f.get()
	if o.Checkpoint != nil {
		if exists, err = m.adoptCheckpoint(ctx, d, o.Checkpoint); err != nil {
			return "", err
		}
	}
	size, strict, at := o.Size, o.Strict, m.Recovered
	var a fileCheck
	err = d.Update(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		m, exists, hint := m, exists, "" // of this run
		if o.Checkpoint == nil {
			if exists, hint, err = m.adoptLost(ctx, tx, exists, strict); err != nil {
				return err
			}
		}
		if o.Paced && hint != "" {
			return fmt.Errorf("an operator decides%s", hint)
		}
		if a, err = f.compare(ctx, tx, m, strict); err != nil {
			return err
		}
		switch {
		case a.rolled != nil && size != a.rolled.Size && !o.Paced:
			return fmt.Errorf("%w: the tree that is given up has %d blocks, not %d", ErrNothingToAccept, a.rolled.Size, size)
		case a.rolled == nil && exists:
			return fmt.Errorf("%w: the database continues the tree in %s%s", ErrNothingToAccept, f.path, hint)
		case a.rolled == nil && size != a.size:
			return fmt.Errorf("%w: the database has %d blocks, not %d, and %s, which would name the lost tree, does not exist",
				ErrNothingToAccept, a.size, size, f.path)
		case a.rolled == nil:
			return nil
		}
		if o.Paced {
			if at, err = pace(ctx, tx, m.Recovered); err != nil {
				return err
			}
		}
		if line, err = a.declareLost(ctx, tx, m, o.Reason); err != nil {
			return err
		}
		_, err = q.New(tx).DeleteMeta(ctx, layout.MetaRecovering)
		return err
	})
	if err != nil {
		return "", err
	}
	return line, f.replace(a.memory(at))
}

// memory is what a head file remembers of the database, and of the last recovery that a program declared.
func (a *fileCheck) memory(recovered int64) memory {
	return memory{Chain: a.key, Stored: a.root, Rollbacks: a.declared, Recovered: recovered}
}

// adoptLost makes the tree that the database says it lacks the stored one of the memory, unless the database has to
// have one as large: a record that was made from this database knows no other one. Where only the tree's size is known,
// hint says what to type.
func (m *memory) adoptLost(
	ctx context.Context, tx *store.Tx, known, strict bool,
) (exists bool, hint string, err error) {
	lost, err := loadLost(ctx, tx)
	switch {
	case err != nil || lost == nil || lost.Size <= m.due(strict).Size:
		return known, "", err
	case lost.Root == (tlog.Hash{}):
		return known, "; a witness has cosigned more, and only the checkpoint says what: type " + lost.command(), nil
	}
	if m.Chain == "" { // no record; one of another chain is refused
		m.Chain, err = q.New(tx).GetMeta(ctx, layout.MetaChain)
	}
	m.Stored, m.Signed = lost.treeHead, nil
	return true, "", err
}

// adoptCheckpoint makes a signed checkpoint the stored tree of the memory, unless it is smaller
// than the newest tree. Errors: ErrNothingToAccept.
func (m *memory) adoptCheckpoint(ctx context.Context, d *store.DB, checkpoint []byte) (adopted bool, err error) {
	key, err := store.Read(ctx, d, func(ctx context.Context, tx *store.Tx) (string, error) {
		return q.New(tx).GetMeta(ctx, layout.MetaChain)
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
		return false, fmt.Errorf("%w: the checkpoint is of %d blocks, and a tree of %d is remembered",
			ErrNothingToAccept, t.Size, m.newest().Size)
	}
	m.Chain, m.Stored, m.Signed = key, t, nil
	return true, nil
}

// declareLost adds two kinds of rollbacks to a.declared, and stores them: the ones that the file remembers and
// the database has lost, and the rollback of the largest remembered tree, whose line it returns ("" when the
// database has that tree). It marks the database as restored, for a reason: players may have seen seeds in the
// blocks that are given up.
func (a *fileCheck) declareLost(ctx context.Context, tx *store.Tx, m memory, reason string) (line string, err error) {
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
	return line, errors.Join(PutMark(ctx, tx, reason),
		q.New(tx).PutMeta(ctx, q.PutMetaParams{Name: layout.MetaRollbacks, Value: strings.Join(declared, "\n")}))
}

// Adopt makes the file remember the tree of a database that no process seals, and nothing else.
func (f *HeadFile) Adopt(ctx context.Context, d *store.DB) error {
	a, err := f.read(ctx, d, memory{}, true)
	if err != nil {
		return err
	}
	return f.replace(a.memory(0))
}

// Copy writes the content of the file to another path.
func (f *HeadFile) Copy(path string) error {
	m, _ := f.get()
	return (&HeadFile{path: path}).replace(m)
}
