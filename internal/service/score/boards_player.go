package score

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/scoreq"
)

// Streak is a number of consecutive days with a finished daily run.
type Streak struct {
	Now, Best int64
	PlayedOn  int64 // the last day with a run, 0 for none
}

// StreakOf returns an account's streak as of a day.
func (s *Service) StreakOf(ctx context.Context, tx *store.Tx, account chain.Address, day int64) (Streak, error) {
	c, err := s.countsOf(ctx, tx, account)
	return Streak{Now: c.streakOn(day), Best: c.BestStreak, PlayedOn: c.LastDay}, err
}

// countsOf returns the stored counts of an account; zero when it has no facts.
func (s *Service) countsOf(ctx context.Context, tx *store.Tx, account chain.Address) (Counts, error) {
	row, err := q.New(tx).GetPlayer(ctx, account[:])
	if errors.Is(err, sql.ErrNoRows) {
		return Counts{}, nil
	}
	if err != nil {
		return Counts{}, fmt.Errorf("score: counts of %v: %w", account, err)
	}
	c, err := parseCounts([]byte(row.Counts))
	if err != nil {
		return c, fmt.Errorf("score: counts of %v: %w", account, err)
	}
	return c, nil
}

// Progress is an achievement with the progress of one account.
type Progress struct {
	*Achievement
	Done       int64      // up to Target
	UnlockedAt *time.Time // nil until unlocked
	Holders    int64      // accounts that have unlocked it
}

// AchievementsOf returns all achievements with the number of their holders, and the number
// of players. For an account, if any, it fills in the progress.
func (s *Service) AchievementsOf(ctx context.Context, tx *store.Tx, account *chain.Address) ([]Progress, int64, error) {
	totals, err := s.ranks.Totals(tx, int64(boardPlayers), int64(boardOf(kindAchievement+1, 0))-1)
	if err != nil {
		return nil, 0, err
	}
	list := make([]Progress, len(Achievements))
	for i := range Achievements {
		a := &Achievements[i]
		list[i] = Progress{Achievement: a, Holders: totals[int64(boardOf(kindAchievement, a.Number))]}
	}
	if account != nil {
		err = s.progress(ctx, tx, *account, list)
	}
	return list, totals[int64(boardPlayers)], err
}

// progress fills in Done and UnlockedAt.
func (s *Service) progress(ctx context.Context, tx *store.Tx, account chain.Address, list []Progress) error {
	counts, err := s.countsOf(ctx, tx, account)
	if err != nil {
		return err
	}
	rows, err := q.New(tx).ListEntriesOf(ctx, q.ListEntriesOfParams{
		Member: account[:], First: int64(boardOf(kindAchievement, 0)), Last: int64(boardOf(kindAchievement+1, 0)) - 1})
	if err != nil {
		return fmt.Errorf("score: achievements of %v: %w", account, err)
	}
	unlocked := map[int64]time.Time{}
	for _, r := range rows {
		unlocked[Board(r.Board).number()] = column.Time(r.Place)
	}
	for i := range list {
		list[i].Done = list[i].Progress(&counts)
		if at, ok := unlocked[list[i].Number]; ok {
			list[i].UnlockedAt = &at
		}
	}
	return nil
}
