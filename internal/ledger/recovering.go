package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// CheckWritable is the guard of all writes (store.DB.Guard). Errors: ErrRecovering from the moment at which
// this node sees that the database is behind the signed log, or another node has stored that it is, until the
// recovery is stored: a loss that is declared, or a restored database, has a mark until then (TakeMark).
func (l *Ledger) CheckWritable(ctx context.Context, tx *store.Tx) error {
	if l.RolledBack() != nil || l.lost.Load() != nil {
		return ErrRecovering
	}
	if l.file == nil || !l.shared {
		return nil
	}
	m, _ := l.file.get()
	later := tx.Deferred()
	if later.Assumed() { // a refusal retries the closure, which reads the rows then
		return OneRow(q.New(later).Continues(ctx, q.ContinuesParams{Height: m.Stored.Size - 1,
			Lost: layout.MetaRecovering, Marked: layout.MetaRestored}))
	}
	lost, err := loadLost(ctx, tx)
	if err != nil {
		return err
	}
	h, err := loadHead(ctx, tx)
	if err != nil {
		return err
	}
	if lost != nil || h.height < m.Stored.Size-1 {
		return ErrRecovering
	}
	return nil
}

// Recovering reports whether writes are refused, by this node's knowledge.
func (l *Ledger) Recovering() bool { return l.RolledBack() != nil || l.lost.Load() != nil }

// LossStored reports whether the database says that it lacks signed blocks, or did, by this node's knowledge.
func (l *Ledger) LossStored() bool { return l.lost.Load() != nil }

// lacking reports whether the database lacks signed blocks that are not declared, by this node's knowledge.
func (l *Ledger) lacking() bool {
	lost := l.lost.Load()
	return l.RolledBack() != nil || lost != nil && !lost.marked()
}

// lostTree is the value of MetaRecovering. Without that row, the zero value stands for the mark of a recovery that
// is to be performed (MetaRestored).
type lostTree struct {
	treeHead
	declared bool // and its recovery is to be continued
}

// marked reports whether nothing is to be declared any more.
func (t *lostTree) marked() bool { return t.Size == 0 }

// command returns what an operator types to give the tree up. A witness gives the size of what it has cosigned alone:
// the root is in the checkpoint, which players, mirrors and the witness's operator keep.
func (t *lostTree) command() string {
	command := fmt.Sprintf("roshambo accept-rollback --size %d", t.Size)
	if t.Root == (tlog.Hash{}) {
		command += " --checkpoint FILE   # with the lost checkpoint of that size, from a player, a mirror or the witness"
	}
	return command
}

// put stores the value.
func (t lostTree) put(ctx context.Context, tx *store.Tx) error {
	text := fmt.Sprint(t.Size, " ", t.Root)
	if t.declared {
		text += lostDeclared
	}
	return q.New(tx).PutMeta(ctx, q.PutMetaParams{Name: layout.MetaRecovering, Value: text})
}

// lostDeclared ends the value of a lost tree that is declared.
const lostDeclared = " declared"

// loadLost reads MetaRecovering and MetaRestored; nil for neither.
func loadLost(ctx context.Context, tx *store.Tx) (*lostTree, error) {
	tx.Prefetch(q.GetMeta, layout.MetaRestored)
	text, err := found(q.New(tx).GetMeta(ctx, layout.MetaRecovering))
	if err != nil {
		return nil, err
	}
	var t lostTree
	if text == "" {
		marked, err := Marked(ctx, tx)
		if err != nil || !marked {
			return nil, err
		}
		return &t, nil
	}
	text, t.declared = strings.CutSuffix(text, lostDeclared)
	size, root, _ := strings.Cut(text, " ")
	if t.Size, err = strconv.ParseInt(size, 10, 64); err == nil {
		t.Root, err = tlog.ParseHash(root)
	}
	if err != nil {
		return nil, fmt.Errorf("ledger: the lost tree %q: %w", text, layout.ErrDamaged)
	}
	return &t, nil
}

// shareLost stores a tree that the database lacks, so that no node writes: a crash before the commit leaves
// that to the next node that sees it. It returns what is stored, which is larger if another node knows more.
func shareLost(ctx context.Context, d *store.DB, t treeHead) (stored *lostTree, err error) {
	err = d.Update(store.Unguarded(ctx), func(ctx context.Context, tx *store.Tx) (err error) {
		stored, err = loadLost(ctx, tx)
		if err != nil || stored != nil && stored.Size >= t.Size {
			return err
		}
		stored = &lostTree{treeHead: t}
		return stored.put(ctx, tx)
	})
	return stored, err
}

// noteLost remembers what loadLost returns, and logs a change.
func (l *Ledger) noteLost(lost *lostTree) {
	was := l.lost.Swap(lost)
	switch {
	case lost != nil && !lost.marked() && (was == nil || was.marked()):
		l.heights.Clear() // of blocks that the database lacks: their transactions may be sealed elsewhere
		l.log.Error("nothing is written, because the database is behind the signed log: find the newer database, or "+
			"stop all nodes and type", "command", lost.command())
	case lost != nil && lost.marked() && (was == nil || !was.marked()):
		l.log.Warn("nothing is written until a recovery is stored, which the start of a node performs: the database is " +
			"an older state")
	case lost == nil && was != nil:
		l.log.Info("the recovery is stored: writes go on")
	}
}

// NoteCosigned handles the largest size that witnesses have cosigned: if the database lacks it, no node
// writes. A node without a head file asks before it believes the database.
func (l *Ledger) NoteCosigned(ctx context.Context, size int64) error {
	h, err := store.Read(ctx, l.db, loadHead)
	if err != nil || size <= h.height+1 {
		return err
	}
	stored, err := shareLost(ctx, l.db, treeHead{Size: size})
	if err != nil {
		return err
	}
	l.noteLost(stored)
	return nil
}

// StoredCheckpoint returns the signed checkpoint of the chain in a database, and its size.
func StoredCheckpoint(ctx context.Context, d *store.DB) (size int64, signed []byte, err error) {
	h, err := store.Read(ctx, d, loadHead)
	return h.height + 1, []byte(h.note), err
}

// recoverEvery is the least time between two recoveries that nodes declare by themselves.
const recoverEvery = time.Hour

// ErrRecoveredBefore reports that nodes declared a recovery less than an hour ago.
var ErrRecoveredBefore = errors.New("ledger: a recovery was declared less than an hour ago")

// DeclareLost declares the lost tree of MetaRecovering in a running service (AcceptRollback), under a guard,
// unless that was done less than an hour ago. Where a start has declared it and stopped before the recovery, nothing
// is left to declare. cosigned is the largest size that the witnesses have
// cosigned: no witness follows a log below it. Writes stay refused until Resumed; a crash at any point
// before leaves a state that the next call continues. Errors: ErrRecoveredBefore.
func (l *Ledger) DeclareLost(ctx context.Context, guard Guard, cosigned int64) error {
	m, _ := l.file.get()
	var a fileCheck
	line, at, declared := "", m.Recovered, false
	err := l.db.Update(store.Unguarded(ctx), func(ctx context.Context, tx *store.Tx) (err error) {
		if err := guard(ctx, tx); err != nil {
			return err
		}
		lost, err := loadLost(ctx, tx)
		if err != nil || lost == nil {
			return errors.Join(err, ErrNothingToAccept)
		}
		if declared = lost.marked(); declared {
			return nil
		}
		known := m
		if lost.Size > known.due(false).Size {
			known.Stored, known.Signed = lost.treeHead, nil
		}
		if a, err = l.file.compare(ctx, tx, known, false); err != nil || a.rolled == nil || lost.declared {
			return err
		}
		if cosigned > a.size || lost.Root == (tlog.Hash{}) {
			return fmt.Errorf("a witness has cosigned %d blocks, and the database has %d: no witness follows it then, so "+
				"an operator decides", max(cosigned, lost.Size), a.size)
		}
		if at, err = pace(ctx, tx, m.Recovered); err != nil {
			return err
		}
		if line, err = a.declareLost(ctx, tx, known, ""); err != nil {
			return err
		}
		return lostTree{treeHead: lost.treeHead, declared: true}.put(ctx, tx)
	})
	if err != nil {
		return fmt.Errorf("ledger: declare the lost blocks: %w", err)
	}
	if declared {
		return nil
	}
	err = l.file.replace(a.memory(at))
	if line != "" {
		l.log.Warn("declared lost blocks by itself (--on-rollback=recover)", "line", line)
	}
	return err
}

// SignDeclared signs the head with the lines of the declared losses, unless it has them.
func (l *Ledger) SignDeclared(ctx context.Context) error { return l.resignHead(store.Unguarded(ctx)) }

// Resumed ends the refusal of writes, once the recovery that follows DeclareLost is stored. Nodes go on when
// UpdateHeadFile has seen it.
func (l *Ledger) Resumed(ctx context.Context, guard Guard) error {
	return l.db.Update(store.Unguarded(ctx), func(ctx context.Context, tx *store.Tx) error {
		if err := guard(ctx, tx); err != nil {
			return err
		}
		if marked, err := Marked(ctx, tx); err != nil || marked {
			return errors.Join(err, ErrRecovering)
		}
		_, err := q.New(tx).DeleteMeta(ctx, layout.MetaRecovering)
		return err
	})
}

// pace records that a program declares a recovery, and returns when, in Unix milliseconds. remembered is when it did
// last by the head file: the database may be older. Errors: ErrRecoveredBefore.
func pace(ctx context.Context, tx *store.Tx, remembered int64) (now int64, err error) {
	now = tx.Now().UnixMilli()
	last, err := loadRecovered(ctx, tx)
	if err != nil {
		return remembered, err
	}
	if last = max(last, remembered); last > 0 && time.Duration(now-last)*time.Millisecond < recoverEvery {
		return remembered, ErrRecoveredBefore
	}
	return now, q.New(tx).PutMeta(ctx, q.PutMetaParams{Name: layout.MetaRecovered, Value: strconv.FormatInt(now, 10)})
}

// loadRecovered reads MetaRecovered; 0 without it.
func loadRecovered(ctx context.Context, tx *store.Tx) (at int64, err error) {
	text, err := found(q.New(tx).GetMeta(ctx, layout.MetaRecovered))
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(cmp.Or(text, "0"), 10, 64)
}
