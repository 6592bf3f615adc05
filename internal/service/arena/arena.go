// Package arena rates the players of duels and matches bots with opponents.
//
// # Ratings
//
// There are two pools: bots, which play ranked duels in the arena, and people, paired in
// quick matches. Ratings are Glicko-2 (package glicko) with one rating period per duel. The
// transaction that finishes a duel updates both players' rows (Service.RecordDuel) and
// stores the changes, for charts and for the audit.
//
// Every rating can be computed from the chain and the published transcripts of duels, which Book does:
//
//  1. Take the duel.settle transactions with rated true in the order of the chain. The
//     order of two duels that share no player makes no difference.
//  2. The pool is bots if the account.create transactions of both players say bot,
//     otherwise human.
//  3. A new player has rating 1500.000000, deviation 350.000000 and volatility
//     0.060000000000. The winner scores 1 and the loser 0; in a draw both score ½.
//     glicko.Game computes the new values of both players from the old ones, rounded to
//     the stored precision.
//  4. A winner without two rounds that two reveals decided keeps its values; the loser's change all
//     the same. A draw without any such round is settled with rated false.
//  5. A result.void transaction about a duel takes back what the duel changed in both ratings and
//     deviations, at its own position in the chain. A result.restore takes back what the result.void
//     changed, likewise.
//
// A rating is provisional while its deviation is above 110, as the strength may be 220 points
// away, or while it rests on fewer than 5 different opponents. A new player needs about a dozen
// duels. Boards list established ratings first. Two players are never paired from one public
// network address, or if they have one owner, and have at most 3 rated duels a UTC day.
//
// # The queue
//
// One row holds a bot's state: waiting, in a ranked duel, or idle. A bot that enters the
// queue is matched at once if a suitable opponent waits; otherwise MatchOnce matches it
// later, on any node (match.go has the rules). If several nodes match the same bot, the
// first transaction that changes the rows of both bots wins.
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

// Pool is a group of players that are rated against one another.
type Pool string

// The pools.
const (
	Bots  Pool = "bots"
	Human Pool = "human"
)

// Provisional is the deviation above which a rating is provisional.
const Provisional = 110 * glicko.Point

// MinRivals is the number of different opponents below which a rating is provisional. The service
// never pairs two players of one owner, so all of them are other owners' players.
const MinRivals = 5

// established is added to the standing of a rating that is not provisional, so that boards list
// all of those first. It is above every rating.
const established = 1 << 42

// standing returns the order of a rating on its board: by its points, with all established
// ratings above all provisional ones.
func standing(rating glicko.Fixed, rivals int64) int64 {
	if rating.Deviation <= Provisional && rivals >= MinRivals {
		return rating.Rating + established
	}
	return rating.Rating
}

// Duels begins and finds the ranked duels of bots.
type Duels interface {
	// StartRanked begins a ranked duel and returns its code.
	StartRanked(ctx context.Context, tx *store.Tx, a, b chain.Address) (code string, err error)
	// UnfinishedRanked applies passed deadlines and returns the code of the bot's
	// unfinished ranked duel, "" for none. If it ends a duel, it passes the result to
	// RecordDuel before it returns.
	UnfinishedRanked(ctx context.Context, tx *store.Tx, bot chain.Address) (code string, err error)
}

// Cups finds the games of bots in cups.
type Cups interface {
	// CupDuel returns the code of a bot's duel in a cup, "" for none, and whether its cup runs or is
	// about to start.
	CupDuel(ctx context.Context, tx *store.Tx, bot chain.Address) (code string, held bool, err error)
}

// Service implements the use cases of the arena. Its fields are set once, before use.
type Service struct {
	DB     *store.DB
	Duels  Duels
	Quick  QuickDuels
	Cups   Cups // nil for none
	Events *event.Log
	Now    func() time.Time
	Logger *slog.Logger

	wake  chan struct{} // see New
	ranks *rank.Index[string]
}

// New returns a service with the fields of s, ready for use. It subscribes to the queue's
// events, which wake MatchLoop.
func New(s Service) *Service {
	s.wake = make(chan struct{}, 1)
	s.Events.Hub.OnWake(s.wakeMatcher, event.Queue)
	s.ranks = newRanks(s.DB)
	return &s
}

// Errors of this package.
var (
	ErrNotFound = errors.New("arena: no such player")
	ErrNoBot    = errors.New("arena: not a bot")
)
