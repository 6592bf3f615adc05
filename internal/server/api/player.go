package api

import (
	"context"

	"roshambo/contract"
	"roshambo/internal/service/account"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// playerOperations registers the reads of a player's public profile.
func (a *API) playerOperations() {
	op := func(id, path, summary string, errors ...string) contract.Operation {
		return contract.Operation{ID: id, Method: "GET", Path: "/api/players/{name}" + path, Tag: "Account", Summary: summary,
			Errors: may(append(errors, "not_found")...)}
	}
	add(a, op("getPlayer", "", "A player's public profile"), (*call).getPlayer)
	add(a, op("listPlayerDuels", "/duels", "A player's rated duels, the newest first", "bad_request"),
		(*call).listPlayerDuels)
	add(a, op("listPlayerRatings", "/ratings", "The course of a player's rating, for a chart"),
		(*call).listPlayerRatings)
	add(a, op("listPlayerAchievements", "/achievements", "The achievements that a player has unlocked"),
		(*call).listPlayerAchievements)
}

// PlayerOut is the answer to GET /api/players/{name}.
type PlayerOut struct {
	Player PlayerProfile `json:"player"`
}

// PlayerProfile is the public view of a player.
type PlayerProfile struct {
	PlayerName
	Kind      string `json:"kind" known:"guest,account,bot"`
	CreatedAt Time   `json:"created_at"`
	// Challenges says what a visitor can do.
	Challenges TakesChallenges `json:"challenges" doc:"Whose challenges the player takes: POST /api/duels with opponent."`
	StandingRecord
	Streak     int64 `json:"streak" doc:"Of the daily challenge: days in a row, up to today or yesterday."`
	BestStreak int64 `json:"best_streak"`
	// What the player has won and kept.
	Medals     []Medal         `json:"medals" doc:"The newest 100, the newest first."`
	Collection []CollectedTier `json:"collection" doc:"Each tier of the ladder, the lowest first, with what the player has of it; of the oldest 1,000 tokens."`
}

// getPlayer reads a player's standing, streak, medals and collection in one snapshot.
func (a *call) getPlayer(ctx context.Context, in *botIn) (*PlayerOut, error) {
	today := score.DayOf(a.Now())
	return playerRead(ctx, a, in.Name, false, func(ctx context.Context, tx *store.Tx, found account.Account,
		key arena.PlayerKey) (*PlayerOut, error) {
		row, err := a.Arena.Standing(ctx, tx, key.Pool, key.Address)
		if err != nil {
			return nil, err
		}
		streak, err := a.Score.StreakOf(ctx, tx, key.Address, today)
		if err != nil {
			return nil, err
		}
		medals, err := a.medals(ctx, tx, key.Address)
		if err != nil {
			return nil, err
		}
		takes, err := a.takesChallenges(ctx, tx, found)
		if err != nil {
			return nil, err
		}
		collection, err := a.collection(ctx, tx, key.Address)
		return &PlayerOut{PlayerProfile{
			PlayerName: wireName(found.Address, found.Username), Kind: string(found.Kind), CreatedAt: Time{found.CreatedAt},
			Challenges: takes, StandingRecord: wireStanding(row), Streak: streak.Now, BestStreak: streak.Best,
			Medals: medals, Collection: collection,
		}}, err
	})
}

// listPlayerDuels reads a page of a player's rated duels.
func (a *call) listPlayerDuels(ctx context.Context, in *listBotDuelsIn) (*BotDuelsOut, error) {
	return a.ratedDuels(ctx, in, false)
}

// listPlayerRatings reads at most in.Points ratings, evenly spaced over the player's duels.
func (a *call) listPlayerRatings(ctx context.Context, in *listBotRatingsIn) (*BotRatingsOut, error) {
	return a.ratings(ctx, in, false)
}

// PlayerAchievementsOut is the answer to GET /api/players/{name}/achievements.
type PlayerAchievementsOut struct {
	Achievements []PlayerAchievement `json:"achievements" doc:"Those unlocked, in the order of GET /api/achievements."`
	Total        int64               `json:"total" doc:"Number of all achievements."`
}

// PlayerAchievement is an unlocked achievement. The progress towards others is the player's alone.
type PlayerAchievement struct {
	ID         string  `json:"id"`
	Title      string  `json:"title"`
	Text       string  `json:"text" doc:"The condition."`
	Rare       bool    `json:"rare" doc:"Whether the feed reports it."`
	UnlockedAt Time    `json:"unlocked_at"`
	Share      float64 `json:"share" doc:"The share of players who have it, 0 to 1."`
}

// listPlayerAchievements lists the achievements that a player has unlocked.
func (a *call) listPlayerAchievements(ctx context.Context, in *botIn) (*PlayerAchievementsOut, error) {
	return playerRead(ctx, a, in.Name, false, func(ctx context.Context, tx *store.Tx, _ account.Account,
		key arena.PlayerKey) (*PlayerAchievementsOut, error) {
		list, players, err := a.Score.AchievementsOf(ctx, tx, &key.Address)
		if err != nil {
			return nil, err
		}
		out := &PlayerAchievementsOut{Achievements: []PlayerAchievement{}, Total: int64(len(list))}
		for i := range list {
			p := &list[i]
			if p.UnlockedAt == nil {
				continue
			}
			out.Achievements = append(out.Achievements, PlayerAchievement{ID: p.ID, Title: p.Title, Text: p.Text,
				Rare: p.Rare, UnlockedAt: Time{*p.UnlockedAt}, Share: float64(p.Holders) / float64(max(players, 1))})
		}
		return out, nil
	})
}
