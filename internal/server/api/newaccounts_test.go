package api_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/platform/mail"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
	"roshambo/internal/store"
)

// fewAccounts starts a stack behind a proxy whose network addresses may open n accounts an hour.
func fewAccounts(t *testing.T, n int) *stack {
	t.Helper()
	return start(t, func(c *edge.Config) {
		b, err := limit.NewBudget(limit.Rate{Max: n, Window: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		c.AccountLimit, c.TrustedProxies = b.ExemptPrivate(), []string{"127.0.0.1"}
	})
}

// open sends a request that opens an account from a network address, in a browser of its own.
func (s *stack) open(t *testing.T, address string) answer {
	t.Helper()
	return s.anonymous(t).send(t, request{method: "POST", path: "/api/guest"}.with(from(address)))
}

// accountsRefused checks that an answer refuses a new account, and when the address may try again.
func (a answer) accountsRefused(t *testing.T) {
	t.Helper()
	e := a.fails(t, 429, "rate_limited")
	after, err := strconv.Atoi(a.header.Get("Retry-After"))
	if err != nil || after < 1 || after > 3600 || int(e.RetryAfterMS+999)/1000 != after {
		t.Errorf("Retry-After %q and %d ms, expected the same within an hour", a.header.Get("Retry-After"), e.RetryAfterMS)
	}
}

// TestNewAccountsByAddress checks that guests, registrations and bots count together for an
// address, that operations which open no account do not count, and that other addresses are not
// affected.
func TestNewAccountsByAddress(t *testing.T) {
	t.Parallel()
	s := fewAccounts(t, 3)
	const address = "198.51.100.1"
	post := func(p *player, path, body string) answer {
		t.Helper()
		header := from(address)
		header["X-CSRF-Token"] = p.csrf
		return p.send(t, request{"POST", path, body, header})
	}
	p := s.anonymous(t)
	guest := request{method: "POST", path: "/api/guest"}.with(from(address))
	p.csrf = decode[api.GuestOut](t, p.send(t, guest).ok(t)).CSRFToken
	s.tokens.add(p.csrf)
	for range 5 { // the session's account again, and failures
		p.send(t, guest).ok(t)
		post(p, "/api/bots", `{"name":"not a name"}`).invalid(t, "body.name string_pattern_mismatch")
	}
	name := newName()
	post(p, "/api/auth/register", credentials(name)).ok(t) // secures the guest
	post(s.anonymous(t), "/api/auth/register", credentials(name)).
		fails(t, 409, "username_taken")
	q := s.anonymous(t)
	out := decode[api.SessionOut](t,
		post(q, "/api/auth/register", credentials(newName())).ok(t))
	q.csrf = out.CSRFToken
	s.tokens.add(q.csrf)
	post(q, "/api/bots", `{"name":"`+name+`"}`).fails(t, 409, "username_taken")
	bot := decode[api.NewBotOut](t,
		post(q, "/api/bots", `{"name":"`+newName()+`"}`).ok(t))
	s.tokens.add(bot.Secret)

	s.open(t, address).accountsRefused(t)
	post(q, "/api/bots", `{"name":"`+newName()+`"}`).accountsRefused(t)
	post(s.anonymous(t), "/api/auth/register", credentials(newName())).
		accountsRefused(t)
	p.send(t, request{"GET", "/api/me", "", from(address)}).ok(t)
	s.open(t, "198.51.100.2").ok(t)
	for range 5 {
		s.open(t, "192.168.1.1").ok(t) // private
	}
}

// TestNewAccountsByNetwork checks that the networks of an IPv6 address bound its accounts: a /64 at
// the limit, a /56 at four times and a /48 at sixteen times.
func TestNewAccountsByNetwork(t *testing.T) {
	t.Parallel()
	s := fewAccounts(t, 1)
	s.open(t, "2001:db8::1").ok(t)
	s.open(t, "2001:db8::2").accountsRefused(t) // of the same /64
	for i := 1; i < 4; i++ {
		s.open(t, fmt.Sprintf("2001:db8:0:%x::1", i)).ok(t)
	}
	s.open(t, "2001:db8:0:4::1").accountsRefused(t) // a fifth /64 of the same /56
	for i := 4; i < 16; i++ {
		s.open(t, fmt.Sprintf("2001:db8:0:%x::1", 0x100*i)).ok(t)
	}
	s.open(t, "2001:db8:0:ff00::1").accountsRefused(t) // a seventeenth /64 of the same /48
	s.open(t, "2001:db8:1::1").ok(t)
}

// TestNewAccountsByLink checks that a link counts only when it opens an account, and that a refused
// one stays valid.
func TestNewAccountsByLink(t *testing.T) {
	t.Parallel()
	s := fewAccounts(t, 1)
	office := &postOffice{mails: map[string][]string{}}
	office.start(t)
	mailer, err := mail.NewSMTP("smtp://"+office.address, "house@example.org")
	if err != nil {
		t.Fatal(err)
	}
	s.accounts.Links.Mailer, s.accounts.Links.Base = mailer, "https://play.example.org"
	redeem := func(mailbox, address string) answer {
		s.anonymous(t).post(t, "/api/auth/magic-link", `{"email":"`+mailbox+`"}`).ok(t)
		tokens := office.tokens(t, s, mailbox)
		body := `{"token":"` + tokens[len(tokens)-1] + `"}`
		a := s.anonymous(t).send(t, request{"POST", "/api/auth/magic-link/redeem", body, from(address)})
		if a.status == 429 { // the same link from another address
			s.anonymous(t).send(t, request{"POST", "/api/auth/magic-link/redeem", body, from("203.0.113.1")}).ok(t)
		}
		return a
	}
	redeem("one@example.org", "198.51.100.1").ok(t)
	redeem("two@example.org", "198.51.100.1").accountsRefused(t)
	for range 3 { // known mailboxes
		redeem("one@example.org", "198.51.100.1").ok(t)
		redeem("two@example.org", "198.51.100.1").ok(t)
	}
}

// TestNewAccountsOfUnknownOutcome checks that an account which may have been stored counts.
func TestNewAccountsOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	s := fewAccounts(t, 1)
	s.faults.plan(store.Stored)
	s.open(t, "198.51.100.2").unavailable(t)
	s.faults.plan()
	s.open(t, "198.51.100.2").accountsRefused(t)
}

// TestNewAccountsAtOnce checks that concurrent calls do not exceed the limit.
func TestNewAccountsAtOnce(t *testing.T) {
	t.Parallel()
	s := fewAccounts(t, 3)
	got := outcomes(t, s, 12, func(int) (answer, error) {
		return s.anonymous(t).try(t, request{method: "POST", path: "/api/guest"}.with(from("198.51.100.1")))
	})
	if got["rate_limited"] != 9 {
		t.Errorf("12 accounts at once: %v, expected 9 refused", got)
	}
}
