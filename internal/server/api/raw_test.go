package api_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/internal/server/edge"
)

// TestOptions: OPTIONS names the methods of a path, of the API, the log and the page.
func TestOptions(t *testing.T) {
	t.Parallel()
	s := shared(t)
	for path, allow := range map[string]string{
		"/api/me": "GET, HEAD", "/api/keys": "GET, HEAD, POST", "/api/guest": "POST", "/log/checkpoint": "GET, HEAD",
		"/": "GET, HEAD", "/api/docs": "GET, HEAD",
	} {
		a := s.raw(t, "OPTIONS "+path+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		if got := a.header.Get("Allow"); a.status != 204 || got != allow || a.body != "" || a.header.Get("Date") == "" {
			t.Errorf("%s: got %d %v %q, want 204 with Allow %q and Date", path, a.status, a.header, a.body, allow)
		}
	}
	s.raw(t, "OPTIONS /api/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").fails(t, 404, "not_found")
}

// TestEncodedBodies: a body with a Content-Encoding is refused with the reason, unless it is identity.
func TestEncodedBodies(t *testing.T) {
	t.Parallel()
	s := shared(t)
	for encoding, status := range map[string]int{"gzip": 415, "br": 415, "identity, gzip": 415, "zip": 415,
		"identity": 200, "Identity": 200, "": 200} {
		a := s.raw(t, "POST /api/guest HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Encoding: "+encoding+
			"\r\nContent-Length: 2\r\n\r\n{}")
		if a.status != status {
			t.Errorf("%q: got %d %s, want %d", encoding, a.status, a.body, status)
			continue
		}
		if status == 415 {
			e := a.fails(t, 415, "unsupported_encoding")
			if !strings.Contains(e.Message, "Content-Encoding") || a.header.Get("Accept-Encoding") != "identity" {
				t.Errorf("%q: got %s with %v, want the reason", encoding, a.body, a.header)
			}
		}
	}
}

// TestTooLargeIsSeen: a client that sends the whole of a body over the limit, or with an encoding, before it reads
// sees the 413 or 415, with a length and in chunks. A client that waits for 100 Continue is refused at once.
func TestTooLargeIsSeen(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *edge.Config) { c.BodyTime = testTimeout })
	const head = "POST /api/guest HTTP/1.1\r\nHost: x\r\n"
	for _, size := range []int{64<<10 + 1, 300 << 10, 20 << 20} {
		body := strings.Repeat(" ", size)
		s.raw(t, fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, size, body)).fails(t, 413, "body_too_large")
		s.raw(t, fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", head, size, body)).
			fails(t, 413, "body_too_large")
		s.raw(t, fmt.Sprintf("%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", head, size, body)).
			fails(t, 415, "unsupported_encoding")
	}
	s.raw(t, head+"Expect: 100-continue\r\nContent-Length: 99999999\r\n\r\n").fails(t, 413, "body_too_large")
}

// TestRefusalsAreDated: also an answer to a request that net/http refuses has a Date.
func TestRefusalsAreDated(t *testing.T) {
	t.Parallel()
	s := shared(t)
	for _, text := range []string{"what is this\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n",
		"GET /api/me HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("a", 40<<10) + "\r\n\r\n"} {
		a := s.raw(t, text)
		if _, err := time.Parse(http.TimeFormat, a.header.Get("Date")); err != nil || a.status < 400 {
			t.Errorf("%.40q: got %d with %v, want a Date: %v", text, a.status, a.header, err)
		}
	}
}

// TestPackedAnswers: large public reads and pages of the log are sent with gzip to clients that accept it; small
// ones, errors, and answers with private data of the caller, are not.
func TestPackedAnswers(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	s.seal(t)
	send := func(method, path, accepts string) answer {
		return p.send(t, request{method: method, path: path, header: map[string]string{"Accept-Encoding": accepts}})
	}
	for _, path := range []string{"/api/limits", "/log/blocks/0"} {
		plain := send("GET", path, "identity").ok(t)
		for accepts, want := range map[string]string{"gzip": "gzip", "br;q=1, GZIP;q=0.5": "gzip", "*": "gzip",
			"identity": "", "gzip;q=0": "", "gzip; q=0.0": "", "*;q=0": "", "*, gzip;q=0": "", "gzipped": "", "gzip;q=x": ""} {
			a, head := send("GET", path, accepts).ok(t), send("HEAD", path, accepts)
			body, length := a.body, fmt.Sprint(len(a.body))
			if want == "gzip" {
				body = unpacked(t, a.body)
			}
			if got := a.header.Get("Content-Encoding"); got != want || body != plain.body ||
				a.header.Get("Content-Length") != length || !slices.Contains(a.header.Values("Vary"), "Accept-Encoding") {
				t.Errorf("%s with %q: got %q, %d bytes with %v, want %q of the same text, its length and Vary", path, accepts,
					got, len(a.body), a.header, want)
			}
			if head.body != "" || head.header.Get("Content-Encoding") != want || head.header.Get("Content-Length") != length {
				t.Errorf("HEAD %s with %q: %v, want the headers of GET", path, accepts, head.header)
			}
		}
	}
	for _, path := range []string{"/api/me", "/api/nothing", "/api/players/nobody", "/api/chain/blocks?limit=0",
		"/log/checkpoint"} {
		if a := send("GET", path, "gzip"); a.header.Get("Content-Encoding") != "" {
			t.Errorf("%s is compressed: %v", path, a.header)
		}
	}
	// A caller's row of a board is public. A duel may hold the caller's hidden hand.
	g := s.joined(t, 0)
	g.play(t, "rp", "rp", "rp")
	for path, toCallers := range map[string]string{"/api/achievements": "gzip", g.path: ""} {
		q := request{method: "GET", path: path, header: map[string]string{"Accept-Encoding": "gzip"}}
		key := q.with(map[string]string{"Authorization": "Bearer " + p.newKey(t).Secret})
		cookie := q.with(map[string]string{"Cookie": "roshambo_session=ended"})
		for i, a := range []answer{s.anonymous(t).send(t, q), send("GET", path, "gzip"), s.anonymous(t).send(t, key),
			s.anonymous(t).send(t, cookie)} {
			want := toCallers
			if i == 0 {
				want = "gzip"
			}
			if got := a.ok(t).header.Get("Content-Encoding"); got != want {
				t.Errorf("%s, caller %d: %q, want %q of %d bytes", path, i, got, want, len(a.body))
			}
		}
	}
}

// unpacked returns the text of a body with gzip.
func unpacked(t *testing.T, body string) string {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPackedIsPublic: exactly the reads offer gzip that need no caller; with a caller only those whose answer has no
// text of the caller alone.
func TestPackedIsPublic(t *testing.T) {
	t.Parallel()
	s := shared(t)
	each(t, s, func(t *testing.T, o operation, p *player, q request) {
		if o.id == "getOpenAPI" {
			return // it has an entity tag and is compressed when it is built
		}
		required, _ := o.object["security"].([]any) // with {} where callers may be anonymous
		if o.method == "POST" && len(required) == 0 {
			return // signs in
		}
		q.header = map[string]string{"X-CSRF-Token": p.csrf, "Accept-Encoding": "gzip"}
		if o.id == "followEvents" {
			q.path, q.header["Last-Event-ID"] = q.path+"?cursor=", "x" // an error: a stream does not end
		}
		a := p.send(t, q)
		anonymous := slices.ContainsFunc(required, func(scheme any) bool { return len(scheme.(map[string]any)) == 0 }) &&
			o.id != "followEvents"
		for name, want := range map[string]bool{"Accept-Encoding": len(required) == 0 || anonymous,
			"Authorization": anonymous, "Cookie": anonymous} {
			if got := slices.Contains(a.header.Values("Vary"), name); got != want {
				t.Errorf("%v varies by %s: %v, want %v", q, name, got, want)
			}
		}
		if a.header.Get("Content-Encoding") != "" && len(required) > 0 && !slices.Contains([]string{"getLeaderboard",
			"getAchievements", "getSeason", "getPastSeason", "getTV"}, o.id) {
			t.Errorf("%v: the answer to a caller is compressed", q)
		}
	})
}

// TestNotUTF8: a text that is not UTF-8 is refused in body, query and path.
func TestNotUTF8(t *testing.T) {
	t.Parallel()
	s := shared(t)
	const tail = " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
	for _, text := range []string{
		"GET /api/players/%ff" + tail, "GET /api/players/a%C3%28" + tail, "GET /api/players/\xff" + tail,
		"GET /api/players/%ED%A0%80" + tail, "GET /api/players/x%2F%ff" + tail,
		"GET /api/chain/search?q=%ff" + tail, "GET /api/chain/search?q=\xc3" + tail, "GET /api/chain/search?%c0%af=1" + tail,
		"GET /api/chain/search?q=%zz%fe" + tail,
	} {
		s.raw(t, text+"\r\n").fails(t, 400, "bad_request")
	}
	body := "{\"username\":\"\xff\",\"password\":\"correct horse\"}"
	s.raw(t, fmt.Sprintf("POST /api/auth/login%sContent-Length: %d\r\n\r\n%s", tail, len(body), body)).
		fails(t, 400, "bad_request")
	s.raw(t, "GET /api/players/%C3%A9"+tail+"\r\n").fails(t, 404, "not_found")
	if a := s.raw(t, "GET /api/chain/search?q=%C3%A9%zz"+tail+"\r\n"); a.status == 400 {
		t.Errorf("a malformed escape in a query stands for itself: %s", a.body)
	}
}

// TestSlowBodyThenNext: after a 408 the connection ends, so the rest of the body is no request.
func TestSlowBodyThenNext(t *testing.T) {
	t.Parallel()
	conn := start(t, func(c *edge.Config) { c.BodyTime = 50 * time.Millisecond }).dial(t)
	if _, err := io.WriteString(conn, "POST /api/guest HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(conn)
	response, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(r); response.StatusCode != 408 || len(rest) > 0 {
		t.Errorf("got %d, then %q, want 408 and the end", response.StatusCode, rest)
	}
}
