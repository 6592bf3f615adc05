package api_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
	"roshambo/internal/service/account"
)

// TestEveryAnswerIsNamed requests everything beside the operations, and unknown paths: send checks
// the request id of each answer.
func TestEveryAnswerIsNamed(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p := s.anonymous(t)
	for _, q := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/", 200}, {"GET", "/play/there", 200}, // the page
		{"GET", "/apis", 200}, {"GET", "/API/me", 200}, {"GET", "//api/me", 200},
		{"GET", "/log/checkpoint", 200}, {"GET", "/log/tile/0/000.p/1", 200},
		{"GET", "/log/", 404}, {"GET", "/log/x", 404}, {"GET", "/log/../api/me", 404}, {"POST", "/log/checkpoint", 405},
		{"DELETE", "/log/x", 405},
		{"GET", "/api", 404}, {"GET", "/api/", 404}, {"GET", "/api/nothing", 404}, {"POST", "/api/nothing", 404},
		{"BREW", "/api/nothing", 404},
		{"GET", "/api/me/", 404}, {"GET", "/api//me", 404}, {"GET", "/api/runs/..", 404}, {"GET", "/api/ME", 404},
		{"GET", "/api/me%2f", 404},
		{"GET", "/api/docs", 200}, {"GET", "/api/docs/", 200}, {"HEAD", "/api/docs", 200}, {"POST", "/api/docs", 405},
		{"GET", "/api/docs/nothing", 404}, {"GET", "/api/docsx", 404}, {"GET", "/api/docs/../openapi.json", 404},
	} {
		a := p.send(t, request{method: q.method, path: q.path})
		if a.status != q.status {
			t.Errorf("%s %s: got %d %s, want %d", q.method, q.path, a.status, a.body, q.status)
		}
		if q.status >= 400 {
			if e := decode[failure](t, a); e.Code == "" || a.header.Get("Content-Type") != "application/json" ||
				a.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s %s: got %s with %v, want an error in JSON", q.method, q.path, a.body, a.header)
			}
		}
	}
}

// TestRefusedRequests sends requests that net/http refuses without a handler: the answers have the
// contract's form.
func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	s := shared(t)
	const me = "GET /api/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
	for text, want := range map[string]struct {
		status int
		code   string
	}{
		"GET /api/%zz HTTP/1.1\r\nHost: x\r\n\r\n":                                              {400, "bad_request"},
		"GET /api/me HTTP/1.1\r\n\r\n":                                                          {400, "bad_request"},
		"GET /api/me HTTP/3.0\r\nHost: x\r\n\r\n":                                               {400, "bad_request"},
		"GET /api/me HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n":                                {417, "expectation_failed"},
		"what is this\r\n\r\n":                                                                  {400, "bad_request"},
		"POST /api/guest HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n": {400, "bad_request"},
		"POST /api/guest HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n":                {400, "bad_request"},
		"POST /api/guest HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n":       {400, "bad_request"},
		me + "X: " + strings.Repeat("a", 40<<10) + "\r\n\r\n": {431,
			"headers_too_large"},
		me + "Bad header: x\r\n\r\n": {400, "bad_request"},
		"GET http://elsewhere.example/api/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n":      {401, "unauthenticated"},
		me + "Cookie: roshambo_session=" + strings.Repeat("é", 43) + "; roshambo_session=x\r\n\r\n": {401, "unauthenticated"},
	} {
		a := s.raw(t, text)
		if a.status != want.status {
			t.Errorf("%.80q: got %d %s, want %d", text, a.status, a.body, want.status)
			continue
		}
		e := decode[failure](t, a)
		if e.Code != want.code || e.RequestID != a.header.Get("X-Request-Id") || !requestID.MatchString(e.RequestID) {
			t.Errorf("%.80q: got %s with %v, want code %s and its request id", text, a.body, a.header, want.code)
		}
	}
	if a := s.raw(t, "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); a.header.Get("X-Request-Id") == "" {
		t.Errorf("OPTIONS *: %d %v, want a request id", a.status, a.header)
	}
}

// raw sends bytes and reads an answer.
func (s *stack) raw(t *testing.T, text string) answer {
	t.Helper()
	conn := s.dial(t)
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return read(t, conn, request{method: "RAW", path: text[:min(60, len(text))]})
}

// TestForeignHost: no page, file or answer repeats the host that a request names, so that no cache, preview or mail
// leads visitors of the service elsewhere.
func TestForeignHost(t *testing.T) {
	t.Parallel()
	s := shared(t)
	for _, path := range []string{
		"/", "/account", "/duels/ZZZZZZZZ", "/nothing", "/runs/x", "/api", "/api/", "/api/docs", "/api/openapi.json",
		"/api/tiers", "/api/nothing", "/log/checkpoint", "/robots.txt", "//", "/api/../account",
	} {
		a := s.raw(t, "GET "+path+" HTTP/1.1\r\nHost: elsewhere.example\r\nX-Forwarded-Host: elsewhere.example\r\n"+
			"Connection: close\r\n\r\n")
		if text := fmt.Sprint(a.header, a.body); strings.Contains(text, "elsewhere") {
			t.Errorf("%s: %d repeats the host: %s", path, a.status, text)
		}
	}
	duel := s.guest(t).open(t, 0).ID
	call := toolCall("get_duel", `{"duel":"`+duel+`"}`)
	a := s.raw(t, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: elsewhere.example\r\nX-Forwarded-Host: elsewhere.example\r\n"+
		"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n"+
		"Connection: close\r\n\r\n%s", edge.AgentsPath, len(call), call))
	if text := fmt.Sprint(a.header, a.body); !strings.Contains(text, "/d/"+duel) || strings.Contains(text, "elsewhere") {
		t.Errorf("a tool: %d, %s: want the path of the duel, without the host", a.status, text)
	}
}

func (s *stack) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func read(t *testing.T, conn net.Conn, q request) answer {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%v: %v", q, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%v: %v", q, err)
	}
	return answer{q, response.StatusCode, response.Header, string(body)}
}

// TestSlowBody sends an incomplete body: the service waits BodyTime and no longer.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) { c.BodyTime = 50 * time.Millisecond })
	for path, status := range map[string]int{"/api/guest": 408, "/api/auth/login": 408, "/api/me": 405,
		"/api/nothing": 404, "/log/checkpoint": 405, "/api/docs": 405} {
		a := s.raw(t, "POST "+path+" HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
		if a.status != status {
			t.Errorf("%s: got %d %s, want %d", path, a.status, a.body, status)
		}
	}
	// The deadline of one request does not apply to the next on the connection.
	conn := start(t, func(c *edge.Config) { c.BodyTime = time.Minute }).dial(t)
	for range 2 {
		if _, err := io.WriteString(conn, "POST /api/guest HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"); err != nil {
			t.Fatal(err)
		}
		read(t, conn, request{method: "POST", path: "/api/guest"}).ok(t)
	}
}

// TestPanic: a panic of a handler is answered with 500, and the service continues.
func TestPanic(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) {
		c.Page = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("the page is torn") })
	})
	p := s.anonymous(t)
	a := p.get(t, "/")
	e := a.fails(t, 500, "internal")
	if log := s.log.String(); strings.Contains(a.body, "torn") || !strings.Contains(log, "torn") ||
		!strings.Contains(log, e.RequestID) {
		t.Errorf("got %s, and the log\n%s\nwant the reason in the log alone, under the request id", a.body, log)
	}
	p.post(t, "/api/guest", "").ok(t)
}

// TestUnknownPaths: at unknown paths a program gets 404 as JSON, a browser the page, and no write
// is accepted.
func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) { c.HasPage = func(path string) bool { return path == "/there" } })
	p := s.anonymous(t)
	p.get(t, "/nope").fails(t, 404, "not_found")
	p.get(t, "/there").ok(t)
	p.send(t, request{method: "GET", path: "/nope", header: map[string]string{"Accept": "text/html,*/*;q=0.8"}}).ok(t)
	a := p.post(t, "/there", "")
	a.fails(t, 405, "method_not_allowed")
	if got := a.header.Get("Allow"); got != "GET, HEAD" {
		t.Errorf("%v: got Allow %q, want GET, HEAD", a.request, got)
	}
}

// TestOrigins: requests from the service's own pages are accepted, also behind a proxy that changes
// the Host, and requests of other sites are refused.
func TestOrigins(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) { c.Origin = "https://play.example" })
	host := strings.TrimPrefix(s.url, "http://")
	for _, c := range []struct {
		header map[string]string
		status int
	}{
		{nil, 200}, // no browser
		{map[string]string{"Sec-Fetch-Site": "same-origin"}, 200},
		{map[string]string{"Sec-Fetch-Site": "none"}, 200},
		{map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		{map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://play.example"}, 200},
		{map[string]string{"Origin": "http://" + host}, 200},
		{map[string]string{"Origin": "https://play.example"}, 200},
		{map[string]string{"Origin": "https://play.example.evil.example"}, 403},
		{map[string]string{"Origin": "null"}, 403},
	} {
		a := s.anonymous(t).send(t, request{method: "POST", path: "/api/guest", header: c.header})
		if a.status != c.status {
			t.Errorf("%v: got %d %s, want %d", c.header, a.status, a.body, c.status)
		}
	}
	// A page of any site may read what every visitor may, and never as a visitor with cookies.
	a := s.anonymous(t).send(t, request{method: "GET", path: "/api/tiers",
		header: map[string]string{"Origin": "https://evil.example"}})
	if a.ok(t); a.header.Get("Access-Control-Allow-Origin") != "*" ||
		a.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("to another site the answer has %v", a.header)
	}
}

// TestSessionCookie checks the attributes of the cookie, and the end of a session.
func TestSessionCookie(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		s := start(t, func(c *edge.Config) { c.Secure = secure })
		a := s.anonymous(t).post(t, "/api/guest", "").ok(t)
		response := http.Response{Header: a.header}
		name := map[bool]string{false: "roshambo_session", true: "__Host-roshambo_session"}[secure]
		c := response.Cookies()[0]
		if c.Name != name || !c.HttpOnly || c.Secure != secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" ||
			c.Domain != "" || len(c.Value) != 47 {
			t.Errorf("secure %v: the cookie is %q", secure, c)
		}
	}
	s := start(t)
	p := s.guest(t)
	before := p.me(t).Account
	if again := decode[api.GuestOut](t, p.post(t, "/api/guest", "").ok(t)); again.Account != before ||
		again.CSRFToken != p.csrf {
		t.Errorf("POST /api/guest with a session: %+v, want %+v again", again, before)
	}
	for range 4 {
		s.clock.forward(account.SessionIdle - time.Hour) // a session that is used continues …
		if p.get(t, "/api/me").status != 200 {
			break
		}
	}
	p.get(t, "/api/me").fails(t, 401, "unauthenticated") // … for 90 days
	if out := decode[api.GuestOut](t, p.post(t, "/api/guest", "").ok(t)); out.Account.Address == before.Address {
		t.Error("an ended session opened its account again")
	}
	idle := s.guest(t)
	s.clock.forward(account.SessionIdle + time.Second)
	idle.get(t, "/api/me").fails(t, 401, "unauthenticated")
}

// TestRateLimit uses the limit up: further requests of any kind are refused with the time to wait.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	limiter, err := limit.NewLog(5, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, func(c *edge.Config) { c.RateLimit = limiter })
	p := s.anonymous(t) // the stack has requested the contract
	for range 4 {
		a := p.get(t, "/api/tiers").ok(t)
		if a.header.Get("RateLimit") == "" && len(a.header["Ratelimit"]) == 0 {
			t.Errorf("no RateLimit in %v", a.header)
		}
	}
	for _, path := range []string{"/api/tiers", "/api/openapi.json", "/api/nothing"} {
		a := p.get(t, path)
		if e := a.fails(t, 429, "rate_limited"); e.RetryAfterMS <= 0 || a.header.Get("Retry-After") == "" {
			t.Errorf("%s: %+v with %v, want when to try again", path, e, a.header)
		}
	}
}

// TestDocs: the interactive documentation is a page among the others, in any form of its path, and
// the contract that it renders is packed where the client asks for it.
func TestDocs(t *testing.T) {
	t.Parallel()
	s := start(t, withPage)
	p := s.anonymous(t)
	for _, path := range []string{"/api/docs", "/api/docs/"} { // the client follows the redirect
		a := p.get(t, path).ok(t)
		policy := a.header.Get("Content-Security-Policy")
		if !strings.Contains(a.body, `<div id="app">`) || meta(a, "title") != "API · Roshambo" ||
			!strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: got title %q and policy %q, want the page", path, meta(a, "title"), policy)
		}
	}
	p.get(t, "/api/docs/start.js").fails(t, 404, "not_found")
	send := func(header ...string) answer {
		q := request{method: "GET", path: "/api/openapi.json", header: map[string]string{}}
		for i := 0; i < len(header); i += 2 {
			q.header[header[i]] = header[i+1]
		}
		return p.send(t, q)
	}
	plain, packed := send("Accept-Encoding", "identity").ok(t), send("Accept-Encoding", "gzip").ok(t)
	unpacked, err := gzip.NewReader(strings.NewReader(packed.body))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(unpacked); err != nil || string(got) != plain.body || 4*len(packed.body) > len(plain.body) {
		t.Errorf("got %d bytes of gzip for %d of %d, %v, want the same document", len(packed.body), len(got), len(plain.body),
			err)
	}
	if again := send("Accept-Encoding", "identity", "If-None-Match", plain.header.Get("ETag")); again.status != 304 ||
		plain.header.Get("ETag") == packed.header.Get("ETag") {
		t.Errorf("with its ETag: got %d; ETags %s and %s, want 304 and two", again.status, plain.header.Get("ETag"),
			packed.header.Get("ETag"))
	}
}

// TestDocuments checks that documents are served as text that clients may keep and that runs no script, packed for
// clients that accept it, to GET and HEAD alone.
func TestDocuments(t *testing.T) {
	t.Parallel()
	p := shared(t).anonymous(t)
	send := func(method, path, encoding string) answer {
		return p.send(t, request{method: method, path: path, header: map[string]string{"Accept-Encoding": encoding}})
	}
	plain, packed := send("GET", "/docs/fair", "identity").ok(t), send("GET", "/docs/fair", "gzip").ok(t)
	unpacked, err := gzip.NewReader(strings.NewReader(packed.body))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(unpacked)
	if err != nil || string(got) != plain.body || !strings.Contains(plain.body, "Is it fair?") {
		t.Errorf("%v, packed\n%.200s\nplain\n%.200s", err, got, plain.body)
	}
	if policy := plain.header.Get("Content-Security-Policy"); strings.Contains(policy, "script-src") ||
		!strings.HasPrefix(policy, "default-src 'none'") {
		t.Errorf("policy %q", policy)
	}
	if a := send("HEAD", "/docs", "identity").ok(t); a.body != "" || a.header.Get("Content-Length") == "0" {
		t.Errorf("HEAD: %q, length %s", a.body, a.header.Get("Content-Length"))
	}
	send("POST", "/docs", "identity").fails(t, 405, "method_not_allowed")
	files := send("GET", "/docs/fair.md", "identity").ok(t)
	pictures := regexp.MustCompile(`<img src="([^"]+)"`).FindAllStringSubmatch(plain.body, -1)
	for _, picture := range pictures {
		// They are files of the page, as the Markdown is.
		if a := send("GET", picture[1], "identity").ok(t); a.body != files.body {
			t.Errorf("%s is answered by\n%.200s", picture[1], a.body)
		}
	}
	if len(pictures) == 0 {
		t.Error("the document has no pictures")
	}
	if a := send("GET", "/docs/none", "identity"); a.status != 404 {
		t.Errorf("status %d of a document that does not exist", a.status)
	}
}
