package score

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/scoreq"
)

// SeasonMedal is a place among the first three of a closed season.
type SeasonMedal struct {
	Season, Place, Players int64
	Table                  chain.Hash // of the final table, as the chain has it
	ClosedAt               time.Time
}

// SeasonMedals returns an account's medals of seasons, the newest first. They follow from the boards of closed
// seasons, which change no more; Check compares these with the tables that the chain pins.
func (s *Service) SeasonMedals(ctx context.Context, tx *store.Tx, account chain.Address) ([]SeasonMedal, error) {
	rows, err := q.New(tx).ListSeasonPlaces(ctx, q.ListSeasonPlacesParams{
		First: int64(boardOf(kindSeason, 0)), Last: int64(boardOf(kindSeason+1, 0)) - 1, Member: account[:]})
	if err != nil {
		return nil, fmt.Errorf("score: medals of %v: %w", account, err)
	}
	var list []SeasonMedal
	for _, r := range rows {
		if r.Place <= Medals {
			list = append(list, SeasonMedal{Season: r.Season, Place: r.Place, Players: r.Players,
				Table: chain.Hash(r.Hash), ClosedAt: column.Time(r.ClosedAt)})
		}
	}
	return list, nil
}

// cupItem returns the feed item of the report of a cup, without names; nil for none.
func cupItem(r *q.ScoreInbox) (*FeedItem, error) {
	var b reportBody
	if err := json.Unmarshal([]byte(r.Body), &b); err != nil {
		return nil, fmt.Errorf("body %q: %w", r.Body, err)
	}
	if b.Unlisted {
		return nil, nil
	}
	for _, p := range b.Top {
		if len(p.Account) != len(chain.Address{}) {
			return nil, fmt.Errorf("address %x in a cup", p.Account)
		}
	}
	return &FeedItem{Kind: ItemCup, At: column.Time(b.At), TxHash: b.Tx, Cup: b.Cup, CupKind: b.CupKind, Table: b.Table,
		Parties: b.Top, network: r.Network}, nil
}

// nameCup fills in the names of a cup's item, which is about the first of its table.
func (t *reduceStep) nameCup(item *FeedItem) {
	for i := range item.Parties {
		p := &item.Parties[i]
		p.Username = t.username(chain.Address(p.Account))
	}
	if len(item.Parties) > 0 {
		item.Account, item.Username = chain.Address(item.Parties[0].Account), item.Parties[0].Username
	}
}
