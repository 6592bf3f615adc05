package api_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"roshambo/internal/service/account"
)

// registration returns a request that registers under a new name, with a session's cookie and CSRF
// token, whatever the browser's cookie is by then.
func registration(token, csrf string) request {
	return request{"POST", "/api/auth/register", credentials(newName()), map[string]string{
		"Cookie": "roshambo_session=" + token, "X-CSRF-Token": csrf}}
}

// sessionOver requires a 401 that clears the session cookie.
func (a answer) sessionOver(t *testing.T) {
	t.Helper()
	a.fails(t, 401, "unauthenticated")
	if set := a.header.Get("Set-Cookie"); !strings.HasPrefix(set, "roshambo_session=;") ||
		!strings.Contains(set, "Max-Age=0") {
		t.Errorf("%v: Set-Cookie %q, want one that clears the session cookie", a.request, set)
	}
}

// opened counts all accounts.
func (s *stack) opened(t *testing.T) int64 {
	t.Helper()
	return s.count(t, "SELECT count(*) FROM account")
}

// TestRegistrationsOfAGuestAtOnce sends one guest's registration eight times concurrently: the
// guest gets one name and one password, and no other account is opened, whether a request is read
// before or after the successful one has ended the session.
func TestRegistrationsOfAGuestAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	token, before := p.cookie(t), s.opened(t)
	got := outcomes(t, s, 8, func(int) (answer, error) { return s.anonymous(t).try(t, registration(token, p.csrf)) })
	if got[fine] != 1 || got["already_registered"]+got["unauthenticated"] != 7 {
		t.Errorf("8 registrations of one guest at once: %v, want one that succeeds", got)
	}
	s.anonymous(t).send(t, registration(token, p.csrf)).sessionOver(t)
	if after := s.opened(t); after != before {
		t.Errorf("%d accounts were opened for a guest that has one", after-before)
	}
	s.seal(t)
	p.chainIsValid(t)
}

// TestRegisterWithExpiredCookie registers with an expired session: it opens no account and clears the
// cookie, so that the browser's next registration opens a new one.
func TestRegisterWithExpiredCookie(t *testing.T) {
	t.Parallel()
	s := start(t)
	for reason, end := range map[string]func(t *testing.T, p *player, token string){
		"logged out": func(t *testing.T, _ *player, token string) {
			s.anonymous(t).send(t, request{"POST", "/api/auth/logout", "", map[string]string{
				"Cookie": "roshambo_session=" + token, "X-CSRF-Token": csrfOf(token)}}).ok(t)
		},
		"registered": func(t *testing.T, _ *player, token string) {
			s.anonymous(t).send(t, registration(token, csrfOf(token))).ok(t)
		},
		"expired":   func(*testing.T, *player, string) { s.clock.forward(account.SessionIdle + time.Second) },
		"unknown":   func(t *testing.T, p *player, _ string) { p.holds(t, strings.Repeat("A", 43)) },
		"malformed": func(t *testing.T, p *player, _ string) { p.holds(t, "x") },
	} {
		p := s.guest(t)
		end(t, p, p.cookie(t))
		before := s.opened(t)
		p.post(t, "/api/auth/register", credentials(newName())).sessionOver(t)
		if got := p.cookie(t); got != "" {
			t.Errorf("%s: the browser still holds the cookie %q", reason, got)
		}
		if after := s.opened(t); after != before {
			t.Errorf("%s: %d accounts were opened", reason, after-before)
		}
		p.csrf = ""
		if out := p.register(t, newName()); s.opened(t) != before+1 || out.Balance != 1000 {
			t.Errorf("%s, and registered again without a cookie: %+v, want a new account", reason, out)
		}
	}
}

// holds replaces the browser's session cookie.
func (p *player) holds(t *testing.T, token string) {
	t.Helper()
	u, err := url.Parse(p.s.url)
	if err != nil {
		t.Fatal(err)
	}
	p.client.Jar.SetCookies(u, []*http.Cookie{{Name: "roshambo_session", Value: token, Path: "/"}})
}

// TestSignInWithExpiredCookie signs in by every way with the cookie of an expired session: only
// registering refuses it.
func TestSignInWithExpiredCookie(t *testing.T) {
	t.Parallel()
	s, office := mailing(t, true)
	name := newName()
	s.anonymous(t).register(t, name)
	for path, body := range map[string]string{
		"/api/guest": "", "/api/auth/login": credentials(name),
		redeem: tokenBody(office.ask(t, s.anonymous(t), "dead@example.org")),
	} {
		p := s.anonymous(t)
		p.holds(t, strings.Repeat("A", 43))
		p.post(t, path, body).ok(t)
		p.get(t, "/api/me").ok(t)
	}
	p := s.anonymous(t)
	p.holds(t, strings.Repeat("A", 43))
	office.ask(t, p, "dead@example.org")
}

// TestSessionEndsWhileRegistering ends a session between its lookup and the commit of the
// registration, which is refused and changes nothing.
func TestSessionEndsWhileRegistering(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	token, name := p.cookie(t), newName()
	q := registration(token, p.csrf)
	// The server requests the body after looking the session up.
	r, err := http.NewRequestWithContext(t.Context(), q.method, s.url+q.path, &lateBody{text: credentials(name),
		before: func() {
			p.post(t, "/api/auth/logout", "").ok(t)
		}})
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Expect", "100-continue")
	for header, value := range q.header {
		r.Header.Set(header, value)
	}
	transport := &http.Transport{ExpectContinueTimeout: time.Hour}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	answer{q, response.StatusCode, response.Header, string(text)}.sessionOver(t)
	s.anonymous(t).post(t, "/api/auth/login", credentials(name)).fails(t, 401, "bad_credentials")
	s.anonymous(t).register(t, name) // the name is free
}

// lateBody is a body that runs before when it is first read.
type lateBody struct {
	text   string
	before func()
	rest   io.Reader
}

// Read implements io.Reader.
func (b *lateBody) Read(p []byte) (int, error) {
	if b.rest == nil {
		b.before()
		b.rest = strings.NewReader(b.text)
	}
	return b.rest.Read(p)
}
