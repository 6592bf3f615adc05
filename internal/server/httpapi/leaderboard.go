package httpapi

import (
	"context"
	"errors"
	"sync"
	"time"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// Leaderboards have two engines: package score ranks points and daily runs, package arena ranks
// ratings. Both return exact ranks, and the caller's own row with the page. The rows of a first
// page are the same for all callers, so their JSON is cached (rowCache); the caller's row is
// encoded for each answer.

// leaderboardOperations registers the leaderboards.
func (a *API) leaderboardOperations() {
	contract.Add(a.contract, contract.Operation{
		ID: "getLeaderboard", Method: "GET", Path: "/api/leaderboard", Tag: "Social",
		Summary: "A leaderboard, and the caller's own row",
		Description: "all, week and daily rank accounts; teams ranks teams by their points of this season; duels and " +
			"bots by their ratings. " +
			"Of equal values, the one reached earlier ranks first; ranks are exact.",
		Security: anyScheme, Anonymous: true, Errors: may("unauthenticated", "bad_request"),
	}, a.getLeaderboard)
}

// The boards.
const (
	boardAll   = "all"
	boardWeek  = "week"
	boardDaily = "daily"
	boardTeams = "teams"
	boardDuels = "duels"
	boardBots  = "bots"
)

// leaderboardIn selects a board and a page of it.
type leaderboardIn struct {
	Board string `query:"board" default:"all" enum:"all,week,daily,teams,duels,bots"`
	Limit int64  `query:"limit" default:"50" min:"1" max:"200"`

	Cursor *string `query:"cursor" doc:"The next of the page before. It continues the same period, even when the week has changed."`
}

// LeaderboardOut is the answer to GET /api/leaderboard.
type LeaderboardOut struct {
	Board  string    `json:"board" enum:"all,week,daily,teams,duels,bots"`
	Period *Period   `json:"period" doc:"What the board covers; null for all time."`
	Rows   boardRows `json:"rows"`
	Me     *BoardRow `json:"me" doc:"The caller's own row, or its team's; null when not signed in or not on the board."`
	Total  *int64    `json:"total" doc:"Number of rows on the board; null for rating boards."`
	Next   *string   `json:"next" doc:"Pass it as cursor; null on the last page."`
}

// Period is a span of time.
type Period struct {
	Name     string `json:"name" doc:"As in 2026-W47, 2026-11-21 or season-3."`
	StartsAt Time   `json:"starts_at"`
	EndsAt   Time   `json:"ends_at"`
}

// BoardRow is a row of a leaderboard. Members that do not apply to the board are omitted.
type BoardRow struct {
	Rank         int64   `json:"rank"`
	Name         string  `json:"name" doc:"Username, or the team's name."`
	Address      *string `json:"address,omitempty" doc:"Not for teams."`
	ShortAddress *string `json:"short_address,omitempty"`
	Kind         string  `json:"kind" known:"guest,account,bot,team"`
	Value        int64   `json:"value" doc:"Points; tiers cleared on the daily board; the rating on rating boards."`
	ReachedAt    *Time   `json:"reached_at,omitempty" doc:"When the value was reached, to the second; absent on rating boards and in final tables."`
	Slug         *string `json:"slug,omitempty" doc:"Of a team."`
	Throws       *int64  `json:"throws,omitempty" doc:"Of a daily run."`
	RunID        *string `json:"run_id,omitempty" doc:"Of a daily run."`
	Deviation    *int64  `json:"deviation,omitempty" doc:"Of a rating."`
	Provisional  *bool   `json:"provisional,omitempty" doc:"Whether the rating is still provisional."`
}

// wireRow returns the wire form of a row: an account, a team or a daily run.
func wireRow(r *score.Row) BoardRow {
	out := BoardRow{Rank: r.Rank, Name: r.Username, Kind: string(r.Kind), Value: r.Value, ReachedAt: reachedAt(r)}
	if r.Address != (chain.Address{}) {
		address, short := r.Address.String(), r.Address.Short()
		out.Address, out.ShortAddress = &address, &short
	}
	if r.Slug != "" {
		out.Kind, out.Slug = "team", &r.Slug
	}
	if r.RunID != "" {
		out.Throws, out.RunID = &r.Throws, &r.RunID
	}
	return out
}

// boardRows are rows that were encoded once for all callers.
type boardRows = contract.Encoded[[]BoardRow]

// rowCache caches the encoded first rows of the requested boards. Package score returns the same
// slice until the first rows change.
type rowCache struct {
	mu     sync.Mutex              // guards boards
	boards map[string]*encodedRows // by name
}

// encodedRows are the first rows of a board.
type encodedRows struct {
	first *score.Row // first row of the encoded slice, which identifies it
	text  []byte     // a JSON array without its end; append-only
	ends  []int      // the end of each row in text
}

// encode returns the JSON of a board's rows. It encodes only rows that the cache lacks.
func (c *rowCache) encode(board string, rows []score.Row) (boardRows, error) {
	if len(rows) == 0 {
		return boardRows{}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.boards[board]
	if e == nil || e.first != &rows[0] {
		e = &encodedRows{first: &rows[0], text: []byte("[")}
		if c.boards == nil {
			c.boards = map[string]*encodedRows{}
		}
		c.boards[board] = e
	}
	for i := len(e.ends); i < len(rows); i++ {
		text, err := contract.Encode(wireRow(&rows[i]))
		if err != nil {
			return boardRows{}, err
		}
		if i > 0 {
			e.text = append(e.text, ',')
		}
		e.text = append(e.text, text...)
		e.ends = append(e.ends, len(e.text))
	}
	return contract.NewEncoded[[]BoardRow](e.text[:e.ends[len(rows)-1]], []byte("]")), nil
}

// encodeRows encodes rows that are not cached.
func encodeRows(rows []BoardRow) (boardRows, error) {
	text, err := contract.Encode(rows)
	return contract.NewEncoded[[]BoardRow](text, nil), err
}

// wireRows returns the wire form of rows.
func wireRows(rows []score.Row) []BoardRow {
	list := make([]BoardRow, len(rows))
	for i := range rows {
		list[i] = wireRow(&rows[i])
	}
	return list
}

// wireOwn returns the wire form of the caller's row; nil for nil.
func wireOwn(r *score.Row) *BoardRow {
	if r == nil {
		return nil
	}
	out := wireRow(r)
	return &out
}

// ratingBoard reads a page of players by rating. Players without a rating are on no such board.
func (a *API) ratingBoard(ctx context.Context, in *leaderboardIn) (*LeaderboardOut, error) {
	pool, me := arena.Human, scoreCaller(ctx)
	if in.Board == boardBots {
		pool = arena.Bots
	}
	after, err := parseBoardCursor(cursorPlaces+"-"+in.Board, in.Cursor)
	if err != nil {
		return nil, err
	}
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*LeaderboardOut, error) {
		rows, err := a.Arena.Table(ctx, tx, pool, after, in.Limit+1)
		if err != nil {
			return nil, err
		}
		rows, more := page(rows, in.Limit)
		list := make([]BoardRow, len(rows))
		for i := range rows {
			list[i] = wireRating(&rows[i])
		}
		out := &LeaderboardOut{Board: in.Board}
		if more {
			out.Next = boardCursor(cursorPlaces+"-"+in.Board, rows[len(rows)-1])
		}
		if out.Rows, err = encodeRows(list); err != nil || me == nil {
			return out, err
		}
		own, err := a.Arena.Standing(ctx, tx, pool, me.Address)
		if errors.Is(err, arena.ErrNotFound) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if own.Rank > 0 { // 0: without a rated duel, and so in no place
			row := wireRating(&own)
			out.Me = &row
		}
		return out, nil
	})
}

// wireRating returns the wire form of a row of a rating table, in whole points.
func wireRating(r *arena.Row) BoardRow {
	p := r.Player
	address, short, provisional := p.Address.String(), p.Address.Short(), p.Record.Provisional()
	deviation := whole(p.Record.Rating.Deviation)
	return BoardRow{
		Rank: r.Rank, Name: p.Username, Address: &address, ShortAddress: &short, Kind: string(p.Kind),
		Value: whole(p.Record.Rating.Rating), Deviation: &deviation, Provisional: &provisional,
	}
}

// whole rounds a number of the rating system, in glicko.Point units, to whole points.
func whole(fixed int64) int64 { return (fixed + glicko.Point/2) / glicko.Point }

// scoreCaller returns the caller in the form of package score; nil when not signed in.
func scoreCaller(ctx context.Context) *score.Viewer {
	c := stateOf(ctx).caller
	if c == nil {
		return nil
	}
	return &score.Viewer{Address: c.address, Kind: c.account.Kind, Username: c.account.Username}
}

// getLeaderboard reads a page of a board and the caller's own row, or its team's, in one snapshot.
func (a *API) getLeaderboard(ctx context.Context, in *leaderboardIn) (*LeaderboardOut, error) {
	if in.Board == boardDuels || in.Board == boardBots {
		return a.ratingBoard(ctx, in)
	}
	now, me, page := a.Now(), scoreCaller(ctx), score.PageRequest{Count: in.Limit}
	if in.Cursor != nil {
		var err error
		if page.After, err = parseCursorText(*in.Cursor, cursorPlaces+"-"+in.Board); err != nil {
			return nil, err
		}
	}
	view := read[LeaderboardOut]
	if in.Cursor == nil && a.topSuffices(in.Board, now, me) {
		view = readOnce[LeaderboardOut]
	}
	return view(ctx, a, func(ctx context.Context, tx *store.Tx) (*LeaderboardOut, error) {
		out := &LeaderboardOut{Board: in.Board}
		var b *score.BoardPage
		var err error
		switch in.Board {
		case boardWeek:
			start, end, name := score.WeekSpan(now)
			out.Period = &Period{Name: name, StartsAt: Time{start}, EndsAt: Time{end}}
			b, err = a.Score.WeekBoard(ctx, tx, now, me, page)
		case boardDaily:
			day := score.DayOf(now)
			out.Period = dayPeriod(day)
			b, err = a.Score.DailyBoard(ctx, tx, day, me, page)
		case boardTeams:
			out.Period = a.seasonPeriod(now)
			b, err = a.Score.TeamBoard(ctx, tx, now, me, page)
		default:
			b, err = a.Score.AllTimeBoard(ctx, tx, me, page)
		}
		if err != nil {
			return nil, err
		}
		out.Me, out.Total = wireOwn(b.Me), &b.Total
		if b.Next != "" {
			out.Next = cursorText(cursorPlaces+"-"+in.Board, b.Next)
		}
		if b.First {
			out.Rows, err = a.rows.encode(in.Board, b.Rows)
		} else {
			out.Rows, err = encodeRows(wireRows(b.Rows))
		}
		return out, err
	})
}

// topSuffices reports whether the first page of a board probably takes one query.
func (a *API) topSuffices(board string, now time.Time, me *score.Viewer) bool {
	switch board {
	case boardAll:
		return a.Score.TopSuffices(score.AllTime(), me)
	case boardWeek:
		return a.Score.TopSuffices(score.Week(now), me)
	case boardDaily:
		return a.Score.TopSuffices(score.Daily(score.DayOf(now)), me)
	}
	return false
}

// dayPeriod returns the period of a daily board.
func dayPeriod(day int64) *Period {
	return &Period{Name: score.DayName(day), StartsAt: Time{score.DayStart(day)}, EndsAt: Time{score.DayStart(day + 1)}}
}

// seasonPeriod returns the period of the season at a time.
func (a *API) seasonPeriod(now time.Time) *Period {
	s := a.Score.SeasonAt(now)
	return &Period{Name: seasonName(s.Number), StartsAt: Time{s.StartsAt}, EndsAt: Time{s.EndsAt}}
}

// reachedAt returns the time when a value was reached; nil for rows of final tables, which do not
// record it.
func reachedAt(r *score.Row) *Time {
	if r.Reached.IsZero() {
		return nil
	}
	return &Time{r.Reached}
}
