package api_test

import (
	"fmt"
	"testing"
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
)

// TestBudgetsByAddress: new listings and new duels count by network address, together for all
// accounts; calls that fail and repetitions count nothing.
func TestBudgetsByAddress(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) {
		for _, to := range []**limit.Budget{&c.ListingLimit, &c.DuelLimit, &c.VerifyLimit} {
			b, err := limit.NewBudget(limit.Rate{Max: 2, Window: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			*to = b.ExemptPrivate()
		}
		c.TrustedProxies = []string{"127.0.0.1"}
	})
	p, other := s.guest(t), s.guest(t)
	const address = "198.51.100.1"
	post := func(p *player, path, body, from, key string) answer {
		t.Helper()
		header := map[string]string{"X-Forwarded-For": from, "X-CSRF-Token": p.csrf}
		if key != "" {
			header["Idempotency-Key"] = key
		}
		return p.send(t, request{"POST", path, body, header})
	}
	for range 3 { // failures
		post(p, "/api/duels", `{"stake":1000000}`, address, "").fails(t, 409, "insufficient_funds")
		post(p, "/api/market/list", `{"token_id":7,"price":1}`, address, "").fails(t, 409, "not_owner")
	}
	post(p, "/api/duels", "", address, "a").ok(t)
	for range 3 {
		post(p, "/api/duels", "", address, "a").ok(t) // a repetition
	}
	post(other, "/api/duels/spar", "", address, "").ok(t)
	for _, path := range []string{"/api/duels", "/api/duels/spar"} {
		if e := post(other, path, "", address, "").fails(t, 429, "rate_limited"); e.RetryAfterMS <= 0 ||
			e.RetryAfterMS > 3_600_000 {
			t.Errorf("%s: retry after %d ms, want at most an hour", path, e.RetryAfterMS)
		}
	}
	post(other, "/api/duels", "", "198.51.100.2", "").ok(t)
	post(other, "/api/duels", "", "10.0.0.1", "").ok(t) // exempt
	for i := range 3 {
		body := fmt.Sprintf(`{"token_id":%d,"price":10}`, p.win(t).TokenID)
		a := post(p, "/api/market/list", body, address, "")
		if i < 2 {
			a.ok(t)
		} else {
			a.fails(t, 429, "rate_limited")
		}
	}
}

// TestBudgetOfRematches: a rematch counts as a new duel for the address of the call that begins it; offers and
// withdrawals count nothing.
func TestBudgetOfRematches(t *testing.T) {
	t.Parallel()
	s := publicly(t, func(c *edge.Config) {
		b, err := limit.NewBudget(limit.Rate{Max: 2, Window: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		c.DuelLimit = b.ExemptPrivate()
	})
	ann, bob, home, away := s.guest(t), s.guest(t), "203.0.113.1", "203.0.113.2"
	path := s.opens(t, home, 0, ann, bob).path
	for began := range 2 {
		ann.postFrom(t, home, path+"/resign", "").ok(t)
		for range 3 {
			bob.postFrom(t, away, path+"/rematch", "").ok(t)
			bob.postFrom(t, away, path+"/rematch", `{"offer":false}`).ok(t)
		}
		bob.postFrom(t, away, path+"/rematch", "").ok(t)
		a := ann.postFrom(t, home, path+"/rematch", "")
		if began == 1 {
			a.fails(t, 429, "rate_limited")
			break
		}
		path = "/api/duels/" + *decode[api.DuelOut](t, a.ok(t)).Duel.Rematch.DuelID
	}
}

// TestSharedVerification: callers share the pass of the last minute; signed-in callers get a fresh
// one within their budget, and a private address always does.
func TestSharedVerification(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) {
		b, err := limit.NewBudget(limit.Rate{Max: 2, Window: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		c.VerifyLimit, c.TrustedProxies = b.ExemptPrivate(), []string{"127.0.0.1"}
	})
	p := s.guest(t)
	verified := func(p *player, query, from string) time.Duration {
		t.Helper()
		q := request{method: "GET", path: "/api/chain/verify" + query}
		out := decode[api.VerifyOut](t, p.send(t, q.with(map[string]string{"X-Forwarded-For": from})).ok(t))
		if !out.Valid {
			t.Errorf("not valid: %+v", out)
		}
		return s.clock.Now().Sub(out.VerifiedAt.Time)
	}
	const address = "198.51.100.1"
	for i, step := range []struct {
		p       *player
		query   string
		from    string
		advance time.Duration
		age     time.Duration // of the result
	}{
		{s.anonymous(t), "", address, 0, 0},
		{s.anonymous(t), "", "198.51.100.2", 59 * time.Second, 59 * time.Second},
		{p, "", address, 0, 59 * time.Second},
		{p, "?fresh=true", address, 0, 0},
		{s.anonymous(t), "", "198.51.100.2", 30 * time.Second, 30 * time.Second},
		{s.anonymous(t), "", "127.0.0.1", 0, 0},
		{s.anonymous(t), "", address, time.Minute, 0},
		{p, "?fresh=true", address, time.Second, 0},
	} {
		s.clock.forward(step.advance)
		if age := verified(step.p, step.query, step.from); age != step.age {
			t.Errorf("step %d: a result of %v before, want %v", i, age, step.age)
		}
	}
	fresh := request{method: "GET", path: "/api/chain/verify?fresh=true"}
	p.send(t, fresh.with(map[string]string{"X-Forwarded-For": address})).fails(t, 429, "rate_limited")
	s.anonymous(t).send(t, fresh.with(map[string]string{"X-Forwarded-For": address})).fails(t, 401, "unauthenticated")
}
