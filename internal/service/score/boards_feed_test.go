package score

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
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
	hundredth := duel(duelWon, 0)
	hundredth.unlocked, hundredth.unlisted = []*Achievement{{ID: "b", Rare: true}}, true
	unplayed := duel(unplayedPrefix+duelWon, 1)
	unplayed.above = 200
	streak := func(before, after int64) activity {
		return activity{before: Counts{BestStreak: before}, after: Counts{BestStreak: after}}
	}
	for name, tt := range map[string]struct {
		activity
		top  int64
		want []string
	}{
		"tier 8":             {claimAfter(8, 8), topTier, []string{ItemTier}},
		"tier 7":             {claimAfter(7, 7), topTier, nil},
		"tier 8, lost":       {run(chain.RunLost, 8), topTier, nil},
		"the top of a short": {claimAfter(3, 3), 3, []string{ItemTier}},
		"below it":           {run(chain.RunClaimed, 2), 3, nil},
		"a dear sale":        {activity{fact: fact{kind: factSale, coins: 1000}}, topTier, []string{ItemSale}},
		"a cheaper one":      {activity{fact: fact{kind: factSale, coins: 999}}, topTier, nil},
		"a dear purchase":    {activity{fact: fact{kind: factPurchase, coins: 1000}}, topTier, nil},
		"a staked duel":      {duel(duelWon, 1), topTier, []string{ItemDuel}},
		"a duel for nothing": {duel(duelWon, 0), topTier, nil},
		"a lost duel":        {duel(duelLost, 1), topTier, nil},
		"an unlisted duel":   {unlisted, topTier, nil},
		"its achievement":    {hundredth, topTier, nil},
		"an unplayed duel":   {unplayed, topTier, nil},
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
		got := itemsOf(t, name, &tt.activity, tt.top)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// claimAfter returns a claim of a player whose highest one so far is best.
func claimAfter(tier, best int64) activity {
	f := fact{kind: factRun, result: string(chain.RunClaimed), tier: tier}
	return activity{fact: f, before: Counts{BestTier: best}}
}

// itemsOf returns the items of an activity as text, and checks what all items have.
func itemsOf(t *testing.T, name string, a *activity, top int64) (list []string) {
	t.Helper()
	a.item = FeedItem{Account: chain.Address{1}, Username: "ann", RunID: "run"}
	for _, item := range feedItems(a, top) {
		text := item.Kind
		if item.Achievement != "" {
			text += " " + item.Achievement
		}
		if item.First != "" {
			text += " " + item.First
		}
		if n := max(item.Above, item.Streak); n != 0 {
			text += fmt.Sprint(" ", n)
		}
		list = append(list, text)
		if item.Account != (chain.Address{1}) || item.Username != "ann" ||
			(item.RunID == "") != (item.Kind == ItemAchievement) {
			t.Errorf("%s: %+v", name, item)
		}
	}
	return list
}

// TestFirstsAndUpsets checks which first claims and which wins over better players are notable.
func TestFirstsAndUpsets(t *testing.T) {
	t.Parallel()
	upset := func(above int64) activity {
		f := fact{kind: factDuel, result: duelWon, other: &chain.Address{2}}
		return activity{fact: f, above: above, opponent: "bob"}
	}
	hidden, lost := upset(200), upset(200)
	hidden.unlisted, lost.result = true, duelLost
	here := func(tier, best int64) activity {
		a := claimAfter(tier, best)
		a.firstHere = true
		return a
	}
	for name, tt := range map[string]struct {
		activity
		want []string
	}{
		"first tier 8":       {claimAfter(8, 7), []string{ItemTier + " player"}},
		"first tier 5":       {claimAfter(5, 4), []string{ItemTier + " player"}},
		"first tier 4":       {claimAfter(4, 3), nil},
		"a lower one later":  {claimAfter(6, 7), nil},
		"first here":         {here(5, 7), []string{ItemTier + " service"}},
		"first here, tier 4": {here(4, 0), nil},
		"an upset":           {upset(200), []string{ItemUpset + " 200"}},
		"nearly one":         {upset(199), nil},
		"an unlisted upset":  {hidden, nil},
		"the loser's side":   {lost, nil},
	} {
		if got := itemsOf(t, name, &tt.activity, 9); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	a := upset(200)
	a.item.Account = chain.Address{1}
	if got := feedItems(&a, 9)[0].Parties; len(got) != 1 || got[0].Username != "bob" || got[0].Account[0] != 2 {
		t.Errorf("the loser of an upset: %+v", got)
	}
}

// TestFeedIsOptional checks that each stored item is passed to the feed once, and that a service without one stores
// its items all the same.
func TestFeedIsOptional(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	a := h.player(t, 1, chain.Full)
	stored := func() (ids []int64) {
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			ids = nil
			list, err := h.FeedItems(ctx, tx, Newest, feedWindow)
			for _, item := range list {
				ids = append(ids, item.ID)
			}
			return err
		})
		slices.Sort(ids)
		return ids
	}
	h.claim(t, a, "with a feed", 16)
	first := stored()
	if len(first) == 0 || !slices.Equal(h.published, first) {
		t.Errorf("the feed got %v of the items %v", h.published, first)
	}
	h.Feed = nil
	h.claim(t, a, "without", 16)
	if got := len(stored()); got <= len(first) {
		t.Errorf("%d items without a feed, %d before", got, len(first))
	}
}

// TestFeedShare: of the 50 newest items a network has at most 3, a /48 of IPv6 at most 12, and one that has no
// network has any number; a network has room again once others are newer. No tag outlives the next day.
func TestFeedShare(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	a, b := h.player(t, 1, chain.Guest), h.player(t, 2, chain.Guest)
	n := 0
	tag := func(address string) fairshare.Tag {
		return fairshare.Network{Address: netip.MustParseAddr(address)}.Tag(fairshare.Days(h.ledger.Clock.Now()))
	}
	// win reports duels of a network, and returns how many of them are among the 50 newest items.
	win := func(network fairshare.Tag, duels int) (shown int) {
		first := n
		for range duels {
			h.update(t, func(ctx context.Context, tx *store.Tx) error {
				return h.DuelFinished(fairshare.WithTag(ctx, tag("192.0.2.99")), tx, Duel{Code: fmt.Sprint(n), A: a, B: b, Winner: "b",
					Stake: 1, At: h.ledger.Clock.Now(), Network: network})
			})
			n++
		}
		h.drainAll(t)
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			list, err := h.FeedItems(ctx, tx, Newest, feedWindow)
			shown = 0
			for _, item := range list {
				if number, _ := strconv.Atoi(item.DuelID); item.Kind == ItemDuel && number >= first {
					shown++
				}
			}
			return err
		})
		return shown
	}
	for i, c := range []struct {
		network fairshare.Tag
		duels   int
		want    int
	}{
		{tag("192.0.2.1"), 52, 3}, {tag("192.0.2.2"), 4, 3}, {tag("192.0.2.1"), 1, 0}, {nil, 40, 40},
		{tag("192.0.2.1"), 1, 0}, {nil, 4, 4}, {tag("192.0.2.1"), 4, 3},
		{tag("2001:db8:0:1::1"), 4, 3}, {tag("2001:db8:0:2::1"), 4, 3}, {tag("2001:db8:0:3::1"), 4, 3},
		{tag("2001:db8:0:4::1"), 2, 2}, {tag("2001:db8:0:5::1"), 4, 1}, {tag("2001:db8:1:5::1"), 4, 3},
	} {
		if got := win(c.network, c.duels); got != c.want {
			t.Errorf("step %d: the feed shows %d of %d duels of a network, want %d", i, got, c.duels, c.want)
		}
	}
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		now := h.ledger.Clock.Now()
		return h.RunEnded(fairshare.WithTag(ctx, tag("192.0.2.1")), tx, Run{ID: "top", Account: a, Entry: chain.EntryFree,
			Status: chain.RunClaimed, Cleared: 16, Throws: 16, StartedAt: now, EndedAt: now})
	})
	h.drainAll(t)
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := h.FeedItems(ctx, tx, Newest, 1)
		if err != nil || list[0].Kind == ItemTier {
			t.Errorf("a run of a network that has its share is in the feed: %v", err)
		}
		return err
	})
	h.forgetsNetworks(t)
}

// TestUncharged: what no call causes and no caller charges to a network counts, and makes no item of the feed.
func TestUncharged(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	a, b := h.player(t, 1, chain.Full), h.player(t, 2, chain.Full)
	now := h.ledger.Clock.Now()
	err := h.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return errors.Join(
			h.RunEnded(ctx, tx, Run{ID: "run", Account: a, Entry: chain.EntryFree, Status: chain.RunClaimed, Cleared: 16,
				Throws: 16, StartedAt: now, EndedAt: now}),
			h.Sold(ctx, tx, Sale{ListingID: 1, Seller: a, Buyer: b, Price: 10000, At: now}),
			h.CupFinished(ctx, tx, Cup{Number: 1, Kind: "people", At: now}))
	})
	if err != nil {
		t.Fatal(err)
	}
	h.drainAll(t)
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := h.FeedItems(ctx, tx, Newest, feedWindow)
		if len(list) > 0 {
			t.Errorf("the feed has %+v", list[0])
		}
		row, errPlayer := q.New(tx).GetPlayer(ctx, a[:])
		counts, errCounts := parseCounts([]byte(row.Counts))
		if counts.BestTier != 16 || counts.SaleCoins != 10000 {
			t.Errorf("the player's counts are %+v", counts)
		}
		return errors.Join(err, errPlayer, errCounts)
	})
	h.wantConsistent(t)
}

// TestUnplayed: a duel in which no two reveals decided a round earns nothing, for practice or not.
func TestUnplayed(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	a, b := h.player(t, 1, chain.Guest), h.player(t, 2, chain.Guest)
	for i := range 200 {
		h.update(t, func(ctx context.Context, tx *store.Tx) error {
			return h.DuelFinished(ctx, tx, Duel{Code: fmt.Sprint(i), A: a, B: b, Winner: "a", Stake: 1000, Unplayed: true,
				Practice: i < 100, At: h.ledger.Clock.Now()})
		})
	}
	h.drainAll(t)
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := h.FeedItems(ctx, tx, Newest, feedWindow)
		if len(list) > 0 {
			t.Errorf("the feed has %+v", list[0])
		}
		row, errPlayer := q.New(tx).GetPlayer(ctx, a[:])
		counts, errCounts := parseCounts([]byte(row.Counts))
		if counts != (Counts{Facts: 200}) {
			t.Errorf("the winner's counts are %+v", counts)
		}
		return errors.Join(err, errPlayer, errCounts)
	})
	h.wantConsistent(t)
}

// forgetsNetworks checks that the feed has tags of networks, and none when two days are over.
func (h *harness) forgetsNetworks(t *testing.T) {
	t.Helper()
	for _, want := range []bool{true, false} {
		if err := h.DropOldBoards(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			tags, err := q.New(tx).FeedNetworks(ctx, 1000)
			if got := slices.ContainsFunc(tags, func(b []byte) bool { return b != nil }); got != want {
				t.Errorf("the feed has tags: %v, want %v", got, want)
			}
			return err
		})
		h.ledger.Clock.Add(48 * time.Hour)
	}
}
