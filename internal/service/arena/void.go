package arena

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/arenaq"
)

// A void duel is corrected, not erased: its rating change stays in the history, and a further entry
// takes it back. The correction is a function of the chain like every other change (Book). It is the
// opposite of what the duel changed in rating and deviation, in whole millionths; the volatility and
// the ratings of third players stay. So a player all of whose duels are void has the rating and
// deviation of a newcomer again. A restored duel is a correction too: it takes back what the first one
// changed, and nothing is left of both when no other duel stands between them.

// Voided describes a rated duel whose result is declared void, or restored.
type Voided struct {
	Duel string // the code
	Pool Pool
	A, B chain.Address
	At   time.Time // of the correction
}

// The outcomes of corrections in the history.
const (
	VoidOutcome     = "void"
	RestoredOutcome = "restored" // takes a VoidOutcome back
)

// VoidDuel takes back what a rated duel changed for both players, in the transaction that declares it
// void. Like RecordDuel it must be called before the transaction is posted to the chain. Errors:
// ErrNotFound when the duel changed no rating.
func (s *Service) VoidDuel(ctx context.Context, tx *store.Tx, v Voided) error {
	return s.correct(ctx, tx, v, VoidOutcome)
}

// RestoreDuel takes back what VoidDuel changed, likewise.
func (s *Service) RestoreDuel(ctx context.Context, tx *store.Tx, v Voided) error {
	return s.correct(ctx, tx, v, RestoredOutcome)
}

// correct corrects both players and adds the corrections to their histories.
func (s *Service) correct(ctx context.Context, tx *store.Tx, v Voided, outcome string) error {
	a, b := &side{address: v.A}, &side{address: v.B}
	a.opponent, b.opponent = b, a
	sides := []*side{a, b}
	slices.SortFunc(sides, func(x, y *side) int { return bytes.Compare(x.address[:], y.address[:]) })
	for _, x := range sides {
		if err := s.correctSide(ctx, tx, v, x, outcome); err != nil {
			return err
		}
	}
	if err := s.moveRanks(ctx, tx, v.Pool, sides); err != nil {
		return wrap(outcome, err)
	}
	rows := make([][]any, len(sides))
	for i, x := range sides {
		rows[i] = change(Result{Duel: v.Duel, Pool: v.Pool, At: v.At}, x)
		rows[i][outcomeColumn], rows[i][peakColumn] = outcome, x.peak
	}
	return wrap(outcome, store.BulkInsert(ctx, tx, "arena_change", changeColumns, rows))
}

// The positions of the outcome and of the peak in changeColumns.
var (
	outcomeColumn = slices.Index(changeColumns, "outcome")
	peakColumn    = slices.Index(changeColumns, "peak")
)

// correctSide corrects the rating, the record and the peak of one player.
func (s *Service) correctSide(ctx context.Context, tx *store.Tx, v Voided, x *side, outcome string) error {
	queries := q.New(tx)
	made, err := queries.GetChange(ctx, q.GetChangeParams{Duel: v.Duel, Address: x.address[:]})
	if err != nil {
		return store.Absent(err, ErrNotFound, "arena: change of %s", v.Duel)
	}
	row, err := queries.TakeBackGame(ctx, q.TakeBackGameParams{Pool: string(v.Pool), Address: x.address[:]})
	if err != nil {
		return fmt.Errorf("arena: correct %s: %w", v.Duel, err)
	}
	x.before = glicko.Fixed{Rating: row.Rating, Deviation: row.Deviation, Volatility: row.Volatility}
	x.games, x.rivals, x.standing, x.peak = row.Games, row.Rivals, &row.Standing, row.Peak
	x.score = map[string]glicko.Score{"win": glicko.Win, "draw": glicko.Draw, "loss": glicko.Loss}[made.Outcome]
	won, lost, drawn := tally(x.score)
	var peak *int64
	if outcome == VoidOutcome {
		x.after = x.before.TakeBack(glicko.Fixed{Rating: made.RatingBefore, Deviation: made.DeviationBefore},
			glicko.Fixed{Rating: made.Rating, Deviation: made.Deviation})
		peak = peakWithout(row, made, x.after)
		err = takeFromRecord(ctx, queries, v, x)
	} else {
		peak, err = restoreSide(ctx, queries, v, x, made.PlayedAt)
		won, lost, drawn = -won, -lost, -drawn
	}
	if err != nil {
		return fmt.Errorf("arena: correct %s of %v: %w", v.Duel, x.address, err)
	}
	err = queries.SetVoided(ctx, q.SetVoidedParams{
		Pool: string(v.Pool), Address: x.address[:], Rating: x.after.Rating, Deviation: x.after.Deviation,
		Rivals: x.rivals, Standing: standing(x.after, x.rivals), Peak: peak,
		Won: won, Lost: lost, Drawn: drawn})
	return wrap(outcome, err)
}

// takeFromRecord takes a duel out of the record against the opponent.
func takeFromRecord(ctx context.Context, queries *q.Queries, v Voided, x *side) error {
	won, lost, drawn := tally(x.score)
	left, err := queries.TakeFromRecord(ctx, q.TakeFromRecordParams{
		Pool: string(v.Pool), Address: x.address[:], Opponent: x.opponent.address[:], Won: won, Lost: lost, Drawn: drawn})
	if err != nil || left > 0 {
		return err
	}
	x.rivals--
	return queries.DropRecord(ctx, q.DropRecordParams{
		Pool: string(v.Pool), Address: x.address[:], Opponent: x.opponent.address[:]})
}

// restoreSide takes the correction of a void duel back, and returns the peak: at least the one before it.
func restoreSide(ctx context.Context, queries *q.Queries, v Voided, x *side, playedAt int64) (*int64, error) {
	void, err := queries.GetVoidChange(ctx, q.GetVoidChangeParams{Duel: v.Duel, Address: x.address[:]})
	if err != nil {
		return nil, err
	}
	x.after = x.before.TakeBack(glicko.Fixed{Rating: void.RatingBefore, Deviation: void.DeviationBefore},
		glicko.Fixed{Rating: void.Rating, Deviation: void.Deviation})
	won, lost, drawn := tally(x.score)
	games, err := queries.AddToRecord(ctx, q.AddToRecordParams{Pool: string(v.Pool), Address: x.address[:],
		Opponent: x.opponent.address[:], Won: won, Lost: lost, Drawn: drawn, Now: playedAt})
	if games == 1 {
		x.rivals++
	}
	peak := x.peak
	if void.Peak != nil {
		best := max(*void.Peak, *peak)
		peak = &best
	}
	return peak, err
}

// peakWithout returns the peak of a player without the gain of a void duel: lower by the gain if it was
// reached with that duel or later, and not below the current rating.
func peakWithout(row q.TakeBackGameRow, made q.GetChangeRow, after glicko.Fixed) *int64 {
	gain := made.Rating - made.RatingBefore
	if row.Peak == nil || gain <= 0 || row.PeakAt == nil || *row.PeakAt < made.PlayedAt {
		return row.Peak
	}
	peak := *row.Peak - gain
	if after.Deviation <= Provisional {
		peak = max(peak, after.Rating)
	}
	return &peak
}
