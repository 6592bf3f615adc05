package score

import (
	"fmt"
	"slices"
	"testing"

	"roshambo/chain"
)

// TestFeedItems checks which activities are notable, on both sides of each limit.
func TestFeedItems(t *testing.T) {
	t.Parallel()
	const topTier = 9
	run := func(result chain.RunStatus, tier int64) activity {
		return activity{fact: fact{kind: factRun, result: string(result), tier: tier}}
	}
	duel := func(result string, coins int64) activity {
		return activity{fact: fact{kind: factDuel, result: result, coins: coins}}
	}
	unlisted := duel(duelWon, 1)
	unlisted.unlisted = true
	streak := func(before, after int64) activity {
		return activity{before: Counts{BestStreak: before}, after: Counts{BestStreak: after}}
	}
	for name, tt := range map[string]struct {
		activity
		top  int64
		want []string
	}{
		"tier 8":             {run(chain.RunClaimed, 8), topTier, []string{ItemTier}},
		"tier 7":             {run(chain.RunClaimed, 7), topTier, nil},
		"tier 8, lost":       {run(chain.RunLost, 8), topTier, nil},
		"the top of a short": {run(chain.RunClaimed, 3), 3, []string{ItemTier}},
		"below it":           {run(chain.RunClaimed, 2), 3, nil},
		"a dear sale":        {activity{fact: fact{kind: factSale, coins: 1000}}, topTier, []string{ItemSale}},
		"a cheaper one":      {activity{fact: fact{kind: factSale, coins: 999}}, topTier, nil},
		"a dear purchase":    {activity{fact: fact{kind: factPurchase, coins: 1000}}, topTier, nil},
		"a staked duel":      {duel(duelWon, 1), topTier, []string{ItemDuel}},
		"a duel for nothing": {duel(duelWon, 0), topTier, nil},
		"a lost duel":        {duel(duelLost, 1), topTier, nil},
		"an unlisted duel":   {unlisted, topTier, nil},
		"achievements": {activity{unlocked: []*Achievement{{ID: "a"}, {ID: "b", Rare: true}}}, topTier,
			[]string{ItemAchievement + " b"}},
		"a week":                {streak(6, 7), topTier, []string{ItemStreak + " 7"}},
		"a week again":          {streak(7, 7), topTier, nil},
		"eight days":            {streak(7, 8), topTier, nil},
		"30 days":               {streak(29, 30), topTier, []string{ItemStreak + " 30"}},
		"60 days":               {streak(59, 60), topTier, []string{ItemStreak + " 60"}},
		"31 days":               {streak(30, 31), topTier, nil},
		"the end of a streak":   {streak(30, 0), topTier, nil},
		"a streak never begun":  {streak(0, 0), topTier, nil},
		"no streak, from below": {streak(-1, 0), topTier, nil},
	} {
		tt.item = FeedItem{Account: chain.Address{1}, Username: "ann", RunID: "run"}
		var got []string
		for _, item := range feedItems(&tt.activity, tt.top) {
			text := item.Kind
			if item.Achievement != "" {
				text += " " + item.Achievement
			}
			if item.Streak != 0 {
				text += fmt.Sprint(" ", item.Streak)
			}
			got = append(got, text)
			if item.Account != tt.item.Account || item.Username != "ann" ||
				(item.RunID == "") != (item.Kind == ItemAchievement) {
				t.Errorf("%s: %+v", name, item)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
