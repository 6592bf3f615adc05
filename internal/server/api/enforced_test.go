package api_test

import (
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
