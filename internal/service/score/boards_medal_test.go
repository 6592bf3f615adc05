package score

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/store"
)

// feed returns the newest items as text: kind, player, first, medals.
func (h *harness) feed(t *testing.T, count int64) (list []string) {
	t.Helper()
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		items, err := h.FeedItems(ctx, tx, Newest, count)
		list = nil
		for _, item := range items {
			text := item.Kind + " " + item.Username
			if item.First != "" {
				text += " " + item.First
			}
			for _, p := range item.Parties {
				text += fmt.Sprintf(" %d:%s", p.Place, p.Username)
			}
			list = append(list, text)
		}
		return err
	})
	return list
}

// TestFirstClaims checks that the feed reports the first claim of a tier by any player, and by each player, once.
func TestFirstClaims(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	ann, bob, bot := h.player(t, 1, chain.Full), h.player(t, 2, chain.Guest), h.player(t, 3, chain.Bot)
	h.claim(t, bot, "0", 5) // a bot is no player
	h.claim(t, ann, "1", 4) // too low for an item
	h.claim(t, ann, "2", 5)
	h.claim(t, ann, "3", 5)
	h.claim(t, bob, "4", 5)
	h.claim(t, bob, "5", 7)
	h.claim(t, bob, "6", 6) // the first here, though not the best of the player
	h.claim(t, ann, "7", 6)
	h.claim(t, ann, "8", 6)
	want := []string{"tier_claimed Player-1 player", "tier_claimed Player-2 service", "tier_claimed Player-2 service",
		"tier_claimed Player-2 player", "tier_claimed Player-1 service"}
	if got := h.feed(t, 10); !slices.Equal(got, want) {
		t.Errorf("the feed has %q, want %q", got, want)
	}
	h.wantConsistent(t)
	h.exec(t, "DELETE FROM score_first WHERE tier = 7")
	var found []string
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		found = nil
		return h.Check(ctx, tx, func(d Divergence) { found = append(found, d.What) })
	})
	if !slices.Equal(found, []string{"first claim of tier 7"}) {
		t.Errorf("without the first claim of tier 7 Check finds %q", found)
	}
}

// TestSeasonMedals closes two seasons: the first three of each have medals, in the order of the final table, and
// the feed names them.
func TestSeasonMedals(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	var players []chain.Address
	for n := range 5 {
		players = append(players, h.player(t, n+1, chain.Full))
	}
	tiers := [][]int64{{4, 2, 4, 1, 3}, {1, 3, 0, 0, 0}} // of season and player; two are equal, the earlier is better
	for season, list := range tiers {
		h.ledger.Clock.Set(h.Season(int64(season) + 1).StartsAt.Add(1))
		for n, tier := range list {
			if tier > 0 {
				h.claim(t, players[n], fmt.Sprintf("%d-%d", season, n), tier)
				h.ledger.Clock.Add(closeGrace)
			}
		}
		h.ledger.Clock.Set(h.Season(int64(season) + 1).EndsAt.Add(closeGrace))
		if n, err := h.CloseSeasons(t.Context()); n != 1 || err != nil {
			t.Fatalf("closed %d seasons, error %v", n, err)
		}
	}
	h.claim(t, players[3], "open", 1) // of the season in progress, which gives no medal yet
	for n, want := range []string{"2:2/2 1:1/5", "2:1/2", "1:2/5", "", "1:3/5"} {
		h.view(t, func(ctx context.Context, tx *store.Tx) error {
			list, err := h.SeasonMedals(ctx, tx, players[n])
			got := ""
			for _, m := range list {
				closed, err := h.ClosedSeason(ctx, tx, m.Season)
				if err != nil || m.Table != closed.Hash || !m.ClosedAt.Equal(closed.ClosedAt) {
					t.Errorf("medal %+v of season %+v, error %v", m, closed, err)
				}
				if got != "" {
					got += " "
				}
				got += fmt.Sprintf("%d:%d/%d", m.Season, m.Place, m.Players)
			}
			if got != want {
				t.Errorf("player %d has medals %q, want %q", n+1, got, want)
			}
			return err
		})
	}
	want := []string{"season_closed Player-2 1:Player-2 2:Player-1",
		"season_closed Player-1 1:Player-1 2:Player-3 3:Player-5"}
	if got := h.feed(t, 10); !slices.Equal(got, want) {
		t.Errorf("the feed has %q, want %q", got, want)
	}
	h.wantConsistent(t)
}

// TestCupInTheFeed checks that a finished cup is an item with current names, within the share of its network.
func TestCupInTheFeed(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	top := make([]Party, 2)
	for n := range top {
		a := h.player(t, n+1, chain.Bot)
		top[n] = Party{Account: a[:], Place: 1} // they share the place
	}
	tag := fairshare.Network{Address: netip.MustParseAddr("192.0.2.1")}.Tag(fairshare.Days(h.ledger.Clock.Now()))
	for n := range int64(5) {
		h.update(t, func(ctx context.Context, tx *store.Tx) error {
			return h.CupFinished(fairshare.WithTag(ctx, tag), tx,
				Cup{Number: n + 1, Kind: "bots", Top: top, At: h.ledger.Clock.Now()})
		})
	}
	h.drainAll(t)
	h.exec(t, "UPDATE account SET username = 'renamed' WHERE username = 'Player-2'")
	one := "cup_closed Player-1 1:Player-1 1:renamed"
	if got := h.feed(t, 10); !slices.Equal(got, []string{one, one, one}) {
		t.Errorf("of five cups of a network the feed has %q, want three", got)
	}
	h.wantConsistent(t)
}
