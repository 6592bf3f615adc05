package score

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"roshambo/internal/store"
)

// entry is what stands on a board for one member.
type entry struct {
	place, value int64
	ref          string // the run, on a board of runs; the team's number, on one of teams
}

// raise returns the entry that follows when a fact is added to one; nil was none.
type raise func(was *entry) entry

// addPoints raises points. What was reached last is what counts among equals, so facts
// may come in any order.
func addPoints(points int64, at time.Time) raise {
	return func(was *entry) entry {
		if was == nil {
			return entry{pointsPlace(points, at), points, ""}
		}
		value, since := was.value+points, reached(was.place)
		if at.After(since) {
			since = at
		}
		return entry{pointsPlace(value, since), value, ""}
	}
}

// forTeam names the team in what another raise returns, so that its row can be found.
func forTeam(team int64, next raise) raise {
	return func(was *entry) entry {
		e := next(was)
		e.ref = strconv.FormatInt(team, 10)
		return e
	}
}

// best keeps the better of two results.
func best(e entry) raise {
	return func(was *entry) entry {
		if was != nil && was.place <= e.place {
			return *was
		}
		return e
	}
}

// spot is where a member may stand.
type spot struct {
	board  Board
	member string
}

// sheet is entries as they were, and as they become.
type sheet struct {
	was, now map[spot]entry
	order    []spot        // of those that become, each once
	gone     map[spot]bool // entries that are dropped
	fresh    map[spot]bool // whose rows are to be read anew, though they stay as they are
}

func newSheet() *sheet {
	return &sheet{was: map[spot]entry{}, now: map[spot]entry{}, gone: map[spot]bool{}, fresh: map[spot]bool{}}
}

func (t *sheet) put(at spot, next raise) {
	e, touched := t.now[at]
	if !touched {
		t.order = append(t.order, at)
		var ok bool
		if e, ok = t.was[at]; !ok {
			t.now[at] = next(nil)
			return
		}
	}
	t.now[at] = next(&e)
}

// touch has who keeps rows of a board in memory read them anew, if there is one there.
func (t *sheet) touch(at spot) {
	if _, ok := t.was[at]; ok {
		t.fresh[at] = true
	}
}

// read reads the entries of members on boards.
func (t *sheet) read(tx *store.Tx, boards, members []any) error {
	for len(boards) > 0 {
		n := min(len(boards), boardsAtOnce)
		args := store.Padded(boards[:n])
		query := store.Query{Args: args, Text: "SELECT member, board, place, value, ref FROM score_entry WHERE board " + store.In(1, len(args)) + " AND member IN (?)"}
		err := store.BulkSelect(tx, query, members, func(r store.Row) error {
			t.was[spot{Board(r.Int(1)), string(r.Bytes(0))}] = entry{r.Int(2), r.Int(3), string(r.Bytes(4))}
			return nil
		})
		if err != nil {
			return fmt.Errorf("entries: %w", err)
		}
		boards = boards[n:]
	}
	return nil
}

// boardsAtOnce is how many boards are asked about in one statement.
const boardsAtOnce = 8

// store stores the entries that have changed, and the changes of places for the loop that
// folds them in.
func (t *sheet) store(ctx context.Context, tx *store.Tx) error {
	var entries, changes, gone [][]any
	for _, at := range t.order {
		was, stood := t.was[at]
		now := t.now[at]
		if stood && was == now {
			continue
		}
		entries = append(entries, []any{[]byte(at.member), int64(at.board), now.place, now.value, now.ref})
		change := []any{int64(at.board), []byte(at.member), nil, now.place}
		if stood {
			change[2] = was.place
		}
		changes = append(changes, change)
		delete(t.fresh, at)
	}
	for at := range t.gone {
		gone = append(gone, []any{[]byte(at.member), int64(at.board)})
		changes = append(changes, []any{int64(at.board), []byte(at.member), t.was[at].place, nil})
	}
	for at := range t.fresh {
		changes = append(changes, []any{int64(at.board), []byte(at.member), t.was[at].place, t.was[at].place})
	}
	target := store.UpsertTarget{Table: "score_entry", Key: []string{"member", "board"}, Others: []string{"place", "value", "ref"}}
	if err := store.BulkUpsert(ctx, tx, target, entries); err != nil {
		return err
	}
	if n, err := store.BulkDelete(ctx, tx, "score_entry", []string{"member", "board"}, gone); err != nil || n != int64(len(gone)) {
		return cmp.Or(err, errDamaged)
	}
	return store.BulkInsert(ctx, tx, "score_change", []string{"board", "member", "was", "now"}, changes)
}

// spots calls put for each board that a fact counts on. Those of long ago may be dropped
// already, and are left out.
func (t *turn) spots(d *deed, put func(at spot, next raise)) {
	me := string(d.account[:])
	keep := func(b Board, next raise) {
		if !dropped(b, t.now) {
			put(spot{b, me}, next)
		}
	}
	if d.points > 0 {
		add := addPoints(d.points, d.at)
		keep(boardAll, add)
		keep(boardOf(kindWeek, weekOf(d.at)), add)
		keep(boardOf(kindSeason, d.season), add)
		if t.teams[d.team] {
			put(spot{boardOf(kindTeams, d.season), string(teamMember(d.team))}, forTeam(d.team, add))
		}
	}
	if b, e, ok := dailyEntry(&d.fact); ok {
		keep(b, best(e))
	}
}

// readEntries reads where those stand who may come to stand elsewhere.
func (t *turn) readEntries(tx *store.Tx) error {
	accounts, teams := newAsking(), newAsking()
	for _, d := range t.deeds {
		t.spots(d, func(at spot, _ raise) {
			if at.board.kind() == kindTeams {
				teams.add(at)
			} else {
				accounts.add(at)
			}
		})
	}
	for _, account := range t.renamed {
		for _, b := range t.service.shown(t.now) {
			accounts.add(spot{b, string(account[:])})
		}
	}
	for _, a := range []*asking{accounts, teams} {
		if err := t.sheet.read(tx, a.boards, a.members); err != nil {
			return err
		}
	}
	return t.readClosed(tx)
}

// readClosed finds the entries of teams that have closed: of this season, and of those
// they played in before.
func (t *turn) readClosed(tx *store.Tx) error {
	query := store.Query{
		Text: "SELECT member, board, place FROM score_entry WHERE board >= $1 AND board < $2 AND member IN (?)",
		Args: []any{int64(boardOf(kindTeams, 0)), int64(boardOf(kindTeams+1, 0))},
	}
	err := store.BulkSelect(tx, query, t.closed, func(r store.Row) error {
		at := spot{Board(r.Int(1)), string(r.Bytes(0))}
		t.sheet.was[at], t.sheet.gone[at] = entry{place: r.Int(2)}, true
		return nil
	})
	if err != nil {
		return fmt.Errorf("closed teams: %w", err)
	}
	return nil
}

// asking collects boards and members to ask about.
type asking struct {
	boards, members []any
	asked           map[any]bool
}

func newAsking() *asking { return &asking{asked: map[any]bool{}} }

func (a *asking) add(at spot) {
	if !a.asked[at.board] {
		a.asked[at.board] = true
		a.boards = append(a.boards, int64(at.board))
	}
	if !a.asked[at.member] {
		a.asked[at.member] = true
		a.members = append(a.members, []byte(at.member))
	}
}

// place puts a fact onto the boards that it counts on. Nobody stands on those of players
// and of an achievement before what brings one there, so these need not be read.
func (t *turn) place(d *deed) {
	me := string(d.account[:])
	if d.before.Facts == 0 {
		t.sheet.put(spot{boardPlayers, me}, best(entry{place: timePlace(d.at)}))
	}
	t.spots(d, t.sheet.put)
	for _, a := range d.unlocked {
		t.sheet.put(spot{boardOf(kindAchievement, a.Number), me}, best(entry{place: timePlace(d.at)}))
	}
}

// dailyEntry returns where a daily run stands, and on which board.
func dailyEntry(f *fact) (Board, entry, bool) {
	if f.kind != factRun || f.day == 0 {
		return 0, entry{}, false
	}
	e := entry{runPlace(f.tier, f.throws, f.at), f.tier, f.id[len(factRun+":"):]}
	return boardOf(kindDaily, f.day), e, true
}

// shown returns the boards of players that are asked for: those of now, and the day before.
func (s *Service) shown(now time.Time) []Board {
	return []Board{
		boardAll, boardOf(kindWeek, weekOf(now)), boardOf(kindSeason, s.calendar.season(now)),
		boardOf(kindDaily, DayOf(now)), boardOf(kindDaily, DayOf(now)-1),
	}
}
