package score

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
)

// Counts and entries of an account are a function of its facts and of its exposure. A reduce step
// applies each fact once; this file computes them from all facts: for the check, for an account that
// has just been secured, and after a result was declared void.

// exposure decides which boards show an account. One with a bound start is on the boards of points
// once it has been secured for 3 days, and on a day's board if that was so before the day: it costs nothing to open
// a hundred of them, nor to give each a password.
type exposure struct {
	bound bool  // opened with a bound start
	since int64 // when it came onto the boards, in Unix milliseconds; 0 for not yet
}

// exposureAt returns the exposure at a time of an account that was secured at another, 0 for never.
func exposureAt(bound bool, securedAt int64, now time.Time) exposure {
	x := exposure{bound: bound, since: securedAt + chain.SecureFor}
	if securedAt == 0 || now.UnixMilli() < x.since {
		x.since = 0
	}
	return x
}

// ranked reports whether the account is on the boards of points.
func (x exposure) ranked() bool { return !x.bound || x.since != 0 }

// on reports whether a board shows the account. Players and achievements are counted in any case.
func (x exposure) on(b Board) bool {
	switch b.kind() {
	case kindAll, kindWeek, kindSeason:
		return x.ranked()
	case kindDaily:
		return x.ranked() && (!x.bound || x.since < DayStart(b.number()).UnixMilli())
	}
	return true
}

// factsOf returns stored facts.
func factsOf(rows []q.ScoreFact) []fact {
	list := make([]fact, len(rows))
	for i := range rows {
		list[i] = factOf(&rows[i])
	}
	return list
}

// derive computes the counts and the entries of an account from all its facts, which it sorts. It
// applies them through the same functions as a reduce step.
func derive(list []fact, x exposure, now time.Time) (sums Counts, expected map[Board]entry) {
	expected = map[Board]entry{}
	put := func(b Board, next entryChange) {
		if mayBeDropped(b, now) || !x.on(b) {
			return
		}
		var old *entry
		if e, ok := expected[b]; ok {
			old = &e
		}
		expected[b] = next(old)
	}
	// Only streaks depend on the order, and a streak counts days, whenever the runs ended.
	slices.SortFunc(list, func(a, b fact) int { return cmp.Compare(a.day, b.day) })
	for i := range list {
		f := &list[i]
		sums.add(f)
		put(boardPlayers, keepBest(entry{sortKey: timeKey(f.at)}))
		if f.points > 0 {
			add := addPoints(f.points, f.at)
			if f.kind != factVoid {
				put(boardAll, add)
			}
			if f.kind != factVoid && f.aside == counted {
				put(boardOf(kindWeek, weekOf(f.at)), add)
			}
			if f.season > 0 {
				put(boardOf(kindSeason, f.season), add)
			}
		}
		if b, e, ok := dailyEntry(f); ok {
			put(b, keepBest(e))
		}
	}
	if sums.Facts > 0 && !x.ranked() {
		sums.Hidden = 1
	}
	for i := range Achievements {
		if a := &Achievements[i]; a.unlocked(&sums) {
			expected[boardOf(kindAchievement, a.Number)] = entry{}
		}
	}
	return sums, expected
}

// deriveAnew computes an account's counts from its stored facts and further ones, and puts the
// differences between its stored entries and the computed ones into u.
func deriveAnew(ctx context.Context, tx *store.Tx, u *boardUpdate, account chain.Address, d derivation) (Counts,
	error) {
	queries := q.New(tx)
	rows, err := queries.FactsOf(ctx, account[:])
	if err != nil {
		return Counts{}, fmt.Errorf("facts of %v: %w", account, err)
	}
	list := append(factsOf(rows), d.further...)
	last := time.Time{}
	for i := range list {
		if list[i].at.After(last) {
			last = list[i].at
		}
		if list[i].season <= d.closed {
			list[i].season = 0
		}
	}
	sums, expected := derive(list, d.exposure, d.now)
	stored, err := queries.ListEntriesOf(ctx, q.ListEntriesOfParams{Member: account[:], First: 0, Last: 1 << 62})
	if err != nil {
		return Counts{}, fmt.Errorf("entries of %v: %w", account, err)
	}
	member := string(account[:])
	for _, r := range stored {
		k := entryKey{Board(r.Board), member}
		old := entry{sortKey: r.Place, value: r.Value, ref: r.Ref}
		e, ok := expected[k.board]
		delete(expected, k.board)
		switch {
		case mayBeDropped(k.board, d.now):
		case !ok:
			u.before[k], u.removed[k] = old, true
		case k.board.kind() == kindAchievement, k.board.kind() == kindPlayers: // the first time stays
		default:
			u.before[k] = old
			u.put(k, func(*entry) entry { return e })
		}
	}
	for b, e := range expected {
		if b.kind() == kindAchievement {
			e.sortKey = timeKey(last)
		}
		u.put(entryKey{b, member}, func(*entry) entry { return e })
	}
	return sums, nil
}

// derivation is the input of deriveAnew beside the stored facts.
type derivation struct {
	further  []fact // of the same account, not stored yet
	exposure exposure
	closed   int64 // facts count for no season up to this one
	now      time.Time
}

// reveal makes the entries of the accounts that were on no board of points and have been secured for 3 days now. The
// week's board and the teams do not count what they earned unseen. Points that they earned for a season that has closed
// since stay without a season: its table is final.
func (t *reduceStep) reveal(ctx context.Context, tx *store.Tx) error {
	if len(t.revealed) == 0 {
		return nil
	}
	var err error
	if t.closed, err = q.New(tx).LastClosed(ctx); err != nil {
		return err
	}
	for account := range t.revealed {
		d := derivation{exposure: t.players[account].exposure, closed: t.closed, now: t.now}
		for _, a := range t.activities {
			if a.account == account {
				d.further = append(d.further, a.fact)
			}
		}
		counts, err := deriveAnew(ctx, tx, t.update, account, d)
		if err != nil {
			return err
		}
		t.players[account].counts = counts
	}
	return nil
}

// ReportRanked reports the accounts with a bound start that have come onto the boards since the call before: a step
// makes their entries anew, as for an account with a new name. A crash leaves them to the next call.
func (s *Service) ReportRanked(ctx context.Context) error {
	var list [][]byte
	span := q.ListRankedParams{After: s.rankedUntil.Load()}
	err := s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		span.Until = tx.Now().UnixMilli() - chain.SecureFor
		list, err = q.New(tx).ListRanked(ctx, span)
		return err
	})
	if err == nil && len(list) > 0 {
		err = s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
			for _, account := range list {
				if err := s.Renamed(ctx, tx, account); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("score: accounts that come onto the boards: %w", err)
	}
	s.rankedUntil.Store(span.Until)
	return nil
}

// readExposed reads which accounts have a bound start.
func (c *checker) readExposed() error {
	rows, err := c.queries.ListBoundStarts(c.ctx)
	if err != nil {
		return err
	}
	for _, r := range rows {
		c.exposed[string(r.Address)] = exposureAt(true, r.SecuredAt, c.now)
	}
	return nil
}
