package score

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"roshambo/canon"
	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/scoreq"
)

// Season is a span of SeasonDays.
type Season struct {
	Number           int64
	StartsAt, EndsAt time.Time
}

// SeasonAt returns the season of a time.
func (s *Service) SeasonAt(t time.Time) Season { return s.Season(s.calendar.season(t)) }

// Season returns a season by its number, from 1.
func (s *Service) Season(n int64) Season {
	start, end := s.calendar.span(n)
	return Season{n, start, end}
}

// SeasonStanding returns the standings of a season that is under way.
func (s *Service) SeasonStanding(ctx context.Context, tx *store.Tx, season int64, me *Who, page Page) (*Standing, error) {
	return s.standing(ctx, tx, boardOf(kindSeason, season), me, page)
}

// Closed is a season that is over, with its final table.
type Closed struct {
	Season
	Players  int64
	Raw      []byte // the final table, as it was hashed
	Hash, Tx chain.Hash
	ClosedAt time.Time
}

// FinalRows is how many places a final table has at most.
const FinalRows = 1000

// tablePrefix is hashed before the text of a final table.
const tablePrefix = "roshambo/season/v1\n"

// HashTable returns the hash of a final table's text.
func HashTable(raw []byte) chain.Hash {
	return sha256.Sum256(append([]byte(tablePrefix), raw...))
}

// appendTable appends the final table in canonical form (RFC 8785): docs/protocol.md has
// its members.
func appendTable(b []byte, season Season, players int64, rows []Row) []byte {
	b = canon.AppendInt(append(b, `{"ends_at":`...), season.EndsAt.UnixMilli())
	b = canon.AppendInt(append(b, `,"players":`...), players)
	b = append(b, `,"rows":[`...)
	for i, r := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = canon.AppendString(append(b, `{"account":`...), r.Address.String())
		b = canon.AppendInt(append(b, `,"points":`...), r.Value)
		b = canon.AppendInt(append(b, `,"rank":`...), r.Rank)
		b = append(b, '}')
	}
	b = canon.AppendInt(append(b, `],"season":`...), season.Number)
	b = canon.AppendInt(append(b, `,"starts_at":`...), season.StartsAt.UnixMilli())
	return append(b, '}')
}

// parseTable reads a final table.
func parseTable(raw []byte) ([]Row, error) {
	r := canon.NewReader(raw)
	r.Literal(`{"ends_at":`)
	r.Int()
	r.Literal(`,"players":`)
	r.Int()
	r.Literal(`,"rows":[`)
	var rows []Row
	for !r.Try(`]`) && r.Err() == nil {
		if len(rows) > 0 {
			r.Literal(`,`)
		}
		r.Literal(`{"account":`)
		address, err := chain.ParseAddress(r.String())
		if err != nil && r.Err() == nil {
			return nil, err
		}
		row := Row{Address: address}
		r.Literal(`,"points":`)
		row.Value = r.Int()
		r.Literal(`,"rank":`)
		row.Rank = r.Int()
		r.Literal(`}`)
		rows = append(rows, row)
	}
	r.Literal(`,"season":`)
	r.Int()
	r.Literal(`,"starts_at":`)
	r.Int()
	r.Literal(`}`)
	return rows, r.Err()
}

// grace is how long a season waits to be closed, for what came about in its last moment
// and is not stored yet.
const grace = 10 * time.Second

// Close closes the seasons that are over, one after the other, and returns how many. It
// may run on every node at any time: of two that close the same season one finds the
// other's row.
//
// It first reacts to what waits as it begins, and to no more: what comes meanwhile is of later
// than the grace. Should something older still wait then, the season is closed another time.
func (s *Service) Close(ctx context.Context) (closed int, err error) {
	now, err := s.agreed(ctx)
	if err != nil {
		return 0, fmt.Errorf("score: close: %w", err)
	}
	waiting := int64(0)
	err = s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, over, err := s.oldest(ctx, tx, now)
		if err == nil && over { // else what waits is the loop's to react to, in its own time
			waiting, err = q.New(tx).CountReports(ctx)
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("score: close: %w", err)
	}
	refused := s.settle(ctx, waiting) // which holds up no closing
	for {
		more, err := s.closeNext(ctx, now)
		if err != nil || !more {
			return closed, errors.Join(refused, err)
		}
		closed++
	}
}

// agreed returns the earlier of what the clocks of this node and of the database say: no
// season is closed early, with points of its last days still to come from everybody else,
// because this node's clock is ahead.
func (s *Service) agreed(ctx context.Context) (time.Time, error) {
	now := s.now()
	if s.Clock == nil {
		return now, nil
	}
	shared, err := s.Clock(ctx)
	if err == nil && shared.Before(now) {
		now = shared
	}
	return now, err
}

// closeNext closes the first season that is not closed, if it is over. All of it is one
// transaction: a crash before its commit leaves the season open for the next look, and
// after it the table, its hash on the chain and the story are all there.
func (s *Service) closeNext(ctx context.Context, now time.Time) (done bool, err error) {
	err = s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, done, err = s.due(ctx, tx, now)
		return err
	})
	if err != nil || !done {
		return false, err
	}
	var season Season
	err = s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		// A turn that is being worked out took the season for open: it is not stored any more.
		if err := ledger.OneRow(q.New(tx.Deferred()).TakeTurn(ctx)); err != nil {
			return err
		}
		if season, done, err = s.due(ctx, tx, now); err != nil || !done {
			return err
		}
		return s.closeSeason(ctx, tx, season)
	})
	if errors.Is(err, ledger.ErrConflict) {
		return false, nil // another node has closed it, and goes on
	}
	if err != nil {
		return false, fmt.Errorf("score: close season %d: %w", season.Number, err)
	}
	return done, nil
}

// due returns the first season that is not closed, and whether it is over, and nothing
// waits to be reacted to that may belong to it: what was posted before the grace ended.
// Reports that were refused do not hold it up; they count for a later one.
func (s *Service) due(ctx context.Context, tx *store.Tx, now time.Time) (Season, bool, error) {
	season, over, err := s.oldest(ctx, tx, now)
	if err != nil || !over {
		return season, false, err
	}
	report, err := q.New(tx).OldestReport(ctx)
	return season, err == nil && (report == 0 || report > season.EndsAt.Add(grace).UnixMilli()), err
}

// oldest returns the first season that is not closed, and whether it and its grace are over.
func (s *Service) oldest(ctx context.Context, tx *store.Tx, now time.Time) (season Season, over bool, err error) {
	last, err := q.New(tx).LastClosed(ctx)
	season = s.Season(last + 1)
	return season, err == nil && !now.Before(season.EndsAt.Add(grace)), err
}

func (s *Service) closeSeason(ctx context.Context, tx *store.Tx, season Season) error {
	c := Closed{Season: season, ClosedAt: s.now()}
	b, err := s.see(ctx, tx, boardOf(kindSeason, season.Number))
	if err != nil {
		return err
	}
	c.Players = b.total()
	top, err := b.queries.ListTop(ctx, q.ListTopParams{Board: int64(b.id), Count: FinalRows})
	if err != nil {
		return err
	}
	rows := make([]Row, len(top))
	for i, e := range top {
		rows[i] = b.id.row(e.Member, entry{e.Place, e.Value, e.Ref})
		rows[i].Rank = int64(i) + 1
	}
	c.Raw = appendTable(nil, season, c.Players, rows)
	c.Hash = HashTable(c.Raw)
	posted, err := s.Ledger.Post(ctx, tx, ledger.Draft{Data: &chain.SeasonClose{Season: season.Number, TableHash: c.Hash}})
	if err != nil {
		return err
	}
	err = b.queries.InsertSeason(ctx, q.InsertSeasonParams{
		Season: season.Number, Players: c.Players, Raw: string(c.Raw), Hash: c.Hash[:], Tx: posted.Hash[:], ClosedAt: c.ClosedAt.UnixMilli()})
	if err != nil {
		return conflict(err)
	}
	story := &Story{Kind: StorySeason, At: c.ClosedAt, Season: season.Number, TxHash: posted.Hash.String()}
	if len(rows) > 0 {
		story.Account = rows[0].Address
		winner, err := b.queries.GetAccount(ctx, story.Account[:])
		if err != nil {
			return err
		}
		story.Username = winner.Username
	}
	return s.tell(ctx, tx, []*Story{story})
}

// ClosedSeason returns a closed season. Errors: ErrNotFound.
func (s *Service) ClosedSeason(ctx context.Context, tx *store.Tx, number int64) (*Closed, error) {
	r, err := q.New(tx).GetSeason(ctx, number)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("score: season %d: %w", number, err)
	}
	return &Closed{s.Season(r.Season), r.Players, []byte(r.Raw), chain.Hash(r.Hash), chain.Hash(r.Tx), column.Time(r.ClosedAt)}, nil
}

// ClosedSeasons returns up to count closed seasons, the last first, without their tables.
func (s *Service) ClosedSeasons(ctx context.Context, tx *store.Tx, count int64) ([]Closed, error) {
	rows, err := q.New(tx).ListSeasons(ctx, count)
	if err != nil {
		return nil, fmt.Errorf("score: seasons: %w", err)
	}
	list := make([]Closed, len(rows))
	for i, r := range rows {
		list[i] = Closed{s.Season(r.Season), r.Players, nil, chain.Hash(r.Hash), chain.Hash(r.Tx), column.Time(r.ClosedAt)}
	}
	return list, nil
}

// SeasonTable returns a season that is closed with its final table, and nil with the
// standings of one that is not.
func (s *Service) SeasonTable(ctx context.Context, tx *store.Tx, number int64, me *Who, count int64) (*Closed, *Standing, error) {
	c, err := s.ClosedSeason(ctx, tx, number)
	if errors.Is(err, ErrNotFound) {
		b, err := s.SeasonStanding(ctx, tx, number, me, Page{Count: count})
		return nil, b, err
	}
	if err != nil {
		return nil, nil, err
	}
	b, err := s.finalTable(ctx, tx, c, me, count)
	return c, b, err
}

// finalTable returns the first rows of a closed season with the names of today, and the
// caller's own.
func (s *Service) finalTable(ctx context.Context, tx *store.Tx, c *Closed, me *Who, count int64) (*Standing, error) {
	rows, err := parseTable(c.Raw)
	if err != nil {
		return nil, fmt.Errorf("score: table of season %d: %w", c.Number, err)
	}
	out := &Standing{Total: c.Players}
	for i := range rows {
		if me != nil && rows[i].Address == me.Address {
			mine := rows[i]
			mine.Username, mine.Kind = me.Username, me.Kind
			out.Me = &mine
		}
	}
	out.Rows = rows[:min(count, int64(len(rows)))]
	return out, s.nameRows(ctx, tx, out.Rows)
}

// nameRows fills in who the rows' accounts are.
func (s *Service) nameRows(ctx context.Context, tx *store.Tx, rows []Row) error {
	queries := q.New(tx)
	for i := range rows {
		a, err := queries.GetAccount(ctx, rows[i].Address[:])
		if err != nil {
			return fmt.Errorf("score: name of %v: %w", rows[i].Address, err)
		}
		rows[i].Username, rows[i].Kind = a.Username, chain.AccountKind(a.Kind)
	}
	return nil
}
