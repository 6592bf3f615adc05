package agent_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"roshambo/client/agent"
)

// strained is a service at the end of its limit: it refuses the first call of each path, and says that nothing is
// left of a minute's calls. Of one duel each call is answered with its first round, in which no side has committed,
// and a commitment with an error.
type strained struct {
	mu        sync.Mutex // guards the two below
	refused   map[string]bool
	committed time.Time
}

func (s *strained) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := func(status int, body string) (*http.Response, error) {
		h := http.Header{"Content-Type": {"application/json"}, "Ratelimit": {`"calls";r=0;t=60`},
			"Ratelimit-Policy": {`"calls";q=240;w=60`}}
		if status == http.StatusTooManyRequests {
			h.Set("Retry-After", "20")
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
	if path := r.Method + r.URL.Path; !s.refused[path] {
		s.refused[path] = true
		return answer(http.StatusTooManyRequests, `{"code":"rate_limited","message":"m"}`)
	}
	const duel = `{"id":"ABCDEFGH","kind":"ranked","status":"active","you":"a","a":{"address":"rps1a"},
		"b":{"address":"rps1b"},"rounds":[{"round":1,"outcome":"pending"}]}`
	switch {
	case strings.HasSuffix(r.URL.Path, "/commit"):
		s.committed = time.Now()
		return answer(http.StatusForbidden, `{"code":"forbidden","message":"m"}`)
	case r.URL.Path == "/api/duels" && strings.Contains(r.URL.RawQuery, "status=active"):
		return answer(http.StatusOK, `{"duels":[`+duel+`]}`)
	case r.URL.Path == "/api/duels", r.URL.Path == "/api/cups":
		return answer(http.StatusOK, `{"duels":[],"cups":[]}`)
	case r.URL.Path == "/api/me":
		return answer(http.StatusOK, `{"account":{"kind":"bot"}}`)
	}
	return answer(http.StatusOK, fmt.Sprintf(`{"duel":%s}`, duel))
}

// TestCallsOfDuelsAreSteps: with nothing left of the limit, and a Retry-After that is longer than a step, each call
// of a tool within a duel is sent within seconds, so that a round is not lost before its commitment.
func TestCallsOfDuelsAreSteps(t *testing.T) {
	t.Parallel()
	for tool, c := range map[string]struct {
		in    arguments
		calls int // each with a refusal
	}{
		"play":       {arguments{"move": "rock", "duel": "ABCDEFGH"}, 2},
		"wait_turn":  {arguments{"duel": "ABCDEFGH"}, 1},
		"start_duel": {arguments{"kind": "spar"}, 2},
		"resign":     {arguments{"duel": "ABCDEFGH"}, 2},
		"get_duel":   {arguments{"duel": "ABCDEFGH"}, 1},
		"status":     {nil, 5},
	} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				host := &strained{refused: map[string]bool{}}
				s := (&service{t: t}).connect(agent.Options{URL: "http://host", Key: "rsb_key", Folder: folder,
					Transport: host})
				began := time.Now()
				var out any
				err := s.call(tool, c.in, &out)
				elapsed := time.Since(began)
				if tool == "play" {
					elapsed = host.committed.Sub(began)
				} else if err != nil {
					t.Fatal(err)
				}
				// A Retry-After of 5 s and a quarter more for the refusal, and at most 6 s by the limit for each attempt.
				if most := time.Duration(c.calls) * 19 * time.Second; elapsed > most || elapsed < 0 {
					t.Errorf("%d calls took %v, want at most %v", c.calls, elapsed, most)
				}
			})
		})
	}
}
