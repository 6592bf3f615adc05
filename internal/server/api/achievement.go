package api

import (
	"context"

	"roshambo/contract"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// achievementOperations registers the operations on achievements.
func (a *API) achievementOperations() {
	add(a, contract.Operation{
		ID: "getAchievements", Method: "GET", Path: "/api/achievements", Tag: "Social",
		Summary:  "All achievements with the caller's progress and the share of holders",
		Security: anyScheme, Anonymous: true, Errors: may("unauthenticated"),
	}, (*call).getAchievements)
}

// AchievementsOut is the answer to GET /api/achievements.
type AchievementsOut struct {
	Achievements []Achievement `json:"achievements"`
	Unlocked     int64         `json:"unlocked" doc:"Achievements that the caller has unlocked."`
	Players      int64         `json:"players" doc:"Players with at least one finished run, duel or sale: the base of shares."`
}

// Achievement is a goal with the caller's progress.
type Achievement struct {
	ID         string  `json:"id"`
	Title      string  `json:"title"`
	Text       string  `json:"text" doc:"The condition."`
	Rare       bool    `json:"rare" doc:"Whether the feed reports it."`
	Target     int64   `json:"target"`
	Progress   int64   `json:"progress" doc:"The caller's, up to target; 0 when not signed in."`
	UnlockedAt *Time   `json:"unlocked_at" doc:"When the caller reached the target; null until then."`
	Holders    int64   `json:"holders" doc:"Number of players who have it."`
	Share      float64 `json:"share" doc:"The share of players who have it, 0 to 1."`
}

// getAchievements lists all achievements, with progress 0 for callers that are not signed in.
func (a *call) getAchievements(ctx context.Context, _ *none) (*AchievementsOut, error) {
	me := given(a.viewer())
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*AchievementsOut, error) {
		list, players, err := a.Score.AchievementsOf(ctx, tx, me)
		if err != nil {
			return nil, err
		}
		out := &AchievementsOut{Players: players}
		out.Achievements = mapped(list, func(p score.Progress) Achievement {
			if p.UnlockedAt != nil {
				out.Unlocked++
			}
			return Achievement{ID: p.ID, Title: p.Title, Text: p.Text, Rare: p.Rare, Target: p.Target, Progress: p.Done,
				UnlockedAt: optionalTime(p.UnlockedAt), Holders: p.Holders,
				Share: float64(p.Holders) / float64(max(players, 1))}
		})
		return out, nil
	})
}
