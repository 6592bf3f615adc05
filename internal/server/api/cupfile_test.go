package api_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"roshambo/internal/server/api"
	"roshambo/internal/service/cup"
	"roshambo/verify"
)

// TestCupFiles plays a class's cup of bots and reads its files: the tables name all players and games, the moves are
// those of the duels, and verifiers accept all proofs in one file.
func TestCupFiles(t *testing.T) {
	t.Parallel()
	s := start(t)
	h := s.guest(t).hosts(t, `{"kind":"bots","by_hand":true,"private":true,"name":"Class 7b"}`, 0)
	bots := map[string]*bot{}
	for range 5 {
		b := s.bot(t)
		b.post(t, h.path("/join"), `{"code":"`+h.code+`"}`).ok(t)
		bots[b.address] = b
	}
	h.post(t, h.path("/start"), "").ok(t)
	s.clock.forward(cup.Call)
	for range 6 {
		s.moveCups(t)
		for _, g := range h.cup(t, h.number).Games {
			if g.APoints == nil {
				s.beat(t, *g.Duel, bots[g.A], bots[*g.B])
			}
		}
		s.clock.forward(cup.Pause)
	}
	s.seal(t)
	out := h.cup(t, h.number)
	if out.Cup.Status != "finished" {
		t.Fatalf("the cup is %s", out.Cup.Status)
	}
	reader := s.anonymous(t)
	file := func(name string) string {
		a := reader.get(t, h.path("/"+name)).ok(t)
		want := fmt.Sprintf(`attachment; filename="cup-%d-%s"`, h.number, name)
		if got := a.header.Get("Content-Disposition"); got != want {
			t.Errorf("%s: Content-Disposition %s, want %s", name, got, want)
		}
		return a.body
	}
	for _, name := range []string{"table.csv", "pairings.csv", "report.trf"} {
		text := file(name)
		for _, row := range out.Table {
			if !strings.Contains(text, row.Username) {
				t.Errorf("%s lacks %s:\n%s", name, row.Username, text)
			}
		}
	}
	moves := 0
	for line := range strings.Lines(file("moves.ndjson")) {
		var m api.CupMove
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.MoveA == nil || m.Outcome != "a" {
			t.Errorf("the move %s: %v", line, err)
		}
		moves++
	}
	proofs := file("proofs.ndjson")
	valid := 0
	for line := range strings.Lines(proofs) {
		if report := verify.Duel([]byte(line), verify.Options{Key: &s.key}); report.Valid {
			valid++
		}
	}
	if valid != 10 || moves != 30 {
		t.Errorf("%d valid proofs and %d moves, want 10 and 30", valid, moves)
	}
	path := filepath.Join(t.TempDir(), "proofs.ndjson")
	if err := os.WriteFile(path, []byte(proofs), 0o600); err != nil {
		t.Fatal(err)
	}
	python := func() string {
		text, err := exec.CommandContext(t.Context(), "python3", "../../../verify/python/verify.py", "--key", s.key, path).
			CombinedOutput()
		return fmt.Sprintf("%s%v", text, err)
	}
	if text := python(); strings.Count(text, "  VALID\n") != 10 || !strings.HasSuffix(text, "<nil>") {
		t.Errorf("verify.py: %s", text)
	}
	changed := strings.Replace(proofs, `\"move_a\":\"`, `\"move_a\":\"x`, 1)
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := python(); strings.Count(text, "  VALID\n") != 9 || !strings.HasSuffix(text, "exit status 1") {
		t.Errorf("verify.py of a changed file: %s", text)
	}
}
