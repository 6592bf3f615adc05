package api

import (
	"context"
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/internal/service/cup"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// Medal is a place among the first three of a closed season or a finished cup. It follows from the final table, whose
// hash is on the chain.
type Medal struct {
	Kind      string  `json:"kind" known:"season,cup"`
	Number    int64   `json:"number" doc:"Of the season or cup."`
	CupKind   *string `json:"cup_kind" known:"bots,people" doc:"Null for a season."`
	Place     int64   `json:"place" doc:"1 to 3. Players of a cup who share a place have the same medal."`
	Players   int64   `json:"players" doc:"Of the season, with points, or of the cup."`
	TableHash string  `json:"table_hash" doc:"Of the final table, as on the chain. The page draws the medal from it."`
	At        Time    `json:"at" doc:"When the season or cup was closed."`
}

// medalsShown bounds the medals of an answer. A season's are few: thirteen a year.
const medalsShown = 100

// medals returns the newest medals of an account.
func (a *API) medals(ctx context.Context, tx *store.Tx, account chain.Address) ([]Medal, error) {
	seasons, err := a.Score.SeasonMedals(ctx, tx, account)
	if err != nil {
		return nil, err
	}
	cups, err := a.Cups.MedalsOf(ctx, tx, account, medalsShown)
	if err != nil {
		return nil, err
	}
	list := mapped(seasons, func(m score.SeasonMedal) Medal {
		return Medal{Kind: "season", Number: m.Season, Place: m.Place, Players: m.Players, TableHash: m.Table.String(),
			At: Time{m.ClosedAt}}
	})
	list = append(list, mapped(cups, func(m cup.Medal) Medal {
		return Medal{Kind: "cup", Number: m.Number, CupKind: new(string(m.Kind)), Place: m.Rank, Players: m.Players,
			TableHash: m.Table.String(), At: Time{m.EndedAt}}
	})...)
	slices.SortStableFunc(list, func(x, y Medal) int { return time.Time.Compare(y.At.Time, x.At.Time) })
	return list[:min(len(list), medalsShown)], nil
}
