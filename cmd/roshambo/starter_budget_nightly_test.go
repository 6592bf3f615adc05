//go:build nightly

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roshambo/client"
	"roshambo/client/api"
)

// scripted answers the calls of a starter one after the other, each with the rest of 240 calls in a minute.
type scripted struct {
	script []scriptedCall

	mu       sync.Mutex
	calls    []string        // method and path of each
	pauses   []time.Duration // before each, since the answer before it
	answered time.Time
}

// scriptedCall is a call that a starter has to send, and its answer.
type scriptedCall struct {
	want  string // method and path
	left  int    // of the limit, after the answer
	pause time.Duration
	body  string
}

// scriptedDuel is the answer with a duel in its first round.
func scriptedDuel(status string, version int, committed bool) string {
	return fmt.Sprintf(`{"duel":{"id":"ABCDEFGH","status":%q,"you":"a","a":{"username":"one","address":"x"},`+
		`"b":{"username":"two","address":"y"},"rounds":[{"round":1,"committed":{"a":%t,"b":false},"you_revealed":false,`+
		`"outcome":"pending","commitment_a":null,"commitment_b":null,"move_a":null,"move_b":null}],"wins":{"a":0,"b":0},`+
		`"winner":null,"version":%d}}`, status, committed, version)
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.calls)
	s.calls = append(s.calls, r.Method+" "+r.URL.Path)
	s.pauses = append(s.pauses, time.Since(s.answered))
	if n >= len(s.script) {
		w.WriteHeader(http.StatusUnauthorized) // the starter ends
		return
	}
	h := w.Header()
	h["RateLimit-Policy"] = []string{`"ip";q=240;w=60`}
	h["RateLimit"] = []string{fmt.Sprintf(`"ip";r=%d;t=1`, s.script[n].left)}
	h.Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, s.script[n].body)
	s.answered = time.Now()
}

// TestStartersKeepBudget: while less than a third of the limit is left, a starter asks for no ranked duel, and looks
// whether another one of its own has begun. With less than half, it waits before a step, and twice as long before a
// read.
func TestStartersKeepBudget(t *testing.T) {
	t.Parallel()
	const spacing, queue, list = 60 * time.Second / 81, "POST /api/arena/queue", "GET /api/duels"
	none := `{"duels":[],"next":null}`
	script := []scriptedCall{
		{queue, 79, 0, `{"status":"waiting","duel":null}`},
		{list, 79, 2 * 60 * time.Second / 80, none},
		{list, 80, 2 * 60 * time.Second / 80, none},
		{queue, 80, spacing, scriptedDuel("active", 1, false)},
		{"POST /api/duels/ABCDEFGH/commit", 80, spacing, scriptedDuel("active", 2, true)},
		{"GET /api/duels/ABCDEFGH", 80, 2 * spacing, scriptedDuel("finished", 3, true)},
	}
	for _, s := range starters {
		t.Run(s.file, func(t *testing.T) {
			t.Parallel()
			service := &scripted{script: script, answered: time.Now()}
			front := httptest.NewServer(service)
			t.Cleanup(front.Close)
			command := s.command(t, filepath.Join(root(t), "starter", s.file), t.TempDir())
			out, err := playAt(t.Context(), append(slices.Clone(command), front.URL), t.TempDir(), "rsb_any", 1)
			if err != nil || len(lineOfResult.FindAllString(out, -1)) != 1 {
				t.Errorf("%v, the output is %q, want one result", err, out)
			}
			service.mu.Lock()
			defer service.mu.Unlock()
			for i, call := range service.calls {
				if i >= len(script) || call != script[i].want {
					t.Fatalf("the calls are %q, want those of the script", service.calls)
				}
				// A sleep is never shorter, but starters round to milliseconds.
				if got := service.pauses[i]; got < script[i].pause-10*time.Millisecond {
					t.Errorf("%s came %v after the answer before it, want %v or more", call, got, script[i].pause)
				}
			}
		})
	}
}

// steps is a proxy that counts the calls of a client within duels. It excuses reads after a step that the service
// held for as long as the client asked: the other side was slow.
type steps struct {
	proxy *httputil.ReverseProxy

	mu      sync.Mutex
	n       int
	excused bool
}

func (s *steps) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	s.proxy.ServeHTTP(w, r)
	if !strings.HasPrefix(r.URL.Path, "/api/duels/") {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method != http.MethodGet || !s.excused {
		s.n++
	}
	s.excused = time.Since(began) > 4*time.Second
}

// TestStartersCallTwiceARound: each step of a starter is answered once the other side has moved, so it calls twice a
// round.
func TestStartersCallTwiceARound(t *testing.T) {
	t.Parallel()
	const duels = 3
	for _, s := range starters {
		t.Run(s.file, func(t *testing.T) {
			t.Parallel()
			server, err := serve(t.Context(), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = server.kill() })
			target, err := url.Parse(server.url)
			if err != nil {
				t.Fatal(err)
			}
			counter := &steps{proxy: httputil.NewSingleHostReverseProxy(target)}
			front := httptest.NewServer(counter)
			t.Cleanup(front.Close)
			opponent := opponentAt(t, server.url)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- opponent.Run(ctx, duels) }()
			command := s.command(t, filepath.Join(root(t), "starter", s.file), t.TempDir())
			out, err := playAt(t.Context(), append(slices.Clone(command), front.URL), t.TempDir(),
				mustBot(t, server.url, "starter"), duels)
			if err != nil {
				cancel()
			}
			if errOther := <-ended; err != nil || errOther != nil {
				t.Fatalf("%v, the opponent: %v\n%s", err, errOther, out)
			}
			cancel()
			rounds := 0
			for _, line := range lineOfResult.FindAllStringSubmatch(out, -1) {
				d, err := client.Read[api.GetDuelOut](opponent.Client.API.GetDuel(t.Context(), line[3], nil))
				if err != nil {
					t.Fatal(err)
				}
				rounds += len(d.Duel.Rounds)
			}
			if most := 2*rounds + 2*duels; rounds < 3*duels || counter.n > most {
				t.Errorf("%d calls in %d rounds of %d duels, want %d at most", counter.n, rounds, duels, most)
			}
		})
	}
}
