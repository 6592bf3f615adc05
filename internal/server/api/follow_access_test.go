package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/event"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
	"roshambo/internal/store"
)

// TestFollowIsPrivate posts an event in each topic, and each kind of caller follows all that they
// may.
func TestFollowIsPrivate(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.follow(t)
	owner, other := s.guest(t), s.guest(t)
	bot := owner.newBot(t, newName())
	bearer := func(secret string) map[string]string { return map[string]string{"Authorization": "Bearer " + secret} }
	address := func(text string) chain.Address {
		a, err := chain.ParseAddress(text)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	topics := []string{
		event.Blocks, event.Feed, event.Duels, event.Account(address(owner.address)),
		event.Account(address(other.address)), event.Account(address(bot.Bot.Address)), event.Market, event.Duel("AAAAAAAA"),
		"unknown",
	}
	for name, c := range map[string]struct {
		p      *player
		header map[string]string
		all    string // by the numbers of the topics
		named  string // with ?topics=account
	}{
		"anonymous": {s.anonymous(t), nil, "0126", "unauthenticated"},
		"an old cookie": {s.anonymous(t), map[string]string{"Cookie": "roshambo_session=" +
			strings.Repeat("A", 43)}, "0126", "unauthenticated"},
		"a wrong key": {s.anonymous(t), bearer("rsk_" + strings.Repeat("A", 43)), "unauthenticated",
			"unauthenticated"},
		"the owner":                       {owner, nil, "01236", "3"},
		"another one":                     {other, nil, "01246", "4"},
		"a key":                           {s.anonymous(t), bearer(owner.newKey(t).Secret), "01236", "3"},
		"a bot":                           {s.anonymous(t), bearer(bot.Secret), "01256", "5"},
		"key of a bot, cookie of another": {other, bearer(bot.Secret), "01256", "5"},
	} {
		for query, want := range map[string]string{"": c.all, "?topics=account": c.named,
			"?topics=feed&topics=duels&topics=feed": "12"} {
			if c.all == "unauthenticated" {
				want = c.all
			}
			e, refused := c.p.listen(t, query, c.header)
			if e == nil {
				if got := codeOf(refused.body); got != want {
					t.Errorf("%s %s: got %d %s, want %s", name, query, refused.status, refused.body, want)
				}
				continue
			}
			e.take(t, 1) // ready
			for i, topic := range topics {
				s.post(t, topic, i)
			}
			got := strings.Join(e.take(t, len(want)), "")
			if got = strings.ReplaceAll(got, "feed ", ""); got != want {
				t.Errorf("%s %s gets %q, want %q", name, query, got, want)
			}
			if strings.Contains(query, "feed") || query == "" { // the next event proves that there was no other
				s.post(t, event.Feed, 9)
				if next := e.take(t, 1)[0]; next != "feed 9" {
					t.Errorf("%s %s gets more than it may: %s", name, query, next)
				}
			}
			e.close()
			s.numbered(t)
		}
	}
}

// TestFollowEndsWithTheSession ends sessions and keys in every way: their streams end, others of
// the same account continue.
func TestFollowEndsWithTheSession(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.follow(t)
	for name, c := range map[string]struct {
		header func(t *testing.T, p *player, q *request) map[string]string // of the stream
		end    request
	}{
		"logout": {nil, request{method: "POST", path: "/api/auth/logout"}},
		"register": {func(t *testing.T, p *player, q *request) map[string]string {
			q.body = fmt.Sprintf(`{"username":%q,"password":"correct horse","keep":[%d]}`, newName(), p.keys(t)[0].ID)
			return nil
		}, request{method: "POST", path: "/api/auth/register"}},
		"end a session": {func(t *testing.T, p *player, q *request) map[string]string {
			q.path = "/api/sessions/" + decode[api.SessionsOut](t, p.get(t, "/api/sessions").ok(t)).Sessions[0].ID + "/end"
			return nil
		}, request{method: "POST"}},
		"revoke a key": {func(t *testing.T, p *player, q *request) map[string]string {
			key := p.newKey(t)
			q.path = key.revokePath()
			return map[string]string{"Authorization": "Bearer " + key.Secret}
		}, request{method: "POST"}},
		"rotate a bot's key": {func(t *testing.T, p *player, q *request) map[string]string {
			bot := p.newBot(t, newName())
			q.path = "/api/bots/" + bot.Bot.Address + "/rotate"
			return map[string]string{"Authorization": "Bearer " + bot.Secret}
		}, request{method: "POST"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, q := s.guest(t), c.end
			other := map[string]string{"Authorization": "Bearer " + p.newKey(t).Secret}
			var header map[string]string
			if c.header != nil {
				header = c.header(t, p, &q)
			}
			ending, staying := p.follow(t, "?topics=account", header), s.anonymous(t).follow(t, "?topics=account", other)
			p.post(t, q.path, q.body).ok(t)
			if got := ending.take(t, 1)[0]; got != `end {"reason":"signed_out"}` {
				t.Errorf("got %s, want the end", got)
			}
			if got, ok := ending.next(t); ok {
				t.Errorf("after the end: %v", got)
			}
			address, err := chain.ParseAddress(p.address)
			if err != nil {
				t.Fatal(err)
			}
			s.post(t, event.Account(address), 1)
			if got := staying.take(t, 1)[0]; got != "feed 1" {
				t.Errorf("the other stream gets %s", got)
			}
			staying.close()
		})
	}
}

// TestFollowEndsWithAnUnknownSignOut: a stream also ends when it is unknown whether the sign-out
// was stored.
func TestFollowEndsWithAnUnknownSignOut(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) { c.Heartbeat = time.Hour }) // the heartbeat would end it, too
	s.follow(t)
	p := s.guest(t)
	e := p.follow(t, "?topics=blocks", nil)
	s.faults.plan(store.Stored)
	p.post(t, "/api/auth/logout", "").fails(t, 503, "unavailable")
	if got := e.take(t, 1)[0]; got != `end {"reason":"signed_out"}` {
		t.Errorf("got %s, want the end", got)
	}
}

// TestFollowEndsAtTheHeartbeat: a stream whose session ends without a word to this node, as on another node
// that cannot reach it, ends at the next heartbeat.
func TestFollowEndsAtTheHeartbeat(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) { c.Heartbeat = 5 * time.Millisecond })
	s.follow(t)
	p := s.guest(t)
	e := p.follow(t, "?topics=account", nil)
	s.within(t, func(ctx context.Context, tx *store.Tx) error { return s.accounts.EndSession(ctx, tx, p.token(t)) })
	if got := e.take(t, 1)[0]; got != `end {"reason":"signed_out"}` {
		t.Errorf("got %s, want the end", got)
	}
}

// TestFollowEndsBeforeThePrivate: a stream whose session ends without a word to this node sends nothing more that is
// for its caller alone. Public events cost no check, and are sent until the heartbeat.
func TestFollowEndsBeforeThePrivate(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) { c.Heartbeat = time.Hour })
	s.follow(t)
	for name, private := range map[string]func(t *testing.T, p *player, g *duelGame){
		"event": func(t *testing.T, p *player, _ *duelGame) {
			t.Helper()
			address, err := chain.ParseAddress(p.address)
			if err != nil {
				t.Fatal(err)
			}
			s.post(t, event.Account(address), 1)
		},
		"step of the own duel": func(t *testing.T, _ *player, g *duelGame) {
			t.Helper()
			g.n++
			g.sides[1](t, g.commit(1, 'r')).ok(t)
		},
	} {
		p := s.guest(t)
		g := s.joined(t, 0, p, s.guest(t))
		s.numbered(t)
		e := p.follow(t, "?topics=account&topics=feed", nil)
		if got := e.take(t, 1)[0]; !strings.HasPrefix(got, "duel ") {
			t.Errorf("a stream begins with %s, want the own duel", got)
		}
		s.within(t, func(ctx context.Context, tx *store.Tx) error { return s.accounts.EndSession(ctx, tx, p.token(t)) })
		s.post(t, event.Feed, 7)
		if got := e.take(t, 1)[0]; got != "feed 7" {
			t.Errorf("the public event is %s", got)
		}
		private(t, p, g)
		if got := e.take(t, 1)[0]; got != `end {"reason":"signed_out"}` {
			t.Errorf("%s: got %s, want the end", name, got)
		}
	}
}

func TestFollowEndsWithTheDrain(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.follow(t)
	e := s.anonymous(t).follow(t, "", nil)
	s.edge.API.Streams.Drain()
	if got, ok := e.next(t); ok {
		t.Errorf("while draining: %v", got)
	}
}

// TestStreamQuota opens as many streams as an account may have; closing one allows another.
func TestStreamQuota(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.guest(t)
	var open []*eventStream
	for range 20 {
		open = append(open, p.follow(t, "", nil))
	}
	_, refused := p.listen(t, "", nil)
	refused.fails(t, 429, "too_many_streams")
	if refused.header.Get("Retry-After") == "" {
		t.Error("429 without Retry-After")
	}
	p.send(t, request{method: "GET", path: "/api/events?topics=account",
		header: map[string]string{"Authorization": "Bearer " + p.newKey(t).Secret}}).
		fails(t, 429, "too_many_streams")
	s.guest(t).follow(t, "", nil).close()
	open[7].close()
	for {
		again, refused := p.listen(t, "", nil)
		if again != nil {
			again.close()
			break
		}
		refused.fails(t, 429, "too_many_streams") // the server has not noticed yet
	}
	for _, e := range open {
		e.close()
	}
}
