package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// The chain's rules refuse a transaction that is later than its block, or more than a minute earlier than the block
// before (package replay). Times are the database's, whose clock can be wrong: so a node does not believe a jump of
// it (package store), and even if one was believed,
//
//   - nothing is posted that is more than earlyAtMost earlier than the newest block or, about, transaction, so that
//     nothing rests on a transaction that is dated further ahead;
//   - a transaction that is dated ahead waits for its time, and those that cannot rest on it do not wait with it;
//   - no block is made that the rules refuse;
//   - no block is later than a transaction by more than the rules allow that commits after the block was built.
const (
	// earlyAtMost is how much earlier than the newest block or transaction a transaction may be. A replay allows
	// twice as much behind a block; the rest is for raiseAfter, and for a block that is sealed between the commit of
	// the transaction and its own block.
	earlyAtMost = 30 * time.Second
	// raiseAfter is how much later than the newest block or transaction that a node knows of one is recorded as the
	// newest: seldom, as all posts read the row.
	raiseAfter = 10 * time.Second
	// farAhead is how far ahead of the clock a transaction is on which none rests that is not: it was at most
	// raiseAfter and earlyAtMost earlier, and was dated within store.ClockTolerance of the clock.
	farAhead = 2 * earlyAtMost
)

// earlyLogEvery is the least time between two log lines about transactions that are too early.
const earlyLogEvery = time.Minute

var (
	// errTxAhead reports that only transactions that are dated ahead wait for a block.
	errTxAhead = errors.New("ledger: transactions are dated ahead of the clock, and wait for it")
	// errUnsettled reports that Updates may be under way that have begun long before a block.
	errUnsettled = errors.New("ledger: transactions may be under way that are dated long before the block")
	// errTxEarly reports that a block would not be valid.
	errTxEarly = errors.New("ledger: a transaction is dated more than a minute before the newest block")
)

// noteNewest remembers a time, in Unix milliseconds, behind which little that is earlier may be posted.
func (l *Ledger) noteNewest(at int64) {
	for seen := l.newest.Load(); at > seen; seen = l.newest.Load() {
		if l.newest.CompareAndSwap(seen, at) {
			return
		}
	}
}

// raise records the time of a transaction for all nodes, if it is well after the newest one that this node knows
// of. A transaction that another node posts at the same time does not see it, but neither rests on the other.
func (l *Ledger) raise(ctx context.Context, tx *store.Tx, at int64) error {
	if !l.shared || at-l.newest.Load() <= raiseAfter.Milliseconds() {
		return nil
	}
	tx.AfterCommit(func() { l.noteNewest(at) })
	return q.New(tx.Deferred()).RaisePosted(ctx, at)
}

// checkTime refuses a time at which the chain's rules allow no transaction behind the newest block or transaction,
// both in Unix milliseconds. It is the last guard: the database's clock has been set back since.
func (l *Ledger) checkTime(at, newest int64) error {
	early := time.Duration(newest-at) * time.Millisecond
	if early <= earlyAtMost {
		return nil
	}
	if last := l.earlyLogged.Swap(at); last == 0 || time.Duration(at-last)*time.Millisecond >= earlyLogEvery {
		l.log.Error("nothing is posted, because the newest block or transaction is ahead of the clock",
			"by", early)
	} else {
		l.earlyLogged.Store(last)
	}
	return fmt.Errorf("%w: %w: %w: the newest block or transaction is %v ahead of the database's clock",
		store.ErrUnavailable, store.ErrNotStored, store.ErrTime, early)
}

// duePending returns the next pending transactions, MaxBlock at most, that are dated ahead neither of now nor of the
// newest block, in Unix milliseconds. waiting is errTxAhead if there are others. A single node's clock makes none.
func (l *Ledger) duePending(ctx context.Context, tx *store.Tx, now, newest int64) (due []pending, waiting, err error) {
	for first := int64(math.MinInt64); ; {
		page, err := loadPending(ctx, tx, first)
		if err != nil {
			return nil, nil, err
		}
		for i := range page {
			ahead := time.Duration(page[i].tx.Time-now) * time.Millisecond
			if l.shared && ahead > store.ClockTolerance && page[i].tx.Time > newest {
				if waiting = errTxAhead; ahead <= farAhead {
					return due, waiting, nil // the next ones may rest on it
				}
				continue
			}
			if due = append(due, page[i]); len(due) == MaxBlock {
				return due, waiting, nil
			}
		}
		if len(page) < MaxBlock {
			return due, waiting, nil
		}
		first = page[len(page)-1].seq + 1
	}
}

// checkTimes refuses a block that a replay would refuse for the times of its transactions: once signed, it could
// not be taken back.
func (b *newBlock) checkTimes() error {
	for i := range b.txs {
		if p := &b.txs[i]; b.before.time-p.tx.Time > 2*earlyAtMost.Milliseconds() {
			return fmt.Errorf("%w: %v", errTxEarly, p.hash)
		}
	}
	return nil
}

// checkSettled refuses a block that is long after the one before and after settled, in Unix milliseconds, when all
// Updates that had begun before had ended. A commit may take long: a disk, or a standby that must have it, does not
// answer, or the machine is suspended. What it stores is dated by its beginning, is not seen by the snapshot of a
// block, and no block could take it behind that one. While blocks follow each other, commits end in order; PostgreSQL
// promises that not for a session that hangs in its COMMIT while others go on.
func (b *newBlock) checkSettled(settled int64) error {
	if b.header.Time-max(settled, b.before.time) > earlyAtMost.Milliseconds() {
		return errUnsettled
	}
	return nil
}

// settle waits until all Updates that have begun, on any node, have ended, and returns the time: those that begin later
// are dated later. A crash means nothing, as nothing is stored.
func (l *Ledger) settle(ctx context.Context) (at int64, err error) {
	err = l.db.UpdateAt(ctx, store.Alone, func(ctx context.Context, tx *store.Tx) error {
		_, err := loadHead(ctx, tx) // on PostgreSQL an Update waits with its first statement
		at = l.now().UnixMilli()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errUnsettled, err)
	}
	return at, nil
}
