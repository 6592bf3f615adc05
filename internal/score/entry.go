package score

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"time"

	"roshambo/internal/db"
	"roshambo/internal/ledger"
	q "roshambo/internal/query/scoreq"
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

// place puts a fact onto the boards that it counts on.
func (s *Service) place(ctx context.Context, tx *db.Tx, f *turn) error {
	p := placing{ctx: ctx, tx: tx, queries: q.New(tx.Later())}
	me := memberOf(f.account)
	if f.before.Facts == 0 {
		p.put(boardPlayers, me, best(entry{place: timePlace(f.at)}))
	}
	if f.points > 0 {
		add := addPoints(f.points, f.at)
		p.putOn([3]Board{boardAll, boardOf(kindWeek, weekOf(f.at)), boardOf(kindSeason, f.season)}, me, add)
		if f.team != 0 {
			p.put(boardOf(kindTeams, f.season), teamMember(f.team), forTeam(f.team, add))
		}
	}
	if b, e, ok := dailyEntry(f.fact); ok {
		p.put(b, me, best(e))
	}
	for _, a := range f.unlocked {
		p.put(boardOf(kindAchievement, a.Number), me, best(entry{place: timePlace(f.at)}))
	}
	return s.finish(&p)
}

// dailyEntry returns where a daily run stands, and on which board.
func dailyEntry(f *fact) (Board, entry, bool) {
	if f.kind != factRun || f.day == 0 {
		return 0, entry{}, false
	}
	e := entry{runPlace(f.tier, f.throws, f.at), f.tier, f.id[len(factRun+":"):]}
	return boardOf(kindDaily, f.day), e, true
}

// finish stores the changes of places, and tells the loop that folds them in.
func (s *Service) finish(p *placing) error {
	if p.err != nil || len(p.changes) == 0 {
		return p.err
	}
	err := db.BulkInsert(p.ctx, p.tx, "score_change", []string{"board", "member", "was", "now"}, p.changes)
	if err == nil {
		p.tx.AfterCommit(s.wake)
	}
	return err
}

// placing changes entries. The first error sticks.
type placing struct {
	ctx     context.Context
	tx      *db.Tx
	queries *q.Queries
	changes [][]any // rows of score_change
	err     error
}

func (p *placing) put(b Board, member []byte, next raise) {
	if p.err == nil {
		p.err = p.tryPut(b, member, next)
	}
}

// putOn changes the entries of a member on three boards alike.
func (p *placing) putOn(boards [3]Board, member []byte, next raise) {
	if p.err != nil {
		return
	}
	rows, err := p.queries.ListEntriesOn(p.ctx, q.ListEntriesOnParams{
		Member: member, A: int64(boards[0]), B: int64(boards[1]), C: int64(boards[2])})
	p.err = err
	for _, b := range boards {
		var was *entry
		for _, r := range rows {
			if Board(r.Board) == b {
				was = &entry{r.Place, r.Value, r.Ref}
			}
		}
		if p.err == nil {
			p.err = p.change(b, member, was, next(was))
		}
	}
}

func (p *placing) tryPut(b Board, member []byte, next raise) error {
	row, err := p.queries.GetEntry(p.ctx, q.GetEntryParams{Member: member, Board: int64(b)})
	if errors.Is(err, sql.ErrNoRows) {
		return p.change(b, member, nil, next(nil))
	}
	if err != nil {
		return err
	}
	was := entry{row.Place, row.Value, row.Ref}
	return p.change(b, member, &was, next(&was))
}

// change stores an entry, which was another one or, nil, none, and notes the change of
// its place.
func (p *placing) change(b Board, member []byte, was *entry, e entry) error {
	if was == nil {
		p.changes = append(p.changes, []any{int64(b), member, nil, e.place})
		return conflict(p.queries.InsertEntry(p.ctx, q.InsertEntryParams{
			Member: member, Board: int64(b), Place: e.place, Value: e.value, Ref: e.ref}))
	}
	if e == *was {
		return nil
	}
	p.changes = append(p.changes, []any{int64(b), member, was.place, e.place})
	return ledger.OneRow(p.queries.UpdateEntry(p.ctx, q.UpdateEntryParams{
		Member: member, Board: int64(b), Place: e.place, Value: e.value, Ref: e.ref, Seen: was.place}))
}

// drop takes a member off a board.
func (p *placing) drop(b Board, member []byte) {
	if p.err != nil {
		return
	}
	row, err := p.queries.GetEntry(p.ctx, q.GetEntryParams{Member: member, Board: int64(b)})
	if errors.Is(err, sql.ErrNoRows) {
		return
	}
	if p.err = err; err != nil {
		return
	}
	p.changes = append(p.changes, []any{int64(b), member, row.Place, nil})
	n, err := p.queries.DeleteEntry(p.ctx, q.DeleteEntryParams{Member: member, Board: int64(b), Seen: row.Place})
	p.err = ledger.OneRow(n, err)
}

// TeamClosed is told of a team that nobody is left in: it stands on no board any more.
func (s *Service) TeamClosed(ctx context.Context, tx *db.Tx, team int64) error {
	p := placing{ctx: ctx, tx: tx, queries: q.New(tx)}
	rows, err := p.queries.ListEntriesOf(ctx, q.ListEntriesOfParams{
		Member: teamMember(team), First: int64(boardOf(kindTeams, 0)), Last: int64(boardOf(kindTeams+1, 0)) - 1})
	if err != nil {
		return err
	}
	for _, e := range rows { // of this season, and of those it played in before
		p.drop(Board(e.Board), teamMember(team))
	}
	return s.finish(&p)
}

// Renamed is told of an account whose name or kind has changed: what is kept in memory of
// the boards that it leads is read anew. Those are the boards of now, and the day before.
func (s *Service) Renamed(ctx context.Context, tx *db.Tx, account []byte) error {
	p := placing{ctx: ctx, tx: tx, queries: q.New(tx)}
	rows, err := p.queries.ListEntriesOf(ctx, q.ListEntriesOfParams{
		Member: account, First: int64(boardAll), Last: int64(boardOf(kindTeams, 0)) - 1})
	if err != nil {
		return err
	}
	now := s.now()
	shown := []Board{
		boardAll, boardOf(kindWeek, weekOf(now)), boardOf(kindSeason, s.calendar.season(now)),
		boardOf(kindDaily, DayOf(now)), boardOf(kindDaily, DayOf(now)-1),
	}
	for _, e := range rows {
		if slices.Contains(shown, Board(e.Board)) {
			p.changes = append(p.changes, []any{e.Board, account, e.Place, e.Place})
		}
	}
	return s.finish(&p)
}
