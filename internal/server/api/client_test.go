package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"roshambo/internal/server/api"
)

// player is a browser with its cookies; csrf is the token that its page has read.
type player struct {
	s       *stack
	client  *http.Client
	csrf    string
	address string
	bearer  string // the key of requests that name none; see asBot
}

// anonymous returns a browser without cookies.
func (s *stack) anonymous(t *testing.T) *player {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(transport.CloseIdleConnections)
	return &player{s: s, client: &http.Client{Jar: jar, Transport: transport}}
}

// guest returns a browser with a new guest account.
func (s *stack) guest(t *testing.T) *player {
	t.Helper()
	p := s.anonymous(t)
	out := decode[api.GuestOut](t, p.post(t, "/api/guest", "").ok(t))
	p.csrf, p.address = out.CSRFToken, out.Account.Address
	s.tokens.add(p.csrf)
	return p
}

// request is one request; its body is sent when it is not empty.
type request struct {
	method, path, body string
	header             map[string]string
}

func (q request) String() string {
	body := q.body
	if len(body) > 200 {
		body = body[:200] + "…"
	}
	return q.method + " " + q.path + " " + body
}

// answer is the answer to a request.
type answer struct {
	request request
	status  int
	header  http.Header
	body    string
}

func (p *player) get(t *testing.T, path string) answer {
	t.Helper()
	return p.send(t, request{method: "GET", path: path})
}

// post sends a POST with the CSRF token, as the page does.
func (p *player) post(t *testing.T, path, body string) answer {
	t.Helper()
	return p.send(t, request{method: "POST", path: path, body: body, header: map[string]string{"X-CSRF-Token": p.csrf}})
}

// send makes a request and checks what holds for every answer: it has a request id, matches the
// contract for its operation and status, and contains no unrevealed seed.
func (p *player) send(t *testing.T, q request) answer {
	t.Helper()
	a, err := p.try(t, q)
	if err != nil {
		t.Fatalf("%v: %v", q, err)
	}
	a.check(t, p.s)
	return a
}

// try makes a request.
func (p *player) try(t *testing.T, q request) (answer, error) {
	t.Helper()
	var body io.Reader
	if q.body != "" {
		body = strings.NewReader(q.body)
	}
	r, err := http.NewRequestWithContext(t.Context(), q.method, p.s.url+q.path, body)
	if err != nil {
		return answer{}, err
	}
	if p.bearer != "" {
		r.Header.Set("Authorization", "Bearer "+p.bearer)
	}
	for name, value := range q.header {
		r.Header.Set(name, value)
	}
	response, err := p.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	for _, c := range response.Cookies() {
		if c.Value != "" { // a cookie without a value ends the session
			p.s.tokens.add(c.Value)
		}
	}
	if response.Uncompressed { // the client has unpacked the body and dropped its length
		response.Header.Set("Content-Length", strconv.Itoa(len(text)))
	}
	return answer{q, response.StatusCode, response.Header, string(text)}, err
}

var requestID = regexp.MustCompile(`^[0-9a-f]{16}$`)

func (a answer) check(t *testing.T, s *stack) {
	t.Helper()
	id := a.header.Get("X-Request-Id")
	if !requestID.MatchString(id) {
		t.Errorf("%v: X-Request-Id %q, want 16 hex digits", a.request, id)
	}
	if got := a.header.Get("X-Content-Type-Options"); got != "nosniff" {
		t.Errorf("%v: X-Content-Type-Options %q, want nosniff", a.request, got)
	}
	path := a.request.path + "/"
	if strings.HasPrefix(path, "/api/docs/") && a.status < 400 {
		return // files have their own formats
	}
	if seed := s.unopened(t, a.body); seed != "" {
		t.Errorf("%v: the answer holds the unopened seed %s:\n%s", a.request, seed, a.body)
	}
	if s.doc == nil || !strings.HasPrefix(path, "/api/") || a.status == http.StatusNotModified ||
		a.header.Get("Content-Encoding") != "" {
		return
	}
	if got, want := a.header.Get("Cache-Control"), "no-store"; got != want && !strings.HasPrefix(path,
		"/api/openapi.json") &&
		a.header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("%v: Cache-Control %q, want %s", a.request, got, want)
	}
	if got, want := a.header.Get("Content-Length"), strconv.Itoa(len(a.body)); got != want &&
		a.request.method != "HEAD" && a.header.Get("Content-Type") != "text/event-stream" &&
		a.header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("%v: Content-Length %q, want %s", a.request, got, want)
	}
	for _, problem := range s.doc.check(a) {
		t.Errorf("%v: status %d: %s\n%s", a.request, a.status, problem, a.body)
	}
	if a.status >= 400 && a.status != 422 && a.request.method != "HEAD" {
		if e := decode[failure](t, a); e.RequestID != id {
			t.Errorf("%v: request_id %q, want that of the header, %q", a.request, e.RequestID, id)
		}
	}
}

// ok requires success.
func (a answer) ok(t *testing.T) answer {
	t.Helper()
	if a.status != http.StatusOK {
		t.Fatalf("%v: got %d %s, want 200", a.request, a.status, a.body)
	}
	return a
}

// fails requires an error of the closed list.
func (a answer) fails(t *testing.T, status int, code string) failure {
	t.Helper()
	if a.status != status {
		t.Fatalf("%v: got %d %s, want %d %s", a.request, a.status, a.body, status, code)
	}
	e := decode[failure](t, a)
	if e.Code != code || e.Message == "" {
		t.Fatalf("%v: got %s, want code %s with a message", a.request, a.body, code)
	}
	return e
}

// invalid requires a 422 with exactly these errors, each "body.move enum" or the like.
func (a answer) invalid(t *testing.T, want ...string) {
	t.Helper()
	if a.status != http.StatusUnprocessableEntity {
		t.Fatalf("%v: got %d %s, want 422 %v", a.request, a.status, a.body, want)
	}
	var got []string
	for _, d := range decode[invalidity](t, a).Detail {
		loc := strings.Trim(fmt.Sprint(d.Loc), "[]")
		got = append(got, strings.ReplaceAll(loc, " ", ".")+" "+d.Type)
		// The rules of a handler of its own have the form of a pydantic validator.
		if d.Type == "value_error" &&
			(!strings.HasPrefix(d.Msg, "Value error, ") || fmt.Sprint(d.Ctx) != "map[error:map[]]") {
			t.Errorf("%v: %s, context %v", a.request, d.Msg, d.Ctx)
		}
	}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Fatalf("%v:\n got %q\nwant %q", a.request, got, want)
	}
}

// failure is an error of the closed list.
type failure struct {
	Code         string
	Message      string
	RequestID    string   `json:"request_id"`
	RetryAfterMS int64    `json:"retry_after_ms"`
	NextAt       string   `json:"next_at"`
	Allowed      []string `json:"allowed"`
	Status       string   `json:"status"`
	Balance      *int64   `json:"balance"`
	Free         *int64   `json:"free"`
	Needed       int64    `json:"needed"`
	Scope        string   `json:"scope"`
}

// invalidity is a 422.
type invalidity struct {
	Detail []struct {
		Type  string
		Loc   []any
		Msg   string
		Input any
		Ctx   any
	}
}

// decode decodes an answer strictly: unknown members fail the test.
func decode[T any](t *testing.T, a answer) T {
	t.Helper()
	var v T
	d := json.NewDecoder(strings.NewReader(a.body))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %d %s: %v", a.request, a.status, a.body, err)
	}
	return v
}

func escape(s string) string { return url.QueryEscape(s) }
