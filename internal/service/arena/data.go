package arena

import (
	"context"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/arenaq"
)

// DataPosition is a position in the changes of ratings by time. The zero DataPosition is the start.
type DataPosition struct {
	PlayedAt int64 // in milliseconds
	Player   PlayerKey
	GameNo   int64
}

// PlayerChange is a change of a player's rating.
type PlayerChange struct {
	Player PlayerKey
	Name   string
	Change
}

// Position returns the position of the change.
func (c *PlayerChange) Position() DataPosition {
	return DataPosition{c.PlayedAt.UnixMilli(), c.Player, c.GameNo}
}

// DataPage selects a page of changes.
type DataPage struct {
	Of     *PlayerKey // a player's alone; nil for all
	After  DataPosition
	Before time.Time
	Count  int64
}

// ChangesBetween returns a page of the changes after a position and before a time, in the order of time; of one player
// in the order of the duels, of which the position's GameNo counts.
func (s *Service) ChangesBetween(ctx context.Context, tx *store.Tx, p DataPage) ([]PlayerChange, error) {
	of, after := p.Of, p.After
	var rows []q.ChangesBetweenRow
	var err error
	if of == nil {
		rows, err = q.New(tx).ChangesBetween(ctx, q.ChangesBetweenParams{
			Since: after.PlayedAt, Pool: string(after.Player.Pool), Address: after.Player.Address[:], After: after.GameNo,
			Until: p.Before.UnixMilli(), Count: p.Count})
	} else {
		var own []q.ChangesBetweenOfRow
		own, err = q.New(tx).ChangesBetweenOf(ctx, q.ChangesBetweenOfParams{
			Pool: string(of.Pool), Address: of.Address[:], After: after.GameNo, Until: p.Before.UnixMilli(), Count: p.Count})
		for _, r := range own {
			rows = append(rows, q.ChangesBetweenRow(r))
		}
	}
	if err != nil {
		return nil, wrap("changes", err)
	}
	list := make([]PlayerChange, len(rows))
	for i, r := range rows {
		list[i] = PlayerChange{Player: PlayerKey{Pool(r.Pool), chain.Address(r.Address)}, Name: r.PlayerName, Change: Change{
			GameNo: r.GameNo, Duel: r.Duel, Opponent: chain.Address(r.Opponent), Username: r.OpponentName,
			Outcome: r.Outcome, RatingBefore: r.RatingBefore, Rating: r.Rating, Deviation: r.Deviation,
			OpponentRating: r.OpponentRating, PlayedAt: column.Time(r.PlayedAt), Version: r.Version,
		}}
	}
	return list, nil
}
