package api_test

import (
	"context"
	"slices"
	"testing"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/server/api"
	"roshambo/internal/server/tokenart"
	"roshambo/internal/store"
)

// profile reads the public profile of a player.
func (s *stack) profile(t *testing.T, name string) api.PlayerProfile {
	t.Helper()
	return decode[api.PlayerOut](t, s.anonymous(t).get(t, "/api/players/"+name).ok(t)).Player
}

// newestItem reads the newest item of the feed, once all reports are reduced.
func (s *stack) newestItem(t *testing.T) api.FeedEvent {
	t.Helper()
	s.settle(t)
	return decode[api.FeedOut](t, s.anonymous(t).get(t, "/api/feed?limit=1").ok(t)).Events[0]
}

// cupHasMedals checks that the first three of a finished cup have a medal from its table, and that the feed names
// them.
func (s *stack) cupHasMedals(t *testing.T, c api.CupOut) {
	t.Helper()
	item := s.newestItem(t)
	if item.Kind != "cup_closed" || *item.Cup != c.Cup.Number || *item.CupKind != c.Cup.Kind ||
		*item.TableHash != c.Final.TableHash || *item.TxHash != c.Final.TxHash || *item.Username != c.Table[0].Username {
		t.Errorf("in the feed: %+v", item)
	}
	var expected []api.FeedMedal
	for _, row := range c.Table {
		medals := s.profile(t, row.Username).Medals
		if c.Cup.Kind == "bots" {
			path := "/api/arena/bots/" + row.Username
			medals = decode[api.ArenaBotOut](t, s.anonymous(t).get(t, path).ok(t)).Bot.Medals
		}
		if row.Rank > 3 {
			if len(medals) != 0 {
				t.Errorf("%s is number %d and has %+v", row.Username, row.Rank, medals)
			}
			continue
		}
		if len(medals) != 1 {
			t.Fatalf("%s is number %d and has %d medals", row.Username, row.Rank, len(medals))
		}
		if m := medals[0]; m.Kind != "cup" || m.Number != c.Cup.Number || *m.CupKind != c.Cup.Kind || m.Place != row.Rank ||
			m.Players != c.Cup.Players || m.TableHash != c.Final.TableHash || !m.At.Equal(c.Cup.EndedAt.Time) {
			t.Errorf("%s is number %d and has %+v", row.Username, row.Rank, m)
		}
		if len(expected) < 3 {
			expected = append(expected, api.FeedMedal{PlayerName: row.PlayerName, Place: row.Rank})
		}
	}
	if !slices.Equal(item.Medals, expected) {
		t.Errorf("medals in the feed: %+v, want %+v", item.Medals, expected)
	}
}

// seasonHasMedals checks the medals of season 1, with these players at the top.
func (s *stack) seasonHasMedals(t *testing.T, closed *api.FinalTable, players ...*player) {
	t.Helper()
	item := s.newestItem(t)
	if item.Kind != "season_closed" || *item.Season != 1 || *item.Address != players[0].address ||
		*item.TxHash != closed.TxHash || *item.TableHash != closed.TableHash || len(item.Medals) != len(players) {
		t.Fatalf("in the feed: %+v", item)
	}
	for n, p := range players {
		place := int64(n) + 1
		if m := item.Medals[n]; m.Address != p.address || m.Place != place || m.Username == "" {
			t.Errorf("medal %d in the feed: %+v", place, m)
		}
		medals := s.profile(t, p.address).Medals
		if len(medals) != 1 || medals[0].Kind != "season" || medals[0].Number != 1 || medals[0].CupKind != nil ||
			medals[0].Place != place || medals[0].Players != int64(len(players)) || medals[0].TableHash != closed.TableHash {
			t.Errorf("number %d has the medals %+v", place, medals)
		}
	}
}

// TestUpset: the feed reports a rated win over an opponent whose established rating was 200 points higher, and no win
// over one with 199 points more.
func TestUpset(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob := s.secured(t), s.secured(t)
	s.paired(t, ann, bob).play(t, "rs", "rs", "rs") // both have a rating
	who := address(t, ann)
	// rate gives both an established rating, ann's by so many points above bob's.
	rate := func(above int64) {
		const point, established = 1_000_000, 1 << 42 // package arena
		err := s.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, `UPDATE arena_rating SET deviation = 60000000, rivals = 5, standing = $3,
				rating = CASE WHEN address = $1 THEN CAST($2 AS bigint) ELSE 1500000000 END`,
				who[:], (1500+above)*point, established+1500*point)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, above := range []int64{199, 200} {
		rate(0)
		g := s.paired(t, ann, bob) // equals are paired at once
		rate(above)
		d := g.play(t, "rp", "rp", "rp")
		s.settle(t)
		events := decode[api.FeedOut](t, s.anonymous(t).get(t, "/api/feed").ok(t)).Events
		if above < 200 {
			if len(events) != 0 {
				t.Errorf("above by %d: %+v", above, events)
			}
			continue
		}
		if e := events[0]; len(events) != 1 || e.Kind != "upset" || *e.DuelID != d.ID || *e.Address != bob.address ||
			*e.Above != above || e.Opponent.Address != ann.address || e.Opponent.Username == "" || len(e.Medals) != 0 {
			t.Errorf("above by %d: %+v", above, events)
		}
	}
}

// address returns a player's address.
func address(t *testing.T, p *player) chain.Address {
	t.Helper()
	a, err := chain.ParseAddress(p.address)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestCollection: a profile has each tier of the ladder, with the tokens that the player has of it and their shapes.
func TestCollection(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann := s.guest(t)
	for n, tier := range s.profile(t, ann.address).Collection {
		if tier.Tier != int64(n)+1 || tier.Count != 0 || tier.Shapes == nil || len(tier.Shapes) != 0 {
			t.Errorf("an empty collection has %+v", tier)
		}
	}
	count, oldest := [3]int64{}, [3][len(tokenart.Shapes)]*int64{}
	for _, wins := range [][]game.Outcome{nil, nil, {game.Win}, nil} {
		s.clock.forward(24 * 60 * 60e9) // three free entries a day
		token := ann.win(t, wins...)
		count[token.Tier-1]++
		if at := &oldest[token.Tier-1][tokenart.Shape(token.TokenID)]; *at == nil {
			*at = &token.TokenID
		}
	}
	for n, tier := range s.profile(t, ann.address).Collection {
		var shapes []api.CollectedShape
		for i, id := range oldest[n] {
			if id != nil {
				shapes = append(shapes, api.CollectedShape{Shape: tokenart.Shapes[i], TokenID: *id})
			}
		}
		if tier.Material != []string{"Clay", "Wood", "Stone"}[n] || tier.Count != count[n] ||
			!slices.Equal(tier.Shapes, shapes) {
			t.Errorf("tier %d: %+v, want %d tokens, %+v", n+1, tier, count[n], shapes)
		}
	}
	if count != [3]int64{3, 1, 0} {
		t.Errorf("won %v", count)
	}
}
