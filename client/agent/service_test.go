package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roshambo/client"
	"roshambo/client/agent"
	"roshambo/client/api"
	"roshambo/internal/app"
)

// service is the whole service, as shipped, in this process. Its clock is slow, so that no deadline passes because the
// machine is busy.
type service struct {
	t      *testing.T
	url    string
	now    func() time.Time
	jumped atomic.Int64 // offset of its clock in nanoseconds
}

func startService(t *testing.T) *service {
	t.Helper()
	s, began := &service{t: t}, time.Now()
	s.now = func() time.Time { return began.Add(time.Since(began)/20 + time.Duration(s.jumped.Load())) }
	s.start()
	return s
}

func (s *service) start() {
	s.t.Helper()
	ready, ended := make(chan string, 1), make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		ended <- app.Serve(ctx, app.Config{
			Listen: "127.0.0.1:0", Data: filepath.Join(s.t.TempDir(), "data"), LogFormat: "text", Drain: app.DefaultDrain,
			Log: io.Discard, Now: s.now, Ready: func(address string) { ready <- address },
		})
	}()
	select {
	case address := <-ready:
		s.url = "http://" + address
	case err := <-ended:
		cancel()
		s.t.Fatalf("the service ended before it was ready: %v", err)
	}
	s.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Errorf("the service ended with %v", err)
		}
	})
}

// jump sets the service's clock forward.
func (s *service) jump(d time.Duration) { s.jumped.Add(int64(d)) }

// guest is a browser with a session.
type guest struct {
	*service

	client *http.Client
	csrf   string
}

func (s *service) guest() *guest {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	g := &guest{service: s, client: &http.Client{Jar: jar}}
	g.signIn("/api/guest", "")
	return g
}

// signIn opens a session.
func (g *guest) signIn(path, body string) {
	g.t.Helper()
	var out struct {
		CSRF string `json:"csrf_token"`
	}
	g.post(path, body, &out)
	g.csrf = out.CSRF
}

func (g *guest) post(path, body string, out any) {
	g.t.Helper()
	g.send(http.MethodPost, path, body, out)
}

func (g *guest) send(method, path, body string, out any) {
	g.t.Helper()
	r, err := http.NewRequestWithContext(g.t.Context(), method, g.url+path, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	r.Header.Set("X-CSRF-Token", g.csrf)
	response, err := g.client.Do(r)
	if err != nil {
		g.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		g.t.Fatalf("%s %s: %s: %s, %v", method, path, response.Status, text, err)
	}
	if err := json.Unmarshal(text, out); err != nil {
		g.t.Fatal(err)
	}
}

// newBot creates a bot, owned by a guest of its own, and returns its key.
func (s *service) newBot(name string) string {
	s.t.Helper()
	var out struct{ Secret string }
	s.guest().post("/api/bots", fmt.Sprintf(`{"name":%q}`, name), &out)
	return out.Secret
}

// deciding plays runs of a player until a throw wins, and returns the run, which waits for the decision.
func (s *service) deciding(key string) (run string) {
	s.t.Helper()
	c, err := client.New(client.Options{URL: s.url, Key: key})
	if err != nil {
		s.t.Fatal(err)
	}
	h, err := client.NewHouse(client.HouseOptions{Client: c})
	if err != nil {
		s.t.Fatal(err)
	}
	rock := api.StartRunInMoveRock
	for {
		s.jump(time.Second) // the least time between two throws
		started, err := h.Start(s.t.Context(), api.StartRunIn{Move: &rock})
		if err != nil {
			s.t.Fatal(err)
		}
		state := &started.Run
		for state.Status == api.RunStatusActive {
			s.jump(time.Second)
			thrown, err := h.Throw(s.t.Context(), state, api.ThrowIn{Move: api.ThrowInMoveRock})
			if err != nil {
				s.t.Fatal(err)
			}
			state = &thrown.Run
		}
		if state.Status == api.RunStatusDeciding {
			return state.ID
		}
	}
}

// session is a client of an agent, as the program of a model has one. It keeps all that the model reads of tools.
type session struct {
	t      *testing.T
	agent  *agent.Agent
	client *mcp.ClientSession
	folder string
	key    string
	salts  *saltSpy

	mu    sync.Mutex // guards heard
	heard bytes.Buffer
}

// options are the options of an agent of a bot.
func (s *service) options(key string) agent.Options {
	return agent.Options{URL: s.url, Key: key, Folder: s.t.TempDir(), Now: s.now}
}

// connect starts an agent and connects the library's own client with it, in memory.
func (s *service) connect(o agent.Options) *session {
	t := s.t
	t.Helper()
	spy := &saltSpy{next: o.Transport}
	if o.Transport == nil {
		spy.next = http.DefaultTransport
	}
	o.Transport = spy
	a, err := agent.New(o)
	if err != nil {
		t.Fatal(err)
	}
	mine, theirs := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx, theirs) }()
	caller, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), mine, nil)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = caller.Close() // the agent may have ended before
		a.Abort()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the agent ended with %v", err)
		}
	})
	return &session{t: t, agent: a, client: caller, folder: o.Folder, key: o.Key, salts: spy}
}

// serve starts an agent that serves over HTTP, and returns its URL.
func (s *service) serve(o agent.Options) (url string) {
	t := s.t
	t.Helper()
	a, err := agent.New(o)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Serve(ctx, listener) }()
	t.Cleanup(func() {
		a.Abort()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the agent ended with %v", err)
		}
	})
	return "http://" + listener.Addr().String()
}

// saltSpy is a transport that notes the salts of reveals, and counts the calls.
type saltSpy struct {
	next  http.RoundTripper
	calls atomic.Int64

	mu    sync.Mutex // guards salts
	salts []string
}

func (s *saltSpy) RoundTrip(r *http.Request) (*http.Response, error) {
	s.calls.Add(1)
	if strings.HasSuffix(r.URL.Path, "/reveal") {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		var reveal struct{ Salt string }
		if err := json.Unmarshal(text, &reveal); err != nil {
			return nil, err
		}
		s.mu.Lock()
		s.salts = append(s.salts, reveal.Salt)
		s.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(text))
	}
	return s.next.RoundTrip(r)
}

// seen returns the salts of the reveals so far.
func (s *saltSpy) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.salts...)
}

// toolError is the error of a tool, whose text the model reads.
type toolError struct{ text string }

func (e *toolError) Error() string { return e.text }

// call calls a tool and decodes its output. Errors: *toolError.
func (s *session) call(name string, in, out any) error {
	result, err := s.client.CallTool(s.t.Context(), &mcp.CallToolParams{Name: name, Arguments: in})
	if err != nil {
		return err
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.heard.Write(text)
	s.mu.Unlock()
	if result.IsError {
		return &toolError{result.Content[0].(*mcp.TextContent).Text}
	}
	if text, err = json.Marshal(result.StructuredContent); err != nil {
		return err
	}
	return json.Unmarshal(text, out)
}

// must is call, and fails the test on an error.
func must[Out any](s *session, name string, in any) Out {
	s.t.Helper()
	var out Out
	if err := s.call(name, in, &out); err != nil {
		s.t.Fatalf("%s %+v: %v", name, in, err)
	}
	return out
}

// refused calls a tool that must fail, and returns the text that the model reads.
func (s *session) refused(name string, in any) string {
	s.t.Helper()
	var out any
	err := s.call(name, in, &out)
	failed, ok := errors.AsType[*toolError](err)
	if !ok {
		s.t.Fatalf("%s %+v: got %v, %v, want an error of the tool", name, in, out, err)
	}
	return failed.text
}

// pending calls a tool in the background.
func pending[Out any](s *session, name string, in any) func() Out {
	type result struct {
		out Out
		err error
	}
	ended := make(chan result, 1)
	go func() {
		var r result
		r.err = s.call(name, in, &r.out)
		ended <- r
	}()
	return func() Out {
		s.t.Helper()
		r := <-ended
		if r.err != nil {
			s.t.Fatalf("%s %+v: %v", name, in, r.err)
		}
		return r.out
	}
}
