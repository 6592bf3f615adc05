package api

import (
	"context"
	"errors"
	"strconv"
	"time"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// Leaderboards have two engines: package score ranks points and daily runs, package arena ranks
// ratings. Both return exact ranks, and the caller's own row with the page. The rows of a first
// page are the same for all callers, so their JSON is cached (rowCache); the caller's row is
// encoded for each answer.

// leaderboardOperations registers the leaderboards.
func (a *API) leaderboardOperations() {
	add(a, contract.Operation{
		ID: "getLeaderboard", Method: "GET", Path: "/api/leaderboard", Tag: "Social",
		Summary: "A leaderboard, and the caller's own row",
		Description: "all, week and daily rank accounts; teams ranks teams by their points of this season; duels and " +
			"bots by their ratings. " +
			"Of equal values, the one reached earlier ranks first; ranks are exact.",
		Security: anyScheme, Anonymous: true, Errors: may("unauthenticated", "bad_request"),
	}, (*call).getLeaderboard)
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
	Board  string    `json:"board" known:"all,week,daily,teams,duels,bots"`
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

// ratingBoard reads a page of players by rating. Players without a rating are on no such board.
func (a *call) ratingBoard(ctx context.Context, in *leaderboardIn) (*LeaderboardOut, error) {
	pool, me := arena.Human, given(a.viewer())
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
		list, next := paged(rows, in.Limit, wireRating, func(r arena.Row) *string {
			return boardCursor(cursorPlaces+"-"+in.Board, r)
		})
		out := &LeaderboardOut{Board: in.Board, Next: next}
		if out.Rows, err = encodeRows(list); err != nil || me == nil {
			return out, err
		}
		own, err := a.Arena.Standing(ctx, tx, pool, *me)
		if errors.Is(err, arena.ErrNotFound) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if own.Rank > 0 { // 0: without a rated duel, and so in no place
			out.Me = new(wireRating(own))
		}
		return out, nil
	})
}

// getLeaderboard reads a page of a board and the caller's own row, or its team's, in one snapshot.
func (a *call) getLeaderboard(ctx context.Context, in *leaderboardIn) (*LeaderboardOut, error) {
	if in.Board == boardDuels || in.Board == boardBots {
		return a.ratingBoard(ctx, in)
	}
	now, me, page := a.Now(), given(a.viewer()), score.PageRequest{Count: in.Limit}
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
		if out.Me, err = a.ownRow(ctx, tx, b.Me); err != nil {
			return nil, err
		}
		out.Total = &b.Total
		if b.Next != "" {
			out.Next = cursorText(cursorPlaces+"-"+in.Board, b.Next)
		}
		if b.First {
			out.Rows, err = a.rows.encode(in.Board, b.Rows)
		} else {
			out.Rows, err = encodeRows(mapped(b.Rows, wireRow))
		}
		return out, err
	})
}

// ownRow returns the wire form of the caller's own row or its team's, with the caller's name as of the transaction;
// nil for none.
func (a *call) ownRow(ctx context.Context, tx *store.Tx, row *score.Row) (*BoardRow, error) {
	if row == nil || row.Slug != "" {
		return optional(row, wireRow), nil
	}
	c, err := a.callerIn(ctx, tx)
	if err != nil {
		return nil, err
	}
	named := *row
	named.Username, named.Kind = c.account.Username, c.account.Kind
	return new(wireRow(named)), nil
}

// topSuffices reports whether the first page of a board probably takes one query.
func (a *API) topSuffices(board string, now time.Time, me *chain.Address) bool {
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

// seasonName returns the name of a season's period.
func seasonName(n int64) string { return "season-" + strconv.FormatInt(n, 10) }
