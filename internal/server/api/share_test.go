package api_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
	"roshambo/internal/store"
)

// publicly starts a stack whose clients have public addresses, with a school at 198.51.100.7.
func publicly(t *testing.T, change ...func(*edge.Config)) *stack {
	t.Helper()
	return start(t, append(change, func(c *edge.Config) {
		c.TrustedProxies, c.NetworkKey, c.PairPrivate = []string{"127.0.0.1"}, []byte("of the test"), true
		c.SharedAddresses, _ = limit.ParseRanges([]string{"198.51.100.7"})
	})...)
}

// opens opens a listed duel from an address, which another player joins.
func (s *stack) opens(t *testing.T, address string, stake int64, a, b *player) *duelGame {
	t.Helper()
	d := decode[api.DuelOut](t, a.postFrom(t, address, "/api/duels", fmt.Sprintf(`{"stake":%d}`, stake)).ok(t)).Duel
	g := s.game(d.ID, a.sender(), b.sender())
	b.post(t, g.path+"/join", "").ok(t)
	return g
}

// shows checks how many duels a list and the feed show.
func (s *stack) shows(t *testing.T, when string, finished, feed int) {
	t.Helper()
	s.settle(t)
	reader := s.anonymous(t)
	results := decode[api.DuelsOut](t, reader.get(t, "/api/duels?status=finished&limit=100").ok(t)).Duels
	if len(results) != finished {
		t.Errorf("%s: %d results, want %d", when, len(results), finished)
	}
	if got := decode[api.FeedOut](t, reader.get(t, "/api/feed?limit=50").ok(t)); len(got.Events) != feed {
		t.Errorf("%s: %d items of the feed, want %d: %+v", when, len(got.Events), feed, got.Events)
	}
}

// TestShareOfDuels: 52 duels for a coin that are resigned at once leave nothing in the lists, and those that are
// played have 3 places, charged to the network that opens them.
func TestShareOfDuels(t *testing.T) {
	t.Parallel()
	s := publicly(t)
	ann, bob, home := s.guest(t), s.guest(t), "203.0.113.1"
	for range 52 {
		g := s.opens(t, home, 1, ann, bob)
		ann.postFrom(t, home, g.path+"/resign", "").ok(t)
	}
	s.shows(t, "after 52 duels that were resigned", 0, 0)
	for range 4 {
		g := s.opens(t, home, 1, bob, ann)
		g.play(t, "rs")
		ann.postFrom(t, home, g.path+"/resign", "").ok(t)
	}
	s.shows(t, "after 4 duels with a round", 3, 3)
	cyd := s.guest(t)
	g := s.opens(t, "203.0.113.2", 1, cyd, ann)
	g.play(t, "rs")
	ann.postFrom(t, home, g.path+"/resign", "").ok(t)
	s.shows(t, "after a duel that another network opened", 4, 4)
	for i := range 9 { // of a /48, from a /64 each
		dan := s.guest(t)
		dan.postFrom(t, fmt.Sprintf("2001:db8:1:%d::1", i), "/api/duels", "").ok(t)
		dan.postFrom(t, home, "/api/duels", "").ok(t)
		if i > 5 {
			dan.postFrom(t, "198.51.100.7", "/api/duels", "").ok(t)
		}
	}
	lobby := decode[api.DuelsOut](t, s.anonymous(t).get(t, "/api/duels?status=open").ok(t))
	if len(lobby.Duels) != 5+3+3 || lobby.Next != nil {
		t.Errorf("the lobby has %d rows, want 5 of a /48, 3 of an address and 3 of a school", len(lobby.Duels))
	}
	if all := decode[api.DuelsOut](t, s.anonymous(t).get(t, "/api/duels?limit=100").ok(t)); len(all.Duels) != 11+4 {
		t.Errorf("the list of all duels has %d rows, want those of the lobby and the 4 results", len(all.Duels))
	}
}

// TestUnplayedEarnsNothing: a hundred wins of rematches that the loser resigns unlock nothing, and the feed is empty.
func TestUnplayedEarnsNothing(t *testing.T) {
	t.Parallel()
	s := publicly(t)
	ann, bob, home := s.guest(t), s.guest(t), "203.0.113.1"
	d := decode[api.DuelOut](t, ann.postFrom(t, home, "/api/duels", `{"listed":false}`).ok(t)).Duel
	bob.postFrom(t, home, "/api/duels/"+d.ID+"/join", "").ok(t)
	for won := 1; ; won++ {
		path := "/api/duels/" + d.ID
		bob.postFrom(t, home, path+"/resign", "").ok(t)
		if won == 100 {
			break
		}
		ann.postFrom(t, home, path+"/rematch", "").ok(t)
		out := decode[api.DuelOut](t, bob.postFrom(t, home, path+"/rematch", "").ok(t))
		d.ID = *out.Duel.Rematch.DuelID
	}
	s.shows(t, "after 100 wins without a round", 0, 0)
	if n := s.count(t, "SELECT count(*) FROM score_entry e JOIN score_player p ON p.account = e.member "+
		"WHERE p.counts LIKE '%duel%'"); n != 0 {
		t.Errorf("%d entries of players with counted duels", n)
	}
}

// TestShareOutlivesTags: what a network has in the lists beyond its share does not come back when its tags are deleted.
func TestShareOutlivesTags(t *testing.T) {
	t.Parallel()
	s := publicly(t)
	ann, bob := s.guest(t), s.guest(t)
	for i := range 10 + 8 {
		home := "203.0.113.1"
		if i >= 10 { // of a /48, from a /64 each
			home = fmt.Sprintf("2001:db8:1:%d::1", i)
		}
		g := s.opens(t, home, 0, ann, bob)
		g.play(t, "rs")
		ann.postFrom(t, home, g.path+"/resign", "").ok(t)
	}
	var cups []int64
	for i := range 4 + 7 {
		home := "203.0.113.1"
		if i >= 4 {
			home = fmt.Sprintf("2001:db8:1:%d::1", i)
		}
		c := decode[api.CupOut](t, s.secured(t).postFrom(t, home, "/api/cups", `{"by_hand":true}`).ok(t)).Cup
		cups = append(cups, c.Number)
	}
	want := append(slices.Clone(cups[2:4]), cups[6:]...)
	for _, when := range []string{"before the sweep", "after it", "a day later"} {
		s.shows(t, when, 3+5, 0)
		var listed []int64
		for _, c := range decode[api.CupsOut](t, s.anonymous(t).get(t, "/api/cups?limit=50").ok(t)).Cups {
			if slices.Contains(cups, c.Number) {
				listed = append(listed, c.Number)
			}
		}
		slices.Sort(listed)
		if !slices.Equal(listed, want) {
			t.Errorf("%s: the list has the cups %v, want %v", when, listed, want)
		}
		s.clock.forward(48 * time.Hour)
		_, err := s.duels.Sweep(t.Context())
		if err := errors.Join(err, s.cups.Advance(t.Context())); err != nil {
			t.Fatal(err)
		}
		if n := s.count(t, "SELECT (SELECT count(*) FROM duel WHERE network IS NOT NULL)"+
			" + (SELECT count(*) FROM cup WHERE network IS NOT NULL)"); n != 0 {
			t.Errorf("%d tags are left after two days", n)
		}
	}
}

// TestShareAtMidnight: what a network began before midnight counts in its places after it.
func TestShareAtMidnight(t *testing.T) {
	t.Parallel()
	s := publicly(t)
	ann, bob := s.guest(t), s.guest(t)
	s.clock.forward(11*time.Hour + 55*time.Minute) // five minutes before midnight
	for i, want := range []int{3, 3, 6} {
		home := [...]string{"203.0.113.1", "203.0.113.1", "2001:db8:1::1"}[i]
		for range 3 {
			g := s.opens(t, home, 1, bob, ann)
			g.play(t, "rs")
			ann.postFrom(t, home, g.path+"/resign", "").ok(t)
		}
		s.shows(t, fmt.Sprintf("after 3 more duels of %s", home), want, want)
		s.clock.forward(6 * time.Minute)
	}
}

// versus begins a ranked duel of a bot at an address with a waiting bot of the house, and wins it.
func (s *stack) versus(t *testing.T, house, b *bot, address string) string {
	t.Helper()
	house.queue(t)
	b.postFrom(t, address, "/api/arena/queue", "").ok(t)
	s.clock.forward(5 * time.Second)
	s.pass(t)
	code := b.queue(t).Duel.ID
	s.beat(t, code, b, house)
	return "/api/duels/" + code
}

// TestShareOfRanked: ranked duels against the house are charged to the network of the bot that asked, in lists and in
// replays on TV, of which a network has one.
func TestShareOfRanked(t *testing.T) {
	t.Parallel()
	s := publicly(t)
	house, one, two := s.house(t), s.bot(t), s.bot(t)
	s.versus(t, house, two, "203.0.113.2")
	for i := range 8 {
		s.versus(t, house, one, [...]string{"203.0.113.1", "2001:db8::1"}[i/4])
	}
	s.shows(t, "after 4 ranked duels of two networks each and one of another", 7, 0)
	if n := s.count(t, "SELECT count(*) FROM duel WHERE listed = 1"); n != 4+4+1 {
		t.Errorf("%d results are in lists or left out by them, want 4 of a network at most", n)
	}
	for i := range 8 { // from a /64 each
		s.versus(t, house, one, fmt.Sprintf("2001:db8:1:%d::1", i))
	}
	s.shows(t, "after 8 of a /48", 12, 0)
	if n := s.count(t, "SELECT count(*) FROM duel WHERE listed = 1"); n != 4+4+1+6 {
		t.Errorf("%d results are in lists or left out by them, want 6 of a /48 at most", n)
	}
	s.clock.forward(24 * time.Hour)
	other := s.versus(t, house, two, "203.0.113.2")
	for range 4 {
		s.versus(t, house, one, "203.0.113.1")
	}
	for i, isOther := range []bool{false, true, false} {
		s.clock.forward(30 * time.Second)
		out := decode[api.TVOut](t, s.anonymous(t).get(t, "/api/tv").ok(t))
		if out.Duel == nil || ("/api/duels/"+out.Duel.ID == other) != isOther {
			t.Errorf("slot %d: TV shows %+v; the other network's: want %v", i, out.Duel, isOther)
		}
	}
}

// TestShareOfPairs: a pair that the service found, of people or bots, is charged to the network of the side
// that waited.
func TestShareOfPairs(t *testing.T) {
	t.Parallel()
	s := publicly(t)
	ann, one := s.guest(t), s.bot(t)
	quick := func(p *player, address string) api.QueueOut {
		return decode[api.QueueOut](t, p.postFrom(t, address, "/api/duels/quick", "").ok(t))
	}
	for i := range 4 {
		p, address := s.guest(t), fmt.Sprintf("203.0.113.%d", i+2)
		quick(p, address)
		d := quick(ann, "203.0.113.1").Duel
		s.game(d.ID, p.sender(), ann.sender()).play(t, "rs", "rs", "rs")
		b := s.bot(t)
		b.postFrom(t, address, "/api/arena/queue", "").ok(t)
		s.clock.forward(8 * time.Second) // until the ratings do not matter
		ranked := decode[api.QueueOut](t, one.postFrom(t, "203.0.113.1", "/api/arena/queue", "").ok(t))
		s.beat(t, ranked.Duel.ID, b, one)
	}
	s.shows(t, "after 8 duels with others who waited", 8, 0)
	for range 4 {
		quick(ann, "203.0.113.1")
		p := s.guest(t)
		s.game(quick(p, "203.0.113.9").Duel.ID, ann.sender(), p.sender()).play(t, "rs", "rs", "rs")
	}
	s.shows(t, "after 4 more for which it waited", 11, 0)
}

// TestShareOfTV: the live duels of a network are on TV for a minute, then others' duels, then replays.
func TestShareOfTV(t *testing.T) {
	t.Parallel()
	s := publicly(t)
	ann, bob, cyd, dan := s.guest(t), s.guest(t), s.guest(t), s.guest(t)
	rich, poor := s.opens(t, "203.0.113.1", 50, ann, bob), s.opens(t, "203.0.113.2", 0, cyd, dan)
	wants := func(after time.Duration, g *duelGame) {
		t.Helper()
		s.clock.forward(after)
		out := decode[api.TVOut](t, s.anonymous(t).get(t, "/api/tv").ok(t))
		if g == nil && out.Duel != nil || g != nil && (out.Duel == nil || !strings.HasSuffix(g.path, out.Duel.ID)) {
			t.Errorf("after %v TV shows %+v", after, out.Duel)
		}
	}
	wants(0, rich)
	wants(30*time.Second, rich)
	wants(29*time.Second, rich)
	wants(time.Second, poor)
	wants(30*time.Second, poor)
	wants(30*time.Second, nil) // though both duels go on
	s.opens(t, "203.0.113.1", 60, ann, bob)
	wants(10*time.Second, nil)
	s.clock.forward(time.Hour)
	wants(0, nil)
	wants(0, nil)
	wants(time.Second, s.opens(t, "203.0.113.1", 60, ann, bob))
}

// TestShareOfCups: 63 guests of one /48 take a quarter of the seats of a cup, and a network has two rows of the list.
func TestShareOfCups(t *testing.T) {
	t.Parallel()
	s := publicly(t)
	ann, old, home := s.secured(t), s.secured(t), "203.0.113.1"
	s.clock.forward(72*time.Hour + 11*time.Hour + 55*time.Minute) // five minutes before midnight
	number := decode[api.CupOut](t, ann.postFrom(t, home, "/api/cups", `{"minutes":9}`).ok(t)).Cup.Number
	path, seated := fmt.Sprintf("/api/cups/%d/join", number), 0
	for i := range 63 {
		p := s.guest(t)
		if i == 12 { // the day ends, and the seats taken before count on
			s.clock.forward(6 * time.Minute)
		}
		switch a := p.postFrom(t, fmt.Sprintf("2001:db8:1:%d::1", i%9), path, ""); {
		case i < 16:
			a.ok(t)
			seated++
		default:
			a.fails(t, 409, "limit_reached")
		}
	}
	old.postFrom(t, "2001:db8:1:1::1", path, "").ok(t)        // secured for 3 days
	s.guest(t).postFrom(t, "198.51.100.7", path, "").ok(t)    // a school
	s.guest(t).postFrom(t, "2001:db8:2:1::1", path, "").ok(t) // another network
	if got := s.anonymous(t).cup(t, number).Cup.Players; got != int64(seated)+4 {
		t.Errorf("%d players, want %d and 4", got, seated)
	}
	for range 3 {
		s.secured(t).postFrom(t, home, "/api/cups", `{"minutes":9}`).ok(t)
	}
	for range 3 { // private ones take the place of none
		s.secured(t).postFrom(t, home, "/api/cups", `{"minutes":9,"private":true}`).ok(t)
	}
	list := decode[api.CupsOut](t, s.anonymous(t).get(t, "/api/cups").ok(t))
	if len(list.Cups) != 2 || list.Cups[1].Number != number+2 {
		t.Errorf("the list has %+v, want the 2 newest of the network, though it made one the day before", list.Cups)
	}
	s.forgetsNetworks(t)
}

// forgetsNetworks checks that cups and duels have tags of networks, and none when two days are over.
func (s *stack) forgetsNetworks(t *testing.T) {
	t.Helper()
	s.opens(t, "203.0.113.1", 0, s.guest(t), s.guest(t)).play(t, "rs", "rs", "rs")
	ann, bob := s.guest(t), s.guest(t)
	ann.post(t, s.opens(t, "203.0.113.1", 0, ann, bob).path+"/resign", "").ok(t) // in no list
	for _, want := range []bool{true, false} {
		_, err := s.duels.Sweep(t.Context())
		if err := errors.Join(err, s.cups.Advance(t.Context())); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"duel", "cup", "cup_player"} {
			s.within(t, func(ctx context.Context, tx *store.Tx) error {
				rows, err := tx.QueryContext(ctx, "SELECT 1 FROM "+table+" WHERE network IS NOT NULL LIMIT 1")
				if err != nil {
					return err
				}
				defer rows.Close()
				if got := rows.Next(); got != want {
					t.Errorf("%s has tags: %v, want %v", table, got, want)
				}
				return rows.Err()
			})
		}
		s.clock.forward(48 * time.Hour)
	}
}
