package arena

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/service/rank"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/arenaq"
)

// Result is the result of a finished duel.
type Result struct {
	Duel   string // the code
	Pool   Pool   // "" for none
	Rated  bool
	A, B   chain.Address
	Winner game.Side // A, B, or NoSide for a draw
	Rounds []chain.DuelRound
	At     time.Time
}

// score returns the score of A.
func (r *Result) score() glicko.Score {
	switch r.Winner {
	case game.A:
		return glicko.Win
	case game.B:
		return glicko.Loss
	default:
		return glicko.Draw
	}
}

// rate returns the ratings of A and B after the duel. The loser loses by any defeat; a winner that has
// not earned it keeps the rating.
func (r *Result) rate(a, b glicko.Fixed) (afterA, afterB glicko.Fixed) {
	afterA, afterB = glicko.Game(a, b, r.score())
	switch {
	case r.Winner == game.A && !chain.Earned(r.Rounds, r.Winner):
		afterA = a
	case r.Winner == game.B && !chain.Earned(r.Rounds, r.Winner):
		afterB = b
	}
	return afterA, afterB
}

// RecordDuel records the result of a duel in the transaction that ends it: it frees the bots
// of a ranked duel and updates both ratings of a rated one. The caller must call it before
// it posts the settlement: of two duels that share a player and end concurrently, the
// ratings then change in the order of the chain. It returns by how many points the loser was
// rated above the winner before a rated duel (see upset).
func (s *Service) RecordDuel(ctx context.Context, tx *store.Tx, r Result) (above int64, err error) {
	if r.Pool == Bots {
		if err := s.release(ctx, tx, r); err != nil {
			return 0, err
		}
	}
	if !r.Rated {
		return 0, nil
	}
	if above, err = s.rate(ctx, tx, r); err != nil {
		return 0, fmt.Errorf("arena: rate %s: %w", r.Duel, err)
	}
	return above, nil
}

// release frees the bots of a ranked duel for the queue.
func (s *Service) release(ctx context.Context, tx *store.Tx, r Result) error {
	for _, side := range []struct{ bot, opponent chain.Address }{{r.A, r.B}, {r.B, r.A}} {
		p := q.ReleaseBotParams{Address: side.bot[:], Opponent: side.opponent[:], Duel: &r.Duel}
		if _, err := q.New(tx).ReleaseBot(ctx, p); err != nil {
			return fmt.Errorf("arena: free %v: %w", side.bot, err)
		}
	}
	return nil
}

// side is one player of a rated duel.
type side struct {
	address       chain.Address
	opponent      *side
	score         glicko.Score
	before, after glicko.Fixed
	games         int64  // including this one
	rivals        int64  // opponents, including this one
	standing      *int64 // before this one; nil for the first one
	peak          *int64 // before this one, in millionths of a point; nil for none
}

// upset returns by how many whole points the loser of a duel was rated above the winner before it; 0 unless the
// winner has earned it and the loser's rating was established: any other rating says little.
func (r *Result) upset(a, b *side) int64 {
	winner, loser := a, b
	if r.Winner == game.B {
		winner, loser = b, a
	}
	if !chain.Earned(r.Rounds, r.Winner) || loser.standing == nil || *loser.standing < established {
		return 0
	}
	return max(0, loser.before.Rating-winner.before.Rating) / glicko.Point
}

// rate updates the ratings of both players, stores the changes, and returns upset.
func (s *Service) rate(ctx context.Context, tx *store.Tx, r Result) (above int64, err error) {
	a, b := &side{address: r.A, score: r.score()}, &side{address: r.B, score: 1 - r.score()}
	a.opponent, b.opponent = b, a
	sides := []*side{a, b}
	// Lock the rows in the order of addresses, so that concurrent transactions cannot
	// deadlock.
	slices.SortFunc(sides, func(x, y *side) int { return bytes.Compare(x.address[:], y.address[:]) })
	queries, at := q.New(tx), r.At.UnixMilli()
	for _, x := range sides {
		row, err := queries.CountGame(ctx, q.CountGameParams{
			Pool: string(r.Pool), Address: x.address[:], Rating: glicko.Newcomer.Rating,
			Deviation: glicko.Newcomer.Deviation, Volatility: glicko.Newcomer.Volatility, Now: at,
		})
		if err != nil {
			return 0, err
		}
		x.before = glicko.Fixed{Rating: row.Rating, Deviation: row.Deviation, Volatility: row.Volatility}
		x.games, x.peak, x.rivals = row.Games, row.Peak, row.Rivals
		if x.games > 1 {
			x.standing = &row.Standing
		}
	}
	a.after, b.after = r.rate(a.before, b.before)
	for _, x := range sides {
		if err := storeRating(ctx, queries, r, x); err != nil {
			return 0, err
		}
	}
	if err := s.moveRanks(ctx, tx, r.Pool, sides); err != nil {
		return 0, err
	}
	return r.upset(a, b), store.BulkInsert(ctx, tx, "arena_change", changeColumns, [][]any{change(r, a), change(r, b)})
}

// storeRating stores a player's new rating, a new peak, and the record against the opponent.
func storeRating(ctx context.Context, queries *q.Queries, r Result, x *side) error {
	won, lost, drawn := tally(x.score)
	at := r.At.UnixMilli()
	games, err := queries.AddToRecord(ctx, q.AddToRecordParams{
		Pool: string(r.Pool), Address: x.address[:], Opponent: x.opponent.address[:], Won: won, Lost: lost,
		Drawn: drawn, Now: at,
	})
	if err != nil {
		return err
	}
	if games == 1 {
		x.rivals++
	}
	err = queries.SetRating(ctx, q.SetRatingParams{
		Pool: string(r.Pool), Address: x.address[:], Rating: x.after.Rating, Deviation: x.after.Deviation,
		Volatility: x.after.Volatility, Won: won, Lost: lost, Drawn: drawn, Now: at,
		Rivals: x.rivals, Standing: standing(x.after, x.rivals),
	})
	if err != nil {
		return err
	}
	if x.after.Deviation <= Provisional && (x.peak == nil || x.after.Rating > *x.peak) {
		peak := q.SetPeakParams{Pool: string(r.Pool), Address: x.address[:], Peak: &x.after.Rating, PeakAt: &at}
		if err := queries.SetPeak(ctx, peak); err != nil {
			return err
		}
	}
	return nil
}

// tally returns a score as counts: one of them is 1, the others are 0.
func tally(s glicko.Score) (won, lost, drawn int64) {
	switch s {
	case glicko.Win:
		return 1, 0, 0
	case glicko.Loss:
		return 0, 1, 0
	default:
		return 0, 0, 1
	}
}

var changeColumns = []string{
	"pool", "address", "game_no", "duel", "opponent", "outcome", "rating_before", "deviation_before",
	"rating", "deviation", "volatility", "opponent_rating", "played_at", "peak",
}

// change returns the row of a player's rating change; its values are in the order of
// changeColumns.
func change(r Result, x *side) []any {
	outcome := map[glicko.Score]string{glicko.Win: "win", glicko.Draw: "draw", glicko.Loss: "loss"}[x.score]
	return []any{
		string(r.Pool), x.address[:], x.games, r.Duel, x.opponent.address[:], outcome, x.before.Rating, x.before.Deviation,
		x.after.Rating, x.after.Deviation, x.after.Volatility, x.opponent.before.Rating, r.At.UnixMilli(),
		nil,
	}
}

// newRanks returns the index of the ranks in all pools. Positions are standings, ascending, and
// addresses.
func newRanks(db *store.DB) *rank.Index[string] {
	return rank.New[string](db, rank.Tables{
		Entries: "arena_rating", Board: "pool", Key: "standing", Member: "address",
		Totals: "arena_board", Blocks: "arena_block", Changes: "arena_pending",
	})
}

// moveRanks appends the changes of standings to the index of the ranks.
func (s *Service) moveRanks(ctx context.Context, tx *store.Tx, pool Pool, sides []*side) error {
	var changes []rank.Change[string]
	for _, x := range sides {
		after := standing(x.after, x.rivals)
		if x.standing != nil && *x.standing == after {
			continue
		}
		changes = append(changes, rank.Change[string]{
			Board: string(pool), Member: x.address[:], Old: x.standing, New: &after})
	}
	return s.ranks.Append(ctx, tx, changes)
}

// RunCompactor merges the changes of ratings into the index of the ranks until ctx ends. One
// node should run it for all, under a lease. onError receives the errors.
func (s *Service) RunCompactor(ctx context.Context, onError func(error)) {
	s.ranks.Run(ctx, nil, onError)
}
