//go:build nightly

package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
)

// headed adds headers to each request of a browser.
type headed struct {
	http.RoundTripper

	headers func(*http.Request) map[string]string
}

// RoundTrip implements http.RoundTripper.
func (h headed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h.headers(r) {
		r.Header.Set(name, value)
	}
	return h.RoundTripper.RoundTrip(r)
}

// guestAt returns a guest whose requests come from a network address.
func (s *stack) guestAt(t *testing.T, address string) *player {
	t.Helper()
	p := s.guest(t)
	p.client.Transport = headed{p.client.Transport, func(*http.Request) map[string]string { return from(address) }}
	return p
}

// TestGroupBesideFlood lets six visitors at an address that many people share play beside another address, which has
// filled each place that it can, and sends requests without a pause: no call of the visitors is refused, and what they
// begin and win is shown.
func TestGroupBesideFlood(t *testing.T) {
	t.Parallel()
	const visitors, flooders = 6, 20
	s := publicly(t, func(c *edge.Config) {
		var err error
		if c.RateLimit, err = limit.NewLog(240, time.Hour); err != nil {
			t.Fatal(err)
		}
	})
	seats := fmt.Sprintf("/api/cups/%d/join", decode[api.CupOut](t, s.secured(t).postFrom(t, "203.0.113.9", "/api/cups",
		`{"minutes":9}`).ok(t)).Cup.Number)
	flood := s.fill(t, flooders, seats)
	stop, full, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		floods(t, flood[0], full, stop)
	}()
	<-full
	group := make([]*player, visitors)
	for i := range group {
		group[i] = s.guestAt(t, "198.51.100.7")
		group[i].win(t)
		group[i].post(t, seats, "").ok(t)
	}
	for i := 0; i < visitors; i += 2 {
		g := s.shownOpen(t, group[i], group[i+1])
		if d := g.play(t, "rs", "ps", "rs", "rs"); d.Winner == nil || *d.Winner != "a" {
			t.Errorf("the duel: %+v", d)
		}
		s.settle(t)
		for _, path := range []string{"/api/duels?status=finished", "/api/feed?limit=50"} {
			code := strings.TrimPrefix(g.path, "/api/duels/")
			if a := group[i].get(t, path).ok(t); !strings.Contains(a.body, code) {
				t.Errorf("%s does not have duel %s", path, code)
			}
		}
	}
	close(stop)
	<-done
}

// fill returns guests of one address, in every place that it can get: a quarter of a cup's seats, rows of the
// lobby, results and items of the feed.
func (s *stack) fill(t *testing.T, guests int, seats string) (flood []*player) {
	t.Helper()
	taken := 0
	for i := range guests {
		flood = append(flood, s.guestAt(t, "203.0.113.1"))
		if a := flood[i].post(t, seats, ""); a.status == http.StatusOK {
			taken++
		} else {
			a.fails(t, 409, "limit_reached")
		}
		flood[i].open(t, 1)
	}
	for i := range flood[1:] {
		g := s.joined(t, 1, flood[i], flood[i+1])
		g.play(t, "rs")
		g.sides[1](t, g.post("/resign", "")).ok(t)
	}
	s.settle(t)
	if taken != 16 {
		t.Errorf("the flood has %d seats, want a quarter", taken)
	}
	return flood
}

// floods sends calls without a pause until stop is closed, and closes full once one was refused for the limit.
func floods(t *testing.T, p *player, full chan<- struct{}, stop <-chan struct{}) {
	for refused := 0; ; {
		a, err := p.try(t, request{method: "GET", path: "/api/feed?limit=50"})
		if err != nil {
			t.Error(err)
		}
		if a.status == http.StatusTooManyRequests {
			if refused++; refused == 1 {
				close(full)
			}
		}
		select {
		case <-stop:
			return
		default:
		}
	}
}

// shownOpen begins a duel, which the lobby shows until it is joined.
func (s *stack) shownOpen(t *testing.T, a, b *player) *duelGame {
	t.Helper()
	g := s.game(a.open(t, 1).ID, a.sender(), b.sender())
	code := strings.TrimPrefix(g.path, "/api/duels/")
	if lobby := b.get(t, "/api/duels?status=open").ok(t); !strings.Contains(lobby.body, code) {
		t.Errorf("the lobby does not have duel %s", code)
	}
	b.post(t, g.path+"/join", "").ok(t)
	return g
}
