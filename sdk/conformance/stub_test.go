package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"sync"
	"testing"
	"time"
)

// answer is what the stub answers to a request.
type answer struct {
	status int // 0 is 200
	body   string
	header map[string]string
	// retryAfter is the header in seconds, 0 for none. With date the header is a date.
	retryAfter int
	date       bool
	// pause is how long the next request must at least come after this answer, beside retryAfter.
	pause time.Duration
	// broken is closed, truncated or held for a connection without a complete answer.
	broken string
	// undone is set if the request of a duel has no effect.
	undone bool
}

// write answers a request and returns the earliest time of the next one.
func (a *answer) write(w http.ResponseWriter, r *http.Request) (earliest time.Time) {
	earliest = time.Now().Add(a.pause)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Request-Id", "request-1")
	for name, value := range a.header {
		h[name] = []string{value} // as the service writes RateLimit
	}
	if a.retryAfter > 0 {
		earliest = time.Now().Add(time.Duration(a.retryAfter) * time.Second)
		h.Set("Retry-After", fmt.Sprint(a.retryAfter))
		if a.date {
			earliest = earliest.UTC().Truncate(time.Second)
			h.Set("Retry-After", earliest.Format(http.TimeFormat))
		}
	}
	switch a.broken {
	case "closed":
		panic(http.ErrAbortHandler)
	case "held":
		<-r.Context().Done() // the client gives up
		return earliest
	case "truncated":
		h.Set("Content-Length", fmt.Sprint(len(a.body)+1))
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	_, _ = io.WriteString(w, a.body)
	if a.broken == "truncated" || a.broken == "cut" {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	return earliest
}

// exchange is a request that a client has to send, and its answer.
type exchange struct {
	// want is method, path and query. Without a query, the one of the request is not compared.
	want string
	// same requires the body and the Idempotency-Key of the request before.
	same bool
	// sent, if not empty, is the JSON of the body.
	sent string
	// check, if not nil, returns a fault of the request, "" for none.
	check func(r *http.Request) string
	answer
}

// scripted answers the calls of a client one after the other.
type scripted struct {
	t      *testing.T
	script []exchange

	mu       sync.Mutex // guards the fields below
	n        int
	earliest time.Time
	key      string // Idempotency-Key and body of the request before
	body     []byte
}

// serve starts a server on an address of its own.
func serve(t *testing.T, h http.Handler) (address string) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// ServeHTTP answers a request as the script says.
func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	a := s.next(r, body)
	var earliest time.Time
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.earliest = earliest
	}()
	earliest = a.write(w, r)
}

// next checks a request and returns its answer.
func (s *scripted) next(r *http.Request, body []byte) *answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n >= len(s.script) {
		s.t.Errorf("request %d is %s %s, want no more", s.n+1, r.Method, r.URL)
		return &answer{status: http.StatusNotFound, body: `{"code":"not_found","message":"The script is over."}`}
	}
	e := &s.script[s.n]
	s.n++
	if problem := e.fault(r, body); problem != "" {
		s.t.Errorf("request %d is %s %s: %s", s.n, r.Method, r.URL, problem)
	}
	if early := time.Until(s.earliest); early > 50*time.Millisecond { // timers and clocks differ a little
		s.t.Errorf("request %d came %v too early", s.n, early)
	}
	s.earliest = time.Time{}
	key := r.Header.Get("Idempotency-Key")
	if e.same && (key == "" || key != s.key || !bytes.Equal(body, s.body)) {
		s.t.Errorf("request %d has the key %q and the body %s, want those of the request before: %q, %s", s.n, key,
			body, s.key, s.body)
	}
	s.key, s.body = key, body
	return &e.answer
}

// fault returns the fault of a request, "" for none.
func (e *exchange) fault(r *http.Request, body []byte) string {
	want, err := url.Parse("http://stub/" + e.want)
	if err != nil {
		return err.Error()
	}
	if got := r.Method + " " + r.URL.Path; got != want.Path[1:] {
		return "want " + e.want
	}
	if want.RawQuery != "" && !reflect.DeepEqual(r.URL.Query(), want.Query()) {
		return "want " + e.want
	}
	if e.sent != "" && !sameJSON([]byte(e.sent), body) {
		return fmt.Sprintf("the body is %s, want %s", body, e.sent)
	}
	if e.check != nil {
		return e.check(r)
	}
	return ""
}

// sameJSON reports whether two texts are the same JSON value.
func sameJSON(a, b []byte) bool {
	var one, other any
	return json.Unmarshal(a, &one) == nil && json.Unmarshal(b, &other) == nil && reflect.DeepEqual(one, other)
}

// done checks that the client has sent all requests of the script.
func (s *scripted) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n < len(s.script) {
		s.t.Errorf("the client has sent %d requests, want also %s", s.n, s.script[s.n].want)
	}
}
