package score

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/chain/tables"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/scoreq"
)

// Season is a span of SeasonDays in which points are ranked.
type Season struct {
	Number           int64
	StartsAt, EndsAt time.Time
}

// SeasonAt returns the season of a time.
func (s *Service) SeasonAt(t time.Time) Season { return s.Season(s.calendar.season(t)) }

// Season returns a season by its number, from 1.
func (s *Service) Season(n int64) Season {
	start, end := s.calendar.span(n)
	return Season{Number: n, StartsAt: start, EndsAt: end}
}

// SeasonBoard returns a page of the board of an open season. Errors: ErrCursor.
func (s *Service) SeasonBoard(
	ctx context.Context, tx *store.Tx, season int64, me *chain.Address, page PageRequest,
) (*BoardPage, error) {
	return s.boardPage(ctx, tx, boardOf(kindSeason, season), me, page)
}

// Closed is a closed season.
type Closed struct {
	Season
	Players  int64      // with points
	Raw      []byte     // the text of the final table; nil in lists
	Hash     chain.Hash // chain.HashPinned(Raw)
	Tx       chain.Hash // of the season.close transaction
	ClosedAt time.Time
}

// parseTable returns the rows of a final table: address, value and rank.
func parseTable(raw []byte) ([]Row, error) {
	table, err := tables.ParseSeason(raw)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(table.Rows))
	for i, r := range table.Rows {
		rows[i] = Row{Address: r.Account, Value: r.Points, Rank: r.Rank}
	}
	return rows, nil
}

// closeGrace is the time between the end of a season and its closing, for transactions of
// the last moment that are still to be committed.
const closeGrace = 10 * time.Second

// CloseSeasons closes the seasons that are over, one after the other, and returns how many.
// It may run on every node at any time: when two nodes close the same season, one conflicts
// with the row of the other.
//
// It first reduces the reports that are pending at its start, and no more: later reports are
// younger than closeGrace. If an older one is still pending then, a later call closes the
// season. The error of a refused report is returned but does not stop the closing.
func (s *Service) CloseSeasons(ctx context.Context) (closed int, err error) {
	pending := int64(0)
	err = s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, over, err := s.oldestOpen(ctx, tx)
		if err != nil || !over { // without a season to close, pending reports are left to the reducer
			return err
		}
		pending, err = q.New(tx).CountReports(ctx)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("score: close: %w", err)
	}
	refused := s.drain(ctx, pending)
	for {
		more, err := s.closeNext(ctx)
		if err != nil || !more {
			return closed, errors.Join(refused, err)
		}
		closed++
	}
}

// closeNext closes the first open season, if it is due, and reports whether it did. It is one
// transaction: a crash before its commit leaves the season open for the next call; after it
// the table, its hash on the chain and the feed item are all stored.
func (s *Service) closeNext(ctx context.Context) (done bool, err error) {
	err = s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, done, err = s.dueSeason(ctx, tx)
		return err
	})
	if err != nil || !done {
		return false, err
	}
	var season Season
	err = s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		// A step being reduced now assumes that the season is open: make it stale.
		if err := ledger.OneRow(writes(tx).AdvanceStep(ctx)); err != nil {
			return err
		}
		if season, done, err = s.dueSeason(ctx, tx); err != nil || !done {
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

// dueSeason returns the first open season, and whether it can be closed: it is over, and no
// pending report may belong to it, that is, none was posted up to the end of closeGrace. Refused
// reports do not delay the closing; their points count for no season.
func (s *Service) dueSeason(ctx context.Context, tx *store.Tx) (Season, bool, error) {
	season, over, err := s.oldestOpen(ctx, tx)
	if err != nil || !over {
		return season, false, err
	}
	oldest, err := q.New(tx).OldestReport(ctx)
	if err != nil {
		return season, false, err
	}
	return season, oldest == 0 || oldest > season.EndsAt.Add(closeGrace).UnixMilli(), nil
}

// openSeason returns the season of a time or, once that is closed, the first open one: its board is the current one.
// The stored closings decide which seasons are open, not a clock.
func (s *Service) openSeason(ctx context.Context, tx *store.Tx, at time.Time) (int64, error) {
	last, err := q.New(tx).LastClosed(ctx)
	return max(s.calendar.season(at), last+1), err
}

// oldestOpen returns the first open season, and whether it and closeGrace are over.
func (s *Service) oldestOpen(ctx context.Context, tx *store.Tx) (season Season, over bool, err error) {
	last, err := q.New(tx).LastClosed(ctx)
	if err != nil {
		return season, false, err
	}
	season = s.Season(last + 1)
	return season, !tx.Now().Before(season.EndsAt.Add(closeGrace)), nil
}

// closeSeason stores the final table of a season, posts its hash on the chain and publishes
// a feed item. Errors: ledger.ErrConflict when another node closed the season.
func (s *Service) closeSeason(ctx context.Context, tx *store.Tx, season Season) error {
	c := Closed{Season: season, ClosedAt: tx.Now()}
	v, err := s.openBoard(tx, boardOf(kindSeason, season.Number))
	if err != nil {
		return err
	}
	c.Players = v.Total()
	top, err := v.queries.ListTop(ctx, q.ListTopParams{Board: int64(v.id), Count: tables.SeasonRows})
	if err != nil {
		return err
	}
	table := tables.Season{Number: season.Number, StartsAt: season.StartsAt.UnixMilli(),
		EndsAt: season.EndsAt.UnixMilli(), Players: c.Players, Rows: make([]tables.Standing, len(top))}
	for i, e := range top {
		r := v.id.row(e.Member, entry{sortKey: e.Place, value: e.Value, ref: e.Ref})
		table.Rows[i] = tables.Standing{Account: r.Address, Points: r.Value, Rank: int64(i) + 1}
	}
	c.Raw = table.Raw()
	c.Hash = chain.HashPinned(c.Raw)
	posted, err := s.Ledger.Post(ctx, tx, ledger.Draft{
		Data: &chain.SeasonClose{Season: season.Number, TableHash: c.Hash}, Transcript: c.Raw,
	})
	if err != nil {
		return err
	}
	err = v.queries.InsertSeason(ctx, q.InsertSeasonParams{
		Season: season.Number, Players: c.Players, Raw: string(c.Raw), Hash: c.Hash[:],
		Tx: posted.Hash[:], ClosedAt: c.ClosedAt.UnixMilli()})
	if store.IsUnique(err) {
		return ledger.ErrConflict
	}
	if err != nil {
		return err
	}
	item := &FeedItem{Kind: ItemSeason, At: c.ClosedAt, Season: season.Number, Table: c.Hash.String(),
		TxHash: posted.Hash.String()}
	for _, r := range table.Rows[:min(len(table.Rows), Medals)] {
		item.Parties = append(item.Parties, Party{Account: r.Account[:], Place: r.Rank})
	}
	if err := nameParties(tx, []*FeedItem{item}); err != nil {
		return err
	}
	if len(table.Rows) > 0 {
		item.Account, item.Username = table.Rows[0].Account, item.Parties[0].Username
	}
	return s.publish(ctx, tx, []*FeedItem{item})
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
	return &Closed{
		Season: s.Season(r.Season), Players: r.Players, Raw: []byte(r.Raw),
		Hash: chain.Hash(r.Hash), Tx: chain.Hash(r.Tx), ClosedAt: column.Time(r.ClosedAt),
	}, nil
}

// ClosedSeasons returns up to count closed seasons, the latest first, without their tables.
func (s *Service) ClosedSeasons(ctx context.Context, tx *store.Tx, count int64) ([]Closed, error) {
	rows, err := q.New(tx).ListSeasons(ctx, count)
	if err != nil {
		return nil, fmt.Errorf("score: seasons: %w", err)
	}
	list := make([]Closed, len(rows))
	for i, r := range rows {
		list[i] = Closed{
			Season: s.Season(r.Season), Players: r.Players,
			Hash: chain.Hash(r.Hash), Tx: chain.Hash(r.Tx), ClosedAt: column.Time(r.ClosedAt),
		}
	}
	return list, nil
}

// SeasonTable returns a closed season with the first rows of its final table or, for an open
// one, nil with the first page of its board.
func (s *Service) SeasonTable(
	ctx context.Context, tx *store.Tx, number int64, me *chain.Address, count int64,
) (*Closed, *BoardPage, error) {
	c, err := s.ClosedSeason(ctx, tx, number)
	if errors.Is(err, ErrNotFound) {
		page, err := s.SeasonBoard(ctx, tx, number, me, PageRequest{Count: count})
		return nil, page, err
	}
	if err != nil {
		return nil, nil, err
	}
	page, err := s.finalTable(ctx, tx, c, me, count)
	return c, page, err
}

// finalTable returns the first rows of a final table with the current names of the accounts,
// and the viewer's row if the table has one.
func (s *Service) finalTable(
	ctx context.Context, tx *store.Tx, c *Closed, me *chain.Address, count int64,
) (*BoardPage, error) {
	rows, err := parseTable(c.Raw)
	if err != nil {
		return nil, fmt.Errorf("score: table of season %d: %w", c.Number, err)
	}
	out := &BoardPage{Total: c.Players}
	for i := range rows {
		if me != nil && rows[i].Address == *me {
			out.Me = new(rows[i])
		}
	}
	out.Rows = rows[:min(count, int64(len(rows)))]
	return out, s.nameRows(ctx, tx, out.Rows)
}

// nameRows fills in name and kind of the rows' accounts.
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
