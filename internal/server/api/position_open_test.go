package api_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// strangersCalls are the operations, beside register and createGuest, that need no caller and use a session.
var strangersCalls = []string{"/api/auth/login", "/api/auth/magic-link", "/api/auth/password/reset",
	"/api/auth/magic-link/redeem", "/api/auth/password/reset/redeem"}

// opening sends every credential in every position to the operations that open a session or ask for one. None takes a
// credential from another place than its body: without one they answer as to a stranger. A link and a reset that are
// sent so stay valid, which redeemed shows.
func (m *matrix) opening(t *testing.T, on service) {
	t.Helper()
	for _, c := range m.credentials {
		for _, at := range places {
			for _, path := range strangersCalls {
				if at.name == "body" && strings.HasSuffix(path, "/redeem") {
					continue // its own place
				}
				if got := m.carry(t, on, operation{method: "POST", path: path}, c, at); got != http.StatusUnprocessableEntity {
					t.Errorf("%s %s as %s by %s: %s answers %d, want 422", c.state, c.name, at.name, on.cookie, path, got)
				}
			}
			// These write: a sample has what lives and all sessions, by http.
			if !m.sample || on.cookie == plainCookie && (c.state == live || c.kind == sessionPlace) {
				m.guest(t, on, c, at)
				m.link(t, on, c, at)
			}
		}
	}
}

// guest asks for a guest's account: the answer has the account and the CSRF token of the browser's session that lives,
// or of a new account.
func (m *matrix) guest(t *testing.T, on service, c issued, at place) {
	t.Helper()
	r := m.request(t, on, operation{method: "POST", path: "/api/guest"}, c, at)
	_, browser := m.browser(r, on, c)
	status, text := m.do(t, r)
	var out struct {
		CSRFToken string `json:"csrf_token"`
	}
	err := json.Unmarshal([]byte(text), &out)
	known := out.CSRFToken == csrfOf(m.other) || out.CSRFToken == csrfOf(c.text)
	if err != nil || status != http.StatusOK || out.CSRFToken == "" || known != browser {
		t.Errorf("%s %s as %s by %s: createGuest answers %d %s, want the account of a session: %v; error %v", c.state, c.name,
			at.name, on.cookie, status, text, browser, err)
	}
}

// link asks for a link by mail: it is for the account of the browser's session that lives, or for none.
func (m *matrix) link(t *testing.T, on service, c issued, at place) {
	t.Helper()
	if at.name == "body" {
		return // the body has the mailbox
	}
	r := m.request(t, on, operation{method: "POST", path: "/api/auth/magic-link"}, c, at)
	mailbox := newName() + "@example.org"
	body := `{"email":"` + mailbox + `"}`
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Type", "application/json")
	_, browser := m.browser(r, on, c)
	status, text := m.do(t, r)
	linked := m.s.count(t, "SELECT count(*) FROM magic_link WHERE address IS NOT NULL AND email = '"+mailbox+"'")
	if status != http.StatusOK || (linked == 1) != browser {
		t.Errorf("%s %s as %s by %s: requestMagicLink answers %d %s; %d links of an account, want one: %v", c.state,
			c.name, at.name, on.cookie, status, text, linked, browser)
	}
}
