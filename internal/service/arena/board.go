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

// Record is how a player did in a pool.
type Record struct {
	Rating                     glicko.Fixed
	Games, Wins, Losses, Draws int64
	Peak                       *int64     // the highest rating that was not provisional, in millionths
	PeakAt                     *time.Time // when
	LastPlayed                 time.Time
}

// Provisional says whether the rating says little yet.
func (r *Record) Provisional() bool { return r.Rating.Deviation > Provisional }

// Player is who somebody is, with the record in a pool.
type Player struct {
	Address   chain.Address
	Kind      chain.AccountKind
	Username  string
	Owner     string // of a bot, "" for one of the house and for people
	CreatedAt time.Time
	Record    *Record // nil before the first rated duel
}

// House says whether the player is a bot of the house.
func (p *Player) House() bool { return p.Kind == chain.Bot && p.Owner == "" }

// Row is a line of a table: a player and the place. Players with the same rating share it.
type Row struct {
	Rank   int64
	Player Player
}

// After is where a page of a table begins: behind a rating and an address. The zero After
// is the top.
type After struct {
	Rating  int64
	Address chain.Address
}

// top is above every rating.
var top = After{Rating: math.MaxInt64}

// Table returns up to count rows of a pool, the best first, from a place on.
func (s *Service) Table(ctx context.Context, tx *store.Tx, pool Pool, after After, count int64) ([]Row, error) {
	if after == (After{}) {
		after = top
	}
	rows, err := q.New(tx).Top(ctx, q.TopParams{Pool: string(pool), Rating: after.Rating, Address: after.Address[:], Count: count})
	if err != nil || len(rows) == 0 {
		return nil, wrap("table", err)
	}
	first, before := int64(1), int64(0)
	if after != top {
		// Players with the rating of the first row may be on the page before.
		v, err := s.ranks.Open(tx, string(pool))
		if err != nil {
			return nil, wrap("table", err)
		}
		if first, err = rankIn(v, rows[0].Rating); err != nil {
			return nil, wrap("table", err)
		}
		upTo, err := v.Before(rank.Position{Key: rows[0].Rating, Member: string(rows[0].Address)}.Next())
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
		case rows[i-1].Rating == r.Rating:
			n = list[i-1].Rank
		}
		list[i] = Row{n, fromTop(r)}
	}
	return list, nil
}

// Rank returns the rank of a rating in a pool: one more than the number of higher ratings.
func (s *Service) Rank(_ context.Context, tx *store.Tx, pool Pool, rating int64) (int64, error) {
	v, err := s.ranks.Open(tx, string(pool))
	if err != nil {
		return 0, wrap("rank", err)
	}
	n, err := rankIn(v, rating)
	return n, wrap("rank", err)
}

func rankIn(v *rank.View[string], rating int64) (int64, error) {
	upTo, err := v.Before(rank.Position{Key: rating + 1})
	return v.Total() - upTo + 1, err
}

// Standing returns a player with the record in a pool, and the rank, 0 before the first
// rated duel. Errors: ErrNotFound.
func (s *Service) Standing(ctx context.Context, tx *store.Tx, pool Pool, address chain.Address) (Row, error) {
	r, err := q.New(tx).GetStanding(ctx, q.GetStandingParams{Pool: string(pool), Address: address[:]})
	if errors.Is(err, sql.ErrNoRows) {
		return Row{}, ErrNotFound
	}
	if err != nil {
		return Row{}, wrap("standing", err)
	}
	row := Row{Player: fromStanding(r)}
	if row.Player.Record != nil {
		row.Rank, err = s.Rank(ctx, tx, pool, row.Player.Record.Rating.Rating)
	}
	return row, err
}

// OfOwner returns the records of an owner's bots that have played.
func (s *Service) OfOwner(ctx context.Context, tx *store.Tx, owner chain.Address) (map[chain.Address]*Record, error) {
	rows, err := q.New(tx).OwnersBots(ctx, owner[:])
	if err != nil {
		return nil, wrap("bots of an owner", err)
	}
	records := make(map[chain.Address]*Record, len(rows))
	for _, r := range rows {
		records[chain.Address(r.Address)] = &Record{
			Rating: glicko.Fixed{Rating: r.Rating, Deviation: r.Deviation, Volatility: r.Volatility},
			Games:  r.Games, Wins: r.Wins, Losses: r.Losses, Draws: r.Draws,
			Peak: r.Peak, PeakAt: column.OptionalTime(r.PeakAt), LastPlayed: column.Time(r.LastPlayed),
		}
	}
	return records, nil
}

// State is what a bot does in the arena.
type State string

// What a bot may do.
const (
	Idle    State = "idle"
	InQueue State = "waiting"
	Playing State = "playing"
)

// StateOf returns what a bot does, and in which ranked duel.
func (s *Service) StateOf(ctx context.Context, tx *store.Tx, bot chain.Address) (state State, duel string, err error) {
	row, err := q.New(tx).GetBot(ctx, bot[:])
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Idle, "", nil
	case err != nil:
		return "", "", wrap("state", err)
	case row.Duel != nil:
		return Playing, *row.Duel, nil
	case row.Since != nil && row.ExpiresAt > s.now().UnixMilli():
		return InQueue, "", nil
	}
	return Idle, "", nil
}

// Change is what a rated duel did to a player's rating. Ratings and deviations are in
// millionths of a point.
type Change struct {
	GameNo          int64 // 1, 2, … of the player
	Duel            string
	Opponent        chain.Address
	Username        string // the opponent's
	Outcome         string // win, loss or draw
	RatingBefore    int64
	DeviationBefore int64
	Rating          int64
	Deviation       int64
	OpponentRating  int64 // before the duel
	PlayedAt        time.Time
}

// Rated is a player in a pool.
type Rated struct {
	Pool    Pool
	Address chain.Address
}

// History returns up to count of a player's rated duels before a number, the newest first.
func (s *Service) History(ctx context.Context, tx *store.Tx, of Rated, before, count int64) ([]Change, error) {
	rows, err := q.New(tx).ListChanges(ctx, q.ListChangesParams{Pool: string(of.Pool), Address: of.Address[:], Before: before, Count: count})
	if err != nil {
		return nil, wrap("history", err)
	}
	list := make([]Change, len(rows))
	for i, r := range rows {
		list[i] = Change{
			GameNo: r.GameNo, Duel: r.Duel, Opponent: chain.Address(r.Opponent), Username: r.Username, Outcome: r.Outcome,
			RatingBefore: r.RatingBefore, DeviationBefore: r.DeviationBefore, Rating: r.Rating, Deviation: r.Deviation,
			OpponentRating: r.OpponentRating, PlayedAt: column.Time(r.PlayedAt),
		}
	}
	return list, nil
}

// Opponent is a player's record against another one.
type Opponent struct {
	Address                    chain.Address
	Username                   string
	Games, Wins, Losses, Draws int64
	LastPlayed                 time.Time
}

// Behind is where a page of opponents begins: behind one with so many games. The zero
// Behind is the start.
type Behind struct {
	Games    int64
	Opponent chain.Address
}

// Opponents returns up to count of a player's opponents, the most frequent first, from a
// place on.
func (s *Service) Opponents(ctx context.Context, tx *store.Tx, of Rated, behind Behind, count int64) ([]Opponent, error) {
	if behind == (Behind{}) {
		behind.Games = math.MaxInt64
	}
	rows, err := q.New(tx).ListOpponents(ctx, q.ListOpponentsParams{
		Pool: string(of.Pool), Address: of.Address[:], Games: behind.Games, Opponent: behind.Opponent[:], Count: count,
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

// Point is a rating after a duel, for a chart. Rating and deviation are in millionths.
type Point struct {
	GameNo            int64
	Rating, Deviation int64
	At                time.Time
}

// Ratings returns how a player's rating went, in at most points evenly spaced duels, of
// which the last one is the player's last.
func (s *Service) Ratings(ctx context.Context, tx *store.Tx, of Rated, points int64) ([]Point, error) {
	last, err := q.New(tx).CountGames(ctx, q.CountGamesParams{Pool: string(of.Pool), Address: of.Address[:]})
	if err != nil || last == 0 {
		return nil, wrap("ratings", err)
	}
	rows, err := q.New(tx).SampleRatings(ctx, q.SampleRatingsParams{
		Pool: string(of.Pool), Address: of.Address[:], Last: last, Step: (last + points - 1) / points,
	})
	if err != nil {
		return nil, wrap("ratings", err)
	}
	list := make([]Point, len(rows))
	for i, r := range rows {
		list[i] = Point{r.GameNo, r.Rating, r.Deviation, column.Time(r.PlayedAt)}
	}
	return list, nil
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("arena: %s: %w", what, err)
}
