package api

import (
	"context"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/service/run"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// dailyOperations registers the operations of the daily challenge.
func (a *API) dailyOperations() {
	add(a, contract.Operation{
		ID: "getDaily", Method: "GET", Path: "/api/daily", Tag: "Social",
		Summary: "Today's challenge: the caller's attempt and streak, today's table, yesterday's winners",
		Description: "One run for each account and UTC day. Every player has seeds of their own, because a common " +
			"game could be learnt with a second account. " +
			"The table ranks ended runs: tiers cleared, then fewer throws, then earlier. " +
			"A run counts for the day that it was started on.",
		Security: anyScheme, Anonymous: true, Errors: may("unauthenticated"),
	}, (*call).getDaily)
	add(a, contract.Operation{
		ID: "startDaily", Method: "POST", Path: "/api/daily/start", Tag: "Social",
		Summary:     "Start today's daily run: as POST /api/runs with entry daily",
		Description: "With a client seed of your own, call POST /api/runs.",
		Security:    anyScheme,
		Errors:      may("unauthenticated", "csrf_failed", "run_active", "limit_reached", "conflict"),
	}, (*call).startDaily)
}

// dailyIn bounds today's table.
type dailyIn struct {
	Limit int64 `query:"limit" default:"50" min:"1" max:"200"`
}

// DailyOut is the answer to GET /api/daily.
type DailyOut struct {
	Day       string     `json:"day" doc:"UTC, as in 2026-11-21."`
	StartsAt  Time       `json:"starts_at"`
	EndsAt    Time       `json:"ends_at"`
	Rows      []BoardRow `json:"rows" doc:"Today's table."`
	Total     int64      `json:"total" doc:"Runs in today's table."`
	Me        *DailyMe   `json:"me" doc:"Null when not signed in."`
	Yesterday Yesterday  `json:"yesterday"`
}

// DailyMe is the caller's own daily challenge.
type DailyMe struct {
	Available  bool      `json:"available" doc:"Whether today's run can still be started."`
	Attempt    *Run      `json:"attempt" doc:"Today's run, in progress or ended; null before it is started."`
	Voided     *Voided   `json:"voided,omitempty" doc:"Of today's run whose result is void: it is on no board."`
	Row        *BoardRow `json:"row" doc:"In today's table, once the run has ended."`
	Yesterday  *BoardRow `json:"yesterday" doc:"In the final table of yesterday; null without a row there."`
	Streak     int64     `json:"streak" doc:"Days in a row, up to today or yesterday."`
	BestStreak int64     `json:"best_streak"`
	PlayedOn   *string   `json:"played_on" doc:"The last day with a run that ended."`
}

// Yesterday is the final result of the day before.
type Yesterday struct {
	Day     string     `json:"day"`
	Winners []BoardRow `json:"winners" doc:"The first ten."`
	Total   int64      `json:"total"`
}

// winners is how many rows of yesterday's table are returned.
const winners = 10

// getDaily reads today's table, yesterday's winners and the caller's attempt in one snapshot.
func (a *call) getDaily(ctx context.Context, in *dailyIn) (*DailyOut, error) {
	day, me := score.DayOf(a.Now()), given(a.viewer())
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*DailyOut, error) {
		today, err := a.Score.DailyBoard(ctx, tx, day, me, score.PageRequest{Count: in.Limit})
		if err != nil {
			return nil, err
		}
		before, err := a.Score.DailyBoard(ctx, tx, day-1, me, score.PageRequest{Count: winners})
		if err != nil {
			return nil, err
		}
		out := &DailyOut{
			Day: score.DayName(day), StartsAt: Time{score.DayStart(day)}, EndsAt: Time{score.DayStart(day + 1)},
			Rows: mapped(today.Rows, wireRow), Total: today.Total,
			Yesterday: Yesterday{Day: score.DayName(day - 1), Winners: mapped(before.Rows, wireRow), Total: before.Total},
		}
		if me == nil {
			return out, nil
		}
		if out.Me, err = a.dailyMe(ctx, tx, *me, day); err != nil {
			return nil, err
		}
		if out.Me.Row, err = a.ownRow(ctx, tx, today.Me); err != nil {
			return nil, err
		}
		out.Me.Yesterday, err = a.ownRow(ctx, tx, before.Me)
		return out, err
	})
}

// dailyMe reads the caller's streak and today's attempt.
func (a *API) dailyMe(ctx context.Context, tx *store.Tx, me chain.Address, day int64) (*DailyMe, error) {
	streak, err := a.Score.StreakOf(ctx, tx, me, day)
	if err != nil {
		return nil, err
	}
	out := &DailyMe{Available: true, Streak: streak.Now, BestStreak: streak.Best}
	if streak.PlayedOn != 0 {
		out.PlayedOn = new(score.DayName(streak.PlayedOn))
	}
	r, err := a.Runs.LastRun(ctx, tx, me, chain.EntryDaily, score.DayStart(day))
	if err != nil || r == nil {
		return out, err
	}
	out.Available = false
	if out.Attempt, err = a.wireRun(r); err != nil {
		return nil, err
	}
	out.Voided, err = voidOf(ctx, tx, chain.RunGameID(r.ID))
	return out, err
}

// startDaily starts today's daily run of the caller.
func (a *call) startDaily(ctx context.Context, _ *none) (*StartRunOut, error) {
	return a.begin(ctx, run.StartOptions{Entry: chain.EntryDaily})
}
