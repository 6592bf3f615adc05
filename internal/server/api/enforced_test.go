package api_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"roshambo/game"
	"roshambo/internal/server/api"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/run"
)

// TestThrowsAreSpacedByTheAccount: a throw follows the account's last one by the interval, also in the next run; a
// start with a throw is a start.
func TestThrowsAreSpacedByTheAccount(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	p.play(t, p.start(t, ""), game.Loss)
	next := p.start(t, "")
	if next.NextThrowAt.Sub(s.clock.Now()) != run.ThrowInterval {
		t.Errorf("the next throw is at %v, and now is %v", next.NextThrowAt, s.clock.Now())
	}
	refused := p.post(t, "/api/runs/"+next.ID+"/throw", `{"move":"rock"}`).fails(t, 429, "too_fast")
	if refused.RetryAfterMS != run.ThrowInterval.Milliseconds() {
		t.Errorf("refused for %d ms", refused.RetryAfterMS)
	}
	p.play(t, next, game.Loss)
	first := decode[api.StartRunOut](t, p.post(t, "/api/runs", `{"move":"rock","entropy":null}`).ok(t))
	if first.Throw == nil || len(first.Run.Throws) != 1 {
		t.Errorf("a start with a throw at once: %+v", first)
	}
}

// TestMembersThatNeedMove: null stands for absence in a start and in a throw.
func TestMembersThatNeedMove(t *testing.T) {
	t.Parallel()
	p := shared(t).guest(t)
	for _, body := range []string{`{"then":"claim"}`, `{"entropy":""}`, `{"move":null,"then":"claim"}`} {
		p.post(t, "/api/runs", body).invalid(t, "body.move missing")
	}
	r := p.start(t, `{"entropy":null,"then":null,"move":null}`)
	p.post(t, "/api/runs/"+r.ID+"/throw", `{"move":"rock","entropy":null,"then":null}`).ok(t)
}

// TestBoardsRefuseCursorsOfOthers: each board has cursors of its own.
func TestBoardsRefuseCursorsOfOthers(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.guest(t).win(t)
	s.guest(t).win(t)
	p := s.guest(t)
	s.settle(t)
	next := decode[boardOut](t, p.get(t, "/api/leaderboard?limit=1").ok(t)).Next
	if next == nil {
		t.Fatal("the board has one page")
	}
	p.get(t, "/api/leaderboard?limit=1&cursor="+*next).ok(t)
	for _, other := range []string{
		"/api/leaderboard?board=week&", "/api/leaderboard?board=daily&", "/api/leaderboard?board=teams&",
		"/api/leaderboard?board=duels&", "/api/leaderboard?board=bots&", "/api/arena/leaderboard?",
	} {
		p.get(t, other+"cursor="+*next).fails(t, 400, "bad_request")
	}
}

// subject is an account whose lists have more than one page each.
type subject struct {
	person *player
	bot    *bot
}

// subject returns a new guest and its bot, with two rows in each list that has rows of one of them alone.
func (s *stack) subject(t *testing.T) subject {
	t.Helper()
	p := s.guest(t)
	for range 2 {
		token := p.win(t)
		p.win(t)
		p.sell(t, token, 50)
		p.newKey(t)
		p.post(t, "/api/duels", "").ok(t)
	}
	b := p.bot(t)
	for range 2 {
		s.rankedOf(t, b, s.bot(t))
		challenger := s.guest(t)
		s.joined(t, 0, challenger, p).play(t, "rs", "rs", "rs") // only former opponents may challenge
		challenger.send(t, challenger.challenging(p)).ok(t)
	}
	return subject{p, b}
}

// TestListsRefuseCursorsOfOthers: a list of one account has cursors of its own. Another account's would begin at a
// place that means nothing there, and leave out rows without a word. The paths are all that take a cursor, but
// those of a list that is the same for everybody.
func TestListsRefuseCursorsOfOthers(t *testing.T) {
	t.Parallel()
	s := start(t)
	common := map[string]bool{
		"/api/chain/blocks": true, "/api/chain/stats": true, "/api/feed": true, "/api/market": true, "/api/teams": true,
		"/api/cups": true, "/api/leaderboard": true, "/api/arena/leaderboard": true,
	}
	queries := map[string][]string{"/api/duels": {"mine=true&", "for_me=true&"}}
	a, b := s.subject(t), s.subject(t)
	of := func(sub subject, path string) string {
		return strings.NewReplacer("{address}", sub.person.address, "{name}", sub.bot.name).Replace(path)
	}
	lists := 0
	for _, o := range s.doc.operations {
		if common[o.path] || !slices.ContainsFunc(s.doc.fields(o), func(f field) bool { return f.name == "cursor" }) {
			continue
		}
		given := queries[o.path]
		if given == nil {
			given = []string{""}
		}
		for _, q := range given {
			lists++
			var page struct{ Next string }
			first := a.person.get(t, of(a, o.path)+"?"+q+"limit=1").ok(t)
			if err := json.Unmarshal([]byte(first.body), &page); err != nil || page.Next == "" {
				t.Errorf("%s?%s: the list has one page: %s (%v)", o.path, q, first.body, err)
				continue
			}
			q += "limit=1&cursor=" + page.Next
			a.person.get(t, of(a, o.path)+"?"+q).ok(t)
			if got := b.person.get(t, of(b, o.path)+"?"+q); got.status != 400 ||
				!strings.Contains(got.body, `"code":"bad_request"`) {
				t.Errorf("%s?%s: the cursor of another account: %d %s", o.path, q, got.status, got.body)
			}
		}
	}
	if lists < 10 {
		t.Errorf("%d lists of one account, want 10 or more", lists)
	}
}

// TestListAppliesDeadlines: the list of duels applies passed deadlines, as reading one duel does: a duel is in the
// list of the status that they give it, and its stake is back.
func TestListAppliesDeadlines(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	before := p.me(t).Balance
	p.post(t, "/api/duels", `{"stake":10}`).ok(t)
	other := s.joined(t, 0)
	joined := other.play(t, "rs").ID  // without a round it would be in no list
	s.clock.forward(duel.JoinTimeout) // both sides of the other miss two rounds in it
	for _, tt := range []struct{ status, want string }{{"finished", joined}, {"open", ""}, {"active", ""}} {
		got := ""
		for _, d := range decode[api.DuelsOut](t, s.anonymous(t).get(t, "/api/duels?status="+tt.status).ok(t)).Duels {
			got += d.ID
		}
		if got != tt.want {
			t.Errorf("%s: duels %q, want %q", tt.status, got, tt.want)
		}
	}
	if after := p.me(t).Balance; after != before {
		t.Errorf("the balance is %d after the list, want %d", after, before)
	}
}
