// Package score computes points, leaderboards, seasons, achievements and the feed from finished
// runs, duels and sales.
//
// # Reducer
//
// Facts go in, boards and feed items come out:
//
//   - A service reports an event inside the transaction that causes it: a run ended, a duel
//     was decided, a token was sold (facts_report.go). The report is one insert into score_inbox.
//   - RunReducer processes the inbox in steps, some milliseconds later (reduce.go). A step
//     reads up to 500 reports and the rows that they refer to from one snapshot, reduces
//     them in memory, and stores the result in one transaction (reduce_step.go): facts, counts of
//     the accounts, board entries, unlocked achievements and feed items.
//   - The facts determine every other output. Check recomputes the outputs and compares.
//
// Steps process reports in the order of their ids. A report that is created after another
// one was committed has the larger id, so the reports of one account keep their order;
// concurrent reports may have either order. A report carries the only state that may change
// before the step: the team of the account at that time.
//
// # Points
//
// Tier k claimed gives 2^k points, a duel won 8. Bots earn none; they have a rating board
// of their own. Practice, against the sparring bot or a bot of the player's own, gives
// none, and of the wins over one opponent the first three of a UTC day count, as in the
// ratings. A winner needs two rounds that both sides revealed.
//
// The week's board and the teams count the points of a day of the best accounts of each network
// alone (reduce_network.go).
//
// # Boards
//
// A board orders its entries by sort key, the smallest first, and equal keys by member. A
// sort key is one integer (boards.go) that holds the value and, among equal values, the
// second in which the value was reached. The order is therefore total, and the rank of an
// entry is one more than the number of entries before it. SQL calls the sort key "place".
//
// # Ranks without counting
//
// Counting a million entries per request is too slow, and a counter per value is a row for
// which every transaction waits. A board is therefore cut into blocks of about a hundred
// entries whose counts the compactor maintains (boards_compact.go). A step only appends its
// changes of sort keys to a table. A rank is computed in one snapshot from three parts: the
// entries in the blocks before (cached in memory per version of the board), the pending
// changes, and a count from the start of the block on. The rank is exact at any time,
// whether the compactor runs or not.
//
// # Crashes
//
// Before the commit of a report: the event did not happen. After it: the report is pending
// until the next step of any node. A step deletes its reports in the transaction that
// stores its outputs, and compares and swaps the step number: each report is reduced once.
// Between that commit and the compaction: the changes are pending until the next compaction
// of any node.
package score

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/service/rank"
	"roshambo/internal/store"
)

// Config holds the dependencies of a Service.
type Config struct {
	DB     *store.DB
	Ledger *ledger.Ledger
	Teams  Teams // nil for none
	Feed   Feed  // nil for none
	Now    func() time.Time
	// Notify, when set, asks the other nodes to call Wake: there are reports to reduce. It
	// is called after a commit, at most once per notifyPace, and must not block.
	Notify func()
}

// Teams looks up team membership.
type Teams interface {
	// TeamOf returns the id of the account's team, 0 for none.
	TeamOf(ctx context.Context, tx *store.Tx, account chain.Address) (int64, error)
}

// Feed receives each feed item inside the transaction that stores it. An error rolls the
// transaction back.
type Feed interface {
	Publish(ctx context.Context, tx *store.Tx, item *FeedItem) error
}

// Service implements the use cases of this package. Its methods are safe for concurrent use.
type Service struct {
	Config
	calendar   calendar
	ranks      *rank.Index[int64]
	tops       topCache
	reducing   atomic.Bool   // RunReducer runs on this node
	inboxWake  chan struct{} // holds one token while there may be reports to reduce
	notifiedAt atomic.Int64  // the last call of Notify, in Unix milliseconds
	// rankedUntil is the time of securing up to which this node has reported the accounts that come onto the boards.
	rankedUntil atomic.Int64
}

// New returns a Service. The ledger must have its genesis block: seasons count from it.
func New(ctx context.Context, c Config) (*Service, error) {
	s := &Service{Config: c, inboxWake: make(chan struct{}, 1), ranks: newRanks(c.DB)}
	err := c.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		genesis, err := c.Ledger.Block(ctx, tx, 0)
		s.calendar = newCalendar(time.UnixMilli(genesis.Header.Time))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("score: genesis: %w", err)
	}
	s.tops.rows = map[Board]*topRows{}
	return s, nil
}

// ErrNotFound reports that the season does not exist or is not closed.
var ErrNotFound = errors.New("score: not found")

// errDamaged reports that stored rows contradict one another. Check names them.
var errDamaged = errors.New("the stored board is damaged")
