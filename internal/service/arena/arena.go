// Package arena rates who plays duels, and finds bots their opponents.
//
// # Ratings
//
// There are two pools: of bots, who play ranked duels in the arena, and of people, who
// play one another. Ratings are Glicko-2 (package glicko), one rating period for each
// duel. The row of a player is changed in the transaction that finishes the duel
// (Service.Finished), and what changed is kept: for the chart, and so that a rating can
// be checked.
//
// Every rating follows from the chain alone; Book does it:
//
//  1. Take the duel.settle transactions with rated true in the order of the chain. The
//     order of two duels that share no player makes no difference.
//  2. The pool is bots when both players' account.create says bot, otherwise human.
//  3. Who is new has 1500.000000, 350.000000 and 0.060000000000. The scores are 1 and 0
//     by winner, and ½ for both without one; glicko.Game makes the new numbers of both
//     from the old of both, and rounds them to what is stored.
//
// A rating whose deviation is above 110 is provisional: the strength may as well be 220
// points away. That takes a newcomer about a dozen duels.
//
// # The queue
//
// Where a bot is stands in one row: waiting, in a ranked duel, or neither. Who arrives is
// matched at once with whom suits; whoever is left is looked through by Pass, on each
// node, until somebody does (match.go has the rules). On every node at the same time,
// what counts is who changes both rows first.
package arena

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/event"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/service/rank"
	"roshambo/internal/store"
)

// Pool is who is rated among one another.
type Pool string

// The pools.
const (
	Bots  Pool = "bots"
	Human Pool = "human"
)

// Provisional is the deviation above which a rating says little yet.
const Provisional = 110 * glicko.Point

// Duels begins and finds the duels of bots that were matched.
type Duels interface {
	// StartRanked begins a ranked duel and returns its code.
	StartRanked(ctx context.Context, tx *store.Tx, a, b chain.Address) (code string, err error)
	// UnfinishedRanked returns the code of the bot's ranked duel that goes on once the
	// deadlines that have passed are applied, or "". A duel that this ends is reported
	// to Finished before it returns.
	UnfinishedRanked(ctx context.Context, tx *store.Tx, bot chain.Address) (code string, err error)
}

// Service is the use cases of the arena. Its fields are set once, before use.
type Service struct {
	DB     *store.DB
	Duels  Duels
	Events *event.Log
	Now    func() time.Time
	Logger *slog.Logger

	wake  chan struct{} // see New
	ranks *rank.Index[string]
}

// New returns s, ready for use.
func New(s Service) *Service {
	s.wake = make(chan struct{}, 1)
	s.ranks = newRanks(s.DB)
	s.Events.Hub.Call(s.wakeMatcher, event.Queue)
	return &s
}

// Errors of this package.
var (
	ErrNotFound = errors.New("arena: no such player")
	ErrNoBot    = errors.New("arena: not a bot")
)

// now returns the time as it is stored, in whole milliseconds.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }
