package cup

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"roshambo/canon"
	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/cupq"
)

// tablePrefix separates the domain of the hash: it is hashed before the text.
const tablePrefix = "roshambo/cup/v1\n"

// HashTable returns the hash of a final table: SHA-256 of tablePrefix and its text.
func HashTable(raw string) chain.Hash { return sha256.Sum256([]byte(tablePrefix + raw)) }

// AppendTable appends the final table of a cup in canonical form (RFC 8785). docs/cups.md defines its
// members. games are in the order of rounds and boards.
func AppendTable(b []byte, c *Cup, rows []Row, games []Game) []byte {
	b = canon.AppendInt(append(b, `{"cup":`...), c.Number)
	b = canon.AppendString(append(b, `,"kind":`...), string(c.Kind))
	b = append(b, `,"players":[`...)
	for i, r := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = canon.AppendString(append(b, `{"account":`...), r.Address.String())
		b = canon.AppendInt(append(b, `,"buchholz":`...), r.Buchholz)
		b = canon.AppendInt(append(b, `,"points":`...), r.Points)
		b = canon.AppendInt(append(b, `,"rank":`...), r.Rank)
		b = append(b, '}')
	}
	b = append(b, `],"rounds":[`...)
	for i := range games {
		g := &games[i]
		switch {
		case g.Board > 1:
			b = append(b, ',')
		case i > 0:
			b = append(b, `],[`...)
		default:
			b = append(b, '[')
		}
		b = appendGame(b, g)
	}
	b = append(b, `]],"seed":`...)
	b = canon.AppendString(b, c.Seed.String())
	b = canon.AppendInt(append(b, `,"seed_height":`...), c.SeedHeight)
	return append(b, '}')
}

// appendGame appends a game of the table.
func appendGame(b []byte, g *Game) []byte {
	b = canon.AppendString(append(b, `{"a":`...), g.A.String())
	b = canon.AppendInt(append(b, `,"a_points":`...), g.APoints)
	if g.B == (chain.Address{}) {
		return append(b, `,"b":null,"b_points":0,"duel":null}`...)
	}
	b = canon.AppendString(append(b, `,"b":`...), g.B.String())
	b = canon.AppendInt(append(b, `,"b_points":`...), g.BPoints)
	return append(canon.AppendString(append(b, `,"duel":`...), g.Duel), '}')
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

// checked is the number of cups that Check loads at once.
const checked = 100

// Divergence is a stored value that differs from the one that follows from other rows.
type Divergence struct{ What, Expected, Found string }

// Check computes the pairings and the table of every finished cup again, from its players, its
// results and its seed, and reports differences from what is stored.
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
	name := fmt.Sprintf("cup %d", c.Number)
	for round := int64(1); round <= c.Round; round++ {
		var before, found []Game
		var paired []chain.Address
		for _, g := range games {
			switch {
			case g.Round < round:
				before = append(before, g)
			case g.Round == round:
				found, paired = append(found, Game{Round: g.Round, Board: g.Board, A: g.A, B: g.B}), append(paired, g.A)
				if g.B != (chain.Address{}) {
					paired = append(paired, g.B)
				}
			}
		}
		pairs := Pair(paired, addresses(players), before, c.Seed, round)
		for i := range pairs {
			pairs[i].Over, pairs[i].APoints = false, 0
		}
		if want, got := fmt.Sprint(pairs), fmt.Sprint(found); want != got {
			report(Divergence{What: fmt.Sprintf("%s: round %d", name, round), Expected: want, Found: got})
		}
	}
	table := Table(addresses(players), games, c.Seed)
	for _, r := range table {
		for _, p := range players {
			if p.Address == r.Address && p.Place != r.Rank {
				report(Divergence{
					What: name + ": rank of " + p.Username, Expected: fmt.Sprint(r.Rank), Found: fmt.Sprint(p.Place),
				})
			}
		}
	}
	raw := string(AppendTable(nil, c, table, games))
	if raw != c.Raw {
		report(Divergence{What: name + ": table", Expected: raw, Found: c.Raw})
	}
	if want := HashTable(c.Raw); c.Hash == nil || *c.Hash != want {
		report(Divergence{
			What: name + ": hash of the table", Expected: want.String(), Found: fmt.Sprintf("%x", column.Hash(c.Hash)),
		})
	}
	return nil
}
