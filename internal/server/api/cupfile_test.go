package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/server/api"
	"roshambo/internal/service/cup"
	"roshambo/internal/store"
	"roshambo/verify"
)

// TestCupFiles plays a class's cup of bots and reads its files: the tables name all players and games, the moves
// agree with the duels, and verifiers accept all proofs in one file.
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
	out := h.wantCup(t, h.number, "finished")
	reader := s.anonymous(t)
	file := func(name string) string {
		a := reader.get(t, h.path("/"+name)).ok(t)
		want := fmt.Sprintf(`attachment; filename="cup-%d-%s"`, h.number, name)
		if got := a.header.Get("Content-Disposition"); got != want {
			t.Errorf("%s: Content-Disposition %s, want %s", name, got, want)
		}
		reader.wantPacked(t, h.path("/"+name), a.body)
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
	if text := s.verifyPython(t, proofs); strings.Count(text, "  VALID\n") != 10 || !strings.HasSuffix(text, "<nil>") {
		t.Errorf("verify.py: %s", text)
	}
	changed := strings.Replace(proofs, `\"move_a\":\"`, `\"move_a\":\"x`, 1)
	if text := s.verifyPython(t, changed); strings.Count(text, "  VALID\n") != 9 ||
		!strings.HasSuffix(text, "exit status 1") {
		t.Errorf("verify.py of a changed file: %s", text)
	}
}

// longCup returns a running cup of two bots with 251 duels that are over: one that they have played, and its copies.
func (s *stack) longCup(t *testing.T) *hosted {
	t.Helper()
	h := s.guest(t).hosts(t, `{"kind":"bots","by_hand":true}`, 0)
	bots := map[string]*bot{}
	for range 2 {
		b := s.bot(t)
		b.post(t, h.path("/join"), "").ok(t)
		bots[b.address] = b
	}
	h.post(t, h.path("/start"), "").ok(t)
	s.clock.forward(cup.Call)
	s.moveCups(t)
	g := h.cup(t, h.number).Games[0]
	s.beat(t, *g.Duel, bots[g.A], bots[*g.B])
	s.within(t, func(ctx context.Context, tx *store.Tx) error {
		for n := range 250 {
			_, err := tx.ExecContext(ctx, fmt.Sprintf(`INSERT INTO duel (code, kind, status, a, a_name, a_kind, b, b_name,
				b_kind, stake, rated, rounds, deadline, winner, created_at, started_at, ended_at, version, listed, rematch_of,
				rematch_by, rematch_until, rematch, invited_name, series_a, series_b, step_ms)
				SELECT 'COPY%04d', kind, status, a, a_name, a_kind, b, b_name, b_kind, stake, rated, rounds, deadline, winner,
				created_at, started_at, ended_at, version, listed, rematch_of, rematch_by, rematch_until, rematch,
				invited_name, series_a, series_b, step_ms FROM duel WHERE code = '%s'`, n, *g.Duel))
			if err != nil {
				return err
			}
			_, err = tx.ExecContext(ctx, fmt.Sprintf(`INSERT INTO cup_game (cup, round, board, a, b, duel, a_points, b_points,
				ended_at, replayed) SELECT cup, %d, %d, a, b, 'COPY%04d', a_points, b_points, ended_at, replayed
				FROM cup_game WHERE duel = '%s'`, 2+n/32, n%32+1, n, *g.Duel))
			if err != nil {
				return err
			}
		}
		return nil
	})
	return h
}

// reads reads a file of a cup as an outside address, and reports whether the connection broke.
func (s *stack) reads(t *testing.T, path string) (w *httptest.ResponseRecorder, broke bool) {
	t.Helper()
	w = httptest.NewRecorder()
	defer func() {
		if failure := recover(); failure != nil {
			if err, ok := failure.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
				panic(failure)
			}
			broke = true
		}
	}()
	s.edge.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return w, false
}

// TestCupFileBudgets: each page of a long file counts as a call, and its bytes as bytes of the public log. Where a
// budget ends, the connection breaks, and an error before the first byte is an answer.
func TestCupFileBudgets(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := s.longCup(t).path("/moves.ndjson")
	budgets := func(calls, kib int) {
		t.Helper()
		var err, errLog error
		s.edge.RateLimit, err = limit.NewLog(calls, time.Hour)
		s.edge.API.LogLimit, errLog = limit.New(kib, time.Hour)
		if err := errors.Join(err, errLog); err != nil {
			t.Fatal(err)
		}
	}
	const most = 1 << 20
	budgets(3, most)
	w, broke := s.reads(t, path)
	lines, at := map[string]bool{}, [2]int64{}
	for text := range strings.Lines(w.Body.String()) {
		var m api.CupMove
		if err := json.Unmarshal([]byte(text), &m); err != nil || m.Round < at[0] || m.Round == at[0] && m.Board < at[1] {
			t.Fatalf("after round %d, board %d: %s: %v", at[0], at[1], text, err)
		}
		lines[text], at = true, [2]int64{m.Round, m.Board}
	}
	if broke || w.Code != 200 || len(lines) != 3*251 {
		t.Errorf("with three calls: %d, broken %t, %d lines, want %d", w.Code, broke, len(lines), 3*251)
	}
	for _, c := range []struct{ calls, kib, lines int }{{2, most, 600}, {3, w.Body.Len() >> 11, 600}} {
		budgets(c.calls, c.kib)
		w, broke := s.reads(t, path)
		if got := strings.Count(w.Body.String(), "\n"); !broke || got != c.lines {
			t.Errorf("with %d calls and %d KiB: broken %t after %d lines, want %d", c.calls, c.kib, broke, got, c.lines)
		}
		if w, _ := s.reads(t, path); c.calls == 2 && w.Code != 429 {
			t.Errorf("with a budget that has ended: %d, want 429", w.Code)
		}
	}
	budgets(most, most)
	s.within(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "ALTER TABLE cup_game RENAME TO cup_gone")
		return err
	})
	if w, broke := s.reads(t, path); w.Code != 500 || broke {
		t.Errorf("without its rows: %d, broken %t, want 500", w.Code, broke)
	}
}

// verifyPython returns what verify.py says of a file of proofs, and how it ended.
func (s *stack) verifyPython(t *testing.T, proofs string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "proofs.ndjson")
	if err := os.WriteFile(path, []byte(proofs), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := exec.CommandContext(t.Context(), "python3", "../../../verify/python/verify.py", "--key", s.key, path).
		CombinedOutput()
	return fmt.Sprintf("%s%v", text, err)
}
