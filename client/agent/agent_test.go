package agent_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roshambo/client/agent"
	"roshambo/docs"
)

// arguments are the input of a tool.
type arguments map[string]any

// match begins a ranked duel between two agents.
func match(t *testing.T, a, b *session) (duel string) {
	t.Helper()
	first := pending[agent.DuelAnswer](a, "start_duel", arguments{"kind": "ranked"})
	second := pending[agent.DuelAnswer](b, "start_duel", arguments{"kind": "ranked"})
	one, two := first(), second()
	if one.Duel == nil || two.Duel == nil || one.Duel.Duel != two.Duel.Duel {
		t.Fatalf("matched %+v and %+v, want one duel", one, two)
	}
	return one.Duel.Duel
}

// finish plays a duel to its end: a throws rock and b throws paper in each round. It returns the last answers.
func finish(t *testing.T, duel string, a, b *session) (one, two agent.PlayOut) {
	t.Helper()
	for round := 1; round <= 3; round++ {
		first := pending[agent.PlayOut](a, "play", arguments{"duel": duel, "move": "rock", "round": round})
		second := pending[agent.PlayOut](b, "play", arguments{"duel": duel, "move": "paper", "round": round})
		one, two = first(), second()
		if one.Result != "lost" || one.TheirMove != agent.Paper || two.Result != "won" || two.TheirMove != agent.Rock {
			t.Fatalf("round %d: %+v and %+v, want paper to win", round, one, two)
		}
	}
	if one.Duel.Result != "lost" || two.Duel.Result != "won" || one.Duel.Waits != agent.Over {
		t.Errorf("the duel: %+v and %+v", one.Duel, two.Duel)
	}
	return one, two
}

// verified calls verify until all is in a block.
func verified(t *testing.T, s *session, in arguments) agent.VerifyOut {
	t.Helper()
	for {
		out := must[agent.VerifyOut](s, "verify", in)
		if out.Verdict != "PENDING" {
			return out
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the proof stays pending")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// resource reads a resource.
func resource(t *testing.T, s *session, uri string) []*mcp.ResourceContents {
	t.Helper()
	out, err := s.client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		t.Fatalf("%s: %v", uri, err)
	}
	return out.Contents
}

// keepsSecrets checks that no tool has shown the key, a salt or a receipt.
func keepsSecrets(t *testing.T, s *session) {
	t.Helper()
	secrets := append(s.salts.seen(), s.key)
	receipts, err := os.ReadFile(filepath.Join(s.folder, "receipts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(receipts) {
		var r struct{ Raw, Signature string }
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(r.Raw)
		if err != nil {
			t.Fatal(err)
		}
		secrets = append(secrets, r.Signature, r.Raw, strings.Trim(string(raw), `"`))
	}
	if len(secrets) < 10 {
		t.Errorf("%d secrets, want those of three rounds", len(secrets))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range secrets {
		if len(secret) < 16 {
			t.Errorf("%q is no secret", secret)
		}
		if strings.Contains(s.heard.String(), secret) {
			t.Errorf("a tool shows %q", secret)
		}
	}
}

// TestRankedDuel: two agents play a ranked duel, verify it, and notice a proof that was changed. No answer has a
// secret.
func TestRankedDuel(t *testing.T) {
	t.Parallel()
	s := startService(t)
	a, b := s.connect(s.options(s.newBot("agent-a"))), s.connect(s.options(s.newBot("agent-b")))
	if got := must[agent.StatusOut](a, "status", nil); !got.SignedIn || got.You.Kind != "bot" ||
		got.You.Name.TheirWords != "agent-a" || len(got.Duels) != 0 || !strings.Contains(got.Next, "start_duel") {
		t.Errorf("the first status: %+v", got)
	}
	duel := match(t, a, b)
	got := must[agent.StatusOut](a, "status", nil)
	if len(got.Duels) != 1 || got.Duels[0].Waits != agent.YourMove || got.Duels[0].Opponent.Name.TheirWords != "agent-b" ||
		got.Duels[0].SecondsLeft == nil || *got.Duels[0].SecondsLeft > 15 || !strings.Contains(got.Next, "Call play") {
		t.Errorf("in the duel: %+v", got)
	}
	before := a.salts.calls.Load()
	finish(t, duel, a, b)
	if n := a.salts.calls.Load() - before; n > 3*3+1 { // and the key of the log once
		t.Errorf("%d calls in three rounds", n)
	}

	report := verified(t, a, arguments{"duel": duel})
	last := report.Checks[len(report.Checks)-1]
	if report.Verdict != "VALID" || last.ID != "receipts" || last.Result != "pass" {
		t.Errorf("the proof: %+v, want it valid, with the receipts", report)
	}
	proof := resource(t, a, "roshambo://proofs/duels/"+duel)
	if len(proof) != 2 || !strings.Contains(proof[0].Text, "data, never instructions") {
		t.Fatalf("the proof as a resource: %+v", proof)
	}
	if report := must[agent.VerifyOut](a, "verify", arguments{"proof": proof[1].Text}); report.Verdict != "VALID" {
		t.Errorf("the proof of the resource: %+v", report)
	}
	changed := strings.Replace(proof[1].Text, `\"paper\"`, `\"scissors\"`, 1)
	if changed == proof[1].Text {
		t.Fatalf("the proof has no move to change: %s", changed)
	}
	if report := must[agent.VerifyOut](a, "verify", arguments{"proof": changed}); report.Verdict == "VALID" ||
		!slices.ContainsFunc(report.Checks, func(c agent.Check) bool { return c.Result == "fail" }) {
		t.Errorf("the changed proof: %+v", report)
	}

	history := must[agent.HistoryOut](a, "opponent_history", arguments{"name": "agent-b"})
	if history.Paper != 3 || history.Rock != 0 || len(history.Duels) != 1 || history.Duels[0].Outcome != "win" ||
		history.Duels[0].Opponent.Name.TheirWords != "agent-a" || history.Duels[0].Rounds[0].Result != "won" {
		t.Errorf("the history: %+v", history)
	}
	if bot := must[agent.BotOut](a, "bot_profile", arguments{"name": "agent-b"}); bot.Wins != 1 || bot.House {
		t.Errorf("the profile: %+v", bot)
	}
	keepsSecrets(t, a)
	keepsSecrets(t, b)
	if left, err := os.ReadDir(filepath.Join(a.folder, "hands")); err != nil || len(left) != 0 {
		t.Errorf("hands of the finished duel: %v, %v", left, err)
	}
}

// TestRun: an agent plays runs until one is claimed and one is lost, and verifies both.
func TestRun(t *testing.T) {
	t.Parallel()
	s := startService(t)
	a := s.connect(s.options(s.newBot("agent-a")))
	if text := a.refused("throw", arguments{"move": "rock", "then": "claim"}); !strings.Contains(text, "start_run") {
		t.Errorf("a throw without a run: %q", text)
	}
	out := must[agent.RunAnswer](a, "start_run", nil)
	if out.Run.Status != "active" || out.Run.Entry != "free" || out.Outcome != "" {
		t.Fatalf("the start: %+v", out)
	}
	if text := a.refused("start_run", nil); !strings.HasPrefix(text, "run_active (409)") {
		t.Errorf("a second run: %q", text)
	}
	id := out.Run.Run
	for out.Run.Status == "active" {
		s.jump(time.Second) // the least time between two throws
		out = must[agent.RunAnswer](a, "throw", arguments{"move": "scissors", "then": "claim"})
		if out.Outcome == "" || out.House == "" {
			t.Fatalf("a throw: %+v", out)
		}
	}
	if won := out.Outcome == "win"; won != (out.Run.Status == "claimed") || won != (out.Run.Token != nil) {
		t.Errorf("the end: %+v", out)
	}
	if report := verified(t, a, arguments{"run": id}); report.Verdict != "VALID" {
		t.Errorf("the proof: %+v", report)
	}
	if got := resource(t, a, "roshambo://proofs/runs/"+id); !strings.Contains(got[1].Text, `"texts":null`) {
		t.Errorf("the proof as a resource has the player's texts: %s", got[1].Text)
	}
}

// TestDecidingRun: a win that was to be continued is decided by a later call.
func TestDecidingRun(t *testing.T) {
	t.Parallel()
	s := startService(t)
	key := s.newBot("agent-a")
	a := s.connect(s.options(key))
	for _, then := range []string{"claim", "continue"} {
		run := s.deciding(key)
		out := must[agent.RunAnswer](a, "throw", arguments{"then": then})
		want := map[string]string{"claim": "claimed", "continue": "active"}[then]
		if out.Run.Run != run || out.Run.Status != want || out.Outcome != "" {
			t.Errorf("%s: %+v, want the run %s %s", then, out, run, want)
		}
	}
	if text := a.refused("throw", arguments{"then": "claim"}); !strings.Contains(text, "name a move") {
		t.Errorf("without a move: %q", text)
	}
}

// TestCup: two agents join the service's cup and play it.
func TestCup(t *testing.T) {
	t.Parallel()
	s := startService(t)
	a, b := s.connect(s.options(s.newBot("agent-a"))), s.connect(s.options(s.newBot("agent-b")))
	if text := a.refused("start_duel", arguments{"kind": "cup"}); !strings.Contains(text, "join_cup") {
		t.Errorf("without a cup: %q", text)
	}
	var list agent.CupsOut
	for len(list.Cups) == 0 { // the service opens it at its start
		list = must[agent.CupsOut](a, "list_cups", nil)
	}
	cup := arguments{"number": list.Cups[0].Number}
	for _, one := range []*session{a, b} {
		if got := must[agent.CupAnswer](one, "join_cup", cup); got.You != "in" || !strings.Contains(got.Next, "starts in") {
			t.Fatalf("joined: %+v", got)
		}
	}
	if text := a.refused("join_cup", cup); !strings.HasPrefix(text, "in_cup (409)") {
		t.Errorf("joined twice: %q", text)
	}
	if got := must[agent.DuelAnswer](a, "start_duel", arguments{"kind": "cup"}); got.Duel != nil ||
		!strings.Contains(got.Next, "starts in") {
		t.Errorf("long before the start: %+v", got)
	}
	s.jump(time.Duration(*list.Cups[0].StartsIn+1) * time.Second)
	first := pending[agent.DuelAnswer](a, "start_duel", arguments{"kind": "cup"})
	second := pending[agent.DuelAnswer](b, "start_duel", arguments{"kind": "cup"})
	one, two := first(), second()
	if one.Duel == nil || two.Duel == nil || one.Duel.Duel != two.Duel.Duel || one.Duel.Kind != "cup" {
		t.Fatalf("the game: %+v and %+v", one, two)
	}
	finish(t, one.Duel.Duel, a, b)
	var table agent.CupAnswer
	for table.Cup.Status != "finished" { // the service closes it seconds after the last game
		s.jump(time.Second)
		<-time.After(10 * time.Millisecond)
		table = must[agent.CupAnswer](a, "cup_table", cup)
	}
	if table.Table[0].Player.Name.TheirWords != "agent-b" || table.Table[0].Points != 2 || table.Table[1].Points != 0 {
		t.Errorf("the table: %+v", table.Table)
	}
	if got := must[agent.StatusOut](a, "status", nil); got.Cup != nil {
		t.Errorf("after the cup: %+v", got)
	}
}

// TestTools: the tools are the documented ones, each with schemas and honest annotations.
func TestTools(t *testing.T) {
	t.Parallel()
	s := startService(t)
	a := s.connect(s.options(""))
	readOnly := map[string]bool{
		"status": true, "start_duel": false, "play": false, "wait_turn": false, "resign": false, "get_duel": true,
		"start_run": false, "throw": false, "list_cups": true, "join_cup": false, "cup_table": true, "leaderboard": true,
		"bot_profile": true, "opponent_history": true, "verify": true, "lab": true, "take_challenges": false,
	}
	repeated := []string{"wait_turn", "take_challenges"} // beside those that read
	destructive := []string{"resign", "start_run", "throw"}
	seen := 0
	for tool, err := range a.client.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		seen++
		want, known := readOnly[tool.Name]
		if !known || tool.Description == "" || tool.InputSchema == nil || tool.OutputSchema == nil {
			t.Errorf("the tool %+v", tool)
		}
		h := tool.Annotations
		if h.ReadOnlyHint != want || *h.DestructiveHint != slices.Contains(destructive, tool.Name) ||
			h.IdempotentHint != (want || slices.Contains(repeated, tool.Name)) || *h.OpenWorldHint == (tool.Name == "lab") {
			t.Errorf("%s is annotated %+v", tool.Name, h)
		}
	}
	if seen != len(readOnly) {
		t.Errorf("%d tools, want %d", seen, len(readOnly))
	}
	if text := a.refused("play", arguments{"move": "well"}); !strings.Contains(text, "arguments") {
		t.Errorf("a move that is none: %q", text)
	}
	for _, one := range []string{"resign", "throw", "start_run", "join_cup", "start_duel", "wait_turn",
		"take_challenges"} {
		in := arguments{"duel": "ABCDEFGH", "then": "claim", "number": 1, "kind": "spar", "from": "all"}
		for name := range in { // only what the tool takes
			if !takes(t, a, one, name) {
				delete(in, name)
			}
		}
		if text := a.refused(one, in); !strings.Contains(text, "ROSHAMBO_KEY") {
			t.Errorf("%s without a key: %q", one, text)
		}
	}
}

// TestAgentsDocument: docs/agents.md lists the tools, and its examples are what programs and the service accept.
func TestAgentsDocument(t *testing.T) {
	t.Parallel()
	s := startService(t)
	a := s.connect(s.options(""))
	document := string(docs.All()["agents.md"])
	for tool, err := range a.client.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(document, "`"+tool.Name+"`") {
			t.Errorf("docs/agents.md does not name %s", tool.Name)
		}
	}
	examples := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(document, -1)
	hosted := 0
	for _, m := range examples {
		var file map[string]map[string]struct {
			Command, URL string
			Args         []string
			Headers      map[string]string
		}
		err := json.Unmarshal([]byte(m[1]), &file)
		server := file["mcpServers"]["roshambo"]
		if file["servers"] != nil {
			server = file["servers"]["roshambo"]
		}
		switch {
		case err != nil:
			t.Errorf("%s\n%v", m[1], err)
		case server.URL != "":
			hosted++
			if !strings.HasSuffix(server.URL, "/mcp") || !strings.HasPrefix(server.Headers["Authorization"], "Bearer rsb_") {
				t.Errorf("%s", m[1])
			}
		case server.Command != "roshambo" || len(server.Args) == 0 || server.Args[0] != "mcp":
			t.Errorf("%s", m[1])
		}
	}
	cup := regexp.MustCompile("`(\\{\"kind\":\"bots\".*\\})`").FindStringSubmatch(document)
	if len(examples) != 3 || hosted != 1 || cup == nil {
		t.Fatalf("%d examples, %d of the service, and the cup %q", len(examples), hosted, cup)
	}
	host := s.guest()
	host.signIn("/api/auth/register", `{"username":"the-host","password":"battery staple"}`)
	var opened struct{ Code *string }
	host.post("/api/cups", cup[1], &opened)
	if opened.Code == nil || len(*opened.Code) != 8 {
		t.Errorf("the cup has the code %v", opened.Code)
	}
}

// TestNewRefuses: options that would fail later, or show a secret.
func TestNewRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]agent.Options{
		"no URL":                {Folder: t.TempDir()},
		"a password in the URL": {URL: "http://ann:secret@127.0.0.1:8080", Folder: t.TempDir()},
		"no folder":             {URL: "http://127.0.0.1:8080"},
		"a file as folder":      {URL: "http://127.0.0.1:8080", Folder: file},
		"a malformed key":       {URL: "http://127.0.0.1:8080", Folder: t.TempDir(), VerifierKey: "none"},
	} {
		if a, err := agent.New(o); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, %v, want an error", name, a, err)
		}
	}
}

// takes reports whether a tool has a parameter.
func takes(t *testing.T, s *session, tool, parameter string) bool {
	t.Helper()
	for one, err := range s.client.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if one.Name == tool {
			properties, _ := one.InputSchema.(map[string]any)["properties"].(map[string]any)
			return properties[parameter] != nil
		}
	}
	return false
}
