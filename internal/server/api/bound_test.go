package api_test

import (
	"fmt"
	"testing"
	"time"

	"roshambo/game"
	"roshambo/internal/platform/limit"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
	"roshambo/internal/store"
)

// public is a network address that is neither of this machine nor private.
const public = "198.51.100.7"

// daily returns a budget of n actions of a public network address in each UTC day.
func daily(t *testing.T, n int) *limit.Budget {
	t.Helper()
	b, err := limit.NewBudget(limit.Rate{Max: n, Window: 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return b.ExemptPrivate()
}

// behindProxy starts a stack whose network addresses have so many free starts and free wins a day.
func behindProxy(t *testing.T, starts, wins int) *stack {
	t.Helper()
	return start(t, func(c *edge.Config) {
		c.TrustedProxies, c.AccountLimit = []string{"127.0.0.1"}, nil
		c.FreeStarts, c.FreeWins, c.RankedDailies = daily(t, starts), daily(t, wins), daily(t, 1)
	})
}

// guestFrom opens a guest account from a network address.
func (s *stack) guestFrom(t *testing.T, address string) *player {
	t.Helper()
	p := s.anonymous(t)
	out := decode[api.GuestOut](t, s.openWith(t, p, address).ok(t))
	p.csrf, p.address = out.CSRFToken, out.Account.Address
	s.tokens.add(p.csrf)
	return p
}

// openWith sends the request that opens p's guest account.
func (s *stack) openWith(t *testing.T, p *player, address string) answer {
	t.Helper()
	return p.send(t, request{method: "POST", path: "/api/guest"}.with(from(address)))
}

// postFrom sends a request of p from a network address.
func (p *player) postFrom(t *testing.T, address, path, body string) answer {
	t.Helper()
	header := from(address)
	header["X-CSRF-Token"] = p.csrf
	return p.send(t, request{"POST", path, body, header})
}

// startFrom starts a run from a network address.
func (p *player) startFrom(t *testing.T, address, body string) api.Run {
	t.Helper()
	return decode[api.StartRunOut](t, p.postFrom(t, address, "/api/runs", body).ok(t)).Run
}

// claims wins a run with one throw and claims its token.
func (p *player) claims(t *testing.T, r api.Run) api.Token {
	t.Helper()
	p.play(t, r, game.Win)
	return decode[api.ClaimOut](t, p.post(t, "/api/runs/"+r.ID+"/claim", "").ok(t)).Token
}

// hasCoins checks the balance of p and its bound part.
func (p *player) hasCoins(t *testing.T, when string, balance, bound int64) {
	t.Helper()
	if me := p.me(t); me.Balance != balance || me.Bound != bound || me.Free != balance-bound {
		t.Errorf("%s: balance %d, bound %d, free %d; want %d, %d and %d", when, me.Balance, me.Bound, me.Free, balance,
			bound, balance-bound)
	}
}

// TestBoundStart opens more accounts from one network address than it has free starts, and tries what
// a bound start allows and refuses, up to the chain.
func TestBoundStart(t *testing.T) {
	t.Parallel()
	s := behindProxy(t, 1, 100)
	first := s.guestFrom(t, public)
	if me := first.me(t); me.Start != "free" || me.SecuredAt != nil {
		t.Errorf("the first start: %+v", me)
	}
	first.hasCoins(t, "free start", 1000, 0)
	p := s.guestFrom(t, public)
	if me := p.me(t); me.Start != "bound" {
		t.Errorf("the second start: %+v", me)
	}
	p.hasCoins(t, "bound start", 1000, 1000)

	// Bound coins buy nothing, and stake nothing.
	e := p.post(t, "/api/duels", `{"stake":1}`).fails(t, 409, "insufficient_funds")
	if *e.Balance != 1000 || *e.Free != 0 || e.Needed != 1 {
		t.Errorf("a stake of bound coins: %+v", e)
	}
	l := first.sell(t, first.win(t), 10)
	e = p.post(t, fmt.Sprintf("/api/market/%d/buy", l.ID), "").fails(t, 409, "insufficient_funds")
	if *e.Free != 0 || e.Needed != 10 {
		t.Errorf("a purchase with bound coins: %+v", e)
	}

	// A free run wins a bound token. It can only be sold to the house, or burnt.
	r := p.start(t, `{"entry":"free"}`)
	token := p.claims(t, r)
	if !r.Bound || !token.Bound {
		t.Errorf("a free run of a bound start: run %+v, token %+v", r, token)
	}
	p.post(t, "/api/market/list", fmt.Sprintf(`{"token_id":%d,"price":10}`, token.TokenID)).fails(t, 409, "token_bound")
	burnt := p.start(t, fmt.Sprintf(`{"entry":"burn","token_id":%d}`, token.TokenID))
	if token = p.claims(t, burnt); !token.Bound || token.Tier != 2 {
		t.Errorf("doubled by a bound token: %+v", token)
	}
	offer := p.offer(t, token)
	accepted := p.post(t, fmt.Sprintf("/api/buyback/%d/respond", offer.ID), `{"accept":true}`).ok(t)
	if offer = decode[api.RespondedOut](t, accepted).Offer; !offer.Bound || offer.Price != 153 {
		t.Errorf("the house bought a bound token: %+v", offer)
	}
	p.hasCoins(t, "after a sale to the house", 1153, 1153)
	s.seal(t)
	p.chainIsValid(t)
}

// TestSecuringABoundStart checks that free runs of a bound start win free tokens once the account
// has been secured for 3 days, and that its coins stay bound.
func TestSecuringABoundStart(t *testing.T) {
	t.Parallel()
	s := behindProxy(t, 1, 100)
	s.guestFrom(t, public)
	p := s.guestFrom(t, public)
	p.register(t, newName())
	if me := p.me(t); me.SecuredAt == nil || !me.SecuredAt.Equal(s.clock.Now()) || me.Start != "bound" {
		t.Errorf("registered: %+v", me)
	}
	if r := p.start(t, `{"entry":"daily"}`); !p.claims(t, r).Bound {
		t.Error("a run won a free token just after securing")
	}
	free := midday.Add(72 * time.Hour)
	s.clock.forward(free.Add(-time.Millisecond).Sub(s.clock.Now()))
	p.signIn(t, "/api/auth/login", credentials(p.me(t).Account.Username))
	if r := p.start(t, `{"entry":"daily"}`); !p.claims(t, r).Bound {
		t.Error("a run won a free token a moment too early")
	}
	if r := p.start(t, `{"entry":"free"}`); p.claims(t, r).Bound { // a throw takes a moment, so 3 days are over
		t.Error("a run won a bound token 3 days after securing")
	}
	if r := p.start(t, `{"entry":"fee"}`); !r.Bound {
		t.Error("bound coins paid for a free token")
	}
	p.hasCoins(t, "after a fee", 950, 950)
	s.seal(t)
	p.chainIsValid(t)
}

// TestFeesTakeBoundCoinsFirst uses up free coins, takes from the faucet, and pays fees of both.
func TestFeesTakeBoundCoinsFirst(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	fee := func() api.Run {
		r := p.start(t, `{"entry":"fee"}`)
		p.post(t, "/api/runs/"+r.ID+"/abandon", "").ok(t)
		return r
	}
	for range 11 {
		if fee().Bound {
			t.Error("a fee of free coins enters a bound run")
		}
	}
	p.post(t, "/api/faucet", "").ok(t)
	p.hasCoins(t, "after the faucet", 650, 200)
	p.post(t, "/api/duels", `{"stake":451}`).fails(t, 409, "insufficient_funds")
	p.post(t, "/api/duels", `{"stake":450}`).ok(t)
	p.hasCoins(t, "all free coins are staked", 200, 200)
	for range 4 {
		if !fee().Bound {
			t.Error("a fee of bound coins enters a free run")
		}
	}
	p.post(t, "/api/runs", `{"entry":"fee"}`).fails(t, 409, "insufficient_funds")
}

// TestFreeStartsOfADay checks that all ways to open an account count together, that failures are
// given back, and that the next UTC day begins anew.
func TestFreeStartsOfADay(t *testing.T) {
	t.Parallel()
	s := behindProxy(t, 3, 100)
	first := s.guestFrom(t, public)
	first.postFrom(t, public, "/api/bots", `{"name":"not a name"}`).invalid(t, "body.name string_pattern_mismatch")
	name := first.me(t).Account.Username
	s.anonymous(t).send(t, request{"POST", "/api/auth/register", credentials(name), from(public)}).fails(t, 409,
		"username_taken")
	bot := decode[api.NewBotOut](t, first.postFrom(t, public, "/api/bots", `{"name":"`+newName()+`"}`).ok(t))
	s.tokens.add(bot.Secret)
	third := s.anonymous(t)
	out := decode[api.SessionOut](t,
		third.send(t, request{"POST", "/api/auth/register", credentials(newName()), from(public)}).ok(t))
	third.csrf = out.CSRFToken
	s.tokens.add(third.csrf)
	third.hasCoins(t, "the third account", 1000, 0)
	s.guestFrom(t, public).hasCoins(t, "the fourth account", 1000, 1000)
	s.guestFrom(t, "203.0.113.9").hasCoins(t, "another address", 1000, 0)
	s.clock.forward(12 * time.Hour) // midnight
	s.guestFrom(t, public).hasCoins(t, "the next day", 1000, 0)
}

// TestFreeStartOfUnknownOutcome checks that an account that may have been stored counts.
func TestFreeStartOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	s := behindProxy(t, 1, 100)
	s.faults.plan(store.Stored)
	s.openWith(t, s.anonymous(t), public).unavailable(t)
	s.faults.plan()
	s.guestFrom(t, public).hasCoins(t, "after an unknown outcome", 1000, 1000)
}

// TestFreeWinsOfADay checks that free and daily runs of one network address win bound tokens beyond
// its limit, that other entries and refused starts do not count, and that the next UTC day begins
// anew.
func TestFreeWinsOfADay(t *testing.T) {
	t.Parallel()
	s := behindProxy(t, 100, 2)
	p, q := s.guestFrom(t, public), s.guestFrom(t, public)
	lose := func(p *player, address, body string) bool {
		t.Helper()
		r := p.startFrom(t, address, body)
		p.post(t, "/api/runs/"+r.ID+"/abandon", "").ok(t)
		return r.Bound
	}
	if lose(p, public, `{"entry":"fee"}`) || lose(p, public, `{"entry":"free"}`) {
		t.Error("bound within the limit")
	}
	active := p.startFrom(t, public, `{"entry":"fee"}`)
	p.postFrom(t, public, "/api/runs", `{}`).fails(t, 409, "run_active")
	p.post(t, "/api/runs/"+active.ID+"/abandon", "").ok(t)
	if lose(q, public, `{"entry":"daily"}`) {
		t.Error("the second is bound: a refused start or a fee counts")
	}
	r := q.startFrom(t, public, `{}`)
	if token := q.claims(t, r); r.Entry != "free" || !r.Bound || !token.Bound {
		t.Errorf("the third is not bound: %+v", r)
	}
	if lose(q, "203.0.113.9", `{}`) || lose(q, "127.0.0.1", `{}`) {
		t.Error("other addresses share the limit")
	}
	s.clock.forward(12 * time.Hour) // midnight
	if lose(q, public, `{}`) {
		t.Error("bound on the next day")
	}
	s.seal(t)
	p.chainIsValid(t)
}

// TestGuestsOfLoopback plays everything that a guest of a local service does, with more guests and
// free runs than a public address has free starts and wins: nothing is bound.
func TestGuestsOfLoopback(t *testing.T) {
	t.Parallel()
	s := behindProxy(t, 1, 1)
	buyer := s.guest(t)
	for i := range 3 {
		p := s.guest(t)
		p.hasCoins(t, fmt.Sprint("guest ", i), 1000, 0)
		sold := p.win(t)
		kept := p.claims(t, p.start(t, `{"entry":"daily"}`))
		doubled := p.claims(t, p.start(t, fmt.Sprintf(`{"entry":"burn","token_id":%d}`, kept.TokenID)))
		paid := p.claims(t, p.start(t, `{"entry":"fee"}`))
		for _, token := range []api.Token{sold, kept, doubled, paid} {
			if token.Bound {
				t.Errorf("guest %d won a bound token: %+v", i, token)
			}
		}
		l := p.sell(t, sold, 100)
		buyer.post(t, fmt.Sprintf("/api/market/%d/buy", l.ID), "").ok(t)
		p.post(t, fmt.Sprintf("/api/buyback/%d/respond", p.offer(t, doubled).ID), `{"accept":true}`).ok(t)
		d := p.open(t, 200)
		buyer.post(t, "/api/duels/"+d.ID+"/join", "").ok(t)
		p.spar(t)
		p.hasCoins(t, fmt.Sprintf("guest %d at the end", i), 1000-50+98+153-200, 0)
	}
	s.marketIsSound(t)
}
