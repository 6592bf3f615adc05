package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/client/strategy"
)

// fault is an answer other than the one that a client hopes for. Each must make a client repeat the
// request or read the duel again.
type fault struct {
	Name string
	// Lost is set when the request has taken its effect and only its answer is lost.
	Lost   bool
	Status int
	Body   string
	// RetryAfter is the header Retry-After in seconds, 0 for none. With Date the header is a date.
	RetryAfter int `json:"retry_after_s"`
	Date       bool
	// Broken is truncated, held or closed for a connection without a complete answer.
	Broken string
}

// readFaults reads the table of answers. The clients of all languages play against it, too (sdk/conformance), and the
// page (web/src/duel/answers.test.ts).
func readFaults(t *testing.T) []fault {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "client/testdata/answers.json"))
	if err != nil {
		t.Fatal(err)
	}
	var faults []fault
	if err := json.Unmarshal(text, &faults); err != nil {
		t.Fatal(err)
	}
	return faults
}

// write answers in place of the service, with answer for a lost one. It returns the earliest time of
// the next request, if the answer names one.
func (f *fault) write(w http.ResponseWriter, r *http.Request, answer []byte) (notBefore time.Time) {
	switch f.Broken {
	case "held":
		<-r.Context().Done() // the client gives up, before its deadline if it loses no round
		return time.Time{}
	case "truncated":
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", fmt.Sprint(len(answer)))
		_, _ = w.Write(answer[:len(answer)/2])
		panic(http.ErrAbortHandler)
	case "closed":
		panic(http.ErrAbortHandler)
	}
	if f.RetryAfter > 0 {
		notBefore = time.Now().Add(time.Duration(f.RetryAfter) * time.Second)
		after := fmt.Sprint(f.RetryAfter)
		if f.Date {
			notBefore = notBefore.UTC().Truncate(time.Second)
			after = notBefore.Format(http.TimeFormat)
		}
		w.Header().Set("Retry-After", after)
	}
	w.WriteHeader(f.Status)
	_, _ = io.WriteString(w, f.Body)
	return notBefore
}

// badService is a proxy that answers one request of each kind in each duel with the duel's fault: duel
// n has the n-th fault. The kinds are the queue, a commit in round 1, a read in round 2 and a reveal in
// round 3: each step has a deadline of its own.
type badService struct {
	t      *testing.T
	proxy  *httputil.ReverseProxy
	faults []fault

	mu        sync.Mutex
	duels     map[string]bool // the codes seen in requests
	round     int64           // of the newest commit
	met       map[string]bool // fault and kind
	read      chan struct{}   // closed once the read of the current duel has met its fault
	notBefore time.Time
}

var requestedRound = regexp.MustCompile(`"round": ?(\d+)`)

// meets notes a request and returns the fault that it meets, or nil.
func (b *badService) meets(r *http.Request, body []byte) *fault {
	b.mu.Lock()
	defer b.mu.Unlock()
	if early := time.Until(b.notBefore); early > 50*time.Millisecond { // timers and clocks differ a little
		b.t.Errorf("%s %s came %v before Retry-After", r.Method, r.URL.Path, early)
	}
	b.notBefore = time.Time{}
	step := path.Base(r.URL.Path)
	if code, ok := strings.CutPrefix(r.URL.Path, "/api/duels/"); ok {
		code, _, _ = strings.Cut(code, "/")
		if !b.duels[code] {
			b.duels[code], b.round = true, 0
		}
		if step == code {
			step = "read"
		}
	}
	if found := requestedRound.FindSubmatch(body); found != nil {
		_, _ = fmt.Sscan(string(found[1]), &b.round)
	}
	n := max(0, len(b.duels)-1)
	if step == "queue" && len(b.duels) > 0 {
		n = len(b.duels)
	}
	at, counts := map[string]int64{"queue": b.round, "commit": 1, "read": 2, "reveal": 3}[step]
	if !counts || at != b.round || n >= len(b.faults) || b.met[b.faults[n].Name+step] {
		return nil
	}
	b.met[b.faults[n].Name+step] = true
	if step == "read" {
		close(b.read)
		b.read = make(chan struct{})
	}
	return &b.faults[n]
}

func (b *badService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	f := b.meets(r, body)
	if f == nil {
		b.proxy.ServeHTTP(w, r)
		return
	}
	answer := httptest.NewRecorder()
	if f.Lost {
		b.proxy.ServeHTTP(answer, r)
	}
	notBefore := f.write(w, r, answer.Body.Bytes())
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notBefore = notBefore
}

// slowOpponent is a transport that holds the opponent's commit of round 2 until the client has read the
// duel, so that it does.
type slowOpponent struct {
	service *badService
	seen    map[string]bool
}

func (s *slowOpponent) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/commit") && !s.seen[r.URL.Path] && r.GetBody != nil {
		reader, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(reader)
		if err != nil {
			return nil, err
		}
		if bytes.Contains(body, []byte(`"round":2`)) {
			if err := s.service.awaitRead(r.Context()); err != nil {
				return nil, err
			}
			s.seen[r.URL.Path] = true
		}
	}
	return http.DefaultTransport.RoundTrip(r)
}

// awaitRead waits until the client's read of the current duel has met its fault.
func (b *badService) awaitRead(ctx context.Context) error {
	b.mu.Lock()
	n, read := len(b.duels)-1, b.read
	met := n >= 0 && n < len(b.faults) && b.met[b.faults[n].Name+"read"]
	b.mu.Unlock()
	if met {
		return nil
	}
	select {
	case <-read:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answered are the clients that play against the table: the starters, and the bot of package client.
func answered() []starter {
	return append(allStarters(), starter{"the Go client", "roshambo", func(*testing.T, string, string) []string {
		return []string{"roshambo", "bot", "--strategy", "random", "--url"}
	}})
}

// TestAnswers plays a duel with each fault against each client. The client repeats the request or
// reads the duel again, and forfeits no round. All clients play at once, as they wait most of the time.
func TestAnswers(t *testing.T) {
	t.Parallel()
	var matches []*match
	var playing sync.WaitGroup
	for _, s := range answered() {
		if _, err := exec.LookPath(s.tool); err != nil {
			if t.Logf("%s: not played, %v", s.file, err); !slices.Contains(rareTools, s.tool) {
				t.Fail()
			}
			continue
		}
		m := newMatch(t, s)
		matches = append(matches, m)
		playing.Go(func() { m.play(t) })
	}
	playing.Wait()
	for _, m := range matches {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			m.check(t)
			testRefused(t, m.command)
		})
	}
}

// match is a client that plays a duel with each fault.
type match struct {
	name     string
	command  []string
	folder   string // of the client
	key      string
	service  *badService
	front    string // the address of service
	opponent *client.Bot
	finished []*api.Duel // as the opponent sees them

	out             string
	err, errOfOther error
}

// newMatch builds a client and starts a service and an opponent for it.
func newMatch(t *testing.T, s starter) *match {
	t.Helper()
	server, err := serve(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.kill() })
	target, err := url.Parse(server.url)
	if err != nil {
		t.Fatal(err)
	}
	bad := &badService{t: t, proxy: httputil.NewSingleHostReverseProxy(target), faults: readFaults(t),
		duels: map[string]bool{}, met: map[string]bool{}, read: make(chan struct{})}
	bad.proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) {} // the client has given up
	front := httptest.NewServer(bad)
	t.Cleanup(front.Close)
	c, err := client.New(client.Options{URL: server.url, Key: mustBot(t, server.url, "opponent"), RetryBudget: -1,
		Transport: &slowOpponent{service: bad, seen: map[string]bool{}}})
	if err != nil {
		t.Fatal(err)
	}
	m := &match{name: s.file, service: bad, front: front.URL, folder: t.TempDir(), key: mustBot(t, server.url, "player"),
		command: s.command(t, filepath.Join(root(t), "starter", s.file), t.TempDir())}
	m.opponent, err = client.NewBot(client.BotOptions{Client: c, Strategy: func(string) (strategy.Strategy, error) {
		return strategy.New("random", strategy.Seed{1})
	}, Ended: func(d *api.Duel) { m.finished = append(m.finished, d) }})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// play plays all duels.
func (m *match) play(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var other sync.WaitGroup
	other.Go(func() { m.errOfOther = m.opponent.Run(ctx, len(m.service.faults)) })
	if m.out, m.err = playAt(ctx, append(slices.Clone(m.command), m.front), m.folder, m.key,
		len(m.service.faults)); m.err != nil {
		cancel() // the opponent waits for nothing more
	}
	other.Wait()
	cancel()
}

// check requires that the client has met each fault, and that no round was forfeited.
func (m *match) check(t *testing.T) {
	t.Helper()
	if m.err != nil || m.errOfOther != nil {
		t.Fatalf("%v: %v; the opponent: %v\n%s", m.command, m.err, m.errOfOther, m.out)
	}
	for i, d := range m.finished {
		for _, r := range d.Rounds {
			if r.ForfeitedBy != nil {
				t.Errorf("%s: round %d was forfeited by %s; the opponent is %s", m.service.faults[i].Name, r.Round,
					*r.ForfeitedBy, *d.You)
			}
		}
	}
	for _, f := range m.service.faults {
		for _, kind := range []string{"queue", "commit", "read", "reveal"} {
			if !m.service.met[f.Name+kind] {
				t.Errorf("%s: no %s met it", f.Name, kind)
			}
		}
	}
	if trace.MatchString(m.out) {
		t.Errorf("it prints a trace:\n%s", m.out)
	}
}

// trace matches what runtimes print about errors that no code has handled.
var trace = regexp.MustCompile(`Traceback|panicked|goroutine \d|Exception in thread|(?m)^\s+at \S+`)

// testRefused requires that a client ends with one clear line when no repetition can help.
func testRefused(t *testing.T, command []string) {
	t.Helper()
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// On a connection that ends with the answer, a body that comes later would reset it.
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		(&fault{Status: 401, Body: `{"code":"unauthenticated","message":"The key is unknown."}`}).write(w, r, nil)
	}))
	t.Cleanup(front.Close)
	out, err := playAt(t.Context(), append(slices.Clone(command), front.URL), t.TempDir(), "rsb_unknown", 1)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err == nil || len(lines) != 1 || !strings.Contains(out, "401") || !strings.Contains(out, "The key is unknown.") {
		t.Errorf("an unknown key: %v, the output is %q, want a failure and one line", err, out)
	}
}

// playAt runs a client with its arguments up to the address in a folder, for a number of duels, and returns what it prints.
func playAt(ctx context.Context, command []string, folder, key string, duels int) (string, error) {
	args := slices.Clone(command[1:])
	if command[0] == "roshambo" {
		args = append(args, "--duels")
	}
	cmd := exec.CommandContext(ctx, command[0], append(args, fmt.Sprint(duels))...)
	cmd.Env, cmd.Dir = append(os.Environ(), "ROSHAMBO_KEY="+key), folder
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// mustBot creates a bot and returns its key.
func mustBot(t *testing.T, url, name string) string {
	t.Helper()
	key, err := newBot(url, name)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
