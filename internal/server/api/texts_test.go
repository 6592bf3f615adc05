package api_test

import (
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/server/api"
	"roshambo/verify"
)

// TestTextsArePrivate checks that client seed and entropy are in the answers to their player alone, and
// that the proofs of both readers are valid.
func TestTextsArePrivate(t *testing.T) {
	t.Parallel()
	s := start(t)
	p, other := s.guest(t), s.guest(t)
	const mine, dice = "a text of my own", "and some dice"
	move := p.firstMove(t, mine, dice, game.Loss)
	begun := decode[api.StartRunOut](t, p.post(t, "/api/runs",
		`{"client_seed":"`+mine+`","move":"`+move+`","entropy":"`+dice+`"}`).ok(t))
	s.seal(t)
	for name, reader := range map[string]*player{"the player": p, "another player": other, "anyone": s.anonymous(t)} {
		run := reader.get(t, "/api/runs/"+begun.Run.ID).ok(t)
		proof := reader.get(t, "/api/runs/"+begun.Run.ID+"/proof").ok(t)
		for _, a := range []answer{run, proof} {
			for _, text := range []string{mine, dice} {
				if got, want := strings.Contains(a.body, text), reader == p; got != want {
					t.Errorf("%s reads %q: %v, want %v in %s", name, text, got, want, a.body)
				}
			}
		}
		got := decode[api.RunOut](t, run).Run
		if got.SeedHash != chain.HashText(mine).String() || got.Throws[0].Hash != chain.HashText(dice).String() {
			t.Errorf("%s reads the hashes %s and %s", name, got.SeedHash, got.Throws[0].Hash)
		}
		if report := verify.Run([]byte(proof.body), verify.Options{}); !report.Valid {
			t.Errorf("the proof of %s: %v", name, report.Checks)
		}
	}
	for _, path := range []string{"/log/blocks/0", "/log/games/0", "/api/chain/tx/" + begun.Run.StartTx} {
		body := other.get(t, path).ok(t).body
		if strings.Contains(body, mine) || strings.Contains(body, dice) {
			t.Errorf("%s publishes a text:\n%s", path, body)
		}
	}
	games := other.get(t, "/log/games/0").ok(t).body
	if !strings.Contains(games, chain.HashText(dice).String()) {
		t.Errorf("/log/games/0 lacks the game:\n%s", games)
	}
	for _, path := range []string{"/log/games/", "/log/games/x", "/log/games/01", "/log/games/-1", "/log/games/99"} {
		other.get(t, path).fails(t, 404, "not_found")
	}
}
