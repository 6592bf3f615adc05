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

// MaxRows is the most rows of a board that can be asked for.
const MaxRows = 200

// Row is a row of a board.
type Row struct {
	Rank     int64
	Address  chain.Address // none for a team
	Kind     chain.AccountKind
	Username string // a team's name
	Slug     string // of a team
	Value    int64
	Throws   int64     // of a daily run
	RunID    string    // likewise
	Reached  time.Time // when the value was reached
}

// Standing is a board as somebody sees it.
type Standing struct {
	Rows  []Row // shared: not to be changed
	First bool  // the rows are the first ones of the board
	Me    *Row
	Total int64  // of all entries
	Next  string // where the next page begins; "" after the last
}

// Page says which rows of a board are asked for.
type Page struct {
	After string // Next of the page before; "" for the first
	Count int64
}

// ErrPage says that a page is asked for that there never was.
var ErrPage = errors.New("score: no such page")

// parse returns the board and the place after which a page begins.
func (p Page) parse(kind int64) (b Board, k key, err error) {
	var member []byte
	if _, err := fmt.Sscanf(p.After, "%d:%d:%x", &b, &k.place, &member); err != nil || b.kind() != kind || len(member) > 20 {
		return b, k, ErrPage
	}
	k.member = string(member)
	if b.page(k) != p.After {
		return b, k, ErrPage
	}
	return b, k, nil
}

// Who is the caller whose own row is asked for.
type Who struct {
	Address  chain.Address
	Kind     chain.AccountKind
	Username string
}

// All returns the board of points since genesis.
func (s *Service) All(ctx context.Context, tx *store.Tx, me *Who, page Page) (*Standing, error) {
	return s.standing(ctx, tx, boardAll, me, page)
}

// Week returns the board of a time's ISO week.
func (s *Service) Week(ctx context.Context, tx *store.Tx, at time.Time, me *Who, page Page) (*Standing, error) {
	return s.standing(ctx, tx, boardOf(kindWeek, weekOf(at)), me, page)
}

// Daily returns the board of a day.
func (s *Service) Daily(ctx context.Context, tx *store.Tx, day int64, me *Who, page Page) (*Standing, error) {
	return s.standing(ctx, tx, boardOf(kindDaily, day), me, page)
}

// TeamBoard returns the board of teams in the season of a time; me is the row of the
// caller's team.
func (s *Service) TeamBoard(ctx context.Context, tx *store.Tx, at time.Time, me *Who, page Page) (*Standing, error) {
	season, err := s.openSeason(ctx, tx, at)
	if err != nil {
		return nil, err
	}
	return s.standing(ctx, tx, boardOf(kindTeams, season), me, page)
}

// TeamStanding returns the row of one team in the season of a time; nil without points.
func (s *Service) TeamStanding(ctx context.Context, tx *store.Tx, at time.Time, team int64) (*Row, error) {
	season, err := s.openSeason(ctx, tx, at)
	if err != nil {
		return nil, err
	}
	b, err := s.see(ctx, tx, boardOf(kindTeams, season))
	if err != nil {
		return nil, err
	}
	return b.row(ctx, teamMember(team))
}

// TeamPoints returns what each has earned for a team in the season of a time.
func (s *Service) TeamPoints(ctx context.Context, tx *store.Tx, at time.Time, team int64) (map[chain.Address]int64, error) {
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

func (s *Service) standing(ctx context.Context, tx *store.Tx, id Board, me *Who, page Page) (*Standing, error) {
	var from key
	if page.After != "" { // a page goes on where it began, also when the week has changed
		var err error
		if id, from, err = page.parse(id.kind()); err != nil {
			return nil, err
		}
	}
	b, err := s.see(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	out := &Standing{Total: b.total(), First: page.After == ""}
	if out.First {
		err = s.first(ctx, b, page.Count, out)
	} else {
		err = b.behind(ctx, from, page.Count, out)
	}
	if err != nil || me == nil {
		return out, err
	}
	out.Me, err = s.mine(ctx, tx, b, me)
	return out, err
}

// first fills in the first rows of a board.
func (s *Service) first(ctx context.Context, b *board, count int64, out *Standing) error {
	t, err := s.top(ctx, b)
	if err != nil {
		return err
	}
	n := min(count, int64(len(t.rows)))
	out.Rows = t.rows[:n]
	if n > 0 && n < out.Total {
		out.Next = b.id.page(t.keys[n-1])
	}
	return nil
}

// behind fills in the rows of a board behind a place.
func (b *board) behind(ctx context.Context, k key, count int64, out *Standing) error {
	k.member += "\x00" // right behind it
	rank, err := b.rank(ctx, k)
	if err != nil {
		return err
	}
	rows, keys, err := b.read(ctx, k, count+1)
	if err != nil {
		return fmt.Errorf("score: page of board %d: %w", b.id, err)
	}
	for i := range rows {
		rows[i].Rank = rank + int64(i)
	}
	if int64(len(rows)) > count {
		rows = rows[:count]
		out.Next = b.id.page(keys[count-1])
	}
	out.Rows = rows
	return nil
}

// page says where a page behind a place begins.
func (b Board) page(k key) string { return fmt.Sprintf("%d:%d:%x", b, k.place, k.member) }

// mine returns the caller's own row, or that of its team; nil when it is not on the
// board.
func (s *Service) mine(ctx context.Context, tx *store.Tx, b *board, me *Who) (*Row, error) {
	if b.id.kind() != kindTeams {
		row, err := b.row(ctx, memberOf(me.Address))
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
	return b.row(ctx, teamMember(team))
}

// row returns a member's row, without its name unless it is a team; nil for none.
func (b *board) row(ctx context.Context, member []byte) (*Row, error) {
	e, err := b.queries.GetEntry(ctx, q.GetEntryParams{Member: member, Board: int64(b.id)})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("score: entry on board %d: %w", b.id, err)
	}
	row := b.id.row(member, entry{e.Place, e.Value, e.Ref})
	if row.Rank, err = b.rank(ctx, key{e.Place, string(member)}); err != nil {
		return nil, err
	}
	return &row, b.nameTeam(ctx, &row, member)
}

func (b *board) nameTeam(ctx context.Context, row *Row, member []byte) error {
	if b.id.kind() != kindTeams {
		return nil
	}
	t, err := b.queries.GetTeam(ctx, teamOf(member))
	row.Username, row.Slug = t.Name, t.Slug
	return err
}

// row returns what an entry says.
func (b Board) row(member []byte, e entry) Row {
	r := Row{Value: e.value, Reached: reached(e.place)}
	if b.kind() == kindDaily {
		r.Throws, r.RunID = throwsOf(e.place), e.ref
	}
	if b.kind() != kindTeams {
		r.Address = chain.Address(member)
	}
	return r
}

// top is the first rows of a board, as they were when so many changes waited.
type top struct {
	version int64
	waiting int
	rows    []Row
	keys    []key // where each stands
}

// holds says whether the rows are still those of b. A board of one version with as many
// changes is the same board, as changes are only added until the next version. With
// more of them it is enough that none is among the first.
func (t *top) holds(b *board) bool {
	if t == nil || t.version != b.dir.version {
		return false
	}
	if t.waiting == len(b.waiting) {
		return true
	}
	if len(t.rows) < MaxRows {
		return false
	}
	last := t.keys[len(t.keys)-1]
	for i := range b.waiting {
		c := &b.waiting[i]
		if c.now != nil && !last.before(key{*c.now, c.member}) || c.was != nil && !last.before(key{*c.was, c.member}) {
			return false
		}
	}
	return true
}

// top returns the first rows of a board, from memory when they are still those.
func (s *Service) top(ctx context.Context, b *board) (*top, error) {
	s.boards.mu.Lock()
	t := s.boards.tops[b.id]
	s.boards.mu.Unlock()
	if t.holds(b) {
		return t, nil
	}
	t = &top{version: b.dir.version, waiting: len(b.waiting)}
	var err error
	if t.rows, t.keys, err = b.read(ctx, start, MaxRows); err != nil {
		return nil, fmt.Errorf("score: top of board %d: %w", b.id, err)
	}
	for i := range t.rows {
		t.rows[i].Rank = int64(i) + 1
	}
	s.boards.mu.Lock()
	defer s.boards.mu.Unlock()
	if len(s.boards.tops) >= maxKnown {
		clear(s.boards.tops)
	}
	s.boards.tops[b.id] = t
	return t, nil
}

// read reads rows from a place on, with their names and without their ranks.
func (b *board) read(ctx context.Context, from key, count int64) (list []Row, keys []key, err error) {
	if b.id.kind() == kindTeams {
		return b.readTeams(ctx, from, count)
	}
	rows, err := b.queries.ListPlayersFrom(ctx, q.ListPlayersFromParams{
		Board: int64(b.id), Place: from.place, Member: []byte(from.member), Count: count})
	if err != nil {
		return nil, nil, err
	}
	list, keys = make([]Row, len(rows)), make([]key, len(rows))
	for i, r := range rows {
		list[i], keys[i] = b.id.row(r.Member, entry{r.Place, r.Value, r.Ref}), key{r.Place, string(r.Member)}
		list[i].Username, list[i].Kind = r.Username, chain.AccountKind(r.Kind)
	}
	return list, keys, nil
}

func (b *board) readTeams(ctx context.Context, from key, count int64) (list []Row, keys []key, err error) {
	rows, err := b.queries.ListTeamsFrom(ctx, q.ListTeamsFromParams{
		Board: int64(b.id), Place: from.place, Member: []byte(from.member), Count: count})
	if err != nil {
		return nil, nil, err
	}
	list, keys = make([]Row, len(rows)), make([]key, len(rows))
	for i, r := range rows {
		list[i], keys[i] = b.id.row(r.Member, entry{r.Place, r.Value, r.Ref}), key{r.Place, string(r.Member)}
		list[i].Username, list[i].Slug = r.Name, r.Slug
	}
	return list, keys, nil
}
