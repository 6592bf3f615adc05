package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/client/strategy"
	"roshambo/internal/limit"
)

// newBot opens an account for a bot, by a guest of its own, and returns its key.
func newBot(url, name string) (key string, err error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", err
	}
	var out struct {
		CSRF   string `json:"csrf_token"`
		Secret string `json:"secret"`
	}
	guest := &http.Client{Jar: jar}
	for _, call := range [][2]string{{"/api/guest", ""}, {"/api/bots", fmt.Sprintf(`{"name":%q}`, name)}} {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url+call[0], strings.NewReader(call[1]))
		if err != nil {
			return "", err
		}
		r.Header.Set("X-CSRF-Token", out.CSRF)
		response, err := guest.Do(r)
		if err != nil {
			return "", err
		}
		err = json.NewDecoder(response.Body).Decode(&out)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK {
			return "", fmt.Errorf("POST %s: %s, %w", call[0], response.Status, err)
		}
	}
	return out.Secret, nil
}

// starter is a bot of the folder starter.
type starter struct {
	file string // of its source, below starter
	tool string // that runs or builds it
	// needed says that the tool is on every machine that builds this: without it the test
	// fails. The others are tested where they are; `make test` says which are not.
	needed bool
	// command returns how to run it, having built it in a folder.
	command func(t *testing.T, source, folder string) []string
}

var starters = []starter{
	{"python/bot.py", "python3", true, func(_ *testing.T, source, _ string) []string { return []string{"python3", source} }},
	{"typescript/bot.ts", "node", true, typescript},
	{"go/bot.go", "go", true, built("go", "build", "-o")},
	{"rust/bot.rs", "rustc", false, built("rustc", "--edition", "2021", "-O", "-o")},
	{"java/Bot.java", "java", false, func(_ *testing.T, source, _ string) []string { return []string{"java", source} }},
}

// built returns a command that builds a program and runs it.
func built(compiler ...string) func(*testing.T, string, string) []string {
	return func(t *testing.T, source, folder string) []string {
		t.Helper()
		program := filepath.Join(folder, "bot")
		args := append(append([]string{}, compiler[1:]...), program, source)
		if out, err := exec.CommandContext(t.Context(), compiler[0], args...).CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", compiler[0], args, err, out)
		}
		return []string{program}
	}
}

// typescript takes the types out, as Node.js does by itself from version 22.18 on.
func typescript(t *testing.T, source, folder string) []string {
	t.Helper()
	program := filepath.Join(folder, "bot.mjs")
	script := `const ts = require(process.argv[1] + "/node_modules/typescript"), fs = require("fs");
const {outputText, diagnostics} = ts.transpileModule(fs.readFileSync(process.argv[2], "utf8"),
  {reportDiagnostics: true, compilerOptions: {target: "esnext", module: "esnext", erasableSyntaxOnly: true}});
if (diagnostics.length) throw new Error(ts.formatDiagnostics(diagnostics, {getCanonicalFileName: f => f, getNewLine: () => "\n", getCurrentDirectory: () => ""}));
fs.writeFileSync(process.argv[3], outputText);`
	web := filepath.Join(root(t), "web")
	if out, err := exec.CommandContext(t.Context(), "node", "-e", script, web, source, program).CombinedOutput(); err != nil {
		t.Fatalf("take the types out (with TypeScript from web/node_modules: npm ci in web): %v\n%s", err, out)
	}
	return []string{"node", program}
}

func root(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// lineOfResult is what a starter says of each duel.
var lineOfResult = regexp.MustCompile(`(?m)^(won|lost|drawn)( against [\w-]+, \d:\d)?, http\S+/d/([0-9A-Z]{8})$`)

// TestStarters lets each starter play ranked duels against the service as it is shipped,
// against a bot of package client, and looks at the duels that came of it.
func TestStarters(t *testing.T) {
	t.Parallel()
	for _, s := range starters {
		if _, err := exec.LookPath(s.tool); err != nil && !s.needed {
			t.Logf("starter/%s is not tested: %v", s.file, err)
			continue
		}
		t.Run(s.file, func(t *testing.T) {
			t.Parallel()
			server, err := serve(t.Context(), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = server.kill() })
			command := s.command(t, filepath.Join(root(t), "starter", s.file), t.TempDir())
			testStarter(t, server.url, command)
		})
	}
}

const starterDuels = 2

func testStarter(t *testing.T, url string, command []string) {
	t.Helper()
	opponent := opponentAt(t, url)
	ended := make(chan error, 1)
	go func() { ended <- opponent.Run(t.Context(), starterDuels) }()
	key, err := newBot(url, "starter")
	if err != nil {
		t.Fatal(err)
	}
	front, refused := narrow(t, url)
	cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], front, fmt.Sprint(starterDuels))...)
	cmd.Env = append(os.Environ(), "ROSHAMBO_KEY="+key)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if n := refused.Load(); n > 0 {
		t.Errorf("%d of its requests were refused: it does not pace itself by RateLimit", n)
	}
	lines := lineOfResult.FindAllStringSubmatch(string(out), -1)
	if len(lines) != starterDuels {
		t.Fatalf("it said %q, want %d results", out, starterDuels)
	}
	for _, line := range lines {
		checkStarterDuel(t, opponent.Client, line[3], line[1])
	}
}

// narrow stands before the service with a request limit that a duel would exceed at full
// speed, and counts the requests that it refuses.
func narrow(t *testing.T, service string) (front string, refused *atomic.Int64) {
	t.Helper()
	const most, window = 10, time.Second
	l, err := limit.NewLog(most, window)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(service)
	if err != nil {
		t.Fatal(err)
	}
	refused = new(atomic.Int64)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(r *http.Response) error {
		r.Header.Del("RateLimit")
		return nil
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d := l.Take(r.Context(), netip.Addr{})
		w.Header()["RateLimit"] = []string{fmt.Sprintf(`"ip";r=%d;t=%d`, d.Remaining, int((d.Reset+time.Second-1)/time.Second))}
		if !d.OK {
			refused.Add(1)
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, refused
}

// checkStarterDuel demands that no deadline was missed, that the starter says rightly how
// it ended, and that it took other salts each time.
func checkStarterDuel(t *testing.T, c *client.Client, code, result string) {
	t.Helper()
	out, err := client.Read[api.GetDuelOut](c.API.GetDuel(t.Context(), code, nil))
	if err != nil {
		t.Fatal(err)
	}
	d := &out.Duel
	want := map[string]string{"won": "lost", "lost": "won", "drawn": "drawn"}[client.Result(d)] // it is the opponent's
	if d.Status != api.DuelStatusFinished || d.Kind != api.DuelKindRanked || result != want {
		t.Errorf("duel %s is %s, %s; it says %s, want %s", code, d.Status, d.Kind, result, want)
	}
	salts := map[string]bool{}
	for _, r := range d.Rounds {
		if r.ForfeitedBy != nil {
			t.Errorf("duel %s, round %d was forfeited by %s", code, r.Round, *r.ForfeitedBy)
			continue
		}
		salt := *r.SaltA
		if *d.You == api.DuelYouA {
			salt = *r.SaltB
		}
		if len(salt) < 22 || salts[salt] {
			t.Errorf("duel %s, round %d: the salt %q is short, or was used before", code, r.Round, salt)
		}
		salts[salt] = true
	}
}

// opponentAt returns a bot that whoever is tested plays against.
func opponentAt(t *testing.T, url string) *client.Bot {
	t.Helper()
	key, err := newBot(url, "opponent")
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(client.Options{URL: url, Key: key, Patience: -1})
	if err != nil {
		t.Fatal(err)
	}
	b, err := client.NewBot(client.BotOptions{Client: c, Strategy: func(string) (strategy.Strategy, error) {
		return strategy.New("random", strategy.Seed{1}) // few ties, so the duels are short
	}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestStartersAreShort: each is a page that is read before it is run.
func TestStartersAreShort(t *testing.T) {
	t.Parallel()
	for _, s := range starters {
		text, err := os.ReadFile(filepath.Join(root(t), "starter", s.file))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n > 130 {
			t.Errorf("starter/%s has %d lines, want at most 130", s.file, n)
		}
	}
}

// block is a fenced block of a list in Markdown.
var block = regexp.MustCompile("(?s)\n   ```\n(.*?)\n   ```\n")

// TestStarterREADMEs does what each README says, from step 2 on, in a shell, against a
// service started as step 1 says: so far that a ranked duel was played.
func TestStarterREADMEs(t *testing.T) {
	t.Parallel()
	// All of them play from one address, and what they may ask for in a minute would do for four.
	server, err := serve(t.Context(), t.TempDir(), "--house-bots", "--rate-limit", "0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.kill()
		if t.Failed() {
			t.Logf("the service said:\n%s", server.logged())
		}
	})
	for _, s := range starters {
		folder := filepath.Dir(s.file)
		if _, err := exec.LookPath(s.tool); err != nil && !s.needed {
			continue // TestStarters says so
		}
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join(root(t), "starter", folder, "README.md"))
			if err != nil {
				t.Fatal(err)
			}
			steps := block.FindAllStringSubmatch(string(text), -1)
			if len(steps) != 3 || !strings.Contains(steps[0][1], "serve --house-bots") {
				t.Fatalf("README.md has the steps %q, want to start a service, to get a key, and to play", steps)
			}
			script := "set -eo pipefail\n" + steps[1][1] + "\n" + steps[2][1]
			for was, is := range map[string]string{"http://127.0.0.1:8080": server.url, "my-first-bot": "my-first-" + folder} {
				if !strings.Contains(script, was) {
					t.Fatalf("README.md has no %s", was)
				}
				script = strings.ReplaceAll(script, was, is)
			}
			if folder == "typescript" {
				script = withTypes(t, script)
			}
			out := shell(t, script)
			if n := len(lineOfResult.FindAllString(out, -1)); n != 3 {
				t.Errorf("it said %q, want 3 results", out)
			}
		})
	}
}

// withTypes has a script run a starter in TypeScript with whatever Node.js is here. From
// version 22.18 on that is its own line; before, the types are taken out.
func withTypes(t *testing.T, script string) string {
	t.Helper()
	const line = "node starter/typescript/bot.ts"
	before, after, ok := strings.Cut(script, line)
	if !ok {
		t.Fatalf("%q has no %s", script, line)
	}
	after, _, _ = strings.Cut(after, "\n") // what follows is for an older Node.js, and asks the network
	command := typescript(t, filepath.Join(root(t), "starter/typescript/bot.ts"), t.TempDir())
	return before + strings.Join(command, " ") + after
}

// shell runs a script in an empty folder that has the starters, and returns what it says.
func shell(t *testing.T, script string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.Symlink(filepath.Join(root(t), "starter"), filepath.Join(folder, "starter")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
	cmd.Dir = folder
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, out)
	}
	return string(out)
}
