package httpapi_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// issued is a credential of the matrix of credentials × positions.
type issued struct {
	name, text string
	kind       string // sessionPlace, keyPlace, or "" for one that no operation takes in a header
	ended      bool
}

// The positions that identify a caller.
const (
	sessionPlace = "session"
	keyPlace     = "key"
)

// place is a position of a request.
type place struct {
	name string
	of   string // the kind of credential that counts there; "" for none
	put  func(r *http.Request, text string)
}

// places lists the positions in which a request can carry a credential.
var places = []place{
	{"bearer", keyPlace, func(r *http.Request, text string) { r.Header.Set("Authorization", "Bearer "+text) }},
	{"bearer, twice", keyPlace, func(r *http.Request, text string) {
		r.Header["Authorization"] = []string{"Bearer " + text, "Bearer " + text}
	}},
	{"bearer, and cookie", keyPlace, func(r *http.Request, text string) {
		r.Header.Set("Authorization", "Bearer "+text)
		r.Header.Set("Cookie", "roshambo_session="+text)
	}},
	{"basic, as the name", "", func(r *http.Request, text string) { r.SetBasicAuth(text, "") }},
	{"basic, as the password", "", func(r *http.Request, text string) { r.SetBasicAuth("bearer", text) }},
	{"basic, unencoded", "", func(r *http.Request, text string) { r.Header.Set("Authorization", "Basic "+text) }},
	{"cookie", sessionPlace, func(r *http.Request, text string) { r.Header.Set("Cookie", "roshambo_session="+text) }},
	{"cookie, twice", sessionPlace, func(r *http.Request, text string) {
		r.Header.Set("Cookie", "roshambo_session="+text+"; roshambo_session="+text)
	}},
	{"cookie of https", "", func(r *http.Request, text string) { r.Header.Set("Cookie", "__Host-roshambo_session="+text) }},
	{"CSRF header", "", func(r *http.Request, text string) { r.Header.Set("X-CSRF-Token", text) }},
	{"query", "", func(r *http.Request, text string) {
		r.URL.RawQuery = url.Values{"access_token": {text}, "roshambo_session": {text}, "token": {text}}.Encode()
	}},
	{"body", "", func(r *http.Request, text string) {
		body := `{"token":"` + text + `","roshambo_session":"` + text + `"}`
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Type", "application/json")
	}},
}

// issue makes a credential of each kind for one account, each also ended.
func (p *player) issue(t *testing.T) (list []issued) {
	t.Helper()
	mailbox := p.attach(t)
	p.s.anonymous(t).post(t, "/api/auth/password/reset", `{"email":"`+mailbox+`"}`).ok(t)
	// The service of these tests has no operator: the form of the token is what matters.
	operator := "rso_" + base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))
	list = []issued{
		{"reset token", p.mailedTo(t, mailbox, "/account#reset="), "", false}, {"operator's token", operator, "", false},
	}
	for _, ended := range []bool{false, true} {
		add := func(name, text, kind string) { list = append(list, issued{name, text, kind, ended}) }
		for _, scope := range []string{"read", "play", "trade"} {
			key := p.scopedKey(t, `["`+scope+`"]`)
			if ended {
				p.post(t, key.revokePath(), "").ok(t)
			}
			add("key to "+scope, key.Secret, keyPlace)
		}
		bot := p.newBot(t, newName())
		if ended {
			p.post(t, "/api/bots/"+bot.Bot.Address+"/rotate", "").ok(t)
		}
		add("key of a bot", bot.Secret, keyPlace)
		link := p.mailedToken(t)
		if ended {
			p.post(t, "/api/auth/magic-link/redeem", tokenBody(link)).ok(t)
		}
		add("link", link, "")
		guest := p.s.guest(t)
		text := guest.cookie(t)
		add("CSRF token", csrfOf(text), "")
		if ended {
			guest.register(t, newName())
			text = guest.cookie(t)
			guest.post(t, "/api/auth/logout", "").ok(t)
		}
		add("session", text, sessionPlace)
	}
	return list
}

// protected returns one operation for each set of schemes and scopes and method that the contract has, of
// those that need a caller.
func (d *document) protected() (list []operation) {
	seen := map[string]bool{}
	for _, o := range d.operations {
		security, _ := o.object["security"].([]any)
		class := o.method + fmt.Sprint(security)
		anonymous := slices.ContainsFunc(security, func(s any) bool { return len(s.(object)) == 0 })
		if len(security) == 0 || anonymous || seen[class] {
			continue
		}
		seen[class] = true
		list = append(list, o)
	}
	return list
}

// parameter is a parameter in a path of the contract.
var parameter = regexp.MustCompile(`\{[^}]*\}`)

// carry calls an operation with a credential in one position, and returns the status.
func (s *stack) carry(t *testing.T, o operation, c issued, at place) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), o.method, s.url+parameter.ReplaceAllString(o.path, "1"), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if c.kind == sessionPlace || at.of == sessionPlace {
		r.Header.Set("X-CSRF-Token", csrfOf(c.text))
	}
	at.put(r, c.text)
	answer, err := s.anonymous(t).client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
	return answer.StatusCode
}

// TestPositions sends every credential in every position, before the service has seen it and after: it is
// accepted in its own position alone, and refused with 401 and without an effect in the others and when it
// has ended.
func TestPositions(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.each.Use(t, s.db, s.place)
	owner := s.guest(t)
	owner.register(t, newName())
	credentials, operations := owner.issue(t), s.doc.protected()
	if len(operations) < 6 {
		t.Errorf("%d operations stand for all", len(operations))
	}
	getMe := operation{id: "getMe", method: "GET", path: "/api/me"}
	for _, warm := range []bool{false, true} {
		before := s.each.Content(t)
		for _, c := range credentials {
			for _, at := range places {
				if at.of == c.kind && c.kind != "" && !c.ended {
					continue
				}
				for _, o := range operations {
					if got := s.carry(t, o, c, at); got != http.StatusUnauthorized {
						t.Errorf("%s (ended %t) as %s, warm %t: %s answers %d", c.name, c.ended, at.name, warm, o.id, got)
					}
				}
			}
		}
		if !bytes.Equal(before, s.each.Content(t)) {
			t.Error("a refused credential has an effect")
		}
		for _, c := range credentials {
			for _, at := range places {
				if c.kind == "" || at.of != c.kind || c.ended {
					continue
				}
				want := http.StatusOK
				if c.kind == keyPlace && !strings.Contains(c.name, "read") && !strings.Contains(c.name, "bot") {
					want = http.StatusForbidden // its scope
				}
				if got := s.carry(t, getMe, c, at); got != want {
					t.Errorf("%s as %s: got %d, want %d", c.name, at.name, got, want)
				}
			}
		}
	}
}
