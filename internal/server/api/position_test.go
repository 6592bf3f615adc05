package api_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/internal/app"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
)

// issued is a credential of the matrix of credentials × positions.
type issued struct {
	name, text string
	kind       string // sessionPlace, keyPlace, or "" for one that no operation takes in a header
	state      state
}

// state is what became of a credential.
type state string

// The states of credentials.
const (
	live    state = "live"
	over    state = "ended"
	expired state = "expired"
)

// The positions that identify a caller.
const (
	sessionPlace = "session"
	keyPlace     = "key"
)

// The names of the session's cookie, by which a service is reached.
const (
	plainCookie  = "roshambo_session="
	secureCookie = "__Host-roshambo_session="
)

// place is a position of a request.
type place struct {
	name   string
	of     string // the kind of credential that counts there; "" for none
	cookie string // of the services where it counts; "" for all
	// put carries a credential. other is a live session, which must not count beside it.
	put func(r *http.Request, text, other string)
}

// inCookie returns a position in cookies.
func inCookie(name, of, cookie string, header func(text string) string) place {
	return place{name, of, cookie, func(r *http.Request, text, _ string) { r.Header.Set("Cookie", header(text)) }}
}

// besideSession returns a position in the header Authorization, beside the cookies of a live session.
func besideSession(name, of, scheme string) place {
	return place{name, of, "", func(r *http.Request, text, other string) {
		r.Header.Set("Authorization", scheme+text)
		r.Header.Set("Cookie", plainCookie+other+"; "+secureCookie+other)
		r.Header.Set("X-CSRF-Token", csrfOf(other))
	}}
}

// places lists the positions in which a request can carry a credential.
var places = []place{
	{"bearer", keyPlace, "", func(r *http.Request, text, _ string) { r.Header.Set("Authorization", "Bearer "+text) }},
	{"bearer, twice", keyPlace, "", func(r *http.Request, text, _ string) {
		r.Header["Authorization"] = []string{"Bearer " + text, "Bearer " + text}
	}},
	{"bearer, after another scheme", "", "", func(r *http.Request, text, _ string) {
		r.Header["Authorization"] = []string{"Basic " + text, "Bearer " + text}
	}},
	{"bearer, and cookie", keyPlace, "", func(r *http.Request, text, _ string) {
		r.Header.Set("Authorization", "Bearer "+text)
		r.Header.Set("Cookie", plainCookie+text+"; "+secureCookie+text)
	}},
	besideSession("bearer, and the cookie of another session", keyPlace, "Bearer "),
	besideSession("basic, and the cookie of another session", "", "Basic "),
	{"basic, as the name", "", "", func(r *http.Request, text, _ string) { r.SetBasicAuth(text, "") }},
	{"basic, as the password", "", "", func(r *http.Request, text, _ string) { r.SetBasicAuth("bearer", text) }},
	{"basic, unencoded", "", "", func(r *http.Request, text, _ string) { r.Header.Set("Authorization", "Basic "+text) }},
	inCookie("cookie", sessionPlace, plainCookie, func(text string) string { return plainCookie + text }),
	inCookie("cookie of https", sessionPlace, secureCookie, func(text string) string { return secureCookie + text }),
	inCookie("both cookies", sessionPlace, "", func(text string) string {
		return secureCookie + text + "; " + plainCookie + text
	}),
	inCookie("cookie, twice", sessionPlace, plainCookie, func(text string) string {
		return plainCookie + text + "; " + plainCookie + text
	}),
	{"cookie, before another session", sessionPlace, "", func(r *http.Request, text, other string) {
		r.Header.Set("Cookie", strings.Join([]string{plainCookie + text, secureCookie + text, plainCookie + other,
			secureCookie + other}, "; "))
	}},
	{"CSRF header", "", "", func(r *http.Request, text, _ string) { r.Header.Set("X-CSRF-Token", text) }},
	{"query", "", "", func(r *http.Request, text, _ string) {
		q := r.URL.Query()
		for _, name := range []string{"access_token", "roshambo_session", "token"} {
			q.Set(name, text)
		}
		r.URL.RawQuery = q.Encode()
	}},
	{"body", "", "", func(r *http.Request, text, _ string) {
		body := `{"token":"` + text + `","roshambo_session":"` + text + `"}`
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Type", "application/json")
	}},
}

// issue makes a credential of each kind for one account, and ends or outlives all of them.
func (m *matrix) issue(t *testing.T, what state) {
	t.Helper()
	p := m.s.guest(t)
	p.register(t, newName())
	mailbox := p.attach(t)
	add := func(name, text, kind string) { m.credentials = append(m.credentials, issued{name, text, kind, what}) }
	var ends []string
	for _, scope := range []string{"read", "play", "trade"} {
		key := decode[api.NewKeyOut](t, p.post(t, "/api/keys", `{"scopes":["`+scope+`"],"expires_in_days":60}`).ok(t))
		m.s.tokens.add(key.Secret)
		add("key to "+scope, key.Secret, keyPlace)
		ends = append(ends, newKey{key}.revokePath())
	}
	all := decode[api.NewKeyOut](t, p.post(t, "/api/keys", `{"expires_in_days":60}`).ok(t))
	m.s.tokens.add(all.Secret)
	bot := byKey[api.NewBotOut](t, m.s, all.Secret, "/api/bots", `{"name":"`+newName()+`"}`) // expires with its maker
	add("key of all scopes", all.Secret, keyPlace)
	add("key of a bot", bot.Secret, keyPlace)
	ends = append(ends, "/api/bots/"+bot.Bot.Address+"/rotate", newKey{all}.revokePath())
	link := p.mailedToken(t)
	m.s.anonymous(t).post(t, "/api/auth/password/reset", `{"email":"`+mailbox+`"}`).ok(t)
	reset := p.mailedTo(t, mailbox, "/account#reset=")
	add("link", link, "")
	add("reset token", reset, "")
	session := p.cookie(t)
	add("session", session, sessionPlace)
	add("CSRF token", csrfOf(session), "")
	if what == live {
		add("known browser", p.device(t), "")
		return
	}
	m.known(t)
	if what == expired {
		m.s.clock.forward(60 * 24 * time.Hour)
		return
	}
	for _, path := range append(ends, "/api/auth/logout") {
		p.post(t, path, "").ok(t)
	}
	other := m.s.anonymous(t)
	other.post(t, "/api/auth/magic-link/redeem", tokenBody(link)).ok(t)
	m.s.anonymous(t).post(t, "/api/auth/password/reset/redeem", resetBody(reset)).ok(t)
}

// device returns the token by which the browser is known that has signed in.
func (p *player) device(t *testing.T) string {
	t.Helper()
	u, err := url.Parse(p.s.url)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.client.Jar.Cookies(u) {
		if c.Name == "roshambo_device" {
			return c.Value
		}
	}
	t.Fatal("the browser is not known")
	return ""
}

// resetBody returns a body that redeems a reset.
func resetBody(token string) string { return `{"token":"` + token + `","password":"battery staple"}` }

// known uses each credential once on each node, which then remembers it.
func (m *matrix) known(t *testing.T) {
	t.Helper()
	for _, on := range m.services {
		for _, c := range m.credentials {
			for _, at := range places {
				if at.of == c.kind && c.kind != "" && c.state != expired {
					m.carry(t, on, getMe, c, at)
				}
			}
		}
	}
}

// protected returns the operations that need a caller, or, in a sample, one for each set of schemes and scopes
// and each method.
func (d *document) protected(sample bool) (list []operation) {
	seen := map[string]bool{}
	for _, o := range d.operations {
		security, _ := o.object["security"].([]any)
		class := o.method + fmt.Sprint(security)
		anonymous := slices.ContainsFunc(security, func(s any) bool { return len(s.(object)) == 0 })
		if len(security) == 0 || anonymous || sample && seen[class] {
			continue
		}
		seen[class] = true
		list = append(list, o)
	}
	return list
}

// public returns the reads that need no caller, with those that use one; in a sample, getDaily.
func (d *document) public(sample bool) (list []operation) {
	for _, o := range d.operations {
		security, _ := o.object["security"].([]any)
		anonymous := len(security) == 0 || slices.ContainsFunc(security, func(s any) bool { return len(s.(object)) == 0 })
		if o.method != http.MethodGet || !anonymous || sample && o.id != "getDaily" {
			continue
		}
		if o.id == "followEvents" {
			o.path += "?follow=false"
		}
		list = append(list, o)
	}
	return list
}

// service is an interface by which the service is reached.
type service struct {
	node *stack
	url  string
	// cookie is the name of its session's cookie.
	cookie string
}

// behindHTTPS serves the interface of a node as for an https public URL, beside the one for http.
func (s *stack) behindHTTPS(t *testing.T) service {
	t.Helper()
	c := s.edge.Config
	c.Secure = true
	handler, err := edge.New(c)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return service{s, server.URL, secureCookie}
}

// matrix sends credentials in positions.
type matrix struct {
	s           *stack
	sample      bool // cold by http and warm by https only
	services    []service
	operations  []operation
	credentials []issued
	other       string // a live session of another account
	nothing     int    // the status of the read that is tried, without a caller
	client      http.Client
}

// newMatrix makes the credentials.
func newMatrix(t *testing.T, s *stack, sample bool, nodes ...*stack) *matrix {
	t.Helper()
	m := &matrix{s: s, sample: sample, operations: s.doc.protected(sample)}
	s.each.Use(t, s.db, s.place)
	t.Cleanup(m.client.CloseIdleConnections)
	for _, node := range nodes {
		m.services = append(m.services, service{node, node.url, plainCookie}, node.behindHTTPS(t))
	}
	m.issue(t, expired)
	m.other = s.guest(t).cookie(t)
	m.issue(t, over)
	m.issue(t, live)
	another := strings.Replace(s.keys, strings.Repeat("07", 32), strings.Repeat("08", 32), 1) // keys of another service
	for what, keys := range map[state]string{live: s.keys, over: another} {
		operator, err := app.ReadOperatorToken("", keys)
		if err != nil {
			t.Fatal(err)
		}
		m.credentials = append(m.credentials, issued{"operator's token", operator.Text(), "", what})
	}
	return m
}

// parameter is a parameter in a path of the contract.
var parameter = regexp.MustCompile(`\{[^}]*\}`)

var getMe = operation{id: "getMe", method: "GET", path: "/api/me"}

// request returns a request for an operation with a credential in one position.
func (m *matrix) request(t *testing.T, on service, o operation, c issued, at place) *http.Request {
	t.Helper()
	path := parameter.ReplaceAllString(o.path, "1")
	r, err := http.NewRequestWithContext(t.Context(), o.method, on.url+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if c.kind == sessionPlace || at.of == sessionPlace {
		r.Header.Set("X-CSRF-Token", csrfOf(c.text))
	}
	at.put(r, c.text, m.other)
	return r
}

// do sends a request, and returns the status and the body of the answer.
func (m *matrix) do(t *testing.T, r *http.Request) (int, string) {
	t.Helper()
	answer, err := m.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
	return answer.StatusCode, string(text)
}

// carry calls an operation with a credential in one position, and returns the status.
func (m *matrix) carry(t *testing.T, on service, o operation, c issued, at place) int {
	t.Helper()
	status, _ := m.do(t, m.request(t, on, o, c, at))
	return status
}

// counts reports whether a credential identifies a caller in a position.
func (c issued) counts(on service, at place) bool {
	return c.kind != "" && at.of == c.kind && c.state == live && (at.cookie == "" || at.cookie == on.cookie)
}

// refused sends every credential in every position where it does not count.
func (m *matrix) refused(t *testing.T, on service, when string) {
	t.Helper()
	before := m.s.each.Content(t)
	for _, c := range m.credentials {
		for _, at := range places {
			if c.counts(on, at) {
				continue
			}
			for _, o := range m.operations {
				if got := m.carry(t, on, o, c, at); got != http.StatusUnauthorized {
					t.Errorf("%s %s as %s, %s by %s: %s answers %d", c.state, c.name, at.name, when, on.cookie, o.id, got)
				}
			}
		}
	}
	if !bytes.Equal(before, m.s.each.Content(t)) {
		t.Errorf("a refused credential has an effect, %s by %s", when, on.cookie)
	}
}

// accepted sends every credential in the positions where it counts.
func (m *matrix) accepted(t *testing.T, on service) {
	t.Helper()
	for _, c := range m.credentials {
		for _, at := range places {
			if !c.counts(on, at) {
				continue
			}
			if got, want := m.carry(t, on, getMe, c, at), c.reads(); got != want {
				t.Errorf("%s as %s by %s: got %d, want %d", c.name, at.name, on.cookie, got, want)
			}
		}
	}
}

// reads returns the status of a read with a credential in its position.
func (c issued) reads() int {
	if c.name == "key to play" || c.name == "key to trade" {
		return http.StatusForbidden // its scope
	}
	return http.StatusOK
}

// optional sends every credential in every position to operations that answer without a caller, too, and to one
// that needs none and uses a session: where it does not count it makes no caller. In the header Authorization it is an
// error, and in the session's cookie no account is registered in place of the one that the browser means.
func (m *matrix) optional(t *testing.T, on service) {
	t.Helper()
	register := operation{method: "POST", path: "/api/auth/register"}
	for _, o := range m.s.doc.public(m.sample) {
		m.nothing = m.carry(t, on, o, issued{}, place{put: func(*http.Request, string, string) {}})
		for _, c := range m.credentials {
			for _, at := range places {
				m.reads(t, on, o, c, at)
			}
		}
	}
	for _, c := range m.credentials {
		for _, at := range places {
			want := http.StatusUnprocessableEntity // there is no name
			if cookie, browser := m.browser(m.request(t, on, register, c, at), on, c); cookie && !browser {
				want = http.StatusUnauthorized
			}
			if got := m.carry(t, on, register, c, at); got != want {
				t.Errorf("%s %s as %s by %s: register answers %d, want %d", c.state, c.name, at.name, on.cookie, got, want)
			}
		}
	}
}

// browser reports whether a request has a session's cookie, and whether the session lives.
func (m *matrix) browser(r *http.Request, on service, c issued) (cookie, lives bool) {
	found, err := r.Cookie(strings.TrimSuffix(on.cookie, "="))
	return err == nil, err == nil && (found.Value == m.other || found.Value == c.text && c.kind == sessionPlace &&
		c.state == live)
}

// reads sends a credential in a position to a read that answers m.nothing without a caller.
func (m *matrix) reads(t *testing.T, on service, o operation, c issued, at place) {
	t.Helper()
	r := m.request(t, on, o, c, at)
	_, browser := m.browser(r, on, c)
	security, _ := o.object["security"].([]any)
	bearer, want := r.Header.Get("Authorization") != "" && len(security) > 0, m.nothing
	switch {
	case c.counts(on, at) && len(security) > 0 && c.reads() != http.StatusOK:
		want = c.reads()
	case !c.counts(on, at) && bearer:
		want = http.StatusUnauthorized
	}
	status, text := m.do(t, r)
	known := strings.Contains(text, `"me":{`)
	if status != want || o.id == "getDaily" && known != (want == http.StatusOK && (bearer || browser)) {
		t.Errorf("%s %s as %s by %s: %s answers %d, want %d; with a caller %v", c.state, c.name, at.name, on.cookie, o.id,
			status, want, known)
	}
}

// forged sends every credential as the CSRF token of another session.
func (m *matrix) forged(t *testing.T, on service) {
	t.Helper()
	at := place{put: func(r *http.Request, text, other string) {
		r.Header.Set("Cookie", on.cookie+other)
		r.Header.Set("X-CSRF-Token", text)
	}}
	for _, c := range append(m.credentials, issued{name: "the session itself", text: m.other}) {
		for _, path := range []string{"/api/auth/logout", "/api/auth/register", "/api/runs"} {
			o := operation{method: "POST", path: path}
			if got := m.carry(t, on, o, c, at); got != http.StatusForbidden {
				t.Errorf("%s %s as the CSRF token of another session by %s: %s answers %d", c.state, c.name, on.cookie, path, got)
			}
		}
	}
}

// redeemed redeems every credential as a link and as a reset: each is accepted as what it is alone, once.
func (m *matrix) redeemed(t *testing.T) {
	t.Helper()
	redeem := func(c issued, path, body string) {
		t.Helper()
		a := m.s.anonymous(t).post(t, path, body)
		own := c.name == "link" && path == "/api/auth/magic-link/redeem" || c.name == "reset token" &&
			path == "/api/auth/password/reset/redeem"
		if own && c.state == live {
			a.ok(t)
		} else if a.status != http.StatusNotFound && a.status != http.StatusUnprocessableEntity {
			t.Errorf("%s %s at %s: %d %s", c.state, c.name, path, a.status, a.body)
		}
	}
	for _, c := range m.credentials {
		redeem(c, "/api/auth/password/reset/redeem", resetBody(c.text))
		redeem(c, "/api/auth/magic-link/redeem", tokenBody(c.text))
	}
}

// run sends all credentials before the services have seen them and after.
func (m *matrix) run(t *testing.T) {
	t.Helper()
	for i, when := range []string{"cold", "warm"} {
		for j, on := range m.services {
			if !m.sample || i == j {
				m.refused(t, on, when)
			}
		}
		for _, on := range m.services {
			m.accepted(t, on)
		}
	}
	for _, on := range m.services {
		m.optional(t, on)
		m.opening(t, on)
		m.forged(t, on)
	}
	m.redeemed(t)
}

// TestPositions sends every credential in every position, before the service has seen it and after, by http and
// by https: it is accepted in its own position alone, and refused with 401 and without an effect in the others
// and when it has ended or expired. Operations that need no caller answer as without it. One operation stands for
// those with the same method, schemes and scopes, and one for the reads that need no caller; the nightly run has
// all, and two nodes.
func TestPositions(t *testing.T) {
	t.Parallel()
	s := start(t)
	m := newMatrix(t, s, true, s)
	if len(m.operations) < 6 {
		t.Errorf("%d operations stand for all", len(m.operations))
	}
	m.run(t)
}
