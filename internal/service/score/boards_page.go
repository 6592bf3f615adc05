package score

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"roshambo/chain"
	"roshambo/internal/service/rank"
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
	Me    *Row   // the viewer's row without its name and kind, or its team's; nil without one
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
	_, err = fmt.Sscanf(p.After, "%d:%d:%x", &b, &after.Key, &member)
	if err != nil || b.kind() != kind || len(member) > len(chain.Address{}) {
		return b, after, ErrCursor
	}
	after.Member = string(member)
	if b.cursor(after) != p.After { // another spelling
		return b, after, ErrCursor
	}
	return b, after, nil
}

// cursor returns the cursor of the page behind a position.
func (b Board) cursor(after position) string {
	return fmt.Sprintf("%d:%d:%x", b, after.Key, after.Member)
}

// AllTimeBoard returns a page of the board of points since genesis. Errors: ErrCursor.
func (s *Service) AllTimeBoard(
	ctx context.Context, tx *store.Tx, me *chain.Address, page PageRequest,
) (*BoardPage, error) {
	return s.boardPage(ctx, tx, boardAll, me, page)
}

// WeekBoard returns a page of the board of the ISO week of a time. Errors: ErrCursor.
func (s *Service) WeekBoard(
	ctx context.Context, tx *store.Tx, at time.Time, me *chain.Address, page PageRequest,
) (*BoardPage, error) {
	return s.boardPage(ctx, tx, boardOf(kindWeek, weekOf(at)), me, page)
}

// DailyBoard returns a page of the board of a day's daily runs. Errors: ErrCursor.
func (s *Service) DailyBoard(
	ctx context.Context, tx *store.Tx, day int64, me *chain.Address, page PageRequest,
) (*BoardPage, error) {
	return s.boardPage(ctx, tx, boardOf(kindDaily, day), me, page)
}

// TeamBoard returns a page of the board of teams in the season of a time; Me is the row of
// the viewer's team. Errors: ErrCursor.
func (s *Service) TeamBoard(
	ctx context.Context, tx *store.Tx, at time.Time, me *chain.Address, page PageRequest,
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
	v, err := s.openBoard(tx, boardOf(kindTeams, season))
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
	ctx context.Context, tx *store.Tx, id Board, me *chain.Address, page PageRequest,
) (*BoardPage, error) {
	var after position
	if page.After != "" {
		var err error
		if id, after, err = page.parse(id.kind()); err != nil {
			return nil, err
		}
	}
	v, err := s.openBoard(tx, id)
	if err != nil {
		return nil, err
	}
	out := &BoardPage{Total: v.Total(), First: page.After == ""}
	var t *topRows
	if out.First {
		t, err = s.firstPage(ctx, v, page.Count, out)
	} else {
		err = v.pageAfter(ctx, after, page.Count, out)
	}
	if err != nil || me == nil {
		return out, err
	}
	var known bool
	if out.Me, known = t.viewerRow(v.id, me, out.Total); known {
		return out, nil
	}
	out.Me, err = s.viewerRow(ctx, tx, v, me)
	return out, err
}

// firstPage fills in the first rows of a board, and returns the top rows that hold them.
func (s *Service) firstPage(ctx context.Context, v *boardView, count int64, out *BoardPage) (*topRows, error) {
	t, err := s.top(ctx, v)
	if err != nil {
		return nil, err
	}
	n := min(count, int64(len(t.rows)))
	out.Rows = t.rows[:n]
	if n > 0 && n < out.Total {
		out.Next = v.id.cursor(t.positions[n-1])
	}
	return t, nil
}

// AllTime returns the board of AllTimeBoard.
func AllTime() Board { return boardAll }

// Week returns the board of WeekBoard.
func Week(at time.Time) Board { return boardOf(kindWeek, weekOf(at)) }

// Daily returns the board of DailyBoard.
func Daily(day int64) Board { return boardOf(kindDaily, day) }

// TopSuffices reports whether the first page of a board probably takes one query, since its top
// rows are cached and tell the viewer's row. The answer is no promise: the board may have changed.
func (s *Service) TopSuffices(id Board, me *chain.Address) bool {
	s.tops.mu.Lock()
	t := s.tops.rows[id]
	s.tops.mu.Unlock()
	if t == nil || me == nil {
		return t != nil
	}
	total := int64(len(t.rows))
	if total == MaxRows {
		total++ // unknown
	}
	_, known := t.viewerRow(id, me, total)
	return known
}

// viewerRow returns the viewer's row on a board with a number of entries, nil for none, if the
// current top rows tell it. Boards of teams do not: they rank the viewer's team.
func (t *topRows) viewerRow(id Board, me *chain.Address, total int64) (row *Row, known bool) {
	if t == nil || id.kind() == kindTeams {
		return nil, false
	}
	for i := range t.rows {
		if t.rows[i].Address == *me {
			own := t.rows[i]
			own.Username, own.Kind = "", ""
			return &own, true
		}
	}
	return nil, total <= int64(len(t.rows))
}

// pageAfter fills in the rows behind a position.
func (v *boardView) pageAfter(ctx context.Context, p position, count int64, out *BoardPage) error {
	from := p.Next()
	before, err := v.Before(from)
	if err != nil {
		return err
	}
	rows, positions, err := v.list(ctx, from, count+1) // one more shows whether there is a next page
	if err != nil {
		return fmt.Errorf("score: page of board %d: %w", v.id, err)
	}
	for i := range rows {
		rows[i].Rank = before + int64(i) + 1
	}
	if int64(len(rows)) > count {
		rows = rows[:count]
		out.Next = v.id.cursor(positions[count-1])
	}
	out.Rows = rows
	return nil
}

// viewerRow returns the viewer's own row or, on boards of teams, its team's row; nil
// without one.
func (s *Service) viewerRow(ctx context.Context, tx *store.Tx, v *boardView, me *chain.Address) (*Row, error) {
	if v.id.kind() != kindTeams {
		return v.row(ctx, memberOf(*me))
	}
	if s.Teams == nil {
		return nil, nil
	}
	team, err := s.Teams.TeamOf(ctx, tx, *me)
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
	before, err := v.Before(position{Key: e.Place, Member: string(member)})
	if err != nil {
		return nil, err
	}
	row.Rank = before + 1
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

// boardView is a board in the snapshot of one transaction.
type boardView struct {
	*rank.View[int64]

	id      Board
	queries *q.Queries
}

func (s *Service) openBoard(tx *store.Tx, id Board) (*boardView, error) {
	v, err := s.ranks.Open(tx, int64(id))
	if err != nil {
		return nil, fmt.Errorf("score: %w", err)
	}
	return &boardView{View: v, id: id, queries: q.New(tx)}, nil
}

// topRows are the first MaxRows rows of a board at one revision. They are never modified.
type topRows struct {
	revision  rank.Revision
	rows      []Row
	positions []position // of the rows
}

// topCache holds the top rows that were read last, by board.
type topCache struct {
	mu   sync.Mutex // guards rows
	rows map[Board]*topRows
}

// maxCachedTops bounds how many boards have cached top rows.
const maxCachedTops = 32

// current reports whether the rows are still the first ones of v. With fewer than MaxRows
// rows a change at any position may add one.
func (t *topRows) current(v *boardView) bool {
	if t == nil {
		return false
	}
	last := rank.Last
	if len(t.rows) == MaxRows {
		last = t.positions[MaxRows-1]
	}
	return v.Same(t.revision, last)
}

// top returns the first rows of a board, from the cache while they are current.
func (s *Service) top(ctx context.Context, v *boardView) (*topRows, error) {
	s.tops.mu.Lock()
	t := s.tops.rows[v.id]
	s.tops.mu.Unlock()
	if t.current(v) {
		return t, nil
	}
	t = &topRows{revision: v.Revision()}
	var err error
	if t.rows, t.positions, err = v.list(ctx, rank.First, MaxRows); err != nil {
		return nil, fmt.Errorf("score: top of board %d: %w", v.id, err)
	}
	for i := range t.rows {
		t.rows[i].Rank = int64(i) + 1
	}
	s.tops.mu.Lock()
	defer s.tops.mu.Unlock()
	if len(s.tops.rows) >= maxCachedTops {
		clear(s.tops.rows)
	}
	s.tops.rows[v.id] = t
	return t, nil
}

// list reads up to count rows from a position on, with their names and without their ranks.
func (v *boardView) list(ctx context.Context, from position, count int64) ([]Row, []position, error) {
	if v.id.kind() == kindTeams {
		return v.listTeams(ctx, from, count)
	}
	rows, err := v.queries.ListPlayersFrom(ctx, q.ListPlayersFromParams{
		Board: int64(v.id), Place: from.Key, Member: []byte(from.Member), Count: count})
	if err != nil {
		return nil, nil, err
	}
	list, positions := make([]Row, len(rows)), make([]position, len(rows))
	for i, r := range rows {
		list[i] = v.id.row(r.Member, entry{sortKey: r.Place, value: r.Value, ref: r.Ref})
		list[i].Username, list[i].Kind = r.Username, chain.AccountKind(r.Kind)
		positions[i] = position{Key: r.Place, Member: string(r.Member)}
	}
	return list, positions, nil
}

func (v *boardView) listTeams(ctx context.Context, from position, count int64) ([]Row, []position, error) {
	rows, err := v.queries.ListTeamsFrom(ctx, q.ListTeamsFromParams{
		Board: int64(v.id), Place: from.Key, Member: []byte(from.Member), Count: count})
	if err != nil {
		return nil, nil, err
	}
	list, positions := make([]Row, len(rows)), make([]position, len(rows))
	for i, r := range rows {
		list[i] = v.id.row(r.Member, entry{sortKey: r.Place, value: r.Value, ref: r.Ref})
		list[i].Username, list[i].Slug = r.Name, r.Slug
		positions[i] = position{Key: r.Place, Member: string(r.Member)}
	}
	return list, positions, nil
}
