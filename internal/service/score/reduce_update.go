package score

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"roshambo/internal/service/rank"
	"roshambo/internal/store"
)

// entry is the row of one member on a board.
type entry struct {
	sortKey int64
	value   int64  // points, or tiers of a daily run
	ref     string // the run id on daily boards, the team id on boards of teams
}

// entryChange computes a new entry from the old one; nil stands for no entry.
type entryChange func(old *entry) entry

// addPoints returns a change that adds points earned at a time. The later of two times is
// the time the sum was reached, so facts may be applied in any order.
func addPoints(points int64, at time.Time) entryChange {
	return func(old *entry) entry {
		if old == nil {
			return entry{sortKey: pointsKey(points, at), value: points}
		}
		value, since := old.value+points, reached(old.sortKey)
		if at.After(since) {
			since = at
		}
		return entry{sortKey: pointsKey(value, since), value: value}
	}
}

// forTeam returns a change that also sets the team id, which joins the entry to its team.
func forTeam(team int64, next entryChange) entryChange {
	return func(old *entry) entry {
		e := next(old)
		e.ref = strconv.FormatInt(team, 10)
		return e
	}
}

// keepBest returns a change that keeps the entry with the smaller sort key.
func keepBest(e entry) entryChange {
	return func(old *entry) entry {
		if old != nil && old.sortKey <= e.sortKey {
			return *old
		}
		return e
	}
}

// entryKey identifies an entry.
type entryKey struct {
	board  Board
	member string // bytes
}

// boardUpdate collects the entries that a step changes, before and after.
type boardUpdate struct {
	before, after map[entryKey]entry
	order         []entryKey        // the keys of after, in the order of their first change
	removed       map[entryKey]bool // entries to delete
	refreshed     map[entryKey]bool // unchanged entries whose cached rows are outdated
}

func newBoardUpdate() *boardUpdate {
	return &boardUpdate{
		before: map[entryKey]entry{}, after: map[entryKey]entry{},
		removed: map[entryKey]bool{}, refreshed: map[entryKey]bool{},
	}
}

// put applies a change to an entry.
func (u *boardUpdate) put(k entryKey, next entryChange) {
	e, changed := u.after[k]
	if !changed {
		u.order = append(u.order, k)
		var exists bool
		if e, exists = u.before[k]; !exists {
			u.after[k] = next(nil)
			return
		}
	}
	u.after[k] = next(&e)
}

// forget drops the change of an entry.
func (u *boardUpdate) forget(k entryKey) {
	if _, ok := u.after[k]; ok {
		delete(u.after, k)
		u.order = slices.DeleteFunc(u.order, func(x entryKey) bool { return x == k })
	}
}

// refresh invalidates cached rows that show an entry, if it exists.
func (u *boardUpdate) refresh(k entryKey) {
	if _, ok := u.before[k]; ok {
		u.refreshed[k] = true
	}
}

// boardsPerQuery is the number of boards in one statement of load.
const boardsPerQuery = 8

// load reads the entries of the members on the boards.
func (u *boardUpdate) load(tx *store.Tx, boards, members []any) error {
	for len(boards) > 0 {
		n := min(len(boards), boardsPerQuery)
		args := store.Padded(boards[:n])
		query := store.Query{Args: args, Text: "SELECT member, board, place, value, ref FROM score_entry WHERE board " +
			store.In(1, len(args)) + " AND member IN (?)"}
		err := store.BulkSelect(tx, query, members, func(r store.Row) error {
			k := entryKey{Board(r.Int(1)), string(r.Bytes(0))}
			u.before[k] = entry{sortKey: r.Int(2), value: r.Int(3), ref: string(r.Bytes(4))}
			return nil
		})
		if err != nil {
			return fmt.Errorf("entries: %w", err)
		}
		boards = boards[n:]
	}
	return nil
}

// store writes the changed entries, and appends their changes of sort keys to ranks. A
// refreshed entry is appended as a change that moves nothing: caches compare the positions of
// pending changes. Errors: errDamaged when a removed entry does not exist.
func (u *boardUpdate) store(ctx context.Context, tx *store.Tx, ranks *rank.Index[int64]) error {
	var entries, removed [][]any
	var changes []rank.Change[int64]
	change := func(k entryKey, before, after *int64) {
		c := rank.Change[int64]{Board: int64(k.board), Member: []byte(k.member), Old: before, New: after}
		changes = append(changes, c)
	}
	for _, k := range u.order {
		before, existed := u.before[k]
		after := u.after[k]
		if existed && before == after {
			continue
		}
		entries = append(entries, []any{[]byte(k.member), int64(k.board), after.sortKey, after.value, after.ref})
		if existed {
			change(k, &before.sortKey, &after.sortKey)
		} else {
			change(k, nil, &after.sortKey)
		}
		delete(u.refreshed, k)
	}
	for k := range u.removed {
		removed = append(removed, []any{[]byte(k.member), int64(k.board)})
		before := u.before[k].sortKey
		change(k, &before, nil)
	}
	for k := range u.refreshed {
		before := u.before[k].sortKey
		change(k, &before, &before)
	}
	target := store.UpsertTarget{
		Table: "score_entry", Key: []string{"member", "board"}, Others: []string{"place", "value", "ref"},
	}
	if err := store.BulkUpsert(ctx, tx, target, entries); err != nil {
		return err
	}
	deleted, err := store.BulkDelete(ctx, tx, "score_entry", []string{"member", "board"}, removed)
	if err != nil {
		return err
	}
	if deleted != int64(len(removed)) {
		return errDamaged
	}
	return ranks.Append(ctx, tx, changes)
}

// eachEntry calls put for each entry that an activity changes on the boards of points and of
// daily runs. Boards that DropOldBoards may have dropped are left out.
func (t *reduceStep) eachEntry(a *activity, put func(k entryKey, next entryChange)) {
	account, x := string(a.account[:]), t.players[a.account].exposure
	putKept := func(b Board, next entryChange) {
		if !mayBeDropped(b, t.now) && x.on(b) && !t.revealed[a.account] {
			put(entryKey{b, account}, next)
		}
	}
	if a.points > 0 {
		add := addPoints(a.points, a.at)
		putKept(boardAll, add)
		if a.season > 0 {
			putKept(boardOf(kindSeason, a.season), add)
		}
		if a.aside == counted {
			putKept(boardOf(kindWeek, weekOf(a.at)), add)
		}
		if a.aside == counted && t.openTeams[a.team] {
			put(entryKey{boardOf(kindTeams, a.season), string(teamMember(a.team))}, forTeam(a.team, add))
		}
	}
	if b, e, ok := dailyEntry(&a.fact); ok {
		putKept(b, keepBest(e))
	}
}

// loadEntries reads the entries that the step may change. Accounts and teams have different
// boards, so each set is read by its own statements.
func (t *reduceStep) loadEntries(tx *store.Tx) error {
	accounts, teams := newEntrySet(), newEntrySet()
	for _, a := range t.activities {
		t.eachEntry(a, func(k entryKey, _ entryChange) {
			if k.board.kind() == kindTeams {
				teams.add(k)
			} else {
				accounts.add(k)
			}
		})
	}
	for _, account := range t.renamed {
		for _, b := range t.service.currentBoards(t.now) {
			accounts.add(entryKey{b, string(account[:])})
		}
	}
	for _, team := range t.renamedTeams {
		teams.add(t.teamEntry(team))
	}
	for _, set := range []*entrySet{accounts, teams} {
		if err := t.update.load(tx, set.boards, set.members); err != nil {
			return err
		}
	}
	return t.loadClosedTeams(tx)
}

// teamEntry names the entry of a team on the board that callers can request.
func (t *reduceStep) teamEntry(team int64) entryKey {
	return entryKey{boardOf(kindTeams, t.service.calendar.season(t.now)), string(teamMember(team))}
}

// loadClosedTeams marks all entries of closed teams as removed, of this season and of those
// before.
func (t *reduceStep) loadClosedTeams(tx *store.Tx) error {
	query := store.Query{
		Text: "SELECT member, board, place FROM score_entry WHERE board >= $1 AND board < $2 AND member IN (?)",
		Args: []any{int64(boardOf(kindTeams, 0)), int64(boardOf(kindTeams+1, 0))},
	}
	err := store.BulkSelect(tx, query, t.closedTeams, func(r store.Row) error {
		k := entryKey{Board(r.Int(1)), string(r.Bytes(0))}
		t.update.before[k], t.update.removed[k] = entry{sortKey: r.Int(2)}, true
		return nil
	})
	if err != nil {
		return fmt.Errorf("closed teams: %w", err)
	}
	return nil
}

// entrySet collects the distinct boards and members of entries to load.
type entrySet struct {
	boards, members []any
	known           map[any]bool
}

func newEntrySet() *entrySet { return &entrySet{known: map[any]bool{}} }

func (s *entrySet) add(k entryKey) {
	if !s.known[k.board] {
		s.known[k.board] = true
		s.boards = append(s.boards, int64(k.board))
	}
	if !s.known[k.member] {
		s.known[k.member] = true
		s.members = append(s.members, []byte(k.member))
	}
}

// updateBoards applies an activity to all boards that it counts on. The board of players and
// the boards of achievements have no entry of the account before this activity adds one, so
// loadEntries does not read them.
func (t *reduceStep) updateBoards(a *activity) {
	account := string(a.account[:])
	if a.before.Facts == 0 {
		t.update.put(entryKey{boardPlayers, account}, keepBest(entry{sortKey: timeKey(a.at)}))
	}
	t.eachEntry(a, t.update.put)
	for _, reached := range a.unlocked {
		k := entryKey{boardOf(kindAchievement, reached.Number), account}
		t.update.put(k, keepBest(entry{sortKey: timeKey(a.at)}))
	}
}

// dailyEntry returns the board and the entry of a daily run; false for any other fact, and for a daily
// run that the board does not show.
func dailyEntry(f *fact) (Board, entry, bool) {
	if f.kind != factRun || f.day == 0 || f.unranked {
		return 0, entry{}, false
	}
	e := entry{sortKey: runKey(f.tier, f.throws, f.at), value: f.tier, ref: f.id[len(factRun+":"):]}
	return boardOf(kindDaily, f.day), e, true
}

// currentBoards returns the boards of accounts that callers can request: the current ones,
// and the daily board of the day before.
func (s *Service) currentBoards(now time.Time) []Board {
	return []Board{
		boardAll, boardOf(kindWeek, weekOf(now)), boardOf(kindSeason, s.calendar.season(now)),
		boardOf(kindDaily, DayOf(now)), boardOf(kindDaily, DayOf(now)-1),
	}
}
