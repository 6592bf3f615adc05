package api_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"roshambo/game"
	"roshambo/internal/server/api"
	"roshambo/internal/store"
)

// dataLines reads a stream of data in bulk to its end, answer by answer.
func dataLines[Line any](t *testing.T, p *player, path string, cursor func(Line) string) (all []Line) {
	t.Helper()
	for after := ""; ; {
		url := path
		if after != "" {
			url += map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")] + "after=" + after
		}
		body := p.get(t, url).ok(t).body
		if body == "" {
			return all
		}
		for text := range strings.Lines(body) {
			var line Line
			if err := json.Unmarshal([]byte(text), &line); err != nil || !strings.HasSuffix(text, "\n") {
				t.Fatalf("%s: %q: %v", url, text, err)
			}
			all = append(all, line)
			after = cursor(line)
		}
	}
}

func (p *player) dataDuels(t *testing.T, query string) []api.DuelLine {
	t.Helper()
	return dataLines(t, p, "/api/data/duels"+query, func(l api.DuelLine) string { return l.Cursor })
}

func (p *player) dataRatings(t *testing.T, query string) []api.RatingLine {
	t.Helper()
	return dataLines(t, p, "/api/data/ratings"+query, func(l api.RatingLine) string { return l.Cursor })
}

// rankedOf plays a ranked duel that a wins, and returns its code.
func (s *stack) rankedOf(t *testing.T, a, b *bot) string {
	t.Helper()
	a.queue(t)
	out := b.queue(t)
	for range 20 { // the accepted distance of ratings grows with the time in the queue
		if out.Duel != nil {
			break
		}
		s.clock.forward(time.Second)
		s.pass(t)
		a.queue(t)
		out = b.queue(t)
	}
	s.beat(t, out.Duel.ID, a, b)
	return out.Duel.ID
}

// wantPacked requires that a public file is sent with gzip to a client that accepts it, if it has over 1 KiB.
func (p *player) wantPacked(t *testing.T, path, plain string) {
	t.Helper()
	a := p.send(t, request{method: "GET", path: path, header: map[string]string{"Accept-Encoding": "gzip"}}).ok(t)
	if len(plain) <= 1<<10 && a.header.Get("Content-Encoding") == "" {
		return
	}
	if a.header.Get("Content-Encoding") != "gzip" || unpacked(t, a.body) != plain {
		t.Errorf("%s with gzip: %v, want the same %d bytes compressed", path, a.header, len(plain))
	}
}

// TestData reads finished duels and ratings in bulk: all in order, of one bot, from any line on, and nothing that is
// undecided, young, by code alone or secret.
func TestData(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b, c := s.bot(t), s.bot(t), s.bot(t)
	first := s.rankedOf(t, a, b)
	s.clock.forward(time.Second)
	second := s.rankedOf(t, c, a)
	reader := s.anonymous(t)
	if got := reader.dataDuels(t, ""); len(got) != 0 {
		t.Errorf("within a minute there are %+v", got)
	}
	s.clock.forward(time.Minute + time.Second)
	s.rankedOf(t, b, c) // too young
	s.openAnd(t)

	all := reader.dataDuels(t, "")
	if len(all) != 2 || all[0].Duel.ID != first || all[1].Duel.ID != second {
		t.Fatalf("got %+v, want %s and %s", all, first, second)
	}
	d := all[0].Duel
	if d.Status != "finished" || d.Winner == nil || len(d.Rounds) != 3 || d.Rounds[0].MoveA == nil ||
		d.Rounds[0].SaltA != nil || d.You != nil {
		t.Errorf("the line is %+v", d)
	}
	if got := reader.dataDuels(t, "?after="+all[0].Cursor); len(got) != 1 || got[0].Duel.ID != second {
		t.Errorf("after the first line: %+v", got)
	}
	for who, want := range map[*bot][]string{a: {first, second}, b: {first}, c: {second}} {
		got := reader.dataDuels(t, "?bot="+who.name)
		var codes []string
		for _, l := range got {
			codes = append(codes, l.Duel.ID)
		}
		if fmt.Sprint(codes) != fmt.Sprint(want) {
			t.Errorf("of %s: %v, want %v", who.name, codes, want)
		}
	}
	ratings := reader.dataRatings(t, "")
	if len(ratings) != 4 || ratings[0].Duel != first || ratings[3].Duel != second {
		t.Fatalf("the ratings are %+v", ratings)
	}
	own := reader.dataRatings(t, "?bot="+a.name)
	if len(own) != 2 || own[0].Game != 1 || own[0].Rating != 1662.31 || own[1].Outcome != "loss" ||
		own[1].RatingBefore != own[0].Rating || own[0].Player.Username != a.name || own[0].Opponent.Username != b.name {
		t.Errorf("the ratings of a are %+v", own)
	}
	if got := reader.dataRatings(t, "?after="+ratings[1].Cursor); len(got) != 2 || got[0] != ratings[2] {
		t.Errorf("after the second line: %+v", got)
	}
	for _, path := range []string{"/api/data/duels?after=x", "/api/data/duels?after=" + ratings[0].Cursor,
		"/api/data/duels?bot=" + a.name + "&after=" + all[0].Cursor, "/api/data/ratings?after=" + all[0].Cursor} {
		reader.get(t, path).fails(t, 400, "bad_request")
	}
	for _, path := range []string{"/api/data/duels", "/api/data/ratings"} {
		reader.wantPacked(t, path, reader.get(t, path).ok(t).body)
	}
	owner := s.guest(t)
	for _, name := range []string{"nobody-at-all", owner.address} { // a person is no bot
		reader.get(t, "/api/data/duels?bot="+name).fails(t, 404, "not_found")
		reader.get(t, "/api/data/ratings?bot="+name).fails(t, 404, "not_found")
	}
}

// openAnd leaves an open duel and one in play by code behind.
func (s *stack) openAnd(t *testing.T) {
	t.Helper()
	p, other := s.guest(t), s.guest(t)
	made := decode[api.DuelOut](t, p.post(t, "/api/duels", `{"listed":false}`).ok(t))
	other.post(t, "/api/duels/"+made.Duel.ID+"/join", "").ok(t)
	s.guest(t).post(t, "/api/duels", `{}`).ok(t)
}

// TestDataPages: an answer has any number of pages, each of which counts as a call; where a budget ends, the answer ends
// after a complete line.
func TestDataPages(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b := s.bot(t), s.bot(t)
	s.rankedOf(t, a, b)
	err := s.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for n := range 250 {
			if _, err := tx.ExecContext(ctx, fmt.Sprintf(`INSERT INTO duel (code, kind, status, a, a_name, a_kind, b, b_name,
				b_kind, stake, rated, rounds, deadline, winner, created_at, started_at, ended_at, version, listed, rematch_of,
				rematch_by, rematch_until, rematch, invited_name, series_a, series_b, step_ms)
				SELECT 'COPY%04d', kind, status, a, a_name, a_kind, b, b_name, b_kind, stake, rated, rounds, deadline, winner,
				created_at, started_at, ended_at + %d, version, listed, rematch_of, rematch_by, rematch_until, rematch,
				invited_name, series_a, series_b, step_ms FROM duel
				WHERE kind = 'ranked' AND code NOT LIKE 'COPY%%'`, n, n/100)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.clock.forward(time.Hour)
	for _, query := range []string{"", "?bot=" + a.name} {
		all := s.anonymous(t).dataDuels(t, query)
		seen := map[string]bool{}
		for _, l := range all {
			seen[l.Duel.ID] = true
		}
		if len(all) != 251 || len(seen) != 251 {
			t.Errorf("%q: %d lines of %d duels, want 251", query, len(all), len(seen))
		}
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/data/duels", nil)
	s.edge.ServeHTTP(w, r)
	if calls := strings.Count(w.Body.String(), "\n"); w.Code != 200 || calls != 251 {
		t.Errorf("one answer has %d lines, want 251", calls)
	}
}

// TestDataRuns reads runs in bulk: all that have ended in the order of their ends, of one player, from any line on, and
// without the texts that players have typed.
func TestDataRuns(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b, reader := s.guest(t), s.guest(t), s.anonymous(t)
	runs := func(query string) []api.RunLine {
		return dataLines(t, reader, "/api/data/runs"+query, func(l api.RunLine) string { return l.Cursor })
	}
	first := a.start(t, `{"entry":"free","client_seed":"my secret"}`)
	b.win(t)
	s.clock.forward(time.Second)
	a.play(t, first, game.Loss) // b's run began later and has ended
	if got := runs(""); len(got) != 0 {
		t.Errorf("within a minute there are %+v", got)
	}
	s.clock.forward(time.Minute + time.Second)
	a.start(t, "") // in play

	all := runs("")
	if len(all) != 2 || all[0].Run.Status != "claimed" || all[1].Run.ID != first.ID || all[1].Run.Status != "lost" {
		t.Fatalf("got %+v, want the run of b and that of a", all)
	}
	if r := all[1]; r.Player.Address != a.address || r.Run.Account != a.address || len(r.Run.Throws) != 1 ||
		r.Player.Username != a.me(t).Account.Username || r.Run.ClientSeed != "" || r.Run.SeedHash != first.SeedHash {
		t.Errorf("the line is %+v", r)
	}
	for who, want := range map[*player]api.RunLine{a: all[1], b: all[0]} {
		got := runs("?player=" + who.address)
		if len(got) != 1 || got[0].Run.ID != want.Run.ID || len(runs("?player="+who.address+"&after="+got[0].Cursor)) != 0 {
			t.Errorf("of %s: %+v, want %+v", who.address, got, want)
		}
	}
	if got := runs("?after=" + all[0].Cursor); len(got) != 1 || got[0].Run.ID != first.ID {
		t.Errorf("after the first line: %+v", got)
	}
	for _, query := range []string{"?after=x", "?player=" + a.address + "&after=" + all[0].Cursor,
		"?after=" + base64.RawURLEncoding.EncodeToString([]byte("data-runs:1:\x00"))} {
		reader.get(t, "/api/data/runs"+query).fails(t, 400, "bad_request")
	}
	reader.get(t, "/api/data/runs?player=nobody-at-all").fails(t, 404, "not_found")
	reader.wantPacked(t, "/api/data/runs", reader.get(t, "/api/data/runs").ok(t).body)
}

// TestDataBoards reads boards in bulk: those that have been over for a day, from any line on.
func TestDataBoards(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b, reader := s.guest(t), s.guest(t), s.anonymous(t)
	boards := func(query string) []api.BoardLine {
		return dataLines(t, reader, "/api/data/boards"+query, func(l api.BoardLine) string { return l.Cursor })
	}
	a.win(t)
	s.clock.forward(time.Second)
	b.win(t)
	s.settle(t)
	s.clock.forward(2 * 24 * time.Hour)
	if got := boards(""); len(got) != 0 {
		t.Errorf("before the end of the week there are %+v", got)
	}
	s.clock.forward(2 * 24 * time.Hour)
	all := boards("")
	if len(all) != 2 {
		t.Fatalf("got %+v, want both players of the week", all)
	}
	for i, who := range []*player{a, b} {
		l := all[i]
		if l.Board != "week" || l.Period.Name != "2026-W47" || l.Row.Rank != int64(i)+1 || l.Row.Value != 2 ||
			*l.Row.Address != who.address || l.Period.EndsAt.Format(time.DateOnly) != "2026-11-23" {
			t.Errorf("row %d is %+v, want that of %s", i, l, who.address)
		}
	}
	if got := boards("?after=" + all[0].Cursor); len(got) != 1 || got[0].Row.Rank != 2 {
		t.Errorf("after the first line: %+v", got)
	}
	for _, cursor := range []string{"x", base64.RawURLEncoding.EncodeToString([]byte("data-boards:1:2:zz:3"))} {
		reader.get(t, "/api/data/boards?after="+cursor).fails(t, 400, "bad_request")
	}
	reader.wantPacked(t, "/api/data/boards", reader.get(t, "/api/data/boards").ok(t).body)
}
