package score

import (
	"fmt"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
)

// loadEarned reads what the accounts of the step have earned on the days of its activities: the
// number of counted duels, the worth of the best runs, and the points. A run that gave no points was not among
// the best when it was reported, and is not among them later, as better ones alone replace it.
func (t *reduceStep) loadEarned(tx *store.Tx) error {
	days := map[int64]map[chain.Address]bool{}
	for _, a := range t.activities {
		if a.points == 0 || a.practice || a.unplayed {
			continue
		}
		day := DayOf(a.at)
		if days[day] == nil {
			days[day] = map[chain.Address]bool{}
		}
		days[day][a.account] = true
	}
	for day, accounts := range days { // mostly one day
		var list []any
		for account := range accounts {
			list = append(list, account[:])
		}
		if err := t.loadEarnedOn(tx, day, list); err != nil {
			return fmt.Errorf("points of day %d: %w", day, err)
		}
	}
	return nil
}

// loadEarnedOn is loadEarned for one day and its accounts.
func (t *reduceStep) loadEarnedOn(tx *store.Tx, day int64, accounts []any) error {
	query := store.Query{
		// Void results keep their place: one that is restored must not be one too many.
		Text: `SELECT account, id, result, tier, first, at, points, aside FROM score_fact
			WHERE points <> 0 AND at >= $1 AND at < $2 AND account IN (?)`,
		Args: []any{DayStart(day).UnixMilli(), DayStart(day + 1).UnixMilli()},
	}
	return store.BulkSelect(tx, query, accounts, func(r store.Row) error {
		k := accountDay{chain.Address(r.Bytes(0)), DayOf(time.UnixMilli(r.Int(5)))}
		if r.Int(7) != unseen {
			if t.earned[k] == nil {
				t.earned[k] = &earned{stored: true}
			}
			t.earned[k].add(max(r.Int(6), -r.Int(6)), time.UnixMilli(r.Int(5)))
		}
		kind, _, _ := strings.Cut(string(r.Bytes(1)), ":")
		f := fact{kind: kind, result: string(r.Bytes(2)), tier: r.Int(3), first: r.Int(4)}
		if f.kind == factDuel {
			t.wins[k]++
		} else {
			t.best[k], _ = addBest(t.best[k], f.worth())
		}
		return nil
	})
}
