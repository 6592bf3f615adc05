package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// ErrHeadFileLost reports that the database has a chain and its head file does not exist.
var ErrHeadFileLost = errors.New("the head file, which records the signed trees, is missing")

// ErrOtherChain reports that the head file and the keys belong to different chains.
var ErrOtherChain = errors.New("the head file, which records the signed trees, belongs to another chain")

// RollbackError reports that the database is behind the signed log, or has another one.
type RollbackError struct {
	File string // path of the head file
	Size int64  // of the signed tree
	Root tlog.Hash
	Has  int64  // blocks in the database
	What string // the difference, as a predicate of the database

	larger *lostTree // that another node has reported; nil for none
}

// Command returns what an operator types to give up the largest tree that this node knows or another one has reported.
func (e *RollbackError) Command() string {
	if e.larger != nil {
		return e.larger.command()
	}
	return (&lostTree{treeHead: e.tree()}).command()
}

// tree returns the signed tree.
func (e *RollbackError) tree() treeHead { return treeHead{Size: e.Size, Root: e.Root} }

func (e *RollbackError) Error() string {
	return fmt.Sprintf("ledger: the database was rolled back: a tree of %d blocks with the root %v was signed (%s), "+
		"and the database, with %d blocks, %s", e.Size, e.Root, e.File, e.Has, e.What)
}

// excuses reports whether a declared rollback voids a tree.
func excuses(r layout.Rollback, t treeHead) bool {
	return r.Base < t.Size && (t.Size < r.Size || t == treeHead{r.Size, r.Root})
}

// logState is the state of the log in the database.
type logState struct {
	size     int64 // blocks; 0 before genesis
	root     treeHead
	declared []string
	pending  func() ([]pending, error)
}

// checkLog checks that the log in the database continues the trees that the file remembers, unless
// it declares that it does not. strict includes the signed tree that may not be stored; it is for
// databases that no other process seals. m must be older than the snapshot of tx. Errors:
// *RollbackError.
func (f *HeadFile) checkLog(ctx context.Context, tx *store.Tx, m memory, s logState, strict bool) error {
	wrong := func(t treeHead, what string) error {
		e := &RollbackError{File: f.path, Size: t.Size, Root: t.Root, Has: s.size, What: what}
		switch lost, err := loadLost(ctx, tx); {
		case err != nil:
			return err
		case lost != nil && !lost.declared && lost.Size > t.Size:
			e.larger = lost
		}
		return e
	}
	if len(missing(m.Rollbacks, s.declared)) > 0 {
		return wrong(m.due(strict), "does not have the rollbacks that were declared since")
	}
	trees := []treeHead{m.Stored} // the database has had it
	if m.Signed != nil && strict {
		trees = []treeHead{m.Signed.treeHead, m.Stored} // the error names the larger one
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
				what = "" // the sealer rebuilds the block
			}
		}
		if what != "" && !excused(missing(s.declared, m.Rollbacks), t) {
			return wrong(t, what)
		}
	}
	return nil
}

// lacks returns how the log differs from a tree, as a predicate of the database; "" when the log
// continues the tree.
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

// excused reports whether one of the lines voids a tree.
func excused(lines []string, t treeHead) bool {
	for _, line := range lines {
		if r, err := layout.ParseRollback(line); err == nil && excuses(r, t) {
			return true
		}
	}
	return false
}

// loadLog reads the head and the state of the log.
func loadLog(ctx context.Context, tx *store.Tx) (h head, s logState, err error) {
	if h, err = loadHead(ctx, tx); err == nil {
		s, err = loadLogState(ctx, tx, h)
	}
	return h, s, err
}

// loadLogState reads the state of the log; h is the head in the same transaction.
func loadLogState(ctx context.Context, tx *store.Tx, h head) (s logState, err error) {
	s.size = h.height + 1
	if s.declared, err = layout.LoadRollbacks(ctx, tx); err != nil {
		return s, err
	}
	if s.root, err = noteTree(h.note); err != nil {
		return s, err
	}
	s.pending = func() ([]pending, error) { return loadPending(ctx, tx, math.MinInt64) }
	return s, nil
}

// noteTree parses the tree that a checkpoint states. It does not verify the signature.
func noteTree(signed string) (t treeHead, err error) {
	lines := strings.SplitN(signed, "\n", 4)
	if len(lines) < 4 {
		return t, fmt.Errorf("ledger: checkpoint of the head: %w", layout.ErrDamaged)
	}
	if _, err := fmt.Sscan(lines[1], &t.Size); err != nil {
		return t, fmt.Errorf("ledger: checkpoint of the head: %w", layout.ErrDamaged)
	}
	if t.Root, err = tlog.ParseHash(lines[2]); err != nil {
		return t, fmt.Errorf("ledger: checkpoint of the head: %w", layout.ErrDamaged)
	}
	return t, nil
}

// checkStart compares the database with the head file before anything is signed, and creates the
// file of a chain that has none. Errors: ErrOtherKey, ErrOtherChain, ErrHeadFileLost,
// *RollbackError.
func (l *Ledger) checkStart(ctx context.Context) error {
	if l.file == nil {
		return nil
	}
	if err := l.file.removeParts(); err != nil {
		return err
	}
	m, exists := l.file.get()
	err := l.db.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		key, err := found(q.New(tx).GetMeta(ctx, layout.MetaChain))
		begun := key != ""
		switch {
		case err != nil:
			return err
		case begun && key != l.key:
			return fmt.Errorf("%w: it is signed by %s, the key given is %s", ErrOtherKey, key, l.key)
		case m.newest().Size > 0 && m.Chain != l.key:
			return fmt.Errorf("%w: %s", ErrOtherChain, l.file.path)
		case !begun:
			return l.file.checkLog(
				ctx, tx, m, logState{pending: func() ([]pending, error) { return nil, nil }}, !l.shared,
			)
		case !exists && !l.shared: // with other nodes, a new node has no file yet
			return fmt.Errorf("%w: %s", ErrHeadFileLost, l.file.path)
		}
		return l.checkFile(ctx, tx, m)
	})
	if err != nil || exists {
		return err
	}
	return l.file.create(l.key)
}

// checkFile is HeadFile.checkLog for the head in tx.
func (l *Ledger) checkFile(ctx context.Context, tx *store.Tx, m memory) error {
	_, s, err := loadLog(ctx, tx)
	if err != nil {
		return err
	}
	return l.file.checkLog(ctx, tx, m, s, !l.shared)
}

// UpdateHeadFile records the newest head of the database, which another process may have made.
// Errors: *RollbackError when the database is behind the head file.
func (l *Ledger) UpdateHeadFile(ctx context.Context) error {
	if l.file == nil {
		return nil
	}
	m, _ := l.file.get() // before the snapshot
	var s logState
	var lost *lostTree
	var recovered int64
	err := l.db.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if lost, err = loadLost(ctx, tx); err != nil {
			return err
		}
		if _, s, err = loadLog(ctx, tx); err != nil {
			return err
		}
		if err := l.file.checkLog(ctx, tx, m, s, !l.shared); err != nil || len(s.declared) == 0 {
			return err
		}
		if recovered, err = loadRecovered(ctx, tx); err == nil && aheadOf(tx, recovered) {
			recovered = 0
		}
		return err
	})
	if err != nil {
		l.noteRollback(err)
		return errors.Join(err, l.share(ctx, err))
	}
	// Before CheckWritable, which asks the following and the file, lets writes go on: nothing is decided by what is
	// remembered of the lost blocks. Between two calls, a loss may have been seen and declared and its recovery stored.
	if l.forget != nil && (lost == nil && l.Recovering() || len(missing(s.declared, m.Rollbacks)) > 0) {
		l.forget()
	}
	l.noteRollback(nil)
	l.noteLost(lost)
	return errors.Join(l.file.recovered(recovered), l.file.stored(s.root, s.declared, true))
}

// OnLoss sets what is called before writes go on after a loss: it drops what the node remembers of the database. Call
// it before the ledger is used.
func (l *Ledger) OnLoss(forget func()) { l.forget = forget }

// share tells the other nodes of a *RollbackError, by a row in the database.
func (l *Ledger) share(ctx context.Context, rolled error) error {
	e, ok := errors.AsType[*RollbackError](rolled)
	if !ok || !l.shared || e.Has == 0 {
		return nil
	}
	m, _ := l.file.get() // before the snapshot
	return l.report(ctx, func(ctx context.Context, tx *store.Tx) (*lostTree, error) {
		_, s, err := loadLog(ctx, tx)
		if err != nil {
			return nil, err
		}
		err = l.file.checkLog(ctx, tx, m, s, false)
		if e, ok = errors.AsType[*RollbackError](err); !ok {
			return nil, err
		}
		c, err := s.claim(ctx, tx, m, e.tree())
		return &c, err
	})
}

// Resume rebuilds a block that the last process signed and did not store, so that the service
// serves no smaller tree than before. Where other processes seal, the next sealer does it.
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

// RolledBack returns the RollbackError for which this process has stopped sealing; nil for none.
func (l *Ledger) RolledBack() error {
	if e := l.rolledBack.Load(); e != nil {
		return e
	}
	return nil
}

// rollbackLogEvery is the least time between two log lines about the same rollback.
const rollbackLogEvery = time.Minute

// noteRollback stores and logs a RollbackError, or that the database has recovered.
func (l *Ledger) noteRollback(err error) {
	if e, ok := errors.AsType[*RollbackError](err); ok {
		now := l.now()
		if was := l.rolledBack.Swap(e); was == nil ||
			now.Sub(time.UnixMilli(l.rollbackLogged.Load())) >= rollbackLogEvery {
			l.rollbackLogged.Store(now.UnixMilli())
			l.log.Error("nothing is sealed, because the database is behind the signed log", "error", e)
		}
		return
	}
	if err == nil && l.rolledBack.Swap(nil) != nil {
		l.log.Info("the database is no longer behind the signed log")
	}
}

// recordServed records a checkpoint that is about to be served. Where this process alone seals,
// the sealer has recorded it before storing the block.
func (l *Ledger) recordServed(ctx context.Context, tx *store.Tx, h head) error {
	if l.file == nil || !l.shared {
		return nil
	}
	m, _ := l.file.get()
	if h.height+1 <= m.Stored.Size {
		return nil // recorded before; UpdateHeadFile checks that it is consistent
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

// resignHead signs the head again if rollbacks were declared since it was signed, so that the
// first checkpoint to be served has their lines.
func (l *Ledger) resignHead(ctx context.Context) error {
	var text string // to sign; "" when the head has the lines already
	var h head
	err := l.db.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		var s logState
		h, s, err = loadLog(ctx, tx)
		text = layout.CheckpointText(l.signer.Name(), s.size, s.root.Root, s.declared)
		if strings.HasPrefix(h.note, text+"\n") {
			text = ""
		}
		return err
	})
	if err != nil || text == "" {
		return err
	}
	signed, err := note.Sign(&note.Note{Text: text}, l.signer)
	if err != nil {
		return fmt.Errorf("sign the checkpoint: %w", err)
	}
	return l.db.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		// If another node has added a block meanwhile, its checkpoint has the lines.
		_, err := q.New(tx).SwapHead(ctx, q.SwapHeadParams{
			Height: h.height, Hash: h.hash[:], Time: h.time, NextPos: h.nextPos, Note: string(signed),
			SeenHeight: h.height, SeenHash: h.hash[:]})
		return err
	})
}
