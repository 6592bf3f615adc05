// Package score reacts to what players did: points and boards, seasons, the daily
// challenge, achievements and the feed.
//
// The nouns report what happened, each inside the transaction in which it came about: a run
// ended, a duel was decided, a token was sold (report.go). That puts one row into an inbox
// and asks nothing. A loop, React, reacts to what is there some milliseconds later, in
// turns (turn.go): up to 500 reports are read with what they concern, and what follows of
// all of them is stored in one transaction: the facts, the accounts' counts, their entries
// on the boards, what they unlocked, stories. The facts alone are enough to work all of
// that out again; Check does, and compares.
//
// Reports are reacted to in the order of their numbers. Two of which one came about after
// the other was committed have their numbers in that order, so an account's are in its own;
// of those that came about at the same time either may be the first. What depends on the
// moment is in the report: the team that the account was in.
//
// # Points
//
// Tier k claimed gives 2^k points, a duel won 8. Points are for people: bots have a
// board of their own. Practice, against the sparring bot or a bot of one's own, gives
// none, and of the wins over one opponent the first three of a UTC day count, as in the
// ratings.
//
// # Boards
//
// A board orders its entries by place, the smallest first, and those of one place by
// member. A place is one integer that holds all that counts (place.go): points and,
// among equals, the second in which they were reached. So the order is total, and a
// rank is one more than the number of entries before one.
//
// # Ranks without counting
//
// Counting a million entries for each request takes too long, and counters that every
// fact adds to are rows for which every transaction of a database waits. So a board is
// cut into blocks of some hundred entries whose counts a loop keeps (fold.go). Facts only
// append their changes of places to a table, and a rank is put together, in one snapshot,
// of the blocks before (kept in memory, as long as the board's version is the same), of
// the changes that wait, and of a count from the start of the block on. It is exact at
// any time, whether the loop runs or not.
//
// # Crashes
//
// Before a report's commit: it did not happen. After it: the report waits for the next turn
// of any node. A turn deletes its reports in the transaction that stores what follows of
// them, and swaps the number of turns: each is reacted to once. Between that and the
// folding: the change waits for the next loop of any node.
package score

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

// Config is what a Service needs.
type Config struct {
	DB     *store.DB
	Ledger *ledger.Ledger
	Teams  Teams // nil for none
	Feed   Feed  // nil for none
	Now    func() time.Time
	// Clock returns the time of a clock that all nodes share: a season is over when both it
	// and Now say so. Nil where there is one node.
	Clock func(ctx context.Context) (time.Time, error)
	// Tell, when set, tells other nodes that there is something to react to: one of them
	// calls Wake. It is called at most every tellPace, after a commit, and must be quick.
	Tell func()
}

// Teams knows the teams' members.
type Teams interface {
	// TeamOf returns the number of the account's team, 0 for none.
	TeamOf(ctx context.Context, tx *store.Tx, account chain.Address) (int64, error)
}

// Feed is told of each notable thing, inside the transaction that stores its story.
type Feed interface {
	Notable(ctx context.Context, tx *store.Tx, s *Story) error
}

// Service is the use cases of this package. Its methods are safe for concurrent use.
type Service struct {
	Config
	calendar  calendar
	boards    directories
	reacting  atomic.Bool   // React runs here
	waiting   chan struct{} // holds one token while there may be reports to react to
	told      atomic.Int64  // when Tell was called last, in milliseconds
	woken     chan struct{} // holds one token while there may be changes to fold in
	blockSize int64         // blockSize, but for tests
}

// New returns a Service on a ledger that has begun.
func New(ctx context.Context, c Config) (*Service, error) {
	s := &Service{Config: c, waiting: make(chan struct{}, 1), woken: make(chan struct{}, 1), blockSize: blockSize}
	err := c.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		genesis, err := c.Ledger.Block(ctx, tx, 0)
		s.calendar = newCalendar(time.UnixMilli(genesis.Header.Time))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("score: genesis: %w", err)
	}
	s.boards.known, s.boards.tops = map[Board]*directory{}, map[Board]*top{}
	s.wake()
	return s, nil
}

// ErrNotFound says that there is no such season.
var ErrNotFound = errors.New("score: not found")

// errDamaged says that stored rows contradict one another. Check names them, Rebuild
// makes them anew.
var errDamaged = errors.New("the stored board is damaged")

// now returns the time as it is stored, in whole milliseconds.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }
