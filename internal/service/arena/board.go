package arena

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"

	"roshambo/chain"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/service/rank"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/arenaq"
)

// Record is a player's rating and results in a pool.
type Record struct {
	Rating                     glicko.Fixed
	Games, Wins, Losses, Draws int64
	Rivals                     int64 // number of different opponents
	Standing                   int64 // order on the board
	// Highest rating while its deviation is at most Provisional, in millionths of a point
	Peak       *int64
	PeakAt     *time.Time // when the player reached Peak
	LastPlayed time.Time
}

// Provisional reports whether the rating is provisional.
func (r *Record) Provisional() bool { return r.Standing < established }

// Player is an account with its record in a pool.
type Player struct {
	Address   chain.Address
	Kind      chain.AccountKind
	Username  string
	Owner     string // a bot's owner; "" for house bots and people
	Version   string // of a bot; "" for none, and while an operator hides it
	CreatedAt time.Time
	Record    *Record // nil before the first rated duel
}

// House reports whether the player is a house bot.
func (p *Player) House() bool { return p.Kind == chain.Bot && p.Owner == "" }

// Row is a row of a rating table: established ratings first. Equal ratings share a rank.
type Row struct {
	Rank   int64 // from 1; 0 for a player without a rating
	Player Player
}

// TableCursor is a position in a table: the standing and the address of the last row before. The
// zero TableCursor is the top.
type TableCursor struct {
	Standing int64
	Address  chain.Address
}

// top is above every standing.
var top = TableCursor{Standing: math.MaxInt64}

// Table returns up to count rows of a pool after a cursor, highest standing first.
func (s *Service) Table(
	ctx context.Context, tx *store.Tx, pool Pool, after TableCursor, count int64,
) ([]Row, error) {
	if after == (TableCursor{}) {
		after = top
	}
	rows, err := q.New(tx).Top(ctx, q.TopParams{
		Pool: string(pool), Standing: after.Standing, Address: after.Address[:], Count: count})
	if err != nil {
		return nil, wrap("table", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	first, before := int64(1), int64(0)
	if after != top {
		// Players with the standing of the first row may be on the page before.
		v, err := s.ranks.Open(tx, string(pool))
		if err != nil {
			return nil, wrap("table", err)
		}
		if first, err = rankIn(v, rows[0].Standing); err != nil {
			return nil, wrap("table", err)
		}
		upTo, err := v.Before(rank.Position{Key: rows[0].Standing, Member: string(rows[0].Address)}.Next())
		if err != nil {
			return nil, wrap("table", err)
		}
		before = v.Total() - upTo + 1 - first
	}
	list := make([]Row, len(rows))
	for i, r := range rows {
		n := first + before + int64(i)
		switch {
		case i == 0:
			n = first
		case rows[i-1].Standing == r.Standing:
			n = list[i-1].Rank
		}
		list[i] = Row{Rank: n, Player: fromTop(r)}
	}
	return list, nil
}

// Rank returns the rank of a standing in a pool: one more than the number of higher ones.
func (s *Service) Rank(_ context.Context, tx *store.Tx, pool Pool, standing int64) (int64, error) {
	v, err := s.ranks.Open(tx, string(pool))
	if err != nil {
		return 0, wrap("rank", err)
	}
	n, err := rankIn(v, standing)
	return n, wrap("rank", err)
}

func rankIn(v *rank.View[string], standing int64) (int64, error) {
	upTo, err := v.Before(rank.Position{Key: standing + 1})
	return v.Total() - upTo + 1, err
}

// Standing returns a player's record and rank in a pool; the rank is 0 before the first
// rated duel. Errors: ErrNotFound.
func (s *Service) Standing(ctx context.Context, tx *store.Tx, pool Pool, address chain.Address) (Row, error) {
	r, err := q.New(tx).GetStanding(ctx, q.GetStandingParams{Pool: string(pool), Address: address[:]})
	if err != nil {
		return Row{}, store.Absent(err, ErrNotFound, "arena: standing")
	}
	row := Row{Player: fromStanding(r)}
	if row.Player.Record != nil {
		row.Rank, err = s.Rank(ctx, tx, pool, row.Player.Record.Standing)
	}
	return row, err
}

// OwnerRecords returns the records of an owner's bots that have played a rated duel.
func (s *Service) OwnerRecords(
	ctx context.Context, tx *store.Tx, owner chain.Address,
) (map[chain.Address]*Record, error) {
	rows, err := q.New(tx).OwnersBots(ctx, owner[:])
	if err != nil {
		return nil, wrap("bots of an owner", err)
	}
	records := make(map[chain.Address]*Record, len(rows))
	for _, r := range rows {
		records[chain.Address(r.Address)] = &Record{
			Rating: glicko.Fixed{Rating: r.Rating, Deviation: r.Deviation, Volatility: r.Volatility},
			Games:  r.Wins + r.Losses + r.Draws, Wins: r.Wins, Losses: r.Losses, Draws: r.Draws,
			Rivals: r.Rivals, Standing: r.Standing,
			Peak: r.Peak, PeakAt: column.OptionalTime(r.PeakAt), LastPlayed: column.Time(r.LastPlayed),
		}
	}
	return records, nil
}

// State is the state of a bot in the arena.
type State string

// The states of a bot.
const (
	Idle    State = "idle"
	InQueue State = "waiting"
	Playing State = "playing"
)

// StateOf returns a bot's state and, if it is Playing, the code of its ranked duel.
func (s *Service) StateOf(ctx context.Context, tx *store.Tx, bot chain.Address) (state State, duel string, err error) {
	row, err := q.New(tx).GetBot(ctx, bot[:])
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Idle, "", nil
	case err != nil:
		return "", "", wrap("state", err)
	case row.Duel != nil:
		return Playing, *row.Duel, nil
	case row.Since != nil && row.ExpiresAt > tx.Now().UnixMilli():
		return InQueue, "", nil
	}
	return Idle, "", nil
}

// Change is the effect of a rated duel on a player's rating. Ratings and deviations are in
// millionths of a point.
type Change struct {
	GameNo          int64 // the player's number of the duel, from 1
	Duel            string
	Opponent        chain.Address
	Username        string // the opponent's
	Outcome         string // win, loss or draw; void for the correction of a void duel
	RatingBefore    int64
	DeviationBefore int64
	Rating          int64
	Deviation       int64
	OpponentRating  int64 // before the duel
	PlayedAt        time.Time
	Version         string // of a bot, at its end; "" for none
}

// PlayerKey identifies a player in a pool.
type PlayerKey struct {
	Pool    Pool
	Address chain.Address
}

// History returns up to count of a player's rated duels with a GameNo below before, newest
// first.
func (s *Service) History(
	ctx context.Context, tx *store.Tx, of PlayerKey, before, count int64,
) ([]Change, error) {
	rows, err := q.New(tx).ListChanges(ctx, q.ListChangesParams{
		Pool: string(of.Pool), Address: of.Address[:], Before: before, Count: count})
	if err != nil {
		return nil, wrap("history", err)
	}
	list := make([]Change, len(rows))
	for i, r := range rows {
		list[i] = Change{
			GameNo: r.GameNo, Duel: r.Duel, Opponent: chain.Address(r.Opponent), Username: r.Username, Outcome: r.Outcome,
			RatingBefore: r.RatingBefore, DeviationBefore: r.DeviationBefore, Rating: r.Rating, Deviation: r.Deviation,
			OpponentRating: r.OpponentRating, PlayedAt: column.Time(r.PlayedAt), Version: r.Version,
		}
	}
	return list, nil
}

// Opponent is a player's record against one opponent.
type Opponent struct {
	Address                    chain.Address
	Username                   string
	Games, Wins, Losses, Draws int64
	LastPlayed                 time.Time
}

// OpponentCursor is a position in a list of opponents: the last opponent before, with its
// number of games. The zero OpponentCursor is the start.
type OpponentCursor struct {
	Games    int64
	Opponent chain.Address
}

// Opponents returns up to count of a player's opponents after a cursor, most games first.
func (s *Service) Opponents(
	ctx context.Context, tx *store.Tx, of PlayerKey, after OpponentCursor, count int64,
) ([]Opponent, error) {
	if after == (OpponentCursor{}) {
		after.Games = math.MaxInt64
	}
	rows, err := q.New(tx).ListOpponents(ctx, q.ListOpponentsParams{
		Pool: string(of.Pool), Address: of.Address[:], Games: after.Games, Opponent: after.Opponent[:], Count: count,
	})
	if err != nil {
		return nil, wrap("opponents", err)
	}
	list := make([]Opponent, len(rows))
	for i, r := range rows {
		list[i] = Opponent{
			Address: chain.Address(r.Opponent), Username: r.Username, Games: r.Games, Wins: r.Wins, Losses: r.Losses,
			Draws: r.Draws, LastPlayed: column.Time(r.LastPlayed),
		}
	}
	return list, nil
}

// Pair is a player's record against an opponent.
type Pair struct {
	Player, Opponent           chain.Address
	Games, Wins, Losses, Draws int64 // of Player
}

// Crosstable returns the count highest rated players of a pool and their records against one
// another, each pair from both sides.
func (s *Service) Crosstable(ctx context.Context, tx *store.Tx, pool Pool, count int64) ([]Row, []Pair, error) {
	rows, err := s.Table(ctx, tx, pool, TableCursor{}, count)
	if err != nil {
		return nil, nil, err
	}
	records, err := q.New(tx).ListPairs(ctx, q.ListPairsParams{Pool: string(pool), Count: count})
	if err != nil {
		return nil, nil, wrap("crosstable", err)
	}
	list := make([]Pair, len(records))
	for i, r := range records {
		list[i] = Pair{Player: chain.Address(r.Address), Opponent: chain.Address(r.Opponent), Games: r.Games,
			Wins: r.Wins, Losses: r.Losses, Draws: r.Draws}
	}
	return rows, list, nil
}

// Point is a point of a rating chart: the rating after a duel. Rating and Deviation are in
// millionths of a point.
type Point struct {
	GameNo            int64
	Rating, Deviation int64
	At                time.Time
	Version           string // of a bot, as in Change
}

// Ratings returns a player's ratings after at most points evenly spaced duels, ending with
// the player's last one.
func (s *Service) Ratings(ctx context.Context, tx *store.Tx, of PlayerKey, points int64) ([]Point, error) {
	last, err := q.New(tx).CountGames(ctx, q.CountGamesParams{Pool: string(of.Pool), Address: of.Address[:]})
	if err != nil {
		return nil, wrap("ratings", err)
	}
	if last == 0 {
		return nil, nil
	}
	rows, err := q.New(tx).SampleRatings(ctx, q.SampleRatingsParams{
		Pool: string(of.Pool), Address: of.Address[:], Last: last, Step: (last + points - 1) / points,
	})
	if err != nil {
		return nil, wrap("ratings", err)
	}
	list := make([]Point, len(rows))
	for i, r := range rows {
		list[i] = Point{GameNo: r.GameNo, Rating: r.Rating, Deviation: r.Deviation, At: column.Time(r.PlayedAt),
			Version: r.Version}
	}
	return list, nil
}

// wrap adds the name of an operation to an error; it returns nil for nil.
func wrap(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("arena: %s: %w", operation, err)
}
