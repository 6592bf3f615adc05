package api_test

import (
	"context"
	"testing"
	"time"

	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// onBoards checks on which boards of points an account is.
func (p *player) onBoards(t *testing.T, when string, want map[string]bool) {
	t.Helper()
	p.s.settle(t)
	for board, on := range want {
		out := p.board(t, board)
		listed := false
		for _, r := range out.Rows {
			listed = listed || r.Address != nil && *r.Address == p.address
		}
		if listed != on || (out.Me != nil) != on {
			t.Errorf("%s: on board %s: %v, own row %+v; want %v", when, board, listed, out.Me, on)
		}
	}
	err := p.s.db.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return p.s.score.Check(ctx, tx, func(d score.Divergence) { t.Errorf("%s: %+v", when, d) })
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestBoundStartOnBoards: an account with a bound start is on no board of points until it has been secured for 3 days,
// by a password or by a mailbox, then with all its points except the week's, and on a day's board only if that was so
// before the day.
func TestBoundStartOnBoards(t *testing.T) {
	t.Parallel()
	for name, secures := range map[string]func(*testing.T, *player){
		"a password": func(t *testing.T, p *player) {
			t.Helper()
			out := decode[api.SessionOut](t, p.post(t, "/api/auth/register", credentials(newName())).ok(t))
			p.csrf = out.CSRFToken
		},
		"a mailbox": func(t *testing.T, p *player) {
			t.Helper()
			p.attach(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			boundStartOnBoards(t, secures)
		})
	}
}

// boundStartOnBoards is TestBoundStartOnBoards for a way to secure the account.
func boundStartOnBoards(t *testing.T, secures func(*testing.T, *player)) {
	t.Helper()
	s := behindProxy(t, 1, 100)
	none := map[string]bool{"all": false, "week": false, "daily": false}
	free, p := s.guestFrom(t, public), s.guestFrom(t, public)
	for _, x := range []*player{free, p} {
		for _, entry := range []string{"daily", "free"} {
			x.claims(t, x.start(t, `{"entry":"`+entry+`"}`))
		}
	}
	free.onBoards(t, "a free start", map[string]bool{"all": true, "week": true, "daily": true})
	p.onBoards(t, "a bound start", none)
	p.claims(t, p.start(t, `{"entry":"free"}`))
	p.onBoards(t, "a bound start, another run", none)

	secures(t, p)
	s.tokens.add(p.csrf)
	p.claims(t, p.start(t, `{"entry":"free"}`))
	p.onBoards(t, "secured", none)
	s.clock.forward(3 * 24 * time.Hour)
	// A run that is reported together with the change counts once.
	p.claims(t, p.start(t, `{"entry":"free"}`))
	p.onBoards(t, "secured for 3 days", map[string]bool{"all": true, "week": true, "daily": false})
	all := p.board(t, "all")
	if all.Me.Value != 10 { // five claims of the first tier
		t.Errorf("points after 3 days: %+v, want 10", all.Me)
	}
	p.claims(t, p.start(t, `{"entry":"fee"}`))
	p.onBoards(t, "a run later", map[string]bool{"all": true, "week": true, "daily": false})
	s.clock.forward(24 * time.Hour)
	p.claims(t, p.start(t, `{"entry":"daily"}`))
	p.onBoards(t, "the day after", map[string]bool{"all": true, "daily": true})
}

// TestPointsByNetwork checks that a team's day has the points of the three best accounts of a network, by whatever
// addresses of it they call, and that one at another address counts beside them.
func TestPointsByNetwork(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) {
		c.TrustedProxies, c.NetworkKey, c.PairPrivate = []string{"127.0.0.1"}, []byte("of the test"), true
	})
	var slug string
	for i, address := range []string{"2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2::3", "2001:db8:1:2::4",
		"2001:db8:9::1"} {
		p := s.guestFrom(t, address)
		path, body := "/api/teams", `{"name":"Rockets"}`
		if i > 0 {
			path = "/api/teams/join"
		}
		slug = decode[api.TeamOut](t, p.postFrom(t, address, path, body).ok(t)).Team.Slug
		p.claims(t, p.startFrom(t, address, `{"entry":"free"}`))
		s.settle(t)
		team := decode[api.TeamOut](t, p.get(t, "/api/teams/"+slug).ok(t)).Team
		if want := []int64{2, 4, 6, 6, 8}[i]; team.Points != want {
			t.Errorf("%d points after account %d, want %d", team.Points, i+1, want)
		}
	}
}

// TestRankedDailies checks that a day's board shows one daily run of a network address, its limit here:
// further ones win the same tokens and points. A refused start does not count, and the next UTC day begins
// anew.
func TestRankedDailies(t *testing.T) {
	t.Parallel()
	s := behindProxy(t, 100, 100)
	first, second, elsewhere := s.guestFrom(t, public), s.guestFrom(t, public), s.guestFrom(t, "203.0.113.9")
	play := func(p *player, address string) api.Run {
		t.Helper()
		r := p.startFrom(t, address, `{"entry":"daily"}`)
		if token := p.claims(t, r); token.Bound {
			t.Errorf("a bound token: %+v", token)
		}
		return r
	}
	active := second.startFrom(t, public, `{"entry":"free"}`)
	second.postFrom(t, public, "/api/runs", `{"entry":"daily"}`).fails(t, 409, "run_active")
	second.post(t, "/api/runs/"+active.ID+"/abandon", "").ok(t)
	if r := play(first, public); r.Unranked {
		t.Error("the first is not ranked: a refused start or another entry counts")
	}
	if r := play(second, public); !r.Unranked {
		t.Error("the second of an address is ranked")
	}
	if r := play(elsewhere, "203.0.113.9"); r.Unranked {
		t.Error("other addresses share the limit")
	}
	all := map[string]bool{"all": true, "week": true, "daily": true}
	first.onBoards(t, "the first", all)
	second.onBoards(t, "the second", map[string]bool{"all": true, "week": true, "daily": false})
	elsewhere.onBoards(t, "another address", all)

	s.clock.forward(12 * time.Hour) // midnight
	if r := play(second, public); r.Unranked {
		t.Error("not ranked on the next day")
	}
	second.onBoards(t, "the next day", map[string]bool{"daily": true})
	s.seal(t)
	first.chainIsValid(t)
}
