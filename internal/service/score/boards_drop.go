package score

import (
	"context"
	"fmt"
	"time"

	"roshambo/internal/platform/fairshare"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
)

// How long boards of past weeks and days are kept. Callers can request none of them except
// yesterday's, but may still page through a board while its week or day ends. The facts,
// the unlocked achievements and the boards of seasons are kept for good.
const (
	keptWeeks = 3
	keptDays  = 14 // a daily run may end more than a day after the day it counts for
)

// dropSize bounds how many entries one transaction deletes.
const dropSize = 1000

// oldestKept returns the first boards of weeks and of days that are kept.
func oldestKept(now time.Time) (week, day Board) {
	return boardOf(kindWeek, weekOf(now)-keptWeeks), boardOf(kindDaily, DayOf(now)-keptDays)
}

// mayBeDropped reports whether DropOldBoards may have dropped a board.
func mayBeDropped(b Board, now time.Time) bool {
	week, day := oldestKept(now)
	return b.kind() == kindWeek && b < week || b.kind() == kindDaily && b < day
}

// DropOldBoards deletes the boards of past weeks and days in small transactions, and the tags of networks of
// past days. A crash in between leaves the rest to the next call.
func (s *Service) DropOldBoards(ctx context.Context) error {
	err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		return q.New(tx).DropFeedNetworks(ctx, fairshare.Kept(tx.Now()).UnixMilli())
	})
	if err != nil {
		return fmt.Errorf("score: drop old boards: networks of the feed: %w", err)
	}
	for i, kind := range []int64{kindWeek, kindDaily} {
		for deleted := int64(dropSize); deleted == dropSize; {
			err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
				week, day := oldestKept(tx.Now())
				before := []Board{week, day}[i]
				deleted, err = s.drop(ctx, tx, int64(boardOf(kind, 0)), int64(before))
				return err
			})
			if err != nil {
				return fmt.Errorf("score: drop old boards: %w", err)
			}
		}
	}
	return nil
}

// drop deletes the blocks, totals and pending changes of the boards from first up to before,
// so that no reader counts with them, and up to dropSize entries. It returns how many.
func (s *Service) drop(ctx context.Context, tx *store.Tx, first, before int64) (int64, error) {
	if err := s.ranks.Drop(ctx, tx, first, before); err != nil {
		return 0, err
	}
	return q.New(tx).DropEntries(ctx, q.DropEntriesParams{First: first, Before: before, Count: dropSize})
}
