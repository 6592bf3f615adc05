package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
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
		return OneRow(q.New(later).Continues(ctx, m.Stored.Size-1))
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
	return l.report(ctx, func(ctx context.Context, tx *store.Tx) (*lostTree, error) {
		_, s, err := loadLog(ctx, tx)
		if err != nil || size <= s.size || givenUp(s.declared, size) {
			return nil, err
		}
		return &lostTree{treeHead: treeHead{Size: size}, base: s.size}, nil
	})
}

// givenUp reports whether a line declares the tree of a size void, as an operator has by its checkpoint.
func givenUp(lines []string, size int64) bool {
	return slices.ContainsFunc(lines, func(line string) bool {
		r, err := layout.ParseRollback(line)
		return err == nil && r.Size == size
	})
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
// unless that was done less than an hour ago. Where a start or another node has declared it and stopped before the
// recovery, nothing is left to declare. cosigned is the largest size that the witnesses have
// cosigned: no witness follows a log below it. Writes stay refused until Resumed; a crash at any point
// before leaves a state that the next call continues. The head file follows with UpdateHeadFile, as on other nodes.
// Errors: ErrRecoveredBefore.
func (l *Ledger) DeclareLost(ctx context.Context, guard Guard, cosigned int64) error {
	m, _ := l.file.get()
	line, at := "", int64(0)
	err := l.db.Update(store.Unguarded(ctx), func(ctx context.Context, tx *store.Tx) (err error) {
		line, at = "", 0
		if err := guard(ctx, tx); err != nil {
			return err
		}
		lost, err := loadLost(ctx, tx)
		switch {
		case err != nil || lost == nil:
			return errors.Join(err, ErrNothingToAccept)
		case lost.marked() || lost.declared:
			return nil
		}
		a, err := l.file.compare(ctx, tx, m, false)
		if err != nil {
			return err
		}
		if err := a.add(ctx, tx, m, lost); err != nil {
			return err
		}
		if a.lost.marked() { // a newer database has taken the place of the one that lacked it
			_, err := q.New(tx).DeleteMeta(ctx, layout.MetaRecovering)
			return err
		}
		if cosigned > a.size || a.lost.Root == (tlog.Hash{}) {
			return fmt.Errorf("a witness has cosigned %d blocks, and the database has %d: no witness follows it then, so "+
				"an operator decides", max(cosigned, a.lost.Size), a.size)
		}
		if at, err = pace(ctx, tx, m.Recovered); err != nil {
			return err
		}
		if line, err = a.declareLost(ctx, tx, m, ""); err != nil {
			return err
		}
		declared := a.lost
		declared.declared = true
		return declared.put(ctx, tx)
	})
	if err != nil {
		return fmt.Errorf("ledger: declare the lost blocks: %w", err)
	}
	if line != "" {
		l.log.Warn("declared lost blocks by itself (--on-rollback=recover)", "line", line)
	}
	return l.file.recovered(at)
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
		// A report that came after the declaration is of a tree that it does not cover.
		if lost, err := loadLost(ctx, tx); err != nil || lost != nil && !lost.declared {
			return errors.Join(err, ErrRecovering)
		}
		_, err := q.New(tx).DeleteMeta(ctx, layout.MetaRecovering)
		return err
	})
}

// pace records that a program declares a recovery, and returns when, in Unix milliseconds. remembered is when it did
// last by the head file: the database may be older. While a recovery waits to be performed, what is declared beside
// belongs to it. Errors: ErrRecoveredBefore.
func pace(ctx context.Context, tx *store.Tx, remembered int64) (now int64, err error) {
	now = tx.Now().UnixMilli()
	last, err := loadRecovered(ctx, tx)
	if err != nil {
		return remembered, err
	}
	waits, err := Marked(ctx, tx)
	if err != nil {
		return remembered, err
	}
	for _, at := range []int64{last, remembered} {
		if !waits && at > 0 && !aheadOf(tx, at) && time.Duration(now-at)*time.Millisecond < recoverEvery {
			return remembered, ErrRecoveredBefore
		}
	}
	return now, q.New(tx).PutMeta(ctx, q.PutMetaParams{Name: layout.MetaRecovered, Value: strconv.FormatInt(now, 10)})
}

// aheadOf reports whether a time, in Unix milliseconds, is well ahead of a transaction's: a clock was wrong, and no
// recovery waits for it.
func aheadOf(tx *store.Tx, at int64) bool { return at > tx.Now().Add(time.Minute).UnixMilli() }

// loadRecovered reads MetaRecovered; 0 without it.
func loadRecovered(ctx context.Context, tx *store.Tx) (at int64, err error) {
	text, err := found(q.New(tx).GetMeta(ctx, layout.MetaRecovered))
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(cmp.Or(text, "0"), 10, 64)
}
