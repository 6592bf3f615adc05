package api

import (
	"sync"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/service/score"
)

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
func wireRow(r score.Row) BoardRow {
	address := given(r.Address)
	out := BoardRow{Rank: r.Rank, Name: r.Username, Address: optional(address, chain.Address.String),
		ShortAddress: optional(address, chain.Address.Short), Kind: string(r.Kind), Value: r.Value, Slug: given(r.Slug),
		RunID: given(r.RunID)}
	if !r.Reached.IsZero() { // rows of final tables do not record it
		out.ReachedAt = &Time{r.Reached}
	}
	if r.Slug != "" {
		out.Kind = "team"
	}
	if r.RunID != "" {
		out.Throws = &r.Throws
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
		text, err := contract.Encode(wireRow(rows[i]))
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

// wireRating returns the wire form of a row of a rating table, in whole points.
func wireRating(r arena.Row) BoardRow {
	p := r.Player
	return BoardRow{
		Rank: r.Rank, Name: p.Username, Address: new(p.Address.String()), ShortAddress: new(p.Address.Short()),
		Kind: string(p.Kind), Value: whole(p.Record.Rating.Rating), Deviation: new(whole(p.Record.Rating.Deviation)),
		Provisional: new(p.Record.Provisional()),
	}
}

// whole rounds a number of the rating system, in glicko.Point units, to whole points.
func whole(fixed int64) int64 { return (fixed + glicko.Point/2) / glicko.Point }
