package cup

import (
	"context"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/chain/tables"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/cupq"
)

// table returns the final table of a cup.
func (c *Cup) table(players []chain.Address, games []tables.Game) *tables.Cup {
	return &tables.Cup{Number: c.Number, Kind: string(c.Kind), Seed: c.Seed, SeedHeight: c.SeedHeight,
		System: c.System, Rows: tables.Table(players, games, c.Seed), Games: games}
}

// plan returns what the pairings of a cup of players depend on.
func (c *Cup) plan(players []Player) *tables.Plan {
	return &tables.Plan{System: c.System, Entered: addresses(players), Seed: c.Seed}
}

// Place is a player's place in a finished cup.
type Place struct {
	Number  int64
	Kind    Kind
	EndedAt time.Time
	Rank    int64
	Players int64
}

// PlacesOf returns an account's places in finished cups, newest first.
func (s *Service) PlacesOf(ctx context.Context, tx *store.Tx, account chain.Address, count int64) ([]Place, error) {
	rows, err := q.New(tx).PlacesOf(ctx, q.PlacesOfParams{Address: account[:], Count: count})
	list := make([]Place, len(rows))
	for i, r := range rows {
		list[i] = Place{Number: r.ID, Kind: Kind(r.Kind), EndedAt: column.Time(*r.EndedAt), Rank: *r.Place,
			Players: r.Players}
	}
	return list, wrap("places", err)
}

// Medal is a place among the first three of a finished cup.
type Medal struct {
	Place

	Table chain.Hash // of the final table, as the chain has it
}

// MedalsOf returns an account's medals, newest first. Players who share a place have the same medal. A cup in which no
// two reveals decided a round gives none.
func (s *Service) MedalsOf(ctx context.Context, tx *store.Tx, account chain.Address, count int64) ([]Medal, error) {
	rows, err := q.New(tx).MedalsOf(ctx, q.MedalsOfParams{Address: account[:], Count: count})
	list := make([]Medal, len(rows))
	for i, r := range rows {
		list[i] = Medal{Table: chain.Hash(r.Hash), Place: Place{Number: r.ID, Kind: Kind(r.Kind),
			EndedAt: column.Time(*r.EndedAt), Rank: *r.Place, Players: r.Players}}
	}
	return list, wrap("medals", err)
}

// checked is the number of cups that Check loads at once.
const checked = 100

// Divergence is a stored value that differs from the one that follows from other rows.
type Divergence struct{ What, Expected, Found string }

// Check computes the pairings and the table of every finished cup again, from its players, its
// results and its seed, and reports differences from the stored ones.
func (s *Service) Check(ctx context.Context, tx *store.Tx, report func(Divergence)) error {
	for after := int64(0); ; {
		rows, err := q.New(tx).Finished(ctx, q.FinishedParams{After: after, Count: checked})
		if err != nil {
			return wrap("check", err)
		}
		for i := range rows {
			if err := s.check(ctx, tx, fromRow(&rows[i]), report); err != nil {
				return err
			}
			after = rows[i].ID
		}
		if len(rows) < checked {
			return nil
		}
	}
}

// check is Check for one cup.
func (s *Service) check(ctx context.Context, tx *store.Tx, c *Cup, report func(Divergence)) error {
	games, _, err := s.Games(ctx, tx, c.Number)
	if err != nil {
		return err
	}
	players, err := s.Players(ctx, tx, c.Number)
	if err != nil {
		return err
	}
	name, table := fmt.Sprintf("cup %d", c.Number), c.table(addresses(players), games)
	if err := table.Check(func(*tables.Game) (absent [2]bool, err error) { return absent, nil }); err != nil {
		report(Divergence{What: name + ": pairing", Expected: "pairings that follow from its seed", Found: err.Error()})
	}
	for _, r := range table.Rows {
		for _, p := range players {
			if p.Address == r.Address && p.Place != r.Rank {
				report(Divergence{
					What: name + ": rank of " + p.Username, Expected: fmt.Sprint(r.Rank), Found: fmt.Sprint(p.Place),
				})
			}
		}
	}
	if raw := string(table.Raw()); raw != c.Raw {
		report(Divergence{What: name + ": table", Expected: raw, Found: c.Raw})
	}
	if want := chain.HashPinned([]byte(c.Raw)); c.Hash == nil || *c.Hash != want {
		report(Divergence{
			What: name + ": hash of the table", Expected: want.String(), Found: fmt.Sprintf("%x", column.Hash(c.Hash)),
		})
	}
	return nil
}
