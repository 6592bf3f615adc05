package api

import (
	"context"
	"math"

	"roshambo/chain"
	"roshambo/internal/service/account"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/store"
)

// StandingRecord is a record with rank, volatility and peak.
type StandingRecord struct {
	RatingRecord
	Volatility float64  `json:"volatility"`
	Rank       *int64   `json:"rank" doc:"Null before the first rated duel."`
	Peak       *float64 `json:"peak" doc:"The highest rating that was not provisional."`
	PeakAt     *Time    `json:"peak_at"`
	LastPlayed *Time    `json:"last_played"`
}

// wireStanding returns the wire form of a player's standing.
func wireStanding(r arena.Row) StandingRecord {
	record := r.Player.Record
	out := StandingRecord{RatingRecord: wireRecord(record), Volatility: glicko.StartVolatility}
	if record == nil {
		return out
	}
	out.Volatility = record.Rating.Float().Volatility
	out.Rank, out.PeakAt, out.LastPlayed = &r.Rank, optionalTime(record.PeakAt), &Time{record.LastPlayed}
	out.Peak = optional(record.Peak, points)
	return out
}

// botIn names a player or a bot.
type botIn struct {
	Name string `path:"name" doc:"Username or address."`
}

// ArenaBotOut is the answer to GET /api/arena/bots/{name}.
type ArenaBotOut struct {
	Bot ArenaBot `json:"bot"`
}

// ArenaBot is the public view of a bot.
type ArenaBot struct {
	PlayerName
	Owner      *string `json:"owner" doc:"Username of its owner; null for the house."`
	House      bool    `json:"house" doc:"One of the service's own bots."`
	CreatedAt  Time    `json:"created_at"`
	LastSeenAt *Time   `json:"last_seen_at" doc:"When its key was last used, to the minute."`
	State      string  `json:"state" enum:"idle,waiting,playing" doc:"In the queue, in a ranked duel, or neither."`
	Duel       *string `json:"duel" doc:"The code of its current ranked duel."`
	BotWords
	Challenges TakesChallenges `json:"challenges" doc:"Whose challenges it takes: POST /api/duels with opponent."`
	StandingRecord
	Medals []Medal `json:"medals" doc:"The newest 100, the newest first."`
}

// playerRead runs fn on a snapshot for the player that a path names, with the player's pool of
// ratings: people and bots are rated apart. With bots, people are account.ErrNotFound.
func playerRead[Out any](ctx context.Context, a *call, name string, bots bool, fn func(context.Context, *store.Tx,
	account.Account, arena.PlayerKey) (*Out, error)) (*Out, error) {
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*Out, error) {
		found, err := a.find(ctx, tx, name)
		if err != nil {
			return nil, err
		}
		key := arena.PlayerKey{Pool: arena.Human, Address: found.Address}
		if found.Kind == chain.Bot {
			key.Pool = arena.Bots
		} else if bots {
			return nil, account.ErrNotFound
		}
		return fn(ctx, tx, found, key)
	})
}

// getArenaBot reads a bot's standing, state, medals and last use in one snapshot.
func (a *call) getArenaBot(ctx context.Context, in *botIn) (*ArenaBotOut, error) {
	return playerRead(ctx, a, in.Name, true, func(ctx context.Context, tx *store.Tx, found account.Account,
		bot arena.PlayerKey) (*ArenaBotOut, error) {
		row, err := a.Arena.Standing(ctx, tx, bot.Pool, bot.Address)
		if err != nil {
			return nil, err
		}
		state, code, err := a.Arena.StateOf(ctx, tx, bot.Address)
		if err != nil {
			return nil, err
		}
		medals, err := a.medals(ctx, tx, bot.Address)
		if err != nil {
			return nil, err
		}
		words, err := a.Accounts.BotWords(ctx, tx, bot.Address)
		if err != nil {
			return nil, err
		}
		takes, err := a.takesChallenges(ctx, tx, found)
		if err != nil {
			return nil, err
		}
		seen, err := a.Accounts.LastSeen(ctx, tx, bot.Address)
		return &ArenaBotOut{ArenaBot{
			PlayerName: wireName(bot.Address, row.Player.Username), Owner: given(row.Player.Owner), House: row.Player.House(),
			CreatedAt: Time{row.Player.CreatedAt}, LastSeenAt: optionalTime(seen), State: string(state),
			Duel: given(code), BotWords: wireWords(words.Shown()), Challenges: takes, StandingRecord: wireStanding(row),
			Medals: medals,
		}}, err
	})
}

// listBotDuelsIn selects a page of a bot's duels or opponents.
type listBotDuelsIn struct {
	Name   string  `path:"name" doc:"Username or address."`
	Limit  int64   `query:"limit" default:"20" min:"1" max:"100"`
	Cursor *string `query:"cursor" doc:"The next of the page before."`
}

// BotDuelsOut is a page of a bot's rated duels.
type BotDuelsOut struct {
	Duels []BotDuel `json:"duels"`
	Next  *string   `json:"next" doc:"Pass it as cursor; null on the last page."`
}

// BotDuel is a rated duel with the ratings before and after.
type BotDuel struct {
	Game           int64      `json:"game" doc:"The bot's first rated duel is 1."`
	ID             string     `json:"id" doc:"The duel's code."`
	Replay         string     `json:"replay" doc:"Path of the whole duel as JSON; with /proof appended, the path of its proof."`
	Opponent       PlayerName `json:"opponent"`
	Outcome        string     `json:"outcome" enum:"win,loss,draw,void,restored" doc:"void: takes back what the duel changed before, as an operator declared its result void; restored: takes that back."`
	RatingBefore   float64    `json:"rating_before"`
	Rating         float64    `json:"rating" doc:"After it."`
	Deviation      float64    `json:"deviation" doc:"After it."`
	OpponentRating float64    `json:"opponent_rating" doc:"Before it."`
	PlayedAt       Time       `json:"played_at"`
	Version        *string    `json:"version" doc:"The bot's at the end of the duel; null for none, and for people."`
	Voided         *Voided    `json:"voided,omitempty" doc:"With the outcome void: why the duel counts no longer."`
}

// listBotDuels reads a page of a bot's rated duels, the newest first.
func (a *call) listBotDuels(ctx context.Context, in *listBotDuelsIn) (*BotDuelsOut, error) {
	return a.ratedDuels(ctx, in, true)
}

// ratedDuels reads a page of a player's rated duels, the newest first; with bots, of a bot's alone.
func (a *call) ratedDuels(ctx context.Context, in *listBotDuelsIn, bots bool) (*BotDuelsOut, error) {
	return playerRead(ctx, a, in.Name, bots, func(ctx context.Context, tx *store.Tx, _ account.Account,
		of arena.PlayerKey) (*BotDuelsOut, error) {
		name := listOf(cursorBotDuels, of.Address)
		before, err := parseCursor(in.Cursor, name)
		if err != nil {
			return nil, err
		}
		list, err := a.Arena.History(ctx, tx, of, before, in.Limit+1)
		if err != nil {
			return nil, err
		}
		out := &BotDuelsOut{}
		out.Duels, out.Next = paged(list, in.Limit, func(c arena.Change) BotDuel {
			return BotDuel{
				Game: c.GameNo, ID: c.Duel, Replay: "/api/duels/" + c.Duel, Opponent: wireName(c.Opponent, c.Username),
				Outcome: c.Outcome, RatingBefore: points(c.RatingBefore), Rating: points(c.Rating),
				Deviation: points(c.Deviation), OpponentRating: points(c.OpponentRating), PlayedAt: Time{c.PlayedAt},
				Version: given(c.Version),
			}
		}, func(c arena.Change) *string { return cursor(name, c.GameNo) })
		for i := range out.Duels {
			d := &out.Duels[i]
			if d.Outcome != arena.VoidOutcome {
				continue
			}
			if d.Voided, err = voidOf(ctx, tx, chain.DuelGameID(d.ID)); err != nil {
				return nil, err
			}
		}
		return out, nil
	})
}

// BotOpponentsOut is a page of a bot's opponents.
type BotOpponentsOut struct {
	Opponents []BotOpponent `json:"opponents"`
	Next      *string       `json:"next" doc:"Pass it as cursor; null on the last page."`
}

// BotOpponent is a bot's record against one opponent.
type BotOpponent struct {
	PlayerName
	Games      int64 `json:"games"`
	Wins       int64 `json:"wins" doc:"Of the bot in the path."`
	Losses     int64 `json:"losses"`
	Draws      int64 `json:"draws"`
	LastPlayed Time  `json:"last_played"`
}

// listBotOpponents reads a page of a bot's opponents, the most frequent first.
func (a *call) listBotOpponents(ctx context.Context, in *listBotDuelsIn) (*BotOpponentsOut, error) {
	return playerRead(ctx, a, in.Name, true, func(ctx context.Context, tx *store.Tx, _ account.Account,
		bot arena.PlayerKey) (*BotOpponentsOut, error) {
		name := listOf(cursorOpponents, bot.Address)
		behind, err := parseOpponentCursor(in.Cursor, name)
		if err != nil {
			return nil, err
		}
		list, err := a.Arena.Opponents(ctx, tx, bot, behind, in.Limit+1)
		if err != nil {
			return nil, err
		}
		out := &BotOpponentsOut{}
		out.Opponents, out.Next = paged(list, in.Limit, func(o arena.Opponent) BotOpponent {
			return BotOpponent{PlayerName: wireName(o.Address, o.Username), Games: o.Games, Wins: o.Wins,
				Losses: o.Losses, Draws: o.Draws, LastPlayed: Time{o.LastPlayed}}
		}, func(o arena.Opponent) *string { return opponentCursor(name, o) })
		return out, nil
	})
}

// listBotRatingsIn names a bot and the number of points of its chart.
type listBotRatingsIn struct {
	Name   string `path:"name" doc:"Username or address."`
	Points int64  `query:"points" default:"200" min:"2" max:"500" doc:"Largest number of points, evenly spaced, up to the last duel."`
}

// BotRatingsOut is the course of a rating.
type BotRatingsOut struct {
	Ratings []RatingPoint `json:"ratings" doc:"The oldest first."`
}

// RatingPoint is a rating after a duel.
type RatingPoint struct {
	Game      int64   `json:"game" doc:"The bot's first rated duel is 1."`
	Rating    float64 `json:"rating"`
	Deviation float64 `json:"deviation"`
	PlayedAt  Time    `json:"played_at"`
	Version   *string `json:"version" doc:"The bot's at the end of the duel; null for none, and for people."`
}

// listBotRatings reads at most in.Points ratings, evenly spaced over the bot's duels.
func (a *call) listBotRatings(ctx context.Context, in *listBotRatingsIn) (*BotRatingsOut, error) {
	return a.ratings(ctx, in, true)
}

// ratings reads at most in.Points of a player's ratings; with bots, of a bot's alone.
func (a *call) ratings(ctx context.Context, in *listBotRatingsIn, bots bool) (*BotRatingsOut, error) {
	return playerRead(ctx, a, in.Name, bots, func(ctx context.Context, tx *store.Tx, _ account.Account,
		of arena.PlayerKey) (*BotRatingsOut, error) {
		list, err := a.Arena.Ratings(ctx, tx, of, in.Points)
		return &BotRatingsOut{mapped(list, func(p arena.Point) RatingPoint {
			return RatingPoint{Game: p.GameNo, Rating: points(p.Rating), Deviation: points(p.Deviation), PlayedAt: Time{p.At},
				Version: given(p.Version)}
		})}, err
	})
}

// BotVersionsOut is the answer to GET /api/arena/bots/{name}/versions.
type BotVersionsOut struct {
	Versions []BotVersion `json:"versions" doc:"The newest first, 100 at most."`
}

// BotVersion is a version of a bot's program with its part of the rating's history.
type BotVersion struct {
	Version   *string  `json:"version" doc:"Null while the owner named none."`
	Since     Time     `json:"since"`
	Games     int64    `json:"games" doc:"Rated duels that ended in its time, and corrections of void ones."`
	Rating    *float64 `json:"rating" doc:"After the last of them; null without one."`
	Deviation *float64 `json:"deviation"`
}

// listBotVersions reads the kept versions of a bot.
func (a *call) listBotVersions(ctx context.Context, in *botIn) (*BotVersionsOut, error) {
	return playerRead(ctx, a, in.Name, true, func(ctx context.Context, tx *store.Tx, _ account.Account,
		bot arena.PlayerKey) (*BotVersionsOut, error) {
		list, err := a.Arena.Versions(ctx, tx, bot.Address)
		return &BotVersionsOut{mapped(list, func(v arena.Version) BotVersion {
			out := BotVersion{Version: given(v.Name), Since: Time{v.Since}, Games: v.Games}
			if v.Games > 0 {
				out.Rating, out.Deviation = new(points(v.Rating)), new(points(v.Deviation))
			}
			return out
		})}, err
	})
}

// CrosstableOut is the answer to GET /api/arena/crosstable.
type CrosstableOut struct {
	Bots  []ArenaRow       `json:"bots" doc:"The best first."`
	Pairs []CrosstablePair `json:"pairs" doc:"Of bots that have met; each pair from both sides."`
}

// CrosstablePair is a bot's record against another one.
type CrosstablePair struct {
	Bot      string `json:"bot" doc:"Its address."`
	Opponent string `json:"opponent" doc:"Its address."`
	Games    int64  `json:"games"`
	Wins     int64  `json:"wins" doc:"Of bot."`
	Losses   int64  `json:"losses"`
	Draws    int64  `json:"draws"`
}

// crosstableIn bounds the crosstable.
type crosstableIn struct {
	Limit int64 `query:"limit" default:"12" min:"2" max:"24" doc:"Largest number of bots."`
}

// getCrosstable reads the best bots and their records against one another in one snapshot.
func (a *call) getCrosstable(ctx context.Context, in *crosstableIn) (*CrosstableOut, error) {
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*CrosstableOut, error) {
		rows, pairs, err := a.Arena.Crosstable(ctx, tx, arena.Bots, in.Limit)
		return &CrosstableOut{Bots: mapped(rows, wireArenaRow), Pairs: mapped(pairs, func(p arena.Pair) CrosstablePair {
			return CrosstablePair{Bot: p.Player.String(), Opponent: p.Opponent.String(), Games: p.Games, Wins: p.Wins,
				Losses: p.Losses, Draws: p.Draws}
		})}, err
	})
}

// RatingRecord is a player's rating and results in rated duels.
type RatingRecord struct {
	Rating      float64 `json:"rating" doc:"Glicko-2, in points; 1500 before the first rated duel."`
	Deviation   float64 `json:"deviation" doc:"The true strength lies within two of it, in 19 of 20 cases."`
	Provisional bool    `json:"provisional" doc:"While the deviation is above 110, or before duels with 5 different opponents."`
	Games       int64   `json:"games"`
	Wins        int64   `json:"wins"`
	Losses      int64   `json:"losses"`
	Draws       int64   `json:"draws"`
}

// points returns millionths of a point as points, to two places.
func points(millionths int64) float64 { return math.Round(float64(millionths)/glicko.Point*100) / 100 }

// wireRecord returns the wire form of a record; nil is the record of a new player.
func wireRecord(r *arena.Record) RatingRecord {
	if r == nil {
		r = &arena.Record{Rating: glicko.Newcomer}
	}
	return RatingRecord{
		Rating: points(r.Rating.Rating), Deviation: points(r.Rating.Deviation), Provisional: r.Provisional(),
		Games: r.Games, Wins: r.Wins, Losses: r.Losses, Draws: r.Draws,
	}
}

// ArenaRow is a row of the rating table.
type ArenaRow struct {
	Rank int64 `json:"rank" doc:"From 1; equal ratings share a rank."`
	PlayerName
	Owner *string `json:"owner" doc:"Username of its owner; null for the house."`
	House bool    `json:"house" doc:"One of the service's own bots."`
	// Version is what its owner says.
	Version *string `json:"version" doc:"Of its program, as its owner says; null for none."`
	RatingRecord
	LastPlayed *Time `json:"last_played"`
}

// wireArenaRow returns the wire form of a row of the rating table.
func wireArenaRow(r arena.Row) ArenaRow {
	return ArenaRow{
		Rank: r.Rank, PlayerName: wireName(r.Player.Address, r.Player.Username), Owner: given(r.Player.Owner),
		House: r.Player.House(), Version: given(r.Player.Version),
		RatingRecord: wireRecord(r.Player.Record), LastPlayed: &Time{r.Player.Record.LastPlayed},
	}
}
