package agent_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roshambo/client/agent"
	"roshambo/docs"
)

// keyed is a transport that sends a key with each request.
type keyed struct{ key string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	if k.key != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+k.key)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// remote connects the library's own client over HTTP with a server, with a key.
func remote(t *testing.T, url, key string) *session {
	t.Helper()
	caller, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: keyed{key}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = caller.Close() })
	return &session{t: t, client: caller, key: key}
}

// hostedTools are the tools at /mcp of the service.
var hostedTools = []string{"bot_profile", "cup_table", "get_duel", "join_cup", "lab", "leaderboard", "list_cups",
	"opponent_history", "resign", "status", "verify"}

// toolsOf returns the names of the tools of a server.
func toolsOf(t *testing.T, s *session) map[string]*mcp.Tool {
	t.Helper()
	tools := map[string]*mcp.Tool{}
	for tool, err := range s.client.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		tools[tool.Name] = tool
	}
	return tools
}

// TestHosted: at /mcp of the service an agent reads, joins a cup, verifies and resigns with its key, and plays with its
// own server beside it.
func TestHosted(t *testing.T) {
	t.Parallel()
	s := startService(t)
	key := s.newBot("agent-a")
	a, b := s.connect(s.options(key)), s.connect(s.options(s.newBot("agent-b")))
	at := remote(t, s.url+"/mcp", key)
	if got := slices.Sorted(maps.Keys(toolsOf(t, at))); !slices.Equal(got, hostedTools) {
		t.Errorf("the tools are %v, want %v", got, hostedTools)
	}
	if text := at.client.InitializeResult().Instructions; !strings.Contains(text, "roshambo mcp") {
		t.Errorf("the instructions are %q", text)
	}
	duel := match(t, a, b)
	got := must[agent.StatusOut](at, "status", nil)
	if len(got.Duels) != 1 || got.Duels[0].Waits != agent.YourMove || got.You.Name.TheirWords != "agent-a" ||
		got.Service != s.url || !strings.Contains(got.Next, "roshambo mcp") {
		t.Errorf("in the duel: %+v", got)
	}
	finish(t, duel, a, b)
	if got := must[agent.DuelAnswer](at, "get_duel", arguments{"duel": duel}); got.Duel.Result != "lost" ||
		len(got.Duel.Rounds) != 3 {
		t.Errorf("the duel: %+v", got.Duel)
	}
	verified(t, a, arguments{"duel": duel})
	report := must[agent.VerifyOut](at, "verify", arguments{"duel": duel})
	if report.Verdict != "VALID" || !strings.Contains(report.Next, "service's own word") {
		t.Errorf("the proof: %+v", report)
	}
	proof := resource(t, at, "roshambo://proofs/duels/"+duel)[1].Text
	changed := strings.Replace(proof, `\"paper\"`, `\"scissors\"`, 1)
	if report := must[agent.VerifyOut](at, "verify", arguments{"proof": changed}); report.Verdict == "VALID" {
		t.Errorf("the changed proof: %+v", report)
	}
	if got := must[agent.HistoryOut](at, "opponent_history", arguments{"name": "agent-b"}); got.Paper != 3 {
		t.Errorf("the history: %+v", got)
	}
	if got := resource(t, at, "roshambo://docs/bots.md"); got[0].Text != string(docs.All()["bots.md"]) {
		t.Error("a document differs")
	}
	var list agent.CupsOut
	for len(list.Cups) == 0 { // the service opens it at its start
		list = must[agent.CupsOut](at, "list_cups", nil)
	}
	if got := must[agent.CupAnswer](at, "join_cup", arguments{"number": list.Cups[0].Number}); got.You != "in" {
		t.Errorf("joined: %+v", got)
	}
	if got := must[agent.StatusOut](a, "status", nil); got.Cup == nil || *got.Cup != list.Cups[0].Number {
		t.Errorf("the status of the player's own server: %+v", got)
	}
	spar := must[agent.DuelAnswer](a, "start_duel", arguments{"kind": "spar"}).Duel.Duel
	if got := must[agent.DuelAnswer](at, "resign", arguments{"duel": spar}); got.Duel.Waits != agent.Over {
		t.Errorf("resigned: %+v", got)
	}
	if board := must[agent.BoardOut](at, "leaderboard", nil); board.Board != "bots" {
		t.Errorf("the board: %+v", board)
	}
	checkDocumentedTools(t)
}

// checkDocumentedTools checks the tools that docs/agents.md names for the service.
func checkDocumentedTools(t *testing.T) {
	t.Helper()
	_, section, _ := strings.Cut(string(docs.All()["agents.md"]), "\n## At the service\n")
	section, _, _ = strings.Cut(section, "\n## ")
	table, _, _ := strings.Cut(section, "\n\nThe other tools")
	var named []string
	for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(table, -1) {
		named = append(named, m[1])
	}
	slices.Sort(named)
	if !slices.Equal(named, hostedTools) {
		t.Errorf("docs/agents.md names %v, want %v", named, hostedTools)
	}
}

// TestHostedLab: the lab of the service is a small one.
func TestHostedLab(t *testing.T) {
	t.Parallel()
	s := startService(t)
	at := remote(t, s.url+"/mcp", s.newBot("agent-a"))
	names := []string{"rock", "beat-last", "paper", "scissors", "rotate"}
	for _, wrong := range [][]string{names, names[:1], {"rock", "rock"}, slices.Repeat(names, 1000)} {
		if text := at.refused("lab", arguments{"strategies": wrong}); !strings.Contains(text, "two to 4") {
			t.Errorf("%d strategies: %q", len(wrong), text)
		}
	}
	got := must[agent.LabOut](at, "lab", arguments{"strategies": names[:2], "duels": 100000})
	if len(got.Standings) != 2 || got.Standings[0].Name != "beat-last" {
		t.Errorf("a tournament: %+v", got)
	}
	for _, key := range []string{"", "rsb_none"} {
		if text := remote(t, s.url+"/mcp", key).refused("lab", arguments{"strategies": names[:2]}); !strings.Contains(text,
			"header Authorization") {
			t.Errorf("a tournament for the key %q: %q", key, text)
		}
	}
}

// TestHostedPlaces: 64 messages are answered at the same time, the next one is refused, and a client that does not read
// its answer keeps no place.
func TestHostedPlaces(t *testing.T) {
	t.Parallel()
	const places = 64
	began, end := make(chan struct{}, places), make(chan struct{})
	h := agent.NewHosted(agent.HostedOptions{Now: time.Now, Service: func() http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			began <- struct{}{}
			<-end
			http.NotFound(w, nil)
		})
	}})
	request := func() *http.Request {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"leaderboard","arguments":{}}}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		return r
	}
	slow := &unread{written: make(chan struct{}, places), read: make(chan struct{})}
	var answered sync.WaitGroup
	for range places {
		answered.Go(func() { h.ServeHTTP(slow, request()) })
	}
	for range places {
		<-began
	}
	refused := httptest.NewRecorder()
	if h.ServeHTTP(refused, request()); refused.Code != http.StatusServiceUnavailable ||
		refused.Header().Get("Retry-After") != "1" {
		t.Errorf("with all places taken: %d", refused.Code)
	}
	close(end)
	for range places {
		<-slow.written
	}
	free := httptest.NewRecorder()
	if h.ServeHTTP(free, request()); free.Code != http.StatusOK {
		t.Errorf("while %d clients do not read: %d", places, free.Code)
	}
	close(slow.read)
	answered.Wait()
}

// unread is a client that does not read its answer.
type unread struct{ written, read chan struct{} }

func (*unread) Header() http.Header { return http.Header{} }
func (*unread) WriteHeader(int)     {}

func (u *unread) Write(b []byte) (int, error) {
	u.written <- struct{}{}
	<-u.read
	return len(b), nil
}

// TestHostedFault: a fault below a tool is an error of the tool, and the service goes on.
func TestHostedFault(t *testing.T) {
	t.Parallel()
	broken := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	for _, o := range []agent.HostedOptions{
		{Service: func() http.Handler { return broken }, Now: time.Now},
		{Service: func() http.Handler { return http.NotFoundHandler() }, Now: time.Now}, // an answer of no service
	} {
		server := httptest.NewServer(agent.NewHosted(o))
		t.Cleanup(server.Close)
		at := remote(t, server.URL, "")
		for range 2 {
			if text := at.refused("leaderboard", nil); !strings.HasSuffix(text, ".") {
				t.Errorf("the error is %q", text)
			}
		}
		if got := must[agent.LabOut](at, "lab", nil); len(got.Catalogue) == 0 {
			t.Error("after the fault the server does not answer")
		}
	}
}

// TestHostedCallsAreNoSteps: a tool at /mcp waits for the service longer than for a step of a duel, within the time of
// its message.
func TestHostedCallsAreNoSteps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(10 * time.Second):
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `{"duel":{"id":"ABCDEFGH","kind":"ranked","status":"active","a":{"address":"rps1a"},
					"rounds":[]}}`)
			case <-r.Context().Done():
			}
		})
		h := agent.NewHosted(agent.HostedOptions{Now: time.Now, Service: func() http.Handler { return slow }})
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_duel","arguments":{"duel":"ABCDEFGH"}}}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); !strings.Contains(w.Body.String(), "/d/ABCDEFGH") {
			t.Errorf("after 10 seconds: %d %s", w.Code, w.Body)
		}
	})
}

// TestServe: an agent on this machine serves its tools over HTTP, to programs of this machine alone.
func TestServe(t *testing.T) {
	t.Parallel()
	s := startService(t)
	url := s.serve(s.options(s.newBot("agent-a")))
	at := remote(t, url, "")
	spar := must[agent.DuelAnswer](at, "start_duel", arguments{"kind": "spar"}).Duel.Duel
	if got := must[agent.PlayOut](at, "play", arguments{"duel": spar, "move": "rock"}); got.YourMove != agent.Rock ||
		got.Result == "" {
		t.Errorf("a round: %+v", got)
	}
	for name, change := range map[string]func(*http.Request){
		"a page of another site": func(r *http.Request) { r.Header.Set("Origin", "https://elsewhere.example") },
		"another name":           func(r *http.Request) { r.Host = "rebound.example" },
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url,
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		change(r)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s, want 403", name, response.Status)
		}
	}
}
