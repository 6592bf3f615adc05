package api_test

import (
	"crypto/sha256"
	"fmt"
	"math"
	"testing"

	"roshambo/game"
	"roshambo/internal/server/api"
	"roshambo/internal/service/run"
)

// trips is the number of round trips to PostgreSQL of each use case once its statements are
// prepared, on a node that remembers the account: on another one a start makes one more.
var trips = map[string]int64{
	"guest": 1, "start": 1, "start for a fee": 1, "throw": 1, "lost": 2, "claim": 3, "abandon": 2,
	"game active": 1, "game lost": 1, "game claimed": 2,
	"commit": 2, "second commit": 2, "reveal": 2, "second reveal": 2,
	"open": 4, "join": 4, "list": 2, "cancel listing": 2, "buy": 3,
}

// TestRoundTrips counts the round trips of each call of a game, and compares the least number with the table:
// a connection that has not prepared the statements yet, or was idle for a second, makes more.
// SQLite makes none.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	s := start(t)
	seen, least := map[string]int{}, map[string]int64{}
	counted := func(what func() string, do func()) {
		t.Helper()
		before := s.db.Stats().UpdateTrips
		do()
		got, name := s.db.Stats().UpdateTrips-before, what()
		if seen[name]++; seen[name] == 1 || got < least[name] {
			least[name] = got
		}
	}
	is := func(name string) func() string { return func() string { return name } }
	for n := 0; n < 8 || seen["lost"] < 3 || seen["throw"] < 3; n++ { // at random
		var p *player
		counted(is("guest"), func() { p = s.guest(t) })
		s.seal(t)
		var out api.StartRunOut
		counted(is("start"), func() { out = decode[api.StartRunOut](t, p.post(t, "/api/runs", `{}`).ok(t)) })
		status := "active"
		for status == "active" {
			counted(func() string {
				if status == "lost" {
					return status
				}
				return "throw"
			}, func() {
				status = decode[api.ThrowOut](t, p.post(t, "/api/runs/"+out.Run.ID+"/throw",
					`{"move":"rock"}`).ok(t)).Run.Status
			})
			s.clock.forward(run.ThrowInterval)
		}
		if status == "lost" {
			counted(is("start for a fee"), func() {
				out = decode[api.StartRunOut](t, p.post(t, "/api/runs", `{"entry":"fee"}`).ok(t))
			})
			counted(is("abandon"), func() { p.post(t, "/api/runs/"+out.Run.ID+"/abandon", "").ok(t) })
		}
	}
	for range 4 {
		p := s.guest(t)
		s.seal(t)
		r := p.play(t, p.start(t, ""), game.Win)
		counted(is("claim"), func() { p.post(t, "/api/runs/"+r.ID+"/claim", "").ok(t) })
	}
	for n := 0; n < 8 || seen["game active"] < 3 || seen["game lost"] < 3 || seen["game claimed"] < 3; n++ { // at random
		p := s.guest(t)
		s.seal(t)
		var status string
		counted(func() string { return "game " + status }, func() {
			status = decode[api.StartRunOut](t, p.post(t, "/api/runs", `{"move":"rock","then":"claim"}`).ok(t)).Run.Status
		})
	}
	a, b := s.guest(t), s.guest(t)
	for range 2 {
		rounds(t, a, b, func(name string, do func()) { counted(is(name), do) })
	}
	for range 4 {
		trade(t, a, b, func(name string, do func()) { counted(is(name), do) })
	}
	for name, want := range trips {
		if s.db.Exclusive() {
			want = 0
		}
		if got := least[name]; seen[name] < 3 || got != want {
			t.Errorf("%s: at least %d round trips in %d calls, want %d in three or more", name, got, seen[name], want)
		}
	}
}

// rounds plays a duel of three rounds between two players.
func rounds(t *testing.T, a, b *player, counted func(name string, do func())) {
	t.Helper()
	d := a.open(t, 0)
	b.post(t, "/api/duels/"+d.ID+"/join", "").ok(t)
	for round := range 3 {
		salt := fmt.Sprint("an unguessable salt ", round)
		other := fmt.Sprintf(`{"commitment":"%x"}`, sha256.Sum256([]byte("rock:"+salt+" of a")))
		otherReveal := fmt.Sprintf(`{"move":"rock","salt":%q}`, salt+" of a")
		commitment := fmt.Sprintf(`{"commitment":"%x"}`, sha256.Sum256([]byte("rock:"+salt)))
		reveal := fmt.Sprintf(`{"move":"rock","salt":%q}`, salt)
		counted("commit", func() { a.post(t, "/api/duels/"+d.ID+"/commit", other).ok(t) })
		counted("second commit", func() { b.post(t, "/api/duels/"+d.ID+"/commit", commitment).ok(t) })
		counted("reveal", func() { a.post(t, "/api/duels/"+d.ID+"/reveal", otherReveal).ok(t) })
		counted("second reveal", func() { b.post(t, "/api/duels/"+d.ID+"/reveal", reveal).ok(t) })
	}
}

// trade duels two players for a stake, and sells a token from one to the other.
func trade(t *testing.T, a, b *player, counted func(name string, do func())) {
	t.Helper()
	var d api.Duel
	counted("open", func() { d = a.open(t, 10) })
	counted("join", func() { b.post(t, "/api/duels/"+d.ID+"/join", "").ok(t) })
	a.s.seal(t)
	token := a.win(t)
	var l api.Listing
	counted("list", func() { l = a.sell(t, token, 10) })
	counted("cancel listing", func() { a.post(t, fmt.Sprintf("/api/market/%d/cancel", l.ID), "").ok(t) })
	l = a.sell(t, token, 10)
	counted("buy", func() { b.post(t, fmt.Sprintf("/api/market/%d/buy", l.ID), "").ok(t) })
}

// TestTripsOfTheAccount checks that the start page's read makes one round trip, before the first commitment is in a
// block as afterwards. The least of some calls counts, as above, since others of this service may be among them.
func TestTripsOfTheAccount(t *testing.T) {
	t.Parallel()
	s := start(t)
	want := int64(2) // tests run each View twice
	if s.db.Exclusive() {
		want = 0
	}
	p := s.guest(t)
	for _, sealed := range []bool{false, true} {
		if sealed {
			s.seal(t)
		}
		least := int64(math.MaxInt64)
		for range 4 {
			before := s.db.Stats().RoundTrips
			me := decode[api.MeOut](t, p.get(t, "/api/me").ok(t))
			least = min(least, s.db.Stats().RoundTrips-before)
			if (me.NextCommitment.Height != nil) != sealed {
				t.Errorf("sealed %v, but the commitment is in block %v", sealed, me.NextCommitment.Height)
			}
		}
		if least != want {
			t.Errorf("sealed %v: %d round trips, want %d", sealed, least, want)
		}
	}
}

// TestTripsOfStrangers checks that a read that answers strangers, too, recognises its caller in its own round trip.
func TestTripsOfStrangers(t *testing.T) {
	t.Parallel()
	s := start(t)
	want := int64(2) // tests run each View twice
	if s.db.Exclusive() {
		want = 0
	}
	p := s.guest(t)
	p.win(t)
	p.board(t, "all")
	least := int64(math.MaxInt64)
	for range 4 {
		before := s.db.Stats().RoundTrips
		p.get(t, "/api/leaderboard").ok(t)
		least = min(least, s.db.Stats().RoundTrips-before)
	}
	if least != want {
		t.Errorf("%d round trips, want %d", least, want)
	}
}
