package arena

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
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
// deviation of a newcomer again.

// Voided describes a rated duel whose result is declared void.
type Voided struct {
	Duel string // the code
	Pool Pool
	A, B chain.Address
	At   time.Time // of the correction
}

// VoidOutcome is the outcome of a correction in the history.
const VoidOutcome = "void"

// VoidDuel takes back what a rated duel changed for both players, in the transaction that declares it
// void. Like RecordDuel it must be called before the transaction is posted to the chain. Errors:
// ErrNotFound when the duel changed no rating.
func (s *Service) VoidDuel(ctx context.Context, tx *store.Tx, v Voided) error {
	a, b := &side{address: v.A}, &side{address: v.B}
	a.opponent, b.opponent = b, a
	sides := []*side{a, b}
	slices.SortFunc(sides, func(x, y *side) int { return bytes.Compare(x.address[:], y.address[:]) })
	for _, x := range sides {
		if err := s.takeBackSide(ctx, tx, v, x); err != nil {
			return err
		}
	}
	if err := s.moveRanks(ctx, tx, v.Pool, sides); err != nil {
		return wrap("void", err)
	}
	rows := make([][]any, len(sides))
	for i, x := range sides {
		rows[i] = change(Result{Duel: v.Duel, Pool: v.Pool, At: v.At}, x)
		rows[i][outcomeColumn] = VoidOutcome
	}
	return wrap("void", store.BulkInsert(ctx, tx, "arena_change", changeColumns, rows))
}

// outcomeColumn is the position of the outcome in changeColumns.
var outcomeColumn = slices.Index(changeColumns, "outcome")

// takeBackSide corrects the rating, the record and the peak of one player.
func (s *Service) takeBackSide(ctx context.Context, tx *store.Tx, v Voided, x *side) error {
	queries := q.New(tx)
	made, err := queries.GetChange(ctx, q.GetChangeParams{Duel: v.Duel, Address: x.address[:]})
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("arena: change of %s: %w", v.Duel, err)
	}
	row, err := queries.TakeBackGame(ctx, q.TakeBackGameParams{Pool: string(v.Pool), Address: x.address[:]})
	if err != nil {
		return fmt.Errorf("arena: void %s: %w", v.Duel, err)
	}
	x.before = glicko.Fixed{Rating: row.Rating, Deviation: row.Deviation, Volatility: row.Volatility}
	x.after = x.before.TakeBack(glicko.Fixed{Rating: made.RatingBefore, Deviation: made.DeviationBefore},
		glicko.Fixed{Rating: made.Rating, Deviation: made.Deviation})
	x.games, x.rivals, x.standing = row.Games, row.Rivals, &row.Standing
	score := map[string]glicko.Score{"win": glicko.Win, "draw": glicko.Draw, "loss": glicko.Loss}[made.Outcome]
	won, lost, drawn := tally(score)
	left, err := queries.TakeFromRecord(ctx, q.TakeFromRecordParams{
		Pool: string(v.Pool), Address: x.address[:], Opponent: x.opponent.address[:], Won: won, Lost: lost, Drawn: drawn})
	if err != nil {
		return fmt.Errorf("arena: record of %v: %w", x.address, err)
	}
	if left == 0 {
		x.rivals--
		err := queries.DropRecord(ctx, q.DropRecordParams{
			Pool: string(v.Pool), Address: x.address[:], Opponent: x.opponent.address[:]})
		if err != nil {
			return fmt.Errorf("arena: record of %v: %w", x.address, err)
		}
	}
	err = queries.SetVoided(ctx, q.SetVoidedParams{
		Pool: string(v.Pool), Address: x.address[:], Rating: x.after.Rating, Deviation: x.after.Deviation,
		Rivals: x.rivals, Standing: standing(x.after, x.rivals), Peak: peakWithout(row, made, x.after),
		Won: won, Lost: lost, Drawn: drawn})
	return wrap("void", err)
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
