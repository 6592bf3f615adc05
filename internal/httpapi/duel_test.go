package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/duel"
	"roshambo/internal/httpapi"
	"roshambo/verify"
)

func (p *player) open(t *testing.T, stake int64) httpapi.Duel {
	t.Helper()
	return decode[httpapi.DuelOut](t, p.post(t, "/api/duels", fmt.Sprintf(`{"stake":%d}`, stake)).ok(t)).Duel
}

func (p *player) spar(t *testing.T) httpapi.Duel {
	t.Helper()
	return decode[httpapi.DuelOut](t, p.post(t, "/api/duels/spar", "").ok(t)).Duel
}

func ofOwnDuel(method, action string) func(*testing.T, *player) request {
	return func(t *testing.T, p *player) request {
		return request{method: method, path: "/api/duels/" + p.open(t, 0).ID + action}
	}
}

func committing(move game.Move, salt string) string {
	return `{"commitment":"` + chain.HashHand(move, salt).String() + `"}`
}

func revealing(move game.Move, salt string) string {
	return fmt.Sprintf(`{"move":%q,"salt":%q}`, move, salt)
}

// round plays a round of a duel: what a and b do is r, p or s for a move, x for a
// commitment that is never shown, - for nothing at all. What is missing is waited for
// until the deadline.
func (g *duelGame) round(t *testing.T, did string) httpapi.Duel {
	t.Helper()
	g.n++
	moves := map[byte]game.Move{'r': game.Rock, 'p': game.Paper, 's': game.Scissors, 'x': game.Rock}
	salt := func(i int) string { return fmt.Sprintf("%s-%d-%d", g.path, g.n, i) }
	for i, p := range g.sides {
		if did[i] != '-' {
			p.post(t, g.path+"/commit", committing(moves[did[i]], salt(i))).ok(t)
		}
	}
	for i, p := range g.sides {
		if did[i] != '-' && did[i] != 'x' && did[1-i] != '-' {
			p.post(t, g.path+"/reveal", revealing(moves[did[i]], salt(i))).ok(t)
		}
	}
	if strings.ContainsAny(did, "x-") {
		g.sides[0].s.clock.forward(duel.ForPeople)
	}
	return g.read(t)
}

// duelGame is a duel that two play over HTTP.
type duelGame struct {
	sides [2]*player
	path  string
	n     int // rounds begun
}

func (g *duelGame) read(t *testing.T) httpapi.Duel {
	t.Helper()
	return decode[httpapi.GetDuelOut](t, g.sides[0].s.nobody(t).get(t, g.path).ok(t)).Duel
}

// joined has two new guests begin a duel.
func (s *stack) joined(t *testing.T, stake int64) *duelGame {
	t.Helper()
	a, b := s.guest(t), s.guest(t)
	g := &duelGame{sides: [2]*player{a, b}, path: "/api/duels/" + a.open(t, stake).ID}
	b.post(t, g.path+"/join", "").ok(t)
	return g
}

func TestADuelFromItsStakeToItsProof(t *testing.T) {
	t.Parallel()
	s := start(t)
	g := s.joined(t, 100)
	for _, did := range []string{"rs", "rr", "r-", "--", "sr", "xx", "xs", "xp"} {
		g.round(t, did)
	}
	d := g.read(t)
	if d.Status != "finished" || d.Winner == nil || *d.Winner != "b" {
		t.Errorf("the duel is %+v", d)
	}
	s.seal(t)
	proof := s.nobody(t).get(t, g.path+"/proof").ok(t)
	if report := verify.Duel([]byte(proof.body), verify.Options{Key: s.key}); !report.Valid {
		t.Errorf("the proof: %+v\n%s", report, proof.body)
	}
	if a, b := g.sides[0].me(t).Balance, g.sides[1].me(t).Balance; a != 900 || b != 1100 {
		t.Errorf("balances %d and %d, want 900 and 1100", a, b)
	}
	g.sides[0].chainIsValid(t)
}
