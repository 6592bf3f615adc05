package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/platform/limit"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
)

// longSalt is the longest salt of a round, of characters that JSON writes with six bytes.
func longSalt(side, round int) string {
	mark := fmt.Sprintf("salt-%d-%d", side, round)
	return mark + strings.Repeat("\x01", chain.MaxSalt-len(mark))
}

// ties plays rounds without a winner, with the longest salts.
func (g *duelGame) ties(t *testing.T, rounds int) {
	t.Helper()
	for range rounds {
		g.n++
		for side, send := range g.sides {
			send(t, g.post("/commit", committing(game.Rock, longSalt(side, g.n)))).ok(t)
		}
		for side, send := range g.sides {
			body := strings.ReplaceAll(revealing(game.Rock, longSalt(side, g.n)), `\x01`, `\u0001`)
			send(t, g.post("/reveal", body)).ok(t)
		}
	}
}

// counting starts a stack with a limit of 200 calls an hour, and returns how many of them an answer leaves.
func counting(t *testing.T) (s *stack, left func(a answer) int) {
	t.Helper()
	s = start(t, func(c *edge.Config) {
		var err error
		if c.RateLimit, err = limit.NewLog(200, time.Hour); err != nil {
			t.Fatal(err)
		}
	})
	return s, func(a answer) (n int) {
		t.Helper()
		_, rest, _ := strings.Cut(a.ok(t).header.Get("RateLimit"), ";r=")
		if _, err := fmt.Sscanf(rest, "%d;", &n); err != nil {
			t.Fatalf("%q: %v", a.header, err)
		}
		return n
	}
}

// TestResignationsInCups: a resignation counts as two calls in a cup, whose duel no call has begun, and else as one.
func TestResignationsInCups(t *testing.T) {
	t.Parallel()
	s, left := counting(t)
	p := s.guest(t)
	h := p.hosts(t, `{"by_hand":true}`, 1)
	p.post(t, h.path("/start"), "").ok(t)
	s.moveCups(t)
	list := decode[api.DuelsOut](t, p.get(t, "/api/duels?mine=true&status=active").ok(t))
	if len(list.Duels) != 1 {
		t.Fatalf("%d duels of the cup", len(list.Duels))
	}
	for code, want := range map[string]int{list.Duels[0].ID: 2, p.spar(t).ID: 1} {
		before := left(p.get(t, "/api/me"))
		if got := before - left(p.post(t, "/api/duels/"+code+"/resign", "")); got != want {
			t.Errorf("the resignation of %s counts as %d calls, want %d", code, got, want)
		}
	}
}

// TestEscapedSalts: a reveal counts as one call, and as one more for each KiB that escapes in its salt add.
func TestEscapedSalts(t *testing.T) {
	t.Parallel()
	s, left := counting(t)
	p := s.guest(t)
	for salt, want := range map[string]int{"plain": 1, strings.Repeat("x", chain.MaxSalt): 1,
		strings.Repeat("é", chain.MaxSalt/2): 1, strings.Repeat(`"`, chain.MaxSalt): 2, longSalt(0, 1): 6, `"\`: 1,
		strings.Repeat("\x01", chain.MaxSalt): 6} {
		path := "/api/duels/" + p.spar(t).ID
		before := left(p.post(t, path+"/commit", committing(game.Rock, salt)))
		body, err := json.Marshal(map[string]string{"move": "rock", "salt": salt})
		if err != nil {
			t.Fatal(err)
		}
		if got := before - left(p.post(t, path+"/reveal", string(body))); got != want {
			t.Errorf("the reveal of %.20q counts as %d calls, want %d", salt, got, want)
		}
	}
}

// TestSaltsStayWithTheirDuel: no list, event or answer about TV has a salt of a duel of people, of bots or against
// the sparring bot, for each caller; and the largest duel that TV can show leaves a visitor's first page small.
func TestSaltsStayWithTheirDuel(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob, visitor := s.guest(t), s.guest(t), s.anonymous(t)
	one, two := s.bot(t), s.bot(t)
	one.queue(t)
	arena := s.game(two.queue(t).Duel.ID, one.sender(), two.sender())
	arena.ties(t, 60)
	for range 20 { // results in lists
		s.joined(t, 1, ann, bob).play(t, "rs", "rs", "rs")
		s.clock.forward(time.Second)
	}
	live := s.joined(t, 0, ann, bob)
	live.ties(t, 59)
	s.settle(t)
	s.clock.forward(time.Second)
	tv := decode[api.TVOut](t, visitor.get(t, "/api/tv").ok(t))
	if !tv.Live || len(tv.Duel.Rounds) != 60 {
		t.Fatalf("TV shows a duel with %d rounds, live %t, want the live one with 60", len(tv.Duel.Rounds), tv.Live)
	}
	first := 0
	for _, path := range []string{"/api/tiers", "/api/chain/head", "/api/tv?watching=false", "/api/daily?limit=1",
		"/api/feed?limit=5", "/api/duels?status=finished&limit=20"} {
		first += len(visitor.get(t, path).ok(t).body)
	}
	if first > 80<<10 {
		t.Errorf("a visitor's first page gets %d bytes of answers, want at most 80 KiB", first)
	}
	watched := visitor.get(t, live.path+"?salts=false").ok(t).body // each step of a live duel on TV
	if size := first + len(watched); size > 150<<10 {
		t.Errorf("a visitor's first page on TV gets %d bytes of answers, want at most 150 KiB", size)
	}
	paths := []string{live.path + "?salts=false", arena.path + "?salts=false", "/api/duels?status=active",
		"/api/duels?status=finished&limit=100", "/api/duels?mine=true&limit=100",
		"/api/events?follow=false&after=0&duel=" + strings.TrimPrefix(live.path, "/api/duels/"),
		"/api/players/" + ann.address + "/duels", "/api/arena/bots/" + one.address + "/duels"}
	for _, o := range s.doc.operations {
		if o.method == "GET" && !strings.Contains(o.path, "{") && o.id != "exportAccount" && o.id != "followEvents" {
			paths = append(paths, o.path)
		}
	}
	for _, path := range paths {
		for _, p := range []*player{ann, visitor} {
			if body := p.get(t, path).body; strings.Contains(body, "salt-0-") || strings.Contains(body, "salt-1-") {
				t.Errorf("%s has a salt: %.200s", path, body)
			}
		}
	}
	if body := visitor.get(t, arena.path).ok(t).body; !strings.Contains(body, "salt-1-60") {
		t.Errorf("the duel itself lacks its salts: %.200s", body)
	}
}
