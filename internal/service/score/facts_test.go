package score

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestDuelPoints checks which duels give points to their winner.
func TestDuelPoints(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann, bob := h.player(t, 1, chain.Full), h.player(t, 2, chain.Guest)
	own, other := h.player(t, 3, chain.Bot), h.player(t, 4, chain.Bot)
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO bot (address, owner, created_at) VALUES ($1, $2, 0), ($3, $4, 0)`,
			own[:], ann[:], other[:], bob[:])
		return err
	})
	points := func(a chain.Address) (n int64) {
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			b, err := h.AllTimeBoard(ctx, tx, &a, PageRequest{Count: 1})
			if err == nil && b.Me != nil {
				n = b.Me.Value
			}
			return err
		})
		return n
	}
	for i, c := range []struct {
		name     string
		a, b     chain.Address
		winner   string
		practice bool
		later    time.Duration // since the previous duel
		ann, bob int64         // points afterwards
	}{
		{"won", ann, bob, "a", false, 0, 8, 0},
		{"lost", ann, bob, "b", false, 0, 8, 8},
		{"drawn", ann, bob, "", false, 0, 8, 8},
		{"practice", ann, other, "a", true, 0, 8, 8},
		{"against the player's own bot", ann, own, "a", false, 0, 8, 8},
		{"against another player's bot", ann, other, "a", false, 0, 16, 8},
		{"a bot wins", other, ann, "a", false, 0, 16, 8},
		{"next day", ann, bob, "a", false, 24 * time.Hour, 24, 8},
	} {
		h.ledger.Clock.Add(c.later)
		d := Duel{
			Code: fmt.Sprint("duel-", i), A: c.a, B: c.b, Winner: c.winner, Practice: c.practice, Earned: true,
			At: h.ledger.Clock.Now(),
		}
		h.update(t, func(ctx context.Context, tx *store.Tx) error { return h.DuelFinished(ctx, tx, d) })
		h.drainAll(t)
		if a, b := points(ann), points(bob); a != c.ann || b != c.bob {
			t.Errorf("%s: Ann has %d points and Bob %d, want %d and %d", c.name, a, b, c.ann, c.bob)
		}
	}
	finish := func(n int, rated bool) {
		h.update(t, func(ctx context.Context, tx *store.Tx) error {
			return h.DuelFinished(ctx, tx, Duel{
				Code: fmt.Sprint(rated, n), A: ann, B: bob, Winner: "a", Earned: rated, At: h.ledger.Clock.Now(),
			})
		})
		h.drainAll(t)
	}
	h.ledger.Clock.Add(24 * time.Hour)
	for n := range winsPerDay + 2 {
		finish(n, false)
		finish(n, true)
	}
	if got := points(ann); got != 24+8*winsPerDay {
		t.Errorf("a day with %d rated duels won gives %d points, want %d", winsPerDay+2, got-24, 8*winsPerDay)
	}
	if a, b := points(own), points(other); a != 0 || b != 0 {
		t.Errorf("bots have %d and %d points, want none", a, b)
	}
}

// TestStreaks checks the streak after each daily run, and one and two days later.
func TestStreaks(t *testing.T) {
	t.Parallel()
	var c Counts
	for i, s := range []struct{ day, streak, best, dayAfter, twoAfter int64 }{
		{100, 1, 1, 1, 0},
		{101, 2, 2, 2, 0},
		{102, 3, 3, 3, 0},
		{102, 3, 3, 3, 0}, // a second run on one day, which the API refuses
		{104, 1, 3, 1, 0},
		{105, 2, 3, 2, 0},
	} {
		c.add(&fact{kind: factRun, entry: chain.EntryDaily, day: s.day, result: string(chain.RunLost)})
		if c.streakOn(s.day) != s.streak || c.BestStreak != s.best || c.streakOn(s.day+1) != s.dayAfter ||
			c.streakOn(s.day+2) != s.twoAfter {
			t.Errorf("after day %d: %+v, want %+v", s.day, c, s)
		}
		if c.Dailies != int64(i)+1 || c.Runs != c.Dailies {
			t.Errorf("after day %d: %d daily runs of %d, want %d", s.day, c.Dailies, c.Runs, i+1)
		}
	}
}

// TestCounts checks the totals of an account after facts of every kind.
func TestCounts(t *testing.T) {
	t.Parallel()
	run := func(s chain.RunStatus, e chain.Entry, first, tier, throws int64) fact {
		return fact{kind: factRun, result: string(s), entry: e, first: first, tier: tier, throws: throws}
	}
	free, daily := chain.EntryFree, chain.EntryDaily
	var c Counts
	for i, s := range []struct {
		fact fact
		want Counts
	}{
		{
			run(chain.RunClaimed, free, 0, 4, 4),
			Counts{Runs: 1, Claimed: 1, BestTier: 4, CleanTier: 4, Throws: 4, LongestRun: 4},
		},
		{run(chain.RunClaimed, free, 0, 5, 6), Counts{Runs: 1, Claimed: 1, BestTier: 1, Throws: 6, LongestRun: 2}},
		{run(chain.RunClaimed, free, 1, 3, 3), Counts{Runs: 1, Claimed: 1, Throws: 3}},
		{run(chain.RunClaimed, free, 5, 5, 5), Counts{Runs: 1, Claimed: 1, Throws: 5}}, // not from tier 0
		{run(chain.RunClaimed, chain.EntryBurn, 5, 6, 1), Counts{Runs: 1, Claimed: 1, Burns: 1, BestTier: 1, Throws: 1}},
		{run(chain.RunLost, chain.EntryBurn, 6, 9, 3), Counts{Runs: 1, Lost: 1, Throws: 3}},
		{run(chain.RunLost, free, 0, 0, 1), Counts{Runs: 1, Lost: 1, AtOnce: 1, Throws: 1}},
		{run(chain.RunLost, free, 0, 0, 2), Counts{Runs: 1, Lost: 1, Throws: 2}},
		{run(chain.RunAbandoned, free, 0, 9, 1), Counts{Runs: 1, Throws: 1}},
		{
			run(chain.RunLost, daily, 0, 3, 5),
			Counts{Runs: 1, Lost: 1, Throws: 5, Dailies: 1, BestDaily: 3, Streak: 1, BestStreak: 1},
		},
		{run(chain.RunLost, daily, 0, 2, 2), Counts{Runs: 1, Lost: 1, Throws: 2, Dailies: 1}},
		{fact{kind: factDuel, result: duelWon, points: 8}, Counts{Points: 8, Duels: 1, DuelsWon: 1}},
		{
			fact{kind: factDuel, result: duelWon, points: 8, coins: 50},
			Counts{Points: 8, Duels: 1, DuelsWon: 1, StakesWon: 1, BestStake: 50},
		},
		{fact{kind: factDuel, result: duelWon, coins: 1}, Counts{Duels: 1, DuelsWon: 1, StakesWon: 1}},
		{fact{kind: factDuel, result: duelLost, coins: 99}, Counts{Duels: 1}},
		{fact{kind: factDuel, result: duelDrawn}, Counts{Duels: 1}},
		{fact{kind: factDuel, result: practicePrefix + duelWon}, Counts{Practice: 1}},
		{fact{kind: factDuel, result: practicePrefix + duelLost}, Counts{}},
		{fact{kind: factDuel, result: practicePrefix + duelDrawn}, Counts{}},
		{fact{kind: factSale, coins: 30}, Counts{Sales: 1, SaleCoins: 30}},
		{fact{kind: factSale, coins: 40}, Counts{Sales: 1, SaleCoins: 40}},
		{fact{kind: factPurchase, coins: 30}, Counts{Purchases: 1}},
		{fact{kind: factBuyback, coins: 30}, Counts{Buybacks: 1}},
		{fact{kind: factTeam}, Counts{TeamJoined: 1}},
	} {
		if s.fact.daily() {
			s.fact.day, s.want.LastDay = 7, 7
		}
		before := c
		c.add(&s.fact)
		change := c
		subtract(&change, &before)
		s.want.Facts = 1
		if before.LastDay != 0 {
			s.want.LastDay = 0
		}
		if change != s.want {
			t.Errorf("fact %d: %+v adds %+v, want %+v", i, s.fact, change, s.want)
		}
	}
	stored, err := parseCounts([]byte(c.text()))
	if err != nil || stored != c {
		t.Errorf("stored %+v as %s, error %v", c, c.text(), err)
	}
	checkUnlocked(t, c, 16)
}

// checkUnlocked checks that counts unlock exactly the achievements whose target they reach, and
// that these are n.
func checkUnlocked(t *testing.T, c Counts, n int) {
	t.Helper()
	list := newlyUnlocked(Counts{}, c)
	ids := map[string]bool{}
	for _, a := range list {
		ids[a.ID] = true
		if a.Progress(&c) != a.Target {
			t.Errorf("%s is unlocked with progress %d of %d", a.ID, a.Progress(&c), a.Target)
		}
	}
	for i := range Achievements {
		if a := &Achievements[i]; !ids[a.ID] && a.Progress(&c) >= a.Target {
			t.Errorf("%s is not unlocked with progress %d of %d", a.ID, a.Progress(&c), a.Target)
		}
	}
	if again := newlyUnlocked(c, c); again != nil {
		t.Errorf("%d achievements are unlocked again", len(again))
	}
	if len(list) != n {
		t.Errorf("%d achievements are unlocked, want %d: %v", len(list), n, ids)
	}
}

// subtract subtracts each member of b from the same one of a.
func subtract(a, b *Counts) {
	to, from := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i := range to.NumField() {
		to.Field(i).SetInt(to.Field(i).Int() - from.Field(i).Int())
	}
}

// TestAchievementsAreSound checks that numbers and ids are unique, and that a new player has
// unlocked none.
func TestAchievementsAreSound(t *testing.T) {
	t.Parallel()
	numbers, ids := map[int64]bool{}, map[string]bool{}
	for i := range Achievements {
		a := &Achievements[i]
		if numbers[a.Number] || ids[a.ID] || a.Number <= 0 || a.Target <= 0 || a.Title == "" || a.Text == "" {
			t.Errorf("number or id used twice, or a member is missing: %+v", a)
		}
		numbers[a.Number], ids[a.ID] = true, true
		var none Counts
		if a.unlocked(&none) || a.Progress(&none) != 0 {
			t.Errorf("%s is unlocked without facts", a.ID)
		}
	}
	if len(Achievements) < 24 {
		t.Errorf("%d achievements, want at least 24", len(Achievements))
	}
}

// TestRunPoints checks that a claimed tier gives its points less the points of a burnt one, and
// that the best runs of a UTC day count, in whatever order and however many steps they are
// reported.
func TestRunPoints(t *testing.T) {
	t.Parallel()
	var want int64
	runs := make([]Run, 0, 50)
	for i := range int64(50) { // tiers 1 to 5, ten times each; every fifth is a burn of the tier below
		r := Run{
			ID: fmt.Sprint("run ", i), Entry: chain.EntryFee, Status: chain.RunClaimed, Cleared: 1 + i*7%5, Throws: 9,
			StartedAt: day(1), EndedAt: day(1).Add(time.Duration(i) * time.Minute),
		}
		if i%5 == 4 {
			r.Entry, r.First = chain.EntryBurn, max(1, r.Cleared-1)
		}
		runs = append(runs, r)
	}
	worth := make([]int64, len(runs))
	for i, r := range runs {
		if worth[i] = 1 << r.Cleared; r.First > 0 {
			worth[i] -= 1 << r.First
		}
	}
	slices.Sort(worth)
	for _, n := range worth[len(worth)-20:] {
		want += n
	}
	for _, each := range []int{1, 7, 50} { // runs in a step
		for name, order := range map[string]func([]Run){
			"first to last": func([]Run) {}, "last to first": slices.Reverse[[]Run],
			"worst first": func(list []Run) {
				slices.SortFunc(list, func(a, b Run) int { return cmp.Compare(a.Cleared, b.Cleared) })
			},
		} {
			h := newHarness(t, ledgertest.Options{})
			ann := h.player(t, 1, chain.Full)
			list := slices.Clone(runs)
			order(list)
			for chunk := range slices.Chunk(list, each) {
				h.update(t, func(ctx context.Context, tx *store.Tx) error {
					for _, r := range chunk {
						r.Account = ann
						if err := h.RunEnded(ctx, tx, r); err != nil {
							return err
						}
					}
					return nil
				})
				h.drainAll(t)
			}
			h.view(t, func(ctx context.Context, tx *store.Tx) error {
				b, err := h.AllTimeBoard(ctx, tx, &ann, PageRequest{Count: 1})
				if err == nil && (b.Me == nil || b.Me.Value != want) {
					t.Errorf("%s, %d in a step: %+v, want %d points", name, each, b.Me, want)
				}
				return err
			})
			h.wantConsistent(t)
		}
	}
}
