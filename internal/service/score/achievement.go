package score

// Achievement is something to reach, and how far it is to it.
type Achievement struct {
	Number int64 // stored: never used for another
	ID     string
	Title  string
	Text   string
	Target int64
	Rare   bool // worth telling everybody
	of     func(c *Counts) int64
}

// Progress returns how much of the target is reached.
func (a *Achievement) Progress(c *Counts) int64 { return min(a.of(c), a.Target) }

func (a *Achievement) unlocked(c *Counts) bool { return a.of(c) >= a.Target }

func runs(c *Counts) int64       { return c.Runs }
func claimed(c *Counts) int64    { return c.Claimed }
func bestTier(c *Counts) int64   { return c.BestTier }
func points(c *Counts) int64     { return c.Points }
func bestStreak(c *Counts) int64 { return c.BestStreak }
func duelsWon(c *Counts) int64   { return c.DuelsWon }

// Achievements are all there are, in the order in which they are shown.
var Achievements = []Achievement{
	{1, "first_run", "Hand on the table", "Finish a run.", 1, false, runs},
	{2, "regular", "Regular", "Finish 25 runs.", 25, false, runs},
	{3, "tireless", "Tireless", "Finish 250 runs.", 250, false, runs},
	{4, "evergreen", "Evergreen", "Finish 2,500 runs.", 2500, true, runs},
	{5, "first_claim", "A bird in the hand", "Claim a tier.", 1, false, claimed},
	{6, "collector", "Collector", "Claim 25 tiers.", 25, false, claimed},
	{7, "curator", "Curator", "Claim 250 tiers.", 250, true, claimed},
	{8, "copper", "Copper nerve", "Claim tier 4 or higher.", 4, false, bestTier},
	{9, "iron", "Iron nerve", "Claim tier 6 or higher.", 6, false, bestTier},
	{10, "silver", "Silver nerve", "Claim tier 8 or higher.", 8, true, bestTier},
	{11, "platinum", "Platinum nerve", "Claim tier 10 or higher.", 10, true, bestTier},
	{12, "sapphire", "Sapphire nerve", "Claim tier 12 or higher.", 12, true, bestTier},
	{13, "diamond", "Diamond nerve", "Claim tier 14 or higher.", 14, true, bestTier},
	{14, "stardust", "Made of stars", "Claim tier 16.", 16, true, bestTier},
	{15, "no_tie", "Straight up", "Claim tier 4 or higher without a single tie.", 4, false, func(c *Counts) int64 { return c.CleanTier }},
	{16, "phoenix", "Phoenix", "Burn a token and claim a better one.", 1, false, func(c *Counts) int64 { return c.Burns }},
	{17, "at_once", "Blink", "Lose a run with its first throw.", 1, false, func(c *Counts) int64 { return c.AtOnce }},
	{18, "long_run", "Long evening", "Throw 20 times in one run.", 20, true, func(c *Counts) int64 { return c.LongestRun }},
	{19, "thousand_throws", "Sore wrist", "Throw 1,000 times.", 1000, false, func(c *Counts) int64 { return c.Throws }},
	{20, "points_100", "On the board", "Earn 100 points.", 100, false, points},
	{21, "points_1000", "Up the board", "Earn 1,000 points.", 1000, false, points},
	{22, "points_10000", "Household name", "Earn 10,000 points.", 10000, true, points},
	{23, "first_daily", "Today's special", "Play a daily challenge.", 1, false, func(c *Counts) int64 { return c.Dailies }},
	{24, "daily_five", "Good day", "Clear tier 5 in a daily challenge.", 5, false, func(c *Counts) int64 { return c.BestDaily }},
	{25, "streak_3", "Habit", "Play the daily challenge 3 days in a row.", 3, false, bestStreak},
	{26, "streak_7", "Full week", "Play the daily challenge 7 days in a row.", 7, false, bestStreak},
	{27, "streak_30", "Full month", "Play the daily challenge 30 days in a row.", 30, true, bestStreak},
	{28, "streak_100", "Clockwork", "Play the daily challenge 100 days in a row.", 100, true, bestStreak},
	{29, "sparring", "Warmed up", "Win a duel for practice.", 1, false, func(c *Counts) int64 { return c.Practice }},
	{30, "first_duel", "Eye to eye", "Finish a duel against another player.", 1, false, func(c *Counts) int64 { return c.Duels }},
	{31, "duel_won", "Best of five", "Win a duel.", 1, false, duelsWon},
	{32, "duels_won_10", "Duellist", "Win 10 duels.", 10, false, duelsWon},
	{33, "duels_won_100", "Champion", "Win 100 duels.", 100, true, duelsWon},
	{34, "stake_won", "Winner takes all", "Win a duel with a stake.", 1, false, func(c *Counts) int64 { return c.StakesWon }},
	{35, "big_stake", "High roller", "Win a duel with a stake of 1,000 coins.", 1000, true, func(c *Counts) int64 { return c.BestStake }},
	{36, "first_sale", "Open for business", "Sell a token on the market.", 1, false, func(c *Counts) int64 { return c.Sales }},
	{37, "merchant", "Merchant", "Sell tokens for 10,000 coins.", 10000, true, func(c *Counts) int64 { return c.SaleCoins }},
	{38, "first_purchase", "Patron", "Buy a token on the market.", 1, false, func(c *Counts) int64 { return c.Purchases }},
	{39, "buyback", "Cash in hand", "Sell a token back to the house.", 1, false, func(c *Counts) int64 { return c.Buybacks }},
	{40, "team", "Team spirit", "Join a team, or found one.", 1, false, func(c *Counts) int64 { return c.TeamJoined }},
}

// unlockedBetween returns what was not reached before and is after.
func unlockedBetween(before, after Counts) []*Achievement {
	var list []*Achievement
	for i := range Achievements {
		if a := &Achievements[i]; a.unlocked(&after) && !a.unlocked(&before) {
			list = append(list, a)
		}
	}
	return list
}
