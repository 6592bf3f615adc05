package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// ErrHeadFileLost says that the database has a chain and the file that remembers its newest
// tree is not there.
var ErrHeadFileLost = errors.New("the file that remembers what was signed is missing")

// ErrOtherChain says that the file remembers another chain than that of the keys.
var ErrOtherChain = errors.New("the file that remembers what was signed belongs to another chain")

// RollbackError says that the database is behind what was signed, or holds something else.
type RollbackError struct {
	File string // that remembers what was signed
	Size int64  // of the tree that was signed
	Root tlog.Hash
	Has  int64  // blocks in the database
	What string // how they differ
}

func (e *RollbackError) Error() string {
	return fmt.Sprintf("ledger: the database was rolled back: a tree of %d blocks with the root %v was signed (%s), and the database, with %d blocks, %s",
		e.Size, e.Root, e.File, e.Has, e.What)
}

// excuses reports whether a declared rollback voids a tree.
func excuses(r layout.Rollback, t treeHead) bool {
	return r.Base < t.Size && (t.Size < r.Size || t == treeHead{r.Size, r.Root})
}

// stand is what the database says of the log.
type logState struct {
	size     int64 // blocks; 0 before genesis
	root     treeHead
	declared []string
	pending  func() ([]pending, error)
}

// fits checks that the log in the database goes on from what is remembered, unless it
// declares that it does not. A tree that was signed and is not known to be stored counts when
// strict: where no other process seals. m must be older than the snapshot.
func (f *HeadFile) checkLog(ctx context.Context, tx *store.Tx, m memory, s logState, strict bool) error {
	wrong := func(t treeHead, what string) error {
		return &RollbackError{File: f.path, Size: t.Size, Root: t.Root, Has: s.size, What: what}
	}
	if !isPrefix(m.Rollbacks, s.declared) {
		return wrong(m.newest(), "does not have the rollbacks that were declared since")
	}
	trees := []treeHead{m.Stored}
	if m.Signed != nil && strict {
		trees = []treeHead{m.Signed.treeHead, m.Stored} // the larger first, as it is what is reported
	}
	for _, t := range trees {
		what, err := s.lacks(ctx, tx, t)
		if err != nil {
			return err
		}
		if what != "" && m.Signed != nil && t == m.Signed.treeHead && t.Size == s.size+1 {
			list, err := s.pending()
			if err != nil {
				return err
			}
			if _, all := m.Signed.pick(list); all {
				what = "" // the sealer makes it again
			}
		}
		if what != "" && !excused(s.declared[len(m.Rollbacks):], t) {
			return wrong(t, what)
		}
	}
	return nil
}

// lacks says how the log differs from a tree; "" when it goes on from it.
func (s logState) lacks(ctx context.Context, tx *store.Tx, t treeHead) (string, error) {
	if t.Size == 0 || t == s.root {
		return "", nil
	}
	if t.Size > s.size {
		return "does not have all of them", nil
	}
	root, err := tlog.TreeHash(t.Size, hashReader(ctx, tx))
	if err != nil {
		return "", err
	}
	if root != t.Root {
		return fmt.Sprintf("has other ones: its tree of %d has the root %v", t.Size, root), nil
	}
	return "", nil
}

// excused reports whether one of the lines gives a tree up.
func excused(lines []string, t treeHead) bool {
	for _, line := range lines {
		if r, err := layout.ParseRollback(line); err == nil && excuses(r, t) {
			return true
		}
	}
	return false
}

// standing returns what the database says of the log.
func loadLogState(ctx context.Context, tx *store.Tx, h head) (s logState, err error) {
	s.size = h.height + 1
	if s.declared, err = layout.LoadRollbacks(ctx, tx); err != nil {
		return s, err
	}
	if s.root, err = noteTree(h.note); err != nil {
		return s, err
	}
	s.pending = func() ([]pending, error) { return loadPending(ctx, tx) }
	return s, nil
}

// noteTree returns the tree that a checkpoint states. Who signed it is another check.
func noteTree(signed string) (t treeHead, err error) {
	lines := strings.SplitN(signed, "\n", 4)
	if len(lines) < 4 {
		return t, fmt.Errorf("ledger: checkpoint of the head: %w", layout.ErrDamaged)
	}
	_, err = fmt.Sscan(lines[1], &t.Size)
	if err == nil {
		t.Root, err = tlog.ParseHash(lines[2])
	}
	if err != nil {
		return t, fmt.Errorf("ledger: checkpoint of the head: %w", layout.ErrDamaged)
	}
	return t, nil
}

// recall holds the database against what is remembered, before anything is signed.
func (l *Ledger) checkStart(ctx context.Context) error {
	if l.file == nil {
		return nil
	}
	if err := l.file.removeParts(); err != nil {
		return err
	}
	m, there := l.file.get()
	err := l.db.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		key, err := q.New(tx).GetMeta(ctx, layout.MetaChain)
		begun := err == nil
		switch {
		case err != nil && !errors.Is(err, sql.ErrNoRows):
			return err
		case begun && key != l.key:
			return fmt.Errorf("%w: it is signed by %s, the key given is %s", ErrOtherKey, key, l.key)
		case m.newest().Size > 0 && m.Chain != l.key:
			return fmt.Errorf("%w: %s", ErrOtherChain, l.file.path)
		case !begun:
			return l.file.checkLog(ctx, tx, m, logState{pending: func() ([]pending, error) { return nil, nil }}, !l.shared)
		case !there && !l.shared: // a node that is new to a database has no file yet
			return fmt.Errorf("%w: %s", ErrHeadFileLost, l.file.path)
		}
		return l.checkFile(ctx, tx, m)
	})
	if err != nil || there {
		return err
	}
	return l.file.create(l.key)
}

func (l *Ledger) checkFile(ctx context.Context, tx *store.Tx, m memory) error {
	h, err := loadHead(ctx, tx)
	if err != nil {
		return err
	}
	s, err := loadLogState(ctx, tx, h)
	if err != nil {
		return err
	}
	return l.file.checkLog(ctx, tx, m, s, !l.shared)
}

// Remember writes down the newest head of the database, which other processes may have made,
// unless the database is behind what this one knows: that is a RollbackError.
func (l *Ledger) UpdateHeadFile(ctx context.Context) error {
	if l.file == nil {
		return nil
	}
	m, _ := l.file.get() // before the snapshot
	var s logState
	err := l.db.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		h, err := loadHead(ctx, tx)
		if err != nil {
			return err
		}
		if s, err = loadLogState(ctx, tx, h); err != nil {
			return err
		}
		return l.file.checkLog(ctx, tx, m, s, !l.shared)
	})
	l.noteRollback(err)
	if err != nil {
		return err
	}
	return l.file.stored(s.root, s.declared, true)
}

// Resume makes a block again that was signed and not stored before the last process ended, so
// that no smaller tree is handed out than before. Where other processes seal, the next sealer
// does it.
func (l *Ledger) Resume(ctx context.Context) error {
	if l.file == nil || l.shared {
		return nil
	}
	if m, _ := l.file.get(); m.Signed == nil {
		return nil
	}
	_, err := l.SealBlock(ctx)
	return err
}

// RolledBack returns the RollbackError that this process has stopped sealing for; nil for
// none.
func (l *Ledger) RolledBack() error {
	if e := l.rolledBack.Load(); e != nil {
		return e
	}
	return nil
}

// rollbackAgain is how often a rollback that lasts is logged.
const rollbackLogEvery = time.Minute

// heed keeps and logs that the database was rolled back, or that it is no more.
func (l *Ledger) noteRollback(err error) {
	if e, ok := errors.AsType[*RollbackError](err); ok {
		now := l.now()
		if was := l.rolledBack.Swap(e); was == nil || now.Sub(time.UnixMilli(l.rollbackLogged.Load())) >= rollbackLogEvery {
			l.rollbackLogged.Store(now.UnixMilli())
			l.log.Error("nothing is sealed, as the database is behind what was signed", "error", e)
		}
		return
	}
	if err == nil && l.rolledBack.Swap(nil) != nil {
		l.log.Info("the database is no more behind what was signed")
	}
}

// handOut is called with a checkpoint that is about to be handed out. Where other processes
// seal, this one remembers it first.
func (l *Ledger) recordServed(ctx context.Context, tx *store.Tx, h head) error {
	if l.file == nil || !l.shared {
		return nil // the sealer has remembered it before it was stored
	}
	m, _ := l.file.get()
	if h.height+1 <= m.Stored.Size {
		return nil // it is not the newest; whether it is consistent, Remember looks
	}
	s, err := loadLogState(ctx, tx, h)
	if err != nil {
		return err
	}
	if err := l.file.checkLog(ctx, tx, m, s, false); err != nil {
		return err
	}
	return l.file.stored(s.root, s.declared, true)
}

// declare signs the head again when rollbacks were declared since it was signed, so that the
// first checkpoint that is handed out has their lines.
func (l *Ledger) resignHead(ctx context.Context) error {
	var text string // to be signed; "" for what is signed already
	var h head
	err := l.db.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		text = ""
		if h, err = loadHead(ctx, tx); err != nil {
			return err
		}
		s, err := loadLogState(ctx, tx, h)
		if err != nil {
			return err
		}
		if now := layout.CheckpointText(l.signer.Name(), s.size, s.root.Root, s.declared); !strings.HasPrefix(h.note, now+"\n") {
			text = now
		}
		return nil
	})
	if err != nil || text == "" {
		return err
	}
	signed, err := note.Sign(&note.Note{Text: text}, l.signer)
	if err != nil {
		return fmt.Errorf("sign the checkpoint: %w", err)
	}
	return l.db.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		// When another node has added a block meanwhile, its checkpoint has the lines.
		_, err := q.New(tx).SwapHead(ctx, q.SwapHeadParams{
			Height: h.height, Hash: h.hash[:], Time: h.time, NextPos: h.nextPos, Note: string(signed),
			SeenHeight: h.height, SeenHash: h.hash[:]})
		return err
	})
}
