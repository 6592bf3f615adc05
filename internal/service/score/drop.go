package score

import (
	"context"
	"fmt"
	"time"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
)

// Nobody can ask for the board of a week or day that is over, but for yesterday's, and who
// leafs through one while it ends. So they are kept for a while, and dropped then. What
// counts stays: the facts, what was unlocked, and the boards of the seasons.
const (
	keptWeeks = 3
	keptDays  = 14 // a run may end a day and more after the day on which it counts
)

// dropSize bounds how many entries one transaction drops.
const dropSize = 1000

// oldest returns the first boards of weeks and days that are kept.
func oldest(now time.Time) (week, day Board) {
	return boardOf(kindWeek, weekOf(now)-keptWeeks), boardOf(kindDaily, DayOf(now)-keptDays)
}

// dropped says whether Drop may have dropped a board.
func dropped(b Board, now time.Time) bool {
	week, day := oldest(now)
	return b.kind() == kindWeek && b < week || b.kind() == kindDaily && b < day
}

// Drop drops the boards of weeks and days of long ago, a little in each transaction. A
// crash in between leaves the rest for the next time.
func (s *Service) Drop(ctx context.Context) error {
	week, day := oldest(s.now())
	for _, before := range []Board{week, day} {
		first := boardOf(before.kind(), 0)
		for gone := int64(dropSize); gone == dropSize; {
			err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
				gone, err = drop(ctx, q.New(tx), int64(first), int64(before))
				return err
			})
			if err != nil {
				return fmt.Errorf("score: drop boards before %v: %w", before, err)
			}
		}
	}
	return nil
}

// drop drops the counts of boards, so that nobody looks for what they count, and some of
// the entries. It returns how many.
func drop(ctx context.Context, queries *q.Queries, first, before int64) (int64, error) {
	if err := queries.DropBlocks(ctx, q.DropBlocksParams{First: first, Before: before}); err != nil {
		return 0, err
	}
	if err := queries.DropBoards(ctx, q.DropBoardsParams{First: first, Before: before}); err != nil {
		return 0, err
	}
	if err := queries.DropChanges(ctx, q.DropChangesParams{First: first, Before: before}); err != nil {
		return 0, err
	}
	return queries.DropEntries(ctx, q.DropEntriesParams{First: first, Before: before, Count: dropSize})
}
