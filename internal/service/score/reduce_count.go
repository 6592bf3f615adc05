package score

import (
	"encoding/json"
	"fmt"
	"slices"

	"roshambo/chain"
)

// Counts holds the running totals of an account, from all its facts. Achievements are
// functions of them. Every number except Hidden,
// Streak and LastDay only grows. The JSON form is
// stored.
type Counts struct {
	Facts      int64 `json:"facts,omitempty"`
	Hidden     int64 `json:"hidden,omitempty"` // 1 if facts were counted while the account was on no board of points
	Runs       int64 `json:"runs,omitempty"`   // ended
	Claimed    int64 `json:"claimed,omitempty"`
	Lost       int64 `json:"lost,omitempty"`
	AtOnce     int64 `json:"at_once,omitempty"` // lost with the first throw
	Throws     int64 `json:"throws,omitempty"`
	BestTier   int64 `json:"best_tier,omitempty"`   // claimed
	CleanTier  int64 `json:"clean_tier,omitempty"`  // claimed without a tie, in a run from tier 0
	LongestRun int64 `json:"longest_run,omitempty"` // throws
	Burns      int64 `json:"burns,omitempty"`       // claimed after burning a token
	Points     int64 `json:"points,omitempty"`

	Dailies    int64 `json:"dailies,omitempty"`
	BestDaily  int64 `json:"best_daily,omitempty"` // tiers cleared
	Streak     int64 `json:"streak,omitempty"`     // consecutive days with a daily run, up to LastDay
	BestStreak int64 `json:"best_streak,omitempty"`
	LastDay    int64 `json:"last_day,omitempty"`

	Duels      int64 `json:"duels,omitempty"`
	DuelsWon   int64 `json:"duels_won,omitempty"`
	StakesWon  int64 `json:"stakes_won,omitempty"`
	BestStake  int64 `json:"best_stake,omitempty"` // won
	Practice   int64 `json:"practice,omitempty"`   // won for practice
	Sales      int64 `json:"sales,omitempty"`
	SaleCoins  int64 `json:"sale_coins,omitempty"` // sum of prices, fees included
	Purchases  int64 `json:"purchases,omitempty"`
	Buybacks   int64 `json:"buybacks,omitempty"`
	TeamJoined int64 `json:"team_joined,omitempty"`
}

// parseCounts parses the stored form.
func parseCounts(text []byte) (c Counts, err error) {
	if err = json.Unmarshal(text, &c); err != nil {
		err = fmt.Errorf("counts %q: %w", text, err)
	}
	return c, err
}

// text returns the stored form.
func (c *Counts) text() string {
	b, err := json.Marshal(c)
	if err != nil {
		panic("score: encode counts: " + err.Error()) // impossible: all members are integers
	}
	return string(b)
}

// add counts a fact. The facts of an account may come in any order, except daily runs: after
// a run of an earlier day than LastDay the caller recomputes the streak with setDays.
func (c *Counts) add(f *fact) {
	c.Facts++
	if f.kind == factVoid {
		return
	}
	c.Points += f.points
	switch f.kind {
	case factRun:
		c.addRun(f)
	case factDuel:
		c.addDuel(f)
	case factSale:
		c.Sales++
		c.SaleCoins += f.coins
	case factPurchase:
		c.Purchases++
	case factBuyback:
		c.Buybacks++
	case factTeam:
		c.TeamJoined++
	}
}

func (c *Counts) addRun(f *fact) {
	c.Runs++
	c.Throws += f.throws
	c.LongestRun = max(c.LongestRun, f.throws)
	switch chain.RunStatus(f.result) {
	case chain.RunClaimed:
		c.Claimed++
		c.BestTier = max(c.BestTier, f.tier)
		if f.first == 0 && f.throws == f.tier {
			c.CleanTier = max(c.CleanTier, f.tier)
		}
		if f.entry == chain.EntryBurn {
			c.Burns++
		}
	case chain.RunLost:
		c.Lost++
		if f.throws == 1 {
			c.AtOnce++
		}
	case chain.RunAbandoned:
	}
	if f.daily() {
		c.addDay(f.day)
		c.BestDaily = max(c.BestDaily, f.tier)
	}
}

// addDay counts a daily run of a day. A day before LastDay does not change the streak.
func (c *Counts) addDay(day int64) {
	c.Dailies++
	switch {
	case day <= c.LastDay:
		return
	case day == c.LastDay+1:
		c.Streak++
	default:
		c.Streak = 1
	}
	c.LastDay = day
	c.BestStreak = max(c.BestStreak, c.Streak)
}

// setDays recomputes Streak, BestStreak and LastDay from the days of all daily runs. It
// sorts days in place.
func (c *Counts) setDays(days []int64) {
	slices.Sort(days)
	c.Streak, c.BestStreak, c.LastDay = 0, 0, 0
	dailies := c.Dailies
	for _, day := range days {
		c.addDay(day)
	}
	c.Dailies = dailies
}

// streakOn returns the streak as of a day. A streak ends when a whole day passes without a
// run.
func (c *Counts) streakOn(day int64) int64 {
	if c.LastDay < day-1 {
		return 0
	}
	return c.Streak
}

// addDuel counts a duel. Practice that was not won, and a duel that was not played, count for nothing.
func (c *Counts) addDuel(f *fact) {
	switch f.result {
	case practicePrefix + duelWon:
		c.Practice++
	case duelWon:
		c.Duels++
		c.DuelsWon++
		if f.coins > 0 {
			c.StakesWon++
			c.BestStake = max(c.BestStake, f.coins)
		}
	case duelLost, duelDrawn:
		c.Duels++
	}
}
