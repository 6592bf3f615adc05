package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"roshambo/game"
	"roshambo/internal/server/api"
	"roshambo/internal/service/cup"
	"roshambo/verify"
)

// secured returns a guest with a password.
func (s *stack) secured(t *testing.T) *player {
	t.Helper()
	p := s.guest(t)
	p.register(t, newName())
	return p
}

// openCup opens a cup that starts in a minute.
func (p *player) openCup(t *testing.T) api.CupOut {
	t.Helper()
	return decode[api.CupOut](t, p.post(t, "/api/cups", `{"minutes":1}`).ok(t))
}

func (p *player) cup(t *testing.T, number int64) api.CupOut {
	t.Helper()
	return decode[api.CupOut](t, p.get(t, fmt.Sprintf("/api/cups/%d", number)).ok(t))
}

// wantCup returns a cup, and requires its state.
func (p *player) wantCup(t *testing.T, number int64, status string) api.CupOut {
	t.Helper()
	out := p.cup(t, number)
	if out.Cup.Status != status {
		t.Fatalf("cup %d is %s, want %s", number, out.Cup.Status, status)
	}
	return out
}

func (s *stack) moveCups(t *testing.T) {
	t.Helper()
	if err := s.cups.Advance(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestPeoplesCup plays a cup of three people: one wins its game, one never shows up.
func TestPeoplesCup(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob, cid := s.secured(t), s.guest(t), s.guest(t)
	number := ann.openCup(t).Cup.Number
	path := fmt.Sprintf("/api/cups/%d", number)
	bob.post(t, path+"/join", "").ok(t)
	if out := decode[api.CupOut](t, cid.post(t, path+"/join", "").ok(t)); *out.You != "in" || out.Cup.Players != 3 ||
		len(out.Table) != 3 || out.Cup.Creator.Address != ann.address || out.Cup.Status != "open" {
		t.Errorf("after joining: %+v", out)
	}
	people := map[string]*player{ann.address: ann, bob.address: bob, cid.address: cid}
	s.clock.forward(cup.MinLead)
	for round := 1; round <= 3; round++ {
		s.moveCups(t)
		for _, g := range s.anonymous(t).cup(t, number).Games {
			if g.APoints != nil {
				continue
			}
			a, b := people[g.A], people[*g.B]
			if own := a.cup(t, number).YourDuel; own == nil || *own != *g.Duel {
				t.Errorf("the cup names the duel %v, want %s", own, *g.Duel)
			}
			duel := s.game(*g.Duel, a.sender(), b.sender())
			switch cid {
			case a:
				duel.sides[1](t, duel.post("/commit", committing(game.Rock, "salt-of-b"))).ok(t)
				s.clock.forward(10 * time.Minute)
			case b:
				duel.sides[0](t, duel.post("/commit", committing(game.Rock, "salt-of-a"))).ok(t)
				s.clock.forward(10 * time.Minute)
			default:
				if d := duel.play(t, "rs", "rs", "rs"); d.Kind != "cup" || d.Rated {
					t.Errorf("a game of a cup: %s, rated %t", d.Kind, d.Rated)
				}
			}
			if _, err := s.duels.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		s.clock.forward(cup.Pause)
	}
	s.moveCups(t)
	out := s.anonymous(t).cup(t, number)
	last := out.Table[len(out.Table)-1]
	if out.Cup.Status != "finished" || last.Address != cid.address || last.Points > 2 || out.Table[0].Points < 4 {
		t.Fatalf("the table: %+v", out)
	}
	cid.staysOut(t, out)
	for _, p := range []*player{ann, bob} {
		if got := p.cup(t, number).You; got == nil || *got != "in" {
			t.Errorf("the finished cup says %v to %s, want in", got, p.address)
		}
	}
	if out.Final == nil || !strings.Contains(out.Final.Raw, out.Table[0].Address) {
		t.Fatalf("the final table: %+v", out.Final)
	}
	s.cupHasMedals(t, out)
	s.seal(t)
	ann.chainIsValid(t)
	places := decode[api.PlayerCupsOut](t, s.anonymous(t).get(t, "/api/players/"+cid.address+"/cups").ok(t)).Cups
	if len(places) != 1 || places[0].Rank != last.Rank || places[0].Players != 3 {
		t.Errorf("the places of the last: %+v", places)
	}
	tx := s.anonymous(t).get(t, "/api/chain/tx/"+out.Final.TxHash).ok(t)
	if !strings.Contains(tx.body, out.Final.TableHash) {
		t.Errorf("the transaction %s lacks the hash of the table", tx.body)
	}
}

// staysOut checks that a finished cup marks an absent player, and no other one.
func (p *player) staysOut(t *testing.T, c api.CupOut) {
	t.Helper()
	for _, row := range c.Table {
		if row.Out != (row.Address == p.address) {
			t.Errorf("%s: out %t in the finished cup", row.Username, row.Out)
		}
	}
	if got := p.cup(t, c.Cup.Number).You; got == nil || *got != "out" {
		t.Errorf("the finished cup says %v to %s, want out", got, p.address)
	}
}

// TestBotsCup plays a cup of three bots by POST /api/arena/queue alone: a bot gets its games there, no
// ranked duel while the cup runs, and the queue again afterwards.
func TestBotsCup(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.moveCups(t)
	a, b, c := s.bot(t), s.bot(t), s.bot(t)
	bots := map[string]*bot{a.address: a, b.address: b, c.address: c}
	for _, x := range bots {
		x.post(t, "/api/cups/1/join", "").ok(t)
	}
	s.clock.forward(cup.FirstLead - cup.Gather/2)
	if got := a.queue(t); got.Status != "waiting" {
		t.Fatalf("before the start: %+v", got)
	}
	if got := b.queue(t); got.Status != "waiting" {
		t.Fatalf("two bots of a cup that is about to start got a ranked duel: %+v", got)
	}
	s.clock.forward(cup.Gather / 2)
	for round := 1; round <= 3; round++ {
		s.moveCups(t)
		for _, g := range s.anonymous(t).cup(t, 1).Games {
			if g.APoints != nil {
				if g.B == nil && g.Round == int64(round) && bots[g.A].queue(t).Duel != nil {
					t.Error("a bot with a bye got a duel")
				}
				continue
			}
			x, y := bots[g.A], bots[*g.B]
			for _, side := range []*bot{x, y} {
				if got := side.queue(t); got.Status != "matched" || got.Duel.ID != *g.Duel || got.Duel.Kind != "cup" {
					t.Fatalf("the queue answers %+v, want the game %s", got, *g.Duel)
				}
			}
			s.beat(t, *g.Duel, x, y)
		}
		s.clock.forward(cup.Pause)
	}
	s.moveCups(t)
	out := s.anonymous(t).cup(t, 1)
	if out.Cup.Status != "finished" || out.Cup.Rounds != 3 {
		t.Fatalf("after three rounds: %+v", out.Cup)
	}
	s.cupHasMedals(t, out)
	a.queue(t)
	matched := b.queue(t)
	if matched.Status != "matched" || matched.Duel.Kind != "ranked" {
		t.Errorf("after the cup: %+v, want a ranked duel", matched)
	}
	s.beat(t, matched.Duel.ID, a, b)
	s.seal(t)
	proof := s.anonymous(t).get(t, "/api/duels/"+matched.Duel.ID+"/proof").ok(t)
	if report := verify.Duel([]byte(proof.body), verify.Options{Key: &s.key}); !report.Valid {
		t.Errorf("the proof: %+v", report)
	}
}
