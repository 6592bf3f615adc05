package ledger

import (
	"cmp"
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
	lost   lostTree       // what is to be declared (add); marked for nothing
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
	var given *givenTree
	if o.Checkpoint != nil {
		if given, err = openCheckpoint(ctx, d, o.Checkpoint); err != nil {
			return "", err
		}
	}
	at := m.Recovered
	var a fileCheck
	err = d.Update(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if a, err = f.compare(ctx, tx, m, o.Strict); err != nil {
			return err
		}
		known, err := loadLost(ctx, tx)
		if err != nil {
			return err
		}
		if known != nil && (known.marked() || known.declared) {
			known = nil
		}
		if given != nil {
			if known, err = a.give(ctx, tx, *given, m.due(o.Strict).Size, known); err != nil {
				return err
			}
		}
		if given != nil && a.rolled == nil && known != nil && known.Root == (tlog.Hash{}) && known.Size <= given.Size {
			// Accepted before; a witness has said again what it knows.
			_, err := q.New(tx).DeleteMeta(ctx, layout.MetaRecovering)
			return err
		}
		hint := ""
		if known != nil && known.Root == (tlog.Hash{}) {
			hint = "; a witness has cosigned more, and only the checkpoint says what: type " + known.command()
			if o.Paced && (a.rolled == nil || a.rolled.Size < known.Size) {
				return fmt.Errorf("an operator decides%s", hint)
			}
			if known = known.without(); a.rolled != nil {
				known.treeHead = a.rolled.tree()
			}
		}
		if err := a.add(ctx, tx, m, known); err != nil {
			return err
		}
		if a.lost.marked() {
			return a.nothingLost(o, exists || given != nil, f.path, hint)
		}
		if o.Size != a.lost.Size && !o.Paced {
			return fmt.Errorf("%w: the tree that is given up has %d blocks, not %d", ErrNothingToAccept, a.lost.Size, o.Size)
		}
		at = m.Recovered
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
	return line, f.replace(memory{Chain: a.key, Stored: a.root, Rollbacks: a.declared, Recovered: at})
}

// nothingLost returns ErrNothingToAccept, unless nothing names a lost tree and an operator knows the size of the
// database: then its record is created.
func (a *fileCheck) nothingLost(o Acceptance, named bool, path, hint string) error {
	switch {
	case named:
		return fmt.Errorf("%w: the database continues the tree in %s%s", ErrNothingToAccept, path, hint)
	case o.Size != a.size:
		return fmt.Errorf("%w: the database has %d blocks, not %d, and %s, which would name the lost tree, does not exist",
			ErrNothingToAccept, a.size, o.Size, path)
	}
	return nil
}

// givenTree is the tree of a checkpoint that an operator gives, with the rollbacks that it declares.
type givenTree struct {
	treeHead
	lines []string
}

// openCheckpoint parses a checkpoint that the chain's key has signed. Errors: ErrNothingToAccept, layout.ErrDamaged.
func openCheckpoint(ctx context.Context, d *store.DB, checkpoint []byte) (*givenTree, error) {
	key, err := store.Read(ctx, d, func(ctx context.Context, tx *store.Tx) (string, error) {
		return q.New(tx).GetMeta(ctx, layout.MetaChain)
	})
	if err != nil {
		return nil, fmt.Errorf("ledger: the chain's key: %w", err)
	}
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return nil, fmt.Errorf("ledger: the chain's key: %w", err)
	}
	signed, err := note.Open(checkpoint, note.VerifierList(verifier))
	if err != nil {
		return nil, fmt.Errorf("%w: the checkpoint is not signed by %s: %w", ErrNothingToAccept, key, err)
	}
	t, err := noteTree(signed.Text)
	if err != nil {
		return nil, err
	}
	given := &givenTree{treeHead: t}
	for _, line := range strings.Split(signed.Text, "\n")[3:] {
		if _, err := layout.ParseRollback(line); err == nil {
			given.lines = append(given.lines, line)
		}
	}
	return given, nil
}

// give adds the tree of a checkpoint to what other nodes know to be lost, unless a larger one is known. remembered is
// the size of the tree in the file. Errors: ErrNothingToAccept.
func (a *fileCheck) give(
	ctx context.Context, tx *store.Tx, t givenTree, remembered int64, known *lostTree,
) (*lostTree, error) {
	if known != nil && known.Root != (tlog.Hash{}) {
		remembered = max(remembered, known.Size)
	}
	if t.Size < remembered {
		return nil, fmt.Errorf("%w: the checkpoint is of %d blocks, and a tree of %d is remembered",
			ErrNothingToAccept, t.Size, remembered)
	}
	c, err := a.claim(ctx, tx, memory{Rollbacks: t.lines}, t.treeHead)
	if err != nil || excused(missing(a.declared, t.lines), t.treeHead) { // accepted before
		return known, err
	}
	if known != nil && known.Root == (tlog.Hash{}) { // an operator knows better than a witness's number
		known = known.without()
		known.treeHead = t.treeHead
	}
	next := known.with(c)
	return &next, nil
}

// add decides what is to be declared: what the file remembers, and what other nodes have reported, nil for nothing. The
// database may have that by now.
func (a *fileCheck) add(ctx context.Context, tx *store.Tx, m memory, known *lostTree) error {
	a.lost = lostTree{}
	if a.rolled != nil {
		c, err := a.claim(ctx, tx, m, a.rolled.tree())
		if err != nil {
			return err
		}
		a.lost = known.with(c)
	} else if known != nil {
		a.lost = *known
	}
	what, err := a.lacks(ctx, tx, a.lost.treeHead)
	if err == nil && what == "" && len(missing(a.lost.lines, a.declared)) == 0 {
		a.lost = lostTree{}
	}
	return err
}

// declareLost adds two kinds of rollbacks to a.declared, and stores them: the ones that nodes remember and
// the database has lost, and the rollback of the largest remembered tree, whose line it returns ("" when the
// database has that tree). It marks the database as restored, for a reason: players may have seen seeds in the
// blocks that are given up.
func (a *fileCheck) declareLost(ctx context.Context, tx *store.Tx, m memory, reason string) (line string, err error) {
	declared := slices.Concat(a.declared, missing(a.lost.lines, a.declared))
	trees := []treeHead{a.lost.treeHead}
	if a.rolled != nil {
		trees = append(trees, a.rolled.tree()) // another one of the same size has a line of its own
	}
	for i, t := range trees {
		what, err := a.lacks(ctx, tx, t)
		if err != nil {
			return "", err
		}
		if what == "" || i > 0 && excused(missing(declared, m.Rollbacks), t) {
			continue
		}
		r := layout.Rollback{Size: t.Size, Root: t.Root, Base: min(a.lost.base, t.Size-1)}
		for r.Base > 0 && slices.Contains(declared, r.String()) {
			r.Base-- // nodes that remember the first declaration of this tree see that there was another one
		}
		if !slices.Contains(declared, r.String()) {
			declared, line = append(declared, r.String()), cmp.Or(line, r.String())
		}
	}
	a.declared = declared
	marked, err := Marked(ctx, tx)
	if err == nil && (reason != "" || !marked) { // the reason of an operator stays
		err = PutMark(ctx, tx, reason)
	}
	return line, errors.Join(err,
		q.New(tx).PutMeta(ctx, q.PutMetaParams{Name: layout.MetaRollbacks, Value: strings.Join(declared, "\n")}))
}

// Adopt makes the file remember the tree of a database that no process seals, and nothing else.
func (f *HeadFile) Adopt(ctx context.Context, d *store.DB) error {
	a, err := f.read(ctx, d, memory{}, true)
	if err != nil {
		return err
	}
	return f.replace(memory{Chain: a.key, Stored: a.root, Rollbacks: a.declared})
}

// Copy writes the content of the file to another path.
func (f *HeadFile) Copy(path string) error {
	m, _ := f.get()
	return (&HeadFile{path: path}).replace(m)
}
