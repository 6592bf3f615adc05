package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// agentProcess is a running `roshambo mcp` with a client.
type agentProcess struct {
	*mcp.ClientSession

	cmd *exec.Cmd
}

// startAgent starts `roshambo mcp` with a key in the environment.
func startAgent(t *testing.T, url, key, state string) *agentProcess {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "roshambo", "mcp", "--url", url, "--state", state)
	cmd.Env = append(os.Environ(), "ROSHAMBO_KEY="+key)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &agentProcess{session, cmd}
}

// use calls a tool and returns its output as JSON.
func (a *agentProcess) use(t *testing.T, tool string, in map[string]any) string {
	t.Helper()
	out, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: in})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, in, err)
	}
	text, err := json.Marshal(out.StructuredContent)
	if err != nil || out.IsError || strings.Contains(string(text), "rsb_") {
		t.Fatalf("%s %v: %v, %s, %+v", tool, in, err, text, out.Content)
	}
	return string(text)
}

// wants fails the test unless an answer has all texts.
func wants(t *testing.T, answer string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(answer, text) {
			t.Errorf("got %s, want %s", answer, text)
		}
	}
}

// committed waits until side b of a duel has committed.
func (v *visitor) committed(t *testing.T, duel string) {
	t.Helper()
	for {
		var seen struct {
			Duel struct {
				Rounds []struct{ Committed struct{ A, B bool } }
			}
		}
		if err := v.call(t.Context(), "GET", "/api/duels/"+duel, "", &seen); err != nil {
			t.Fatal(err)
		}
		if seen.Duel.Rounds[0].Committed.B {
			return
		}
	}
}

// plays calls the tool play in the background.
func (a *agentProcess) plays(t *testing.T, duel, move string) <-chan error {
	t.Helper()
	played := make(chan error, 1)
	go func() {
		_, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: "play",
			Arguments: map[string]any{"duel": duel, "move": move}})
		played <- err
	}()
	return played
}

// TestMCP plays with the command: a bot against a person, both by agents. kill -9 between the commitment and the reveal
// loses nothing: the next process reveals before its model has called a tool.
func TestMCP(t *testing.T) {
	t.Parallel()
	server, err := serve(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.kill() })
	key, err := newBot(server.url, "my-agent")
	if err != nil {
		t.Fatal(err)
	}
	person, err := newVisitor(t.Context(), server.url)
	if err != nil {
		t.Fatal(err)
	}
	var made struct{ Secret string }
	if err := person.call(t.Context(), "POST", "/api/keys", `{"label":"agent"}`, &made); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), "state")
	first, other := startAgent(t, server.url, key, state), startAgent(t, server.url, made.Secret, t.TempDir())
	wants(t, first.use(t, "status", nil), `"their_words":"my-agent"`, `"kind":"bot"`)

	var opened struct{ Duel struct{ Duel string } }
	if err := unmarshal([]byte(other.use(t, "start_duel", map[string]any{"kind": "open"})), &opened); err != nil {
		t.Fatal(err)
	}
	duel := opened.Duel.Duel
	wants(t, first.use(t, "start_duel", map[string]any{"kind": "join", "duel": duel}), `"waits":"your_move"`)
	played := first.plays(t, duel, "rock")
	person.committed(t, duel)
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-played; err == nil {
		t.Error("the killed process has answered")
	}
	_ = first.Close() // the process was killed

	second := startAgent(t, server.url, key, state)
	wants(t, other.use(t, "play", map[string]any{"duel": duel, "move": "paper"}), `"result":"won"`, `"their_move":"rock"`)
	wants(t, second.use(t, "wait_turn", nil), `"waits":"your_move"`, `"move_b":"rock"`)
	for range 2 {
		played = second.plays(t, duel, "scissors")
		other.use(t, "play", map[string]any{"duel": duel, "move": "rock"})
		if err := <-played; err != nil {
			t.Fatal(err)
		}
	}
	wants(t, second.use(t, "get_duel", map[string]any{"duel": duel}), `"result":"lost"`)
	for _, one := range []*agentProcess{second, other} {
		if err := one.Close(); err != nil {
			t.Errorf("the end: %v", err)
		}
	}
}

// TestMCPListen: the command serves over HTTP until a signal, and writes what it measures.
func TestMCPListen(t *testing.T) {
	t.Parallel()
	measures := filepath.Join(t.TempDir(), "measures.ndjson")
	cmd := exec.CommandContext(t.Context(), "roshambo", "mcp", "--state", t.TempDir(), "--listen", "127.0.0.1:0",
		"--measure", measures)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stderr).ReadString('\n')
	url, found := strings.CutPrefix(strings.TrimSpace(line), "roshambo mcp serves ")
	if err != nil || !found {
		t.Fatalf("it says %q, %v", line, err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := &agentProcess{session, cmd}
	wants(t, a.use(t, "verify", map[string]any{"proof": "{}"}), `"verdict":"NOT VALID"`)
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the end: %v", err)
	}
	text, err := os.ReadFile(measures)
	if err != nil || !strings.Contains(string(text), `{"kind":"verdict",`) {
		t.Errorf("the measures are %q, %v", text, err)
	}
}
