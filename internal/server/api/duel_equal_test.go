package api_test

import (
	"testing"

	"roshambo/game"
	"roshambo/internal/server/api"
	"roshambo/verify"
)

// TestEqualCommitmentsAndConstantSalts: equal commitments make a round void at once, a commitment or salt that
// its side has used before is accepted with a warning to that side, and proof and chain are valid.
func TestEqualCommitmentsAndConstantSalts(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob := s.guest(t), s.guest(t)
	g := s.joined(t, 100, ann, bob)
	warned := func(p *player, q request, want bool) api.Duel {
		t.Helper()
		out := decode[api.DuelOut](t, p.send(t, q.with(map[string]string{"X-CSRF-Token": p.csrf})).ok(t))
		if got := out.Warning != ""; got != want {
			t.Errorf("%v: the warning is %q", q, out.Warning)
		}
		return out.Duel
	}
	warned(ann, g.post("/commit", committing(game.Rock, "constant")), false)
	d := warned(bob, g.post("/commit", committing(game.Rock, "constant")), false)
	r := d.Rounds[0]
	if r.Outcome != "void" || r.ForfeitedBy != nil || r.MoveA != nil || r.SaltB != nil || r.CommitmentA == nil ||
		r.CommitmentB == nil || *r.CommitmentA != *r.CommitmentB || len(d.Rounds) != 2 {
		t.Fatalf("after equal commitments: %+v", d.Rounds)
	}
	for n := range 3 {
		warned(ann, g.post("/commit", committing(game.Rock, "constant")), true)
		warned(bob, g.post("/commit", committing(game.Scissors, "of bob")), n > 0)
		warned(ann, g.post("/reveal", revealing(game.Rock, "constant")), n > 0)
		d = warned(bob, g.post("/reveal", revealing(game.Scissors, "of bob")), n > 0)
	}
	if d.Status != "finished" || d.Winner == nil || *d.Winner != "a" {
		t.Fatalf("the duel: %+v", d)
	}
	s.seal(t)
	proof := s.anonymous(t).get(t, g.path+"/proof").ok(t)
	if report := verify.Duel([]byte(proof.body), verify.Options{Key: &s.key}); !report.Valid {
		t.Errorf("the proof: %+v", report)
	}
	ann.chainIsValid(t)
}
