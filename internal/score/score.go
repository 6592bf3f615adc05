// Package score reacts to what players did: points and boards, seasons, the daily
// challenge, achievements and the feed.
//
// The nouns report facts, each inside the transaction in which it came about: a run
// ended, a duel was decided, a token was sold. A fact is stored, and with it what
// follows of it: the account's counts, its entries on the boards, what it unlocked. The
// facts alone are enough to work all of that out again; Check does, and compares.
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
// A crash before the fact's commit: it did not happen. Between that and the folding: the
// change waits for the next loop of any node.
package score

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/db"
	"roshambo/internal/ledger"
)

// Config is what a Service needs.
type Config struct {
	DB     *db.DB
	Ledger *ledger.Ledger
	Teams  Teams // nil for none
	Feed   Feed  // nil for none
	Now    func() time.Time
}

// Teams knows the teams' members.
type Teams interface {
	// TeamOf returns the number of the account's team, 0 for none.
	TeamOf(ctx context.Context, tx *db.Tx, account chain.Address) (int64, error)
}

// Feed is told of each notable thing, inside the transaction in which it happened.
type Feed interface {
	Notable(ctx context.Context, tx *db.Tx, s *Story) error
}

// Service is the use cases of this package. Its methods are safe for concurrent use.
type Service struct {
	Config
	calendar  calendar
	boards    directories
	woken     chan struct{} // holds one token while there may be changes to fold in
	blockSize int64         // blockSize, but for tests
}

// New returns a Service on a ledger that has begun.
func New(ctx context.Context, c Config) (*Service, error) {
	s := &Service{Config: c, woken: make(chan struct{}, 1), blockSize: blockSize}
	err := c.DB.View(ctx, func(ctx context.Context, tx *db.Tx) error {
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
