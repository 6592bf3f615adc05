package httpapi_test

import (
	"context"
	"testing"
	"time"

	"roshambo/internal/server/httpapi"
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

// TestBoundStartOnBoards: an account with a bound start is on no board of points until it is secured,
// then with all its points, and on a day's board only if it was secured before that day.
func TestBoundStartOnBoards(t *testing.T) {
	t.Parallel()
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

	out := decode[httpapi.SessionOut](t, p.post(t, "/api/auth/register", credentials(newName())).ok(t))
	p.csrf = out.CSRFToken
	s.tokens.add(p.csrf)
	// A run that is reported together with the securing counts once.
	p.claims(t, p.start(t, `{"entry":"free"}`))
	p.onBoards(t, "secured", map[string]bool{"all": true, "week": true, "daily": false})
	all := p.board(t, "all")
	if all.Me.Value != 8 { // four claims of the first tier
		t.Errorf("points after the securing: %+v, want 8", all.Me)
	}
	p.claims(t, p.start(t, `{"entry":"fee"}`))
	p.onBoards(t, "a run later", map[string]bool{"all": true, "week": true, "daily": false})
	s.clock.forward(24 * time.Hour)
	p.claims(t, p.start(t, `{"entry":"daily"}`))
	p.onBoards(t, "the day after", map[string]bool{"all": true, "daily": true})
}
