package api

import (
	"context"
	"fmt"
	"math"
	"time"

	"roshambo/contract"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// seasonOperations registers the seasons.
func (a *API) seasonOperations() {
	add(a, contract.Operation{
		ID: "getSeason", Method: "GET", Path: "/api/season", Tag: "Social", Summary: "The current season and the past ones",
		Description: fmt.Sprintf("A season has %d days, numbered from the day of the chain's genesis. Its final table is "+
			"hashed onto the chain.", score.SeasonDays),
		Security: anyScheme, Anonymous: true, Errors: may("unauthenticated"),
	}, (*call).getSeason)
	add(a, contract.Operation{
		ID: "getPastSeason", Method: "GET", Path: "/api/season/{number}", Tag: "Social",
		Summary:  "A season, with its final table as it was hashed once it is closed",
		Security: anyScheme, Anonymous: true, Errors: may("unauthenticated", "not_found"),
	}, (*call).getPastSeason)
}

// seasonIn bounds the current table.
type seasonIn struct {
	Limit int64 `query:"limit" default:"50" min:"1" max:"200"`
}

// SeasonOut is the answer to GET /api/season.
type SeasonOut struct {
	Season    Season       `json:"season"`
	Standings []BoardRow   `json:"standings"`
	Me        *BoardRow    `json:"me" doc:"The caller's own row; null when not signed in or without points."`
	Past      []PastSeason `json:"past" doc:"Closed seasons, the last first: a hundred at most."`
}

// Season is a season of 28 days.
type Season struct {
	Number   int64 `json:"number"`
	StartsAt Time  `json:"starts_at"`
	EndsAt   Time  `json:"ends_at"`
	DaysLeft int64 `json:"days_left" doc:"A day that has begun counts; 0 once it has ended."`
	Players  int64 `json:"players" doc:"With points."`
}

// PastSeason is a closed season.
type PastSeason struct {
	Number    int64  `json:"number"`
	StartsAt  Time   `json:"starts_at"`
	EndsAt    Time   `json:"ends_at"`
	Players   int64  `json:"players"`
	TableHash string `json:"table_hash" doc:"Of the final table, as the chain has it."`
	TxHash    string `json:"tx_hash" doc:"The season.close transaction."`
	ClosedAt  Time   `json:"closed_at"`
}

// pastSeasons bounds the number of closed seasons in an answer.
const pastSeasons = 100

// getSeason reads the current season's table and the closed seasons in one snapshot.
func (a *call) getSeason(ctx context.Context, in *seasonIn) (*SeasonOut, error) {
	now, me := a.Now(), given(a.viewer())
	season := a.Score.SeasonAt(now)
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*SeasonOut, error) {
		b, err := a.Score.SeasonBoard(ctx, tx, season.Number, me, score.PageRequest{Count: in.Limit})
		if err != nil {
			return nil, err
		}
		past, err := a.Score.ClosedSeasons(ctx, tx, pastSeasons)
		if err != nil {
			return nil, err
		}
		out := &SeasonOut{Season: wireSeason(season, now, b.Total), Standings: mapped(b.Rows, wireRow),
			Past: mapped(past, wirePast)}
		out.Me, err = a.ownRow(ctx, tx, b.Me)
		return out, err
	})
}

// wireSeason returns the wire form of a season as of now. A day that has begun counts as left.
func wireSeason(s score.Season, now time.Time, players int64) Season {
	left := int64(math.Ceil(s.EndsAt.Sub(now).Hours() / 24))
	return Season{Number: s.Number, StartsAt: Time{s.StartsAt}, EndsAt: Time{s.EndsAt},
		DaysLeft: max(0, min(left, score.SeasonDays)), Players: players}
}

// wirePast returns the wire form of a closed season.
func wirePast(c score.Closed) PastSeason {
	return PastSeason{Number: c.Number, StartsAt: Time{c.StartsAt}, EndsAt: Time{c.EndsAt}, Players: c.Players,
		TableHash: c.Hash.String(), TxHash: c.Tx.String(), ClosedAt: Time{c.ClosedAt}}
}

// pastSeasonIn names a season and bounds its table.
type pastSeasonIn struct {
	Number int64 `path:"number" min:"1" max:"2147483647"`
	Limit  int64 `query:"limit" default:"50" min:"1" max:"200"`
}

// PastSeasonOut is the answer to GET /api/season/{number}.
type PastSeasonOut struct {
	Season    Season      `json:"season"`
	Standings []BoardRow  `json:"standings"`
	Me        *BoardRow   `json:"me"`
	Closed    *FinalTable `json:"closed" doc:"Null until the season is closed."`
}

// FinalTable is the hashed table of a closed season.
type FinalTable struct {
	Raw       string `json:"raw" doc:"The first 1,000 rows of the final table, as hashed: canonical JSON."`
	TableHash string `json:"table_hash" doc:"SHA-256 of \"roshambo/season/v1\\n\" and raw."`
	TxHash    string `json:"tx_hash" doc:"The season.close transaction, which holds the hash."`
	ClosedAt  Time   `json:"closed_at"`
}

// getPastSeason reads a season up to the current one: its final table once it is closed, before
// that its current one. Errors: score.ErrNotFound for a season in the future.
func (a *call) getPastSeason(ctx context.Context, in *pastSeasonIn) (*PastSeasonOut, error) {
	now, me := a.Now(), given(a.viewer())
	season := a.Score.Season(in.Number)
	if season.StartsAt.After(now) {
		return nil, score.ErrNotFound
	}
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*PastSeasonOut, error) {
		out := &PastSeasonOut{}
		closed, b, err := a.Score.SeasonTable(ctx, tx, in.Number, me, in.Limit)
		if err != nil {
			return nil, err
		}
		if closed != nil {
			out.Closed = &FinalTable{Raw: string(closed.Raw), TableHash: closed.Hash.String(), TxHash: closed.Tx.String(),
				ClosedAt: Time{closed.ClosedAt}}
		}
		out.Season = wireSeason(season, now, b.Total)
		out.Standings = mapped(b.Rows, wireRow)
		out.Me, err = a.ownRow(ctx, tx, b.Me)
		return out, err
	})
}
