package score

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/db"
	q "roshambo/internal/query/scoreq"
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
	Me    *Row
	Total int64 // of all entries
}

// Who is the caller whose own row is asked for.
type Who struct {
	Address  chain.Address
	Kind     chain.AccountKind
	Username string
}

// All returns the board of points since genesis.
func (s *Service) All(ctx context.Context, tx *db.Tx, me *Who, count int64) (*Standing, error) {
	return s.standing(ctx, tx, boardAll, me, count)
}

// Week returns the board of a time's ISO week.
func (s *Service) Week(ctx context.Context, tx *db.Tx, at time.Time, me *Who, count int64) (*Standing, error) {
	return s.standing(ctx, tx, boardOf(kindWeek, weekOf(at)), me, count)
}

// Daily returns the board of a day.
func (s *Service) Daily(ctx context.Context, tx *db.Tx, day int64, me *Who, count int64) (*Standing, error) {
	return s.standing(ctx, tx, boardOf(kindDaily, day), me, count)
}

// TeamBoard returns the board of teams in the season of a time; me is the row of the
// caller's team.
func (s *Service) TeamBoard(ctx context.Context, tx *db.Tx, at time.Time, me *Who, count int64) (*Standing, error) {
	season, err := s.openSeason(ctx, tx, at)
	if err != nil {
		return nil, err
	}
	return s.standing(ctx, tx, boardOf(kindTeams, season), me, count)
}

// TeamStanding returns the row of one team in the season of a time; nil without points.
func (s *Service) TeamStanding(ctx context.Context, tx *db.Tx, at time.Time, team int64) (*Row, error) {
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
func (s *Service) TeamPoints(ctx context.Context, tx *db.Tx, at time.Time, team int64) (map[chain.Address]int64, error) {
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

func (s *Service) standing(ctx context.Context, tx *db.Tx, id Board, me *Who, count int64) (*Standing, error) {
	b, err := s.see(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	rows, err := s.top(ctx, b)
	if err != nil {
		return nil, err
	}
	out := &Standing{Rows: rows[:min(count, int64(len(rows)))], Total: b.total()}
	if me == nil {
		return out, nil
	}
	out.Me, err = s.mine(ctx, tx, b, me)
	return out, err
}

// mine returns the caller's own row, or that of its team; nil when it is not on the
// board.
func (s *Service) mine(ctx context.Context, tx *db.Tx, b *board, me *Who) (*Row, error) {
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
	r := Row{Value: e.value, RunID: e.ref, Reached: reached(e.place)}
	if b.kind() == kindDaily {
		r.Throws = throwsOf(e.place)
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
	last    key
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
	for i := range b.waiting {
		c := &b.waiting[i]
		if c.now != nil && !t.last.before(key{*c.now, c.member}) || c.was != nil && !t.last.before(key{*c.was, c.member}) {
			return false
		}
	}
	return true
}

// top returns the first rows of a board, from memory when they are still those.
func (s *Service) top(ctx context.Context, b *board) ([]Row, error) {
	s.boards.mu.Lock()
	t := s.boards.tops[b.id]
	s.boards.mu.Unlock()
	if t.holds(b) {
		return t.rows, nil
	}
	t, err := b.readTop(ctx)
	if err != nil {
		return nil, fmt.Errorf("score: top of board %d: %w", b.id, err)
	}
	s.boards.mu.Lock()
	defer s.boards.mu.Unlock()
	if len(s.boards.tops) >= maxKnown {
		clear(s.boards.tops)
	}
	s.boards.tops[b.id] = t
	return t.rows, nil
}

func (b *board) readTop(ctx context.Context) (*top, error) {
	t := &top{version: b.dir.version, waiting: len(b.waiting)}
	if b.id.kind() == kindTeams {
		return t, b.readTeams(ctx, t)
	}
	rows, err := b.queries.ListPlayers(ctx, q.ListPlayersParams{Board: int64(b.id), Count: MaxRows})
	if err != nil {
		return nil, err
	}
	t.rows = make([]Row, len(rows))
	for i, r := range rows {
		t.rows[i] = b.id.row(r.Member, entry{r.Place, r.Value, r.Ref})
		t.rows[i].Rank, t.rows[i].Username, t.rows[i].Kind = int64(i)+1, r.Username, chain.AccountKind(r.Kind)
		t.last = key{r.Place, string(r.Member)}
	}
	return t, nil
}

func (b *board) readTeams(ctx context.Context, t *top) error {
	rows, err := b.queries.ListTop(ctx, q.ListTopParams{Board: int64(b.id), Count: MaxRows})
	if err != nil {
		return err
	}
	t.rows = make([]Row, len(rows))
	for i, r := range rows {
		t.rows[i] = b.id.row(r.Member, entry{r.Place, r.Value, r.Ref})
		t.rows[i].Rank = int64(i) + 1
		t.last = key{r.Place, string(r.Member)}
		if err := b.nameTeam(ctx, &t.rows[i], r.Member); err != nil {
			return err
		}
	}
	return nil
}
