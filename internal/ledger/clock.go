package ledger

import (
	"fmt"
	"time"

	"roshambo/internal/store"
)

// earlyAtMost is how much earlier than the newest block a transaction may be. A replay allows twice as
// much; the rest is for a block that is sealed between the commit of the transaction and its own block.
const earlyAtMost = 30 * time.Second

// earlyLogEvery is the least time between two log lines about transactions that are too early.
const earlyLogEvery = time.Minute

// noteBlock remembers the time of a block of this node, in Unix milliseconds.
func (l *Ledger) noteBlock(at int64) {
	for seen := l.newestBlock.Load(); at > seen; seen = l.newestBlock.Load() {
		if l.newestBlock.CompareAndSwap(seen, at) {
			return
		}
	}
}

// checkTime refuses a time at which the chain's rules allow no transaction behind the newest block, both
// in Unix milliseconds. It is the last guard: the database's clock has been set back since that block.
func (l *Ledger) checkTime(at, newest int64) error {
	early := time.Duration(newest-at) * time.Millisecond
	if early <= earlyAtMost {
		return nil
	}
	if last := l.earlyLogged.Swap(at); last == 0 || time.Duration(at-last)*time.Millisecond >= earlyLogEvery {
		l.log.Error("nothing is posted, because the newest block is ahead of the clock",
			"by", early)
	} else {
		l.earlyLogged.Store(last)
	}
	return fmt.Errorf("%w: %w: %w: the newest block is %v ahead of the database's clock", store.ErrUnavailable,
		store.ErrNotStored, store.ErrTime, early)
}
