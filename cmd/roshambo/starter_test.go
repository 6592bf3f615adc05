package main

import (
	"fmt"
	"net/http"
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
	"roshambo/internal/platform/limit"
)

// starter is a bot of the folder starter.
type starter struct {
	file string // of its source, below starter
	tool string // that runs or builds it
	// command returns how to run it, having built it in a folder.
	command func(t *testing.T, source, folder string) []string
}

// starters are those that are tested before every merge; starter_nightly_test.go adds the
// others, whose tools take longer.
var starters = []starter{
	{"python/bot.py", "python3", func(_ *testing.T, source, _ string) []string { return []string{"python3", source} }},
	{"go/bot.go", "go", goStarter},
}

// goStarter vets and builds the starter in Go. It is a module of its own, so that a test of
// all packages of this one leaves it out.
func goStarter(t *testing.T, source, folder string) []string {
	t.Helper()
	program := filepath.Join(folder, "bot")
	for _, args := range [][]string{{"vet", "."}, {"build", "-o", program, "."}} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = filepath.Dir(source)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
	return []string{program}
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
		if _, err := exec.LookPath(s.tool); err != nil {
			t.Errorf("starter/%s: %v", s.file, err)
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
	c, err := client.New(client.Options{URL: url, Key: key, RetryBudget: -1})
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

// TestStarterREADMEs runs what each README says, from step 2 on, in a shell, against a
// service started as step 1 says, until ranked duels are played: twice in the same folder,
// as a reader does who comes back to it.
func TestStarterREADMEs(t *testing.T) {
	t.Parallel()
	// All of them play from one address, and the limit would be shared by all.
	server, err := serve(t.Context(), t.TempDir(), "--house-bots", "--rate-limit", "0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.kill()
		if t.Failed() {
			t.Logf("the service logged:\n%s", server.logged())
		}
	})
	for _, s := range starters {
		language := filepath.Dir(s.file)
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			getKey, play := starterSteps(t, filepath.Join("starter", language, "README.md"), server.url)
			folder := likeRoot(t)
			for range 2 {
				out := shell(t, folder, nil, getKey+play)
				if n := len(lineOfResult.FindAllString(out, -1)); n != 3 {
					t.Errorf("it said %q, want 3 results", out)
				}
			}
		})
	}
}

// starterSteps reads a starter's README and returns steps 2 and 3, to get a key and to
// play, with the address of the service replaced by url.
func starterSteps(t *testing.T, readme, url string) (getKey, play string) {
	t.Helper()
	steps := block.FindAllStringSubmatch(readDocument(t, readme), -1)
	if len(steps) != 3 || steps[0][1] != "   go run ./cmd/roshambo serve --house-bots" {
		t.Fatalf("%s has the steps %q, want to start a service, to get a key, and to play", readme, steps)
	}
	return at(t, steps[1][1], "http://127.0.0.1:8080", url) + "\n", steps[2][1] + "\n"
}

// TestStartersREADME runs the lines of starter/README.md that make a key, twice: the second
// time they make another bot of the same guest. Then it runs them on a service that is not
// there, where they must fail instead of leaving a key that is none.
func TestStartersREADME(t *testing.T) {
	t.Parallel()
	server, err := serve(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.kill() })
	_, text, ok := strings.Cut(readDocument(t, "starter/README.md"), "\n```\nURL=")
	text, _, end := strings.Cut("URL="+text, "```")
	if !ok || !end {
		t.Fatal("starter/README.md has no block that begins with URL=")
	}
	script := at(t, text, "http://127.0.0.1:8080", server.url)
	folder := likeRoot(t)
	keys := map[string]bool{}
	for range 2 {
		out := shell(t, folder, nil, script+`curl -s -H "Authorization: Bearer $ROSHAMBO_KEY" $URL/api/me`)
		key, me, _ := strings.Cut(out, "\n")
		if keys[key] || !strings.HasPrefix(key, "rsb_") || !strings.Contains(me, `"kind":"bot"`) {
			t.Fatalf("it made %q after %v, and with it /api/me answers %s", key, keys, me)
		}
		keys[key] = true
	}
	if bots := shell(t, folder, nil, "curl -s -b jar "+server.url+"/api/bots"); strings.Count(bots, `"username":"my-bot-`) != 2 {
		t.Errorf("the guest of jar has the bots %s, want two", bots)
	}
	_ = server.kill()
	// As at a prompt, where a pipe that fails is no error of its own.
	if out, err := bash(t, folder, nil, "set +eo pipefail\n"+script).CombinedOutput(); err == nil || !strings.Contains(string(out), "no key was made") {
		t.Errorf("without a service: %v, %q, want a failure", err, out)
	}
}

// at replaces what a document must contain.
func at(t *testing.T, text, was, is string) string {
	t.Helper()
	if !strings.Contains(text, was) {
		t.Fatalf("%q has no %s", text, was)
	}
	return strings.ReplaceAll(text, was, is)
}

func readDocument(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// likeRoot returns an empty folder in which commands can be run that are meant for the
// root of the repository.
func likeRoot(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"starter", "verify"} {
		if err := os.Symlink(filepath.Join(root(t), name), filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// bash returns a shell that will run a script in a folder.
func bash(t *testing.T, folder string, env []string, script string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", "set -eo pipefail\n"+script)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

// shell runs a script in a folder and returns what it prints.
func shell(t *testing.T, folder string, env []string, script string) string {
	t.Helper()
	cmd := bash(t, folder, env, script)
	var errors strings.Builder
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s\n%s", err, script, out, errors.String())
	}
	return string(out)
}
