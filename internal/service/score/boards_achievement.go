package score

// Achievement is a target for one of an account's counts.
type Achievement struct {
	Number int64  // stored: a retired number is never reused
	ID     string // of the API
	Title  string
	Text   string
	Target int64
	Rare   bool // makes a feed item when unlocked
	count  func(c *Counts) int64
}

// Progress returns the count, up to Target.
func (a *Achievement) Progress(c *Counts) int64 { return min(a.count(c), a.Target) }

// unlocked reports whether the target is reached.
func (a *Achievement) unlocked(c *Counts) bool { return a.count(c) >= a.Target }

func runs(c *Counts) int64       { return c.Runs }
func claimed(c *Counts) int64    { return c.Claimed }
func bestTier(c *Counts) int64   { return c.BestTier }
func points(c *Counts) int64     { return c.Points }
func bestStreak(c *Counts) int64 { return c.BestStreak }
func duelsWon(c *Counts) int64   { return c.DuelsWon }

// Achievements lists all achievements in the order of display. Counts only grow, so an
// unlocked achievement stays unlocked.
var Achievements = []Achievement{
	{Number: 1, ID: "first_run", Title: "Hand on the table", Text: "Finish a run.", Target: 1, count: runs},
	{Number: 2, ID: "regular", Title: "Regular", Text: "Finish 25 runs.", Target: 25, count: runs},
	{Number: 3, ID: "tireless", Title: "Tireless", Text: "Finish 250 runs.", Target: 250, count: runs},
	{Number: 4, ID: "evergreen", Title: "Evergreen", Text: "Finish 2,500 runs.", Target: 2500, Rare: true, count: runs},
	{Number: 5, ID: "first_claim", Title: "A bird in the hand", Text: "Claim a tier.", Target: 1, count: claimed},
	{Number: 6, ID: "collector", Title: "Collector", Text: "Claim 25 tiers.", Target: 25, count: claimed},
	{Number: 7, ID: "curator", Title: "Curator", Text: "Claim 250 tiers.", Target: 250, Rare: true, count: claimed},
	{Number: 8, ID: "copper", Title: "Copper nerve", Text: "Claim tier 4 or higher.", Target: 4, count: bestTier},
	{Number: 9, ID: "iron", Title: "Iron nerve", Text: "Claim tier 6 or higher.", Target: 6, count: bestTier},
	{
		Number: 10, ID: "silver", Title: "Silver nerve", Text: "Claim tier 8 or higher.",
		Target: 8, Rare: true, count: bestTier,
	},
	{
		Number: 11, ID: "platinum", Title: "Platinum nerve", Text: "Claim tier 10 or higher.",
		Target: 10, Rare: true, count: bestTier,
	},
	{
		Number: 12, ID: "sapphire", Title: "Sapphire nerve", Text: "Claim tier 12 or higher.",
		Target: 12, Rare: true, count: bestTier,
	},
	{
		Number: 13, ID: "diamond", Title: "Diamond nerve", Text: "Claim tier 14 or higher.",
		Target: 14, Rare: true, count: bestTier,
	},
	{
		Number: 14, ID: "stardust", Title: "Made of stars", Text: "Claim tier 16.",
		Target: 16, Rare: true, count: bestTier,
	},
	{
		Number: 15, ID: "no_tie", Title: "Straight up", Text: "Claim tier 4 or higher without a single tie.",
		Target: 4, count: func(c *Counts) int64 { return c.CleanTier },
	},
	{
		Number: 16, ID: "phoenix", Title: "Phoenix", Text: "Burn a token and claim a better one.",
		Target: 1, count: func(c *Counts) int64 { return c.Burns },
	},
	{
		Number: 17, ID: "at_once", Title: "Blink", Text: "Lose a run with its first throw.",
		Target: 1, count: func(c *Counts) int64 { return c.AtOnce },
	},
	{
		Number: 18, ID: "long_run", Title: "Long evening", Text: "Throw 20 times in one run.",
		Target: 20, Rare: true, count: func(c *Counts) int64 { return c.LongestRun },
	},
	{
		Number: 19, ID: "thousand_throws", Title: "Sore wrist", Text: "Throw 1,000 times.",
		Target: 1000, count: func(c *Counts) int64 { return c.Throws },
	},
	{Number: 20, ID: "points_100", Title: "On the board", Text: "Earn 100 points.", Target: 100, count: points},
	{Number: 21, ID: "points_1000", Title: "Up the board", Text: "Earn 1,000 points.", Target: 1000, count: points},
	{
		Number: 22, ID: "points_10000", Title: "Household name", Text: "Earn 10,000 points.",
		Target: 10000, Rare: true, count: points,
	},
	{
		Number: 23, ID: "first_daily", Title: "Today's special", Text: "Play a daily challenge.",
		Target: 1, count: func(c *Counts) int64 { return c.Dailies },
	},
	{
		Number: 24, ID: "daily_five", Title: "Good day", Text: "Clear tier 5 in a daily challenge.",
		Target: 5, count: func(c *Counts) int64 { return c.BestDaily },
	},
	{
		Number: 25, ID: "streak_3", Title: "Habit", Text: "Play the daily challenge 3 days in a row.",
		Target: 3, count: bestStreak,
	},
	{
		Number: 26, ID: "streak_7", Title: "Full week", Text: "Play the daily challenge 7 days in a row.",
		Target: 7, count: bestStreak,
	},
	{
		Number: 27, ID: "streak_30", Title: "Full month", Text: "Play the daily challenge 30 days in a row.",
		Target: 30, Rare: true, count: bestStreak,
	},
	{
		Number: 28, ID: "streak_100", Title: "Clockwork", Text: "Play the daily challenge 100 days in a row.",
		Target: 100, Rare: true, count: bestStreak,
	},
	{
		Number: 29, ID: "sparring", Title: "Warmed up", Text: "Win a duel for practice.",
		Target: 1, count: func(c *Counts) int64 { return c.Practice },
	},
	{
		Number: 30, ID: "first_duel", Title: "Eye to eye", Text: "Finish a duel against another player.",
		Target: 1, count: func(c *Counts) int64 { return c.Duels },
	},
	{Number: 31, ID: "duel_won", Title: "Best of five", Text: "Win a duel.", Target: 1, count: duelsWon},
	{Number: 32, ID: "duels_won_10", Title: "Duellist", Text: "Win 10 duels.", Target: 10, count: duelsWon},
	{
		Number: 33, ID: "duels_won_100", Title: "Champion", Text: "Win 100 duels.",
		Target: 100, Rare: true, count: duelsWon,
	},
	{
		Number: 34, ID: "stake_won", Title: "Winner takes all", Text: "Win a duel with a stake.",
		Target: 1, count: func(c *Counts) int64 { return c.StakesWon },
	},
	{
		Number: 35, ID: "big_stake", Title: "High roller", Text: "Win a duel with a stake of 1,000 coins.",
		Target: 1000, Rare: true, count: func(c *Counts) int64 { return c.BestStake },
	},
	{
		Number: 36, ID: "first_sale", Title: "Open for business", Text: "Sell a token on the market.",
		Target: 1, count: func(c *Counts) int64 { return c.Sales },
	},
	{
		Number: 37, ID: "merchant", Title: "Merchant", Text: "Sell tokens for 10,000 coins.",
		Target: 10000, Rare: true, count: func(c *Counts) int64 { return c.SaleCoins },
	},
	{
		Number: 38, ID: "first_purchase", Title: "Patron", Text: "Buy a token on the market.",
		Target: 1, count: func(c *Counts) int64 { return c.Purchases },
	},
	{
		Number: 39, ID: "buyback", Title: "Cash in hand", Text: "Sell a token back to the house.",
		Target: 1, count: func(c *Counts) int64 { return c.Buybacks },
	},
	{
		Number: 40, ID: "team", Title: "Team spirit", Text: "Join a team, or found one.",
		Target: 1, count: func(c *Counts) int64 { return c.TeamJoined },
	},
}

// newlyUnlocked returns the achievements that after unlocks and before does not.
func newlyUnlocked(before, after Counts) []*Achievement {
	var list []*Achievement
	for i := range Achievements {
		if a := &Achievements[i]; a.unlocked(&after) && !a.unlocked(&before) {
			list = append(list, a)
		}
	}
	return list
}
