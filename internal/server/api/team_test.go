package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roshambo/game"
	"roshambo/internal/server/api"
)

func (p *player) team(t *testing.T, slug string) api.TeamDetail {
	t.Helper()
	p.s.settle(t)
	return decode[api.TeamOut](t, p.get(t, "/api/teams/"+slug).ok(t)).Team
}

func (p *player) join(t *testing.T, body string) api.TeamDetail {
	t.Helper()
	return decode[api.TeamOut](t, p.post(t, "/api/teams/join", body).ok(t)).Team
}

// TestTeamsThatLookAlike: a second team gets no name that a reader takes for the first one's, nor one that passes for
// the service; names of every script are welcome.
func TestTeamsThatLookAlike(t *testing.T) {
	t.Parallel()
	s := start(t)
	for first, others := range map[string][]string{
		"Fire 7":        {"ＦＩＲＥ 7", "\ufb01re 7", "F1re_7", "fire\u28007"},
		"NOTA":          {"ΝΟΤΑ"},
		"Café":          {"Cafe\u0301", "CAFÉ!"},
		"می\u200cخواهم": {"میخواهم"},
	} {
		made := decode[api.TeamOut](t, s.guest(t).post(t, "/api/teams", fmt.Sprintf(`{"name":%q}`, first)).ok(t))
		if made.Team.Name != first {
			t.Errorf("%q is kept as %q", first, made.Team.Name)
		}
		for _, other := range others {
			s.guest(t).post(t, "/api/teams", fmt.Sprintf(`{"name":%q}`, other)).fails(t, 409, "team_name_taken")
		}
	}
	p := s.guest(t)
	p.post(t, "/api/teams", `{"name":"Fi\u200cre 7"}`).fails(t, 400, "bad_request")
	p.post(t, "/api/teams", `{"name":"Rосk"}`).fails(t, 400, "bad_request") // о and с are Cyrillic
	p.post(t, "/api/teams", `{"name":"Roshambo Support"}`).fails(t, 409, "team_name_taken")
	decode[api.TeamOut](t, p.post(t, "/api/teams", `{"name":"東京 Tigers"}`).ok(t))
}

func TestTeam(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob, cyd := s.guest(t), s.guest(t), s.guest(t)
	ann.win(t) // before joining: not for the team
	body := `{"name":"  The Rock's   Fans! ","private":true}`
	made := decode[api.TeamOut](t, ann.post(t, "/api/teams", body).ok(t)).Team
	if made.Slug != "the-rocks-fans" || made.Name != "The Rock's Fans!" || *made.You != "founder" ||
		len(*made.Code) != 8 || len(made.Members) != 1 || !made.Private {
		t.Errorf("founded: %+v", made)
	}
	ann.post(t, "/api/teams", `{"name":"another"}`).fails(t, 409, "in_team")
	bob.post(t, "/api/teams", `{"name":"the rocks fans"}`).fails(t, 409, "team_name_taken")
	bob.post(t, "/api/teams", `{"name":"!?"}`).fails(t, 400, "bad_request")
	bob.post(t, "/api/teams", `{"name":"Red\u202eder"}`).fails(t, 400, "bad_request") // reverses the direction of text
	bob.post(t, "/api/teams", `{"name":""}`).invalid(t, "body.name string_too_short")
	if seen := bob.team(t, made.Slug); seen.Code != nil || seen.You != nil || len(seen.Members) != 1 {
		t.Errorf("as a stranger sees it: %+v", seen)
	}
	bob.post(t, "/api/teams/join", `{"name":"The Rock's Fans!"}`).fails(t, 403, "team_private")
	bob.post(t, "/api/teams/join", `{"name":"The Rock's Fans!","code":"00000000"}`).fails(t, 403, "team_private")
	bob.post(t, "/api/teams/join", `{"code":"00000000"}`).fails(t, 404, "not_found")
	bob.post(t, "/api/teams/join", `{}`).invalid(t, "body.name missing", "body.code missing")
	bob.post(t, "/api/teams/join", `{"name":"","code":null}`).invalid(t, "body.name missing", "body.code missing")
	joined := bob.join(t, `{"code":"`+strings.ToLower(*made.Code)+`"}`)
	if *joined.You != "member" || len(joined.Members) != 2 || joined.MemberCount != 2 ||
		joined.Members[0].Address != ann.address {
		t.Errorf("joined: %+v", joined)
	}
	bob.post(t, "/api/teams/join", `{"code":"`+*made.Code+`"}`).fails(t, 409, "in_team")
	bob.win(t, game.Win) // 4 for the team
	if seen := cyd.team(t, made.Slug); seen.Points != 4 || *seen.Rank != 1 || seen.Members[1].Points != 4 ||
		seen.Members[0].Points != 0 {
		t.Errorf("with points: %+v", seen)
	}
	board := bob.board(t, "teams")
	if len(board.Rows) != 1 || *board.Rows[0].Slug != made.Slug || board.Rows[0].Kind != "team" ||
		board.Rows[0].Value != 4 || board.Me == nil || board.Me.Rank != 1 {
		t.Errorf("on the board: %+v", board)
	}
	ann.post(t, "/api/teams/leave", "").ok(t)
	if seen := bob.team(t, made.Slug); seen.Members[0].Address != bob.address || *seen.You != "founder" {
		t.Errorf("once the founder has left: %+v", seen)
	}
	ann.post(t, "/api/teams/leave", "").fails(t, 409, "no_team")
	bob.post(t, "/api/teams/leave", "").ok(t)
	bob.get(t, "/api/teams/"+made.Slug).fails(t, 404, "not_found")
	if board := bob.board(t, "teams"); len(board.Rows) != 0 {
		t.Errorf("once it is closed: %+v", board)
	}
	again := decode[api.TeamOut](t, cyd.post(t, "/api/teams", body).ok(t)).Team
	if again.Slug != made.Slug || *again.Code == *made.Code || again.Points != 0 {
		t.Errorf("founded again: %+v", again)
	}
	s.boardsAreRight(t)
}

// TestYourTeam: every team comes with the caller's own team.
func TestYourTeam(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, bob := s.guest(t), s.guest(t)
	slug := ann.found(t, false).Slug
	for _, c := range []struct {
		player *player
		want   *api.TeamLink
	}{
		{ann, &api.TeamLink{Slug: slug, Name: ann.team(t, slug).Name}},
		{bob, nil},
		{s.anonymous(t), nil},
	} {
		got := decode[api.TeamOut](t, c.player.get(t, "/api/teams/"+slug).ok(t)).YourTeam
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Error(diff)
		}
	}
	second := bob.found(t, false).Slug
	if got := decode[api.TeamOut](t, ann.get(t, "/api/teams/"+second).ok(t)); got.YourTeam == nil ||
		got.YourTeam.Slug != slug || got.Team.You != nil {
		t.Errorf("another team, as a member of %s sees it: %+v", slug, got)
	}
	ann.post(t, "/api/teams/leave", "").ok(t)
	if got := decode[api.TeamOut](t, ann.get(t, "/api/teams/"+second).ok(t)).YourTeam; got != nil {
		t.Errorf("once it was left: %+v", got)
	}
}

// TestTeamRush has more players join concurrently than a team has room for, and one player join two
// teams at once.
func TestTeamRush(t *testing.T) {
	t.Parallel()
	s := start(t)
	full, other := s.guest(t).found(t, false), s.guest(t).found(t, false)
	type result struct{ full, other answer }
	results := make(chan result)
	var all []*player
	for range 25 {
		all = append(all, s.guest(t))
	}
	for _, p := range all {
		go func() {
			var r result
			done := make(chan struct{})
			header := map[string]string{"X-CSRF-Token": p.csrf}
			go func() {
				defer close(done)
				r.other, _ = p.try(t, request{"POST", "/api/teams/join", `{"code":"` + *other.Code + `"}`, header})
			}()
			r.full, _ = p.try(t, request{"POST", "/api/teams/join", `{"name":"` + full.Name + `"}`, header})
			<-done
			results <- r
		}()
	}
	in := map[bool]int{}
	for range all {
		r := <-results
		if (r.full.status == 200) == (r.other.status == 200) && r.full.status == 200 {
			t.Errorf("in both: %s %s", r.full.body, r.other.body)
		}
		in[r.full.status == 200]++
	}
	for _, slug := range []string{full.Slug, other.Slug} {
		seen := s.anonymous(t).team(t, slug)
		if n := len(seen.Members); n > 20 || int64(n) != seen.MemberCount {
			t.Errorf("%s has %d members and counts %d", slug, n, seen.MemberCount)
		}
	}
	if a, b := s.anonymous(t).team(t, full.Slug), s.anonymous(t).team(t,
		other.Slug); len(a.Members)+len(b.Members) != 2+len(all) {
		t.Errorf("%d and %d members, of %d players", len(a.Members), len(b.Members), len(all))
	}
}
