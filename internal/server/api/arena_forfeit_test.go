package api_test

import (
	"testing"

	"roshambo/internal/server/api"
)

// TestLeaveTellsTheDuel: a bot that leaves after it was matched gets the duel, so that it can play it.
func TestLeaveTellsTheDuel(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b := s.bot(t), s.bot(t)
	a.queue(t)
	code := b.queue(t).Duel.ID
	for range 2 {
		out := decode[api.LeaveOut](t, a.post(t, "/api/arena/leave", "").ok(t))
		if out.Left || out.Duel == nil || out.Duel.ID != code || out.Duel.You == nil {
			t.Fatalf("a leaves after it was matched: %+v, want the duel %s", out, code)
		}
	}
	s.beat(t, code, a, b)
	if out := decode[api.LeaveOut](t, a.post(t, "/api/arena/leave", "").ok(t)); out.Left || out.Duel != nil {
		t.Errorf("a leaves after the duel: %+v", out)
	}
}

// TestForfeitsAndRatings: a duel that neither bot plays is not rated, a bot that forfeits loses rating, and
// the other one gains only if two reveals decided two of its rounds.
func TestForfeitsAndRatings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rounds []string // the first bot's and the second bot's hand
		rated  bool
		a, b   bool // the rating changes
	}{
		"neither plays":           {[]string{"--", "--"}, false, false, false},
		"neither reveals":         {[]string{"xx", "xx"}, false, false, false},
		"b never comes":           {[]string{"r-", "r-", "r-"}, true, false, true},
		"b stops after one round": {[]string{"rs", "r-", "r-"}, true, false, true},
		"b stops after two":       {[]string{"rs", "rs", "r-"}, true, true, true},
		"b does not reveal":       {[]string{"rs", "rr", "rx", "rx"}, true, false, true},
		"a tie, then neither":     {[]string{"rr", "--", "--"}, true, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			bots := [2]*bot{s.bot(t), s.bot(t)}
			bots[0].queue(t)
			d := bots[1].queue(t).Duel
			if *d.You == "a" {
				bots[0], bots[1] = bots[1], bots[0]
			}
			d2 := s.game(d.ID, bots[0].sender(), bots[1].sender()).play(t, c.rounds...)
			if d2.Status != "finished" || d2.Rated != c.rated {
				t.Fatalf("the duel: status %s, rated %t, want finished, %t", d2.Status, d2.Rated, c.rated)
			}
			for i, want := range []bool{c.a, c.b} {
				page := bots[i].page(t)
				if got := page.Deviation != 350; got != want || (page.Games > 0) != c.rated {
					t.Errorf("side %d: rating %v ± %v after %d games; changed %t, want %t", i, page.Rating, page.Deviation,
						page.Games, got, want)
				}
			}
			s.seal(t)
			bots[0].chainIsValid(t)
			s.ratingsFollowFromChain(t)
		})
	}
}

// TestPointsOfResignedDuels: an opponent who resigns a rated duel at once, or after one lost round, gives its winner
// no points, neither on a board nor for a team; a loser of two rounds by reveals does.
func TestPointsOfResignedDuels(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann := s.secured(t)
	slug := ann.found(t, false).Slug
	for _, c := range []struct {
		rounds []string
		want   int64 // points afterwards
	}{{nil, 0}, {[]string{"rs"}, 0}, {[]string{"rs", "rs"}, 8}} {
		g := s.paired(t, ann, s.secured(t))
		g.play(t, c.rounds...)
		d := decode[api.DuelOut](t, g.sides[1](t, g.post("/resign", "")).ok(t)).Duel
		if !d.Rated || d.Winner == nil || *d.Winner != "a" {
			t.Fatalf("resigned after %d rounds: %+v, want a rated duel that a has won", len(c.rounds), d)
		}
		for _, board := range []string{"all", "week"} {
			var got int64
			if own := ann.board(t, board).Me; own != nil {
				got = own.Value
			}
			if got != c.want {
				t.Errorf("board %s: %d points after %d rounds and a resignation, want %d", board, got, len(c.rounds), c.want)
			}
		}
		if got := ann.team(t, slug).Points; got != c.want {
			t.Errorf("the team has %d points after %d rounds and a resignation, want %d", got, len(c.rounds), c.want)
		}
	}
	s.boardsAreRight(t)
	s.seal(t)
	ann.chainIsValid(t)
}
