package api_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/server/edge"
	"roshambo/internal/server/embed"
	"roshambo/internal/service/account"
)

// framed requests an embed as the frame of a page of another site does.
func (p *player) framed(t *testing.T, path string) answer {
	t.Helper()
	return p.send(t, request{method: "GET", path: path, header: map[string]string{"Accept": "text/html,*/*;q=0.8",
		"Sec-Fetch-Dest": "iframe", "Sec-Fetch-Site": "cross-site"}})
}

// wantShown requires that an embed, read 5 seconds later, shows the texts.
func (p *player) wantShown(t *testing.T, path string, texts ...string) {
	t.Helper()
	p.s.clock.forward(5 * time.Second)
	a := p.framed(t, path).ok(t)
	for _, text := range texts {
		if !strings.Contains(a.body, text) {
			t.Errorf("%s lacks %s:\n%s", path, text, a.body)
		}
	}
}

// TestEmbeddedDuel: an embed shows a duel as spectators see it: no move of a round that goes on. A duel that is in no
// list is shown to holders of its code.
func TestEmbeddedDuel(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, b, visitor := s.guest(t), s.guest(t), s.anonymous(t)
	d := a.post(t, "/api/duels", `{"listed":false}`).ok(t)
	code := regexp.MustCompile(`"id":"(\w{8})"`).FindStringSubmatch(d.body)[1]
	path, name := "/embed/duel/"+code, a.me(t).Account.Username
	visitor.wantShown(t, path, "<bdi>"+name+"</bdi>", "Waiting for an opponent.", "<main data-live>",
		`<a href="/d/`+code+`" target="_blank" rel="noopener">`)
	g := s.game(code, a.sender(), b.sender())
	b.post(t, g.path+"/join", "").ok(t)
	g.n = 1
	a.send(t, g.commit(0, 'p').with(map[string]string{"X-CSRF-Token": a.csrf})).ok(t)
	visitor.wantShown(t, path, "<b>0 : 0</b>", "Round 1", "<td>sealed</td><td>…</td>")
	b.send(t, g.commit(1, 'r').with(map[string]string{"X-CSRF-Token": b.csrf})).ok(t)
	a.send(t, g.reveal(0, 'p').with(map[string]string{"X-CSRF-Token": a.csrf})).ok(t)
	visitor.wantShown(t, path, "<td>sealed</td><td>sealed</td>")
	b.send(t, g.reveal(1, 'r').with(map[string]string{"X-CSRF-Token": b.csrf})).ok(t)
	visitor.wantShown(t, strings.ToLower(path), "<b>1 : 0</b>", "Paper</td>", "Rock</td><td><bdi>"+name+"</bdi>")
	g.play(t, "ps", "ps", "ps")
	visitor.wantShown(t, path, "won.")
}

// TestEmbeddedCup: an embed shows a cup with its newest pairings and its table, a private one too, without its code.
func TestEmbeddedCup(t *testing.T) {
	t.Parallel()
	s := start(t)
	h, visitor := s.guest(t).hosts(t, `{"by_hand":true,"private":true,"name":"Class <4b>"}`, 2), s.anonymous(t)
	path := fmt.Sprintf("/embed/cup/%d", h.number)
	visitor.wantShown(t, path, "<h1>Class &lt;4b&gt;</h1>", "Starts when its host starts it.", "<main data-live>",
		fmt.Sprintf(`<a href="/cups/%d" target="_blank" rel="noopener">`, h.number), h.me(t).Account.Username)
	h.post(t, h.path("/start"), "").ok(t)
	s.moveCups(t)
	visitor.wantShown(t, path, "Round 1 of 3", "<h2>Round 1</h2>", "<b>–</b>", "<b>1</b> <bdi>bye</bdi>",
		`<th scope="col">Points</th>`)
	h.post(t, h.path("/end"), "").ok(t)
	a := visitor.framed(t, path).ok(t)
	if h.code == "" || strings.Contains(a.body, h.code) {
		t.Errorf("the embed has the code %q of the private cup: %s", h.code, a.body)
	}
}

// TestEmbedsAreForAll: an embed may be framed by every site and read by its own script, which has no origin. A session's
// cookie changes no byte of it, is not read and not refreshed.
func TestEmbedsAreForAll(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	duel, number := p.open(t, 0).ID, s.secured(t).openCup(t).Cup.Number
	for _, path := range []string{"/embed/duel/" + duel, fmt.Sprintf("/embed/cup/%d", number)} {
		before := s.db.Stats()
		a, b := s.anonymous(t).framed(t, path).ok(t), p.framed(t, path).ok(t)
		c := s.anonymous(t).send(t, request{method: "GET", path: path, header: map[string]string{"Accept": "text/html",
			"Cookie": "roshambo_session=" + strings.Repeat("x", 47), "Authorization": "Bearer wrong", "Origin": "null"}}).ok(t)
		if after := s.db.Stats(); a.body != b.body || a.body != c.body || after.Updates != before.Updates {
			t.Errorf("%s: %d, %d and %d bytes with %d updates, want the same without and with a cookie, a wrong one too", path,
				len(a.body), len(b.body), len(c.body), after.Updates-before.Updates)
		}
		for who, h := range map[string]http.Header{"a visitor": a.header, "a player": b.header, "a liar": c.header} {
			if h.Get("Set-Cookie") != "" || strings.Contains(strings.ToLower(fmt.Sprint(h.Values("Vary"))), "cookie") ||
				h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Credentials") != "" ||
				h.Get("Content-Security-Policy") != embed.Policy || h.Get("X-Frame-Options") != "" ||
				h.Get("Cross-Origin-Resource-Policy") != "cross-origin" || h.Get("Content-Type") != "text/html; charset=utf-8" {
				t.Errorf("%s, for %s: %v", path, who, h)
			}
		}
		again := s.anonymous(t).send(t, request{method: "GET", path: path, header: map[string]string{
			"If-None-Match": a.header.Get("ETag"), "Accept-Encoding": "gzip"}})
		plain := s.anonymous(t).send(t, request{method: "GET", path: path, header: map[string]string{
			"Accept-Encoding": "identity"}})
		if plain.body != a.body || again.status != 200 && again.status != 304 {
			t.Errorf("%s: %d again, %d bytes without gzip, want %d", path, again.status, len(plain.body), len(a.body))
		}
	}
	s.clock.forward(account.SessionIdle - time.Hour)
	p.framed(t, "/embed/duel/"+duel).ok(t)
	s.clock.forward(2 * time.Hour) // unused but for the frame
	p.get(t, "/api/me").fails(t, 401, "unauthenticated")
}

// TestMissingEmbeds: what does not exist is 404: a page that may be framed, or an error for programs.
func TestMissingEmbeds(t *testing.T) {
	t.Parallel()
	s := shared(t)
	visitor := s.anonymous(t)
	for _, path := range []string{"/embed/", "/embed/duel", "/embed/duel/", "/embed/duel/ZZZZZZZZ",
		"/embed/duel/ABCDEFGH/x", "/embed/cup/0", "/embed/cup/x", "/embed/cup/%231", "/embed/cup/99999999999999999999",
		"/embed/token/1"} {
		visitor.get(t, path).fails(t, 404, "not_found")
		a := visitor.framed(t, path)
		if a.status != 404 || !strings.Contains(a.body, "<h1>Not found.</h1>") ||
			a.header.Get("Content-Security-Policy") != embed.Policy || strings.Contains(a.body, "data-live") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	visitor.post(t, "/embed/duel/ZZZZZZZZ", "{}").fails(t, 405, "method_not_allowed")
}

// TestNothingElseIsFramed: no page of the service may be framed, nor a picture, nor the page that asks to wait, but for
// the embed that waits.
func TestNothingElseIsFramed(t *testing.T) {
	t.Parallel()
	files, err := limit.NewLog(8, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, withPage, func(c *edge.Config) { c.FileLimit, c.SharePrivate = files, false })
	p := s.guest(t)
	code := p.open(t, 0).ID
	for _, path := range []string{"/", "/d/" + code, "/embedded", "/embed", "/nothing", "/api/docs", "/og/home.png",
		"/embed/duel/" + code, // the last of the budget
		"/d/" + code} {
		a := p.browse(t, path)
		policy := a.header.Get("Content-Security-Policy")
		if embedded := strings.HasPrefix(path, "/embed/"); strings.Contains(policy, "frame-ancestors *") != embedded ||
			strings.Contains(policy, "frame-ancestors 'none'") == embedded {
			t.Errorf("%s: %d with the policy %q", path, a.status, policy)
		}
	}
	a := p.framed(t, "/embed/duel/"+code)
	if policy := a.header.Get("Content-Security-Policy"); a.status != 429 || !strings.Contains(a.body, "One moment") ||
		policy != "default-src 'none'; frame-ancestors *" {
		t.Errorf("beyond the budget: %d with %q: %s", a.status, policy, a.body)
	}
}
