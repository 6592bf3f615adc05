package httpapi

import (
	"context"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/store"
)

func (a *API) achievementOperations() {
	contract.Add(a.contract, contract.Operation{
		ID: "getAchievements", Method: "GET", Path: "/api/achievements", Tag: "Social", Summary: "All achievements, who has them, and how far the caller is",
		Security: anybody, Anonymous: true, Errors: may("unauthenticated"),
	}, a.getAchievements)
}

// AchievementsOut is the answer to GET /api/achievements.
type AchievementsOut struct {
	Achievements []Achievement `json:"achievements"`
	Unlocked     int64         `json:"unlocked" doc:"How many the caller has."`
	Players      int64         `json:"players" doc:"Who have ever finished anything; shares are of them."`
}

// Achievement is something to reach.
type Achievement struct {
	ID         string  `json:"id"`
	Title      string  `json:"title"`
	Text       string  `json:"text" doc:"What it takes."`
	Rare       bool    `json:"rare" doc:"Whether the feed tells of it."`
	Target     int64   `json:"target"`
	Progress   int64   `json:"progress" doc:"The caller's, up to target; 0 for nobody in particular."`
	UnlockedAt *Time   `json:"unlocked_at" doc:"When the caller reached the target; null until then."`
	Holders    int64   `json:"holders" doc:"How many players have it."`
	Share      float64 `json:"share" doc:"The share of players who have it, 0 to 1."`
}

func (a *API) getAchievements(ctx context.Context, _ *none) (*AchievementsOut, error) {
	var me *chain.Address
	if c := stateOf(ctx).caller; c != nil {
		me = &c.account.Address
	}
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*AchievementsOut, error) {
		list, players, err := a.Score.AchievementsOf(ctx, tx, me)
		if err != nil {
			return nil, err
		}
		out := &AchievementsOut{Achievements: make([]Achievement, len(list)), Players: players}
		for i := range list {
			p := &list[i]
			w := Achievement{ID: p.ID, Title: p.Title, Text: p.Text, Rare: p.Rare, Target: p.Target, Progress: p.Done, Holders: p.Holders}
			if p.UnlockedAt != nil {
				w.UnlockedAt = &Time{*p.UnlockedAt}
				out.Unlocked++
			}
			if players > 0 {
				w.Share = float64(p.Holders) / float64(players)
			}
			out.Achievements[i] = w
		}
		return out, nil
	})
}
