package score

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
)

// MaxRows is the largest number of rows in a page of a board.
const MaxRows = 200

// Row is a row of a board.
type Row struct {
	Rank     int64         // from 1
	Address  chain.Address // zero for a team
	Kind     chain.AccountKind
	Username string    // or the name of a team
	Slug     string    // of a team
	Value    int64     // points, or tiers of a daily run
	Throws   int64     // of a daily run
	RunID    string    // of a daily run
	Reached  time.Time // when the value was reached, to the second; zero in final tables
}

// BoardPage is a page of a board.
type BoardPage struct {
	Rows  []Row  // shared between callers: read-only
	First bool   // Rows begin with rank 1
	Me    *Row   // the viewer's row or that of its team; nil without one
	Total int64  // entries on the board
	Next  string // cursor of the next page; "" on the last one
}

// PageRequest selects rows of a board.
type PageRequest struct {
	After string // the Next of the page before; "" for the first page
	Count int64  // up to MaxRows
}

// ErrCursor reports that PageRequest.After is not a cursor of the board.
var ErrCursor = errors.New("score: no such page")

// parse returns the board and the position of the cursor. A cursor names its board, so that
// paging continues on the same board after a new week has begun.
func (p PageRequest) parse(kind int64) (b Board, after position, err error) {
	var member []byte
	_, err = fmt.Sscanf(p.After, "%d:%d:%x", &b, &after.sortKey, &member)
	if err != nil || b.kind() != kind || len(member) > len(chain.Address{}) {
		return b, after, ErrCursor
	}
	after.member = string(member)
	if b.cursor(after) != p.After { // another spelling
		return b, after, ErrCursor
	}
	return b, after, nil
}

// cursor returns the cursor of the page behind a position.
func (b Board) cursor(after position) string {
	return fmt.Sprintf("%d:%d:%x", b, after.sortKey, after.member)
}

// Viewer is the caller whose own row a page includes.
type Viewer struct {
	Address  chain.Address
	Kind     chain.AccountKind
	Username string
}

// AllTimeBoard returns a page of the board of points since genesis. Errors: ErrCursor.
func (s *Service) AllTimeBoard(ctx context.Context, tx *store.Tx, me *Viewer, page PageRequest) (*BoardPage, error) {
	return s.boardPage(ctx, tx, boardAll, me, page)
}

// WeekBoard returns a page of the board of the ISO week of a time. Errors: ErrCursor.
func (s *Service) WeekBoard(
	ctx context.Context, tx *store.Tx, at time.Time, me *Viewer, page PageRequest,
) (*BoardPage, error) {
	return s.boardPage(ctx, tx, boardOf(kindWeek, weekOf(at)), me, page)
}

// DailyBoard returns a page of the board of a day's daily runs. Errors: ErrCursor.
func (s *Service) DailyBoard(
	ctx context.Context, tx *store.Tx, day int64, me *Viewer, page PageRequest,
) (*BoardPage, error) {
	return s.boardPage(ctx, tx, boardOf(kindDaily, day), me, page)
}

// TeamBoard returns a page of the board of teams in the season of a time; Me is the row of
// the viewer's team. Errors: ErrCursor.
func (s *Service) TeamBoard(
	ctx context.Context, tx *store.Tx, at time.Time, me *Viewer, page PageRequest,
) (*BoardPage, error) {
	season, err := s.openSeason(ctx, tx, at)
	if err != nil {
		return nil, err
	}
	return s.boardPage(ctx, tx, boardOf(kindTeams, season), me, page)
}

// TeamRow returns the row of one team in the season of a time; nil without points.
func (s *Service) TeamRow(ctx context.Context, tx *store.Tx, at time.Time, team int64) (*Row, error) {
	season, err := s.openSeason(ctx, tx, at)
	if err != nil {
		return nil, err
	}
	v, err := s.openBoard(ctx, tx, boardOf(kindTeams, season))
	if err != nil {
		return nil, err
	}
	return v.row(ctx, teamMember(team))
}

// TeamPoints returns the points that each account earned for a team in the season of a time.
func (s *Service) TeamPoints(
	ctx context.Context, tx *store.Tx, at time.Time, team int64,
) (map[chain.Address]int64, error) {
	season, err := s.openSeason(ctx, tx, at)
	if err != nil {
		return nil, err
	}
	rows, err := q.New(tx).ListTeamPoints(ctx, q.ListTeamPointsParams{Team: team, Season: season})
	if err != nil {
		return nil, fmt.Errorf("score: points of team %d: %w", team, err)
	}
	earned := make(map[chain.Address]int64, len(rows))
	for _, r := range rows {
		earned[chain.Address(r.Account)] = r.Points
	}
	return earned, nil
}

// boardPage returns a page of a board; a cursor overrides id with its own board.
func (s *Service) boardPage(
	ctx context.Context, tx *store.Tx, id Board, me *Viewer, page PageRequest,
) (*BoardPage, error) {
	var after position
	if page.After != "" {
		var err error
		if id, after, err = page.parse(id.kind()); err != nil {
			return nil, err
		}
	}
	v, err := s.openBoard(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	out := &BoardPage{Total: v.total(), First: page.After == ""}
	if out.First {
		err = s.firstPage(ctx, v, page.Count, out)
	} else {
		err = v.pageAfter(ctx, after, page.Count, out)
	}
	if err != nil || me == nil {
		return out, err
	}
	out.Me, err = s.viewerRow(ctx, tx, v, me)
	return out, err
}

// firstPage fills in the first rows of a board.
func (s *Service) firstPage(ctx context.Context, v *boardView, count int64, out *BoardPage) error {
	t, err := s.top(ctx, v)
	if err != nil {
		return err
	}
	n := min(count, int64(len(t.rows)))
	out.Rows = t.rows[:n]
	if n > 0 && n < out.Total {
		out.Next = v.id.cursor(t.positions[n-1])
	}
	return nil
}

// pageAfter fills in the rows behind a position.
func (v *boardView) pageAfter(ctx context.Context, p position, count int64, out *BoardPage) error {
	from := p.after()
	rank, err := v.rank(ctx, from)
	if err != nil {
		return err
	}
	rows, positions, err := v.list(ctx, from, count+1) // one more shows whether there is a next page
	if err != nil {
		return fmt.Errorf("score: page of board %d: %w", v.id, err)
	}
	for i := range rows {
		rows[i].Rank = rank + int64(i)
	}
	if int64(len(rows)) > count {
		rows = rows[:count]
		out.Next = v.id.cursor(positions[count-1])
	}
	out.Rows = rows
	return nil
}

// viewerRow returns the viewer's own row or, on boards of teams, that of its team; nil
// without one.
func (s *Service) viewerRow(ctx context.Context, tx *store.Tx, v *boardView, me *Viewer) (*Row, error) {
	if v.id.kind() != kindTeams {
		row, err := v.row(ctx, memberOf(me.Address))
		if row != nil {
			row.Username, row.Kind = me.Username, me.Kind
		}
		return row, err
	}
	if s.Teams == nil {
		return nil, nil
	}
	team, err := s.Teams.TeamOf(ctx, tx, me.Address)
	if err != nil || team == 0 {
		return nil, err
	}
	return v.row(ctx, teamMember(team))
}

// row returns a member's row with its rank, without the name of an account; nil for a member
// that is not on the board.
func (v *boardView) row(ctx context.Context, member []byte) (*Row, error) {
	e, err := v.queries.GetEntry(ctx, q.GetEntryParams{Member: member, Board: int64(v.id)})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("score: entry on board %d: %w", v.id, err)
	}
	row := v.id.row(member, entry{sortKey: e.Place, value: e.Value, ref: e.Ref})
	if row.Rank, err = v.rank(ctx, position{e.Place, string(member)}); err != nil {
		return nil, err
	}
	return &row, v.nameTeam(ctx, &row, member)
}

// nameTeam fills in name and slug of a row on a board of teams.
func (v *boardView) nameTeam(ctx context.Context, row *Row, member []byte) error {
	if v.id.kind() != kindTeams {
		return nil
	}
	t, err := v.queries.GetTeam(ctx, teamOf(member))
	row.Username, row.Slug = t.Name, t.Slug
	return err
}

// row returns the row of an entry, without rank and name.
func (b Board) row(member []byte, e entry) Row {
	r := Row{Value: e.value, Reached: reached(e.sortKey)}
	if b.kind() == kindDaily {
		r.Throws, r.RunID = throwsOf(e.sortKey), e.ref
	}
	if b.kind() != kindTeams {
		r.Address = chain.Address(member)
	}
	return r
}

// topRows are the first MaxRows rows of a board at one version with some pending changes.
// They are never modified.
type topRows struct {
	version   int64
	pending   int // number of changes
	rows      []Row
	positions []position // of the rows
}

// current reports whether the rows are still the first ones of v. Pending changes are only
// added until the next version, so an equal number of them is the same board. With more it
// is enough that none touches a position among the rows.
func (t *topRows) current(v *boardView) bool {
	if t == nil || t.version != v.index.version {
		return false
	}
	if t.pending == len(v.pending) {
		return true
	}
	if len(t.rows) < MaxRows {
		return false
	}
	last := t.positions[len(t.positions)-1]
	touches := func(key *int64, member string) bool { return key != nil && !last.before(position{*key, member}) }
	for i := range v.pending {
		if c := &v.pending[i]; touches(c.newKey, c.member) || touches(c.oldKey, c.member) {
			return false
		}
	}
	return true
}

// top returns the first rows of a board, from the cache while they are current.
func (s *Service) top(ctx context.Context, v *boardView) (*topRows, error) {
	s.boards.mu.Lock()
	t := s.boards.tops[v.id]
	s.boards.mu.Unlock()
	if t.current(v) {
		return t, nil
	}
	t = &topRows{version: v.index.version, pending: len(v.pending)}
	var err error
	if t.rows, t.positions, err = v.list(ctx, minPosition, MaxRows); err != nil {
		return nil, fmt.Errorf("score: top of board %d: %w", v.id, err)
	}
	for i := range t.rows {
		t.rows[i].Rank = int64(i) + 1
	}
	s.boards.mu.Lock()
	defer s.boards.mu.Unlock()
	if len(s.boards.tops) >= maxCachedBoards {
		clear(s.boards.tops)
	}
	s.boards.tops[v.id] = t
	return t, nil
}

// list reads up to count rows from a position on, with their names and without their ranks.
func (v *boardView) list(ctx context.Context, from position, count int64) ([]Row, []position, error) {
	if v.id.kind() == kindTeams {
		return v.listTeams(ctx, from, count)
	}
	rows, err := v.queries.ListPlayersFrom(ctx, q.ListPlayersFromParams{
		Board: int64(v.id), Place: from.sortKey, Member: []byte(from.member), Count: count})
	if err != nil {
		return nil, nil, err
	}
	list, positions := make([]Row, len(rows)), make([]position, len(rows))
	for i, r := range rows {
		list[i] = v.id.row(r.Member, entry{sortKey: r.Place, value: r.Value, ref: r.Ref})
		list[i].Username, list[i].Kind = r.Username, chain.AccountKind(r.Kind)
		positions[i] = position{r.Place, string(r.Member)}
	}
	return list, positions, nil
}

func (v *boardView) listTeams(ctx context.Context, from position, count int64) ([]Row, []position, error) {
	rows, err := v.queries.ListTeamsFrom(ctx, q.ListTeamsFromParams{
		Board: int64(v.id), Place: from.sortKey, Member: []byte(from.member), Count: count})
	if err != nil {
		return nil, nil, err
	}
	list, positions := make([]Row, len(rows)), make([]position, len(rows))
	for i, r := range rows {
		list[i] = v.id.row(r.Member, entry{sortKey: r.Place, value: r.Value, ref: r.Ref})
		list[i].Username, list[i].Slug = r.Name, r.Slug
		positions[i] = position{r.Place, string(r.Member)}
	}
	return list, positions, nil
}
