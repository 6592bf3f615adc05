package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"image/png"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"roshambo/game"
	"roshambo/internal/platform/limit"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
)

// withPage serves the real page.
func withPage(c *edge.Config) { c.Page = nil }

// browse requests a page as a browser does.
func (p *player) browse(t *testing.T, path string) answer {
	t.Helper()
	return p.send(t, request{method: "GET", path: path, header: map[string]string{"Accept": "text/html"}})
}

// meta returns a tag of the head: the title, or the content of a meta element.
func meta(a answer, name string) string {
	for _, pattern := range []string{`<title>([^<]*)</title>`,
		`<meta (?:name|property)="` + name + `" content="([^"]*)" />`} {
		if name == "title" == strings.HasPrefix(pattern, "<title") {
			if m := regexp.MustCompile(pattern).FindStringSubmatch(a.body); m != nil {
				return html.UnescapeString(m[1])
			}
		}
	}
	return ""
}

// TestPageHeads: the HTML of each page says what it shows, and its preview has a picture.
func TestPageHeads(t *testing.T) {
	t.Parallel()
	s := start(t, withPage)
	p := s.guest(t)
	name := p.me(t).Account.Username
	token := p.win(t)
	r := p.start(t, "")
	p.play(t, r, game.Loss)
	opened, bot := p.open(t, 50), p.newBot(t, "kea").Bot
	team := decode[api.TeamOut](t, p.post(t, "/api/teams", `{"name":"Rock & \"Roll\" <b>"}`).ok(t)).Team
	number := s.secured(t).openCup(t).Cup.Number
	s.seal(t)
	won := decode[api.TokenOut](t, p.get(t, fmt.Sprintf("/api/chain/token/%d", token.TokenID)).ok(t)).Token
	for _, test := range []struct{ path, title, description string }{
		{"/", "Play", "seals its moves"},
		{"/chain", "Chain", "seals its moves"},
		{fmt.Sprintf("/token/%d", token.TokenID), fmt.Sprintf("Clay #%d", token.TokenID),
			"Base value 96, house pays 76 coins. It belongs to " + name},
		{"/r/" + *won.RunID, name + " claimed Clay", "Cleared 1 of 3"},
		{"/r/" + r.ID, name + " lost to the house", "Cleared 0 of 3"},
		{"/d/" + opened.ID, name + " challenges you", "Stake: 50 coins each."},
		{"/d/" + strings.ToLower(opened.ID), name + " challenges you", "Stake: 50 coins each."},
		{"/players/" + name, name, "Guest since"},
		{"/bots/" + bot.Username, bot.Username, "Bot since"},
		{"/t/" + team.Slug, `Rock & "Roll" <b>`, "1 member"},
		{fmt.Sprintf("/cups/%d", number), fmt.Sprintf("Cup %d", number), "1 players. Starts on"},
		{"/block/0", "Block 0", "transactions"},
		{"/tx/" + won.Birth.TxHash, "Transaction " + won.Birth.TxHash[:8], "run"},
		{"/address/" + p.address, s.short(t, p.address), "Balance"},
	} {
		a := s.anonymous(t).browse(t, test.path).ok(t)
		if got := meta(a, "title"); got != test.title+" · Roshambo" || meta(a, "og:title") != got {
			t.Errorf("%s: got title %q and og:title %q, want %q", test.path, got, meta(a, "og:title"), test.title+" · Roshambo")
		}
		if got := meta(a, "description"); !strings.Contains(got, test.description) || meta(a, "og:description") != got {
			t.Errorf("%s: got description %q and og:description %q, want %q in both", test.path, got,
				meta(a, "og:description"), test.description)
		}
		picture, found := strings.CutPrefix(meta(a, "og:image"), s.url)
		if !found {
			t.Errorf("%s: got picture %q, want one of %s", test.path, meta(a, "og:image"), s.url)
			continue
		}
		image := s.anonymous(t).get(t, picture).ok(t)
		if _, err := png.Decode(strings.NewReader(image.body)); err != nil ||
			image.header.Get("Content-Type") != "image/png" {
			t.Errorf("%s: got %s, %v, want a PNG", picture, image.header.Get("Content-Type"), err)
		}
		again := s.anonymous(t).send(t, request{method: "GET", path: picture,
			header: map[string]string{"If-None-Match": image.header.Get("ETag")}})
		if again.status != http.StatusNotModified {
			t.Errorf("%s with its ETag: got %d, want 304", picture, again.status)
		}
	}
	if a := p.browse(t, "/t/"+team.Slug); strings.Contains(a.body, "<b>") {
		t.Errorf("the team's page holds the markup of its name: %.900s", a.body)
	}
}

// short returns the short form of an address.
func (s *stack) short(t *testing.T, address string) string {
	t.Helper()
	a := s.anonymous(t).get(t, "/api/chain/address/"+address).ok(t)
	return decode[api.AddressOut](t, a).Address.ShortAddress
}

// TestMissingPages: the page of a thing that does not exist is the page, with status 404.
func TestMissingPages(t *testing.T) {
	t.Parallel()
	s := start(t, withPage)
	p := s.guest(t)
	for _, path := range []string{
		"/token/4711", "/token/-1", "/token/x", "/token/2147483648", "/token/99999999999999999999", "/d/ABCDEFGH", "/d/x",
		"/r/0198c3a2-0000-7000-8000-000000000000", "/r/x", "/players/no-such-player", "/bots/no-such-bot", "/t/no-such-team",
		"/bots/" + p.me(t).Account.Username, "/cups/4711", "/cups/x", "/block/99", "/block/-1", "/block/" +
			strings.Repeat("0", 64), "/block/x",
		"/tx/" + strings.Repeat("ab", 32), "/tx/x", "/address/rps1x", "/players/" + strings.Repeat("x", 5000),
		"/players/%22%3E%3Cscript%3E", "/nowhere",
	} {
		a := p.browse(t, path)
		if a.status != http.StatusNotFound || !strings.Contains(a.body, `<div id="app">`) || meta(a, "og:image") != "" ||
			meta(a, "robots") != "noindex" || meta(a, "title") != "Not found · Roshambo" {
			t.Errorf("%.60s: got %d, title %q, robots %q, picture %q, want 404 with the page and no preview", path, a.status,
				meta(a, "title"), meta(a, "robots"), meta(a, "og:image"))
		}
	}
	for _, path := range []string{"/og/token/4711.png", "/og/chain.png", "/og/token/x.png", "/og/", "/og/home",
		"/og/a/b/c.png"} {
		p.get(t, path).fails(t, 404, "not_found")
	}
	p.get(t, "/og/home.png").ok(t)
	p.post(t, "/og/home.png", "").fails(t, 405, "method_not_allowed")
}

// TestPageDuringAnOutage: the page is served while the database does not answer, as it reports the
// outage itself; a picture is not.
func TestPageDuringAnOutage(t *testing.T) {
	t.Parallel()
	s := start(t, withPage)
	p := s.guest(t)
	path := fmt.Sprintf("/token/%d", p.win(t).TokenID)
	s.each.Fail(1)
	if a := p.browse(t, path).ok(t); meta(a, "title") != "Token · Roshambo" {
		t.Errorf("got title %q, want that of the route", meta(a, "title"))
	}
}

// TestHiddenHandsInPreviews: neither page nor picture of an active duel depends on a move or a
// commitment that is still hidden.
func TestHiddenHandsInPreviews(t *testing.T) {
	t.Parallel()
	s := start(t, withPage)
	g := s.joined(t, 0, s.guest(t), s.guest(t))
	path := strings.Replace(g.path, "/api/duels/", "/d/", 1)
	before := s.anonymous(t).browse(t, path).ok(t)
	g.sides[0](t, g.commit(0, 'r')).ok(t)
	if after := s.anonymous(t).browse(t, path).ok(t); after.body != before.body {
		t.Errorf("a commitment changed the page from\n%s\nto\n%s", before.body, after.body)
	}
}

// TestPictureBudget: a network address has a budget of drawn pictures; those in memory are free.
func TestPictureBudget(t *testing.T) {
	t.Parallel()
	budget, err := limit.NewBudget(limit.Rate{Max: 2, Window: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, withPage, func(c *edge.Config) { c.PictureLimit = budget })
	p := s.guest(t)
	paths := []string{"/og/home.png", "/og/players/" + p.me(t).Account.Username + ".png"}
	for range 3 {
		for _, path := range paths {
			p.get(t, path).ok(t)
		}
	}
	p.get(t, fmt.Sprintf("/og/token/%d.png", p.win(t).TokenID)).fails(t, 429, "rate_limited")
	var limits api.LimitsOut
	if err := json.NewDecoder(bytes.NewReader([]byte(p.get(t, "/api/limits").ok(t).body))).Decode(&limits); err != nil {
		t.Fatal(err)
	}
	for _, b := range limits.Budgets {
		if b.Action == "pictures" && b.Limit == 2 && b.WindowSeconds == 3600 {
			return
		}
	}
	t.Errorf("got budgets %+v, want 2 pictures an hour among them", limits.Budgets)
}
