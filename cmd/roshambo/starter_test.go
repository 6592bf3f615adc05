package main

import (
	"encoding/json"
	"errors"
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
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/client/strategy"
	"roshambo/internal/platform/limit"
	"roshambo/verify"
)

// starter is a bot in the folder starter.
type starter struct {
	file string // its source file, below starter
	tool string // the program that runs or builds it
	// command builds the starter in a folder if necessary and returns the command to run it.
	command func(t *testing.T, source, folder string) []string
}

// starters are the ones tested in the gate; starter_nightly_test.go adds those whose tools are
// slower.
var starters = []starter{
	{"python/bot.py", "python3", func(_ *testing.T, source, _ string) []string { return []string{"python3", source} }},
	{"go/bot.go", "go", goStarter},
}

// others are the starters whose tools are slower or rarer: the gate plays them against the table of
// answers if their tools are there, and the nightly run does everything with them.
var others = []starter{
	{"typescript/bot.mts", "node", transpiled},
	{"rust/bot.rs", "rustc", built("rustc", "--edition", "2021", "-O", "-o")},
	{"java/Bot.java", "javac", func(t *testing.T, source, folder string) []string {
		t.Helper()
		runTool(t, "javac", "-d", folder, source)
		return []string{"java", "-cp", folder, "Bot"}
	}},
}

// rareTools are the tools that the gate does without: only the nightly run installs them.
var rareTools = []string{"rustc", "javac"}

// allStarters returns the starters in all languages, each once.
func allStarters() []starter {
	return append(slices.Clone(starters[:2]), others...)
}

// transpiled removes the types from a TypeScript file with the compiler of the page, which is installed
// for its checks, so that every version of Node.js runs it without a download.
func transpiled(t *testing.T, source, folder string) []string {
	t.Helper()
	program := filepath.Join(folder, "bot.mjs")
	runTool(t, "node", "-e", `const [compiler, source, program] = process.argv.slice(1), fs = require("fs");
const compilerOptions = { module: "esnext", target: "es2022" };
const { outputText } = require(compiler).transpileModule(fs.readFileSync(source, "utf8"), { compilerOptions });
fs.writeFileSync(program, outputText);`,
		filepath.Join(root(t), "web/node_modules/typescript"), source, program)
	return []string{"node", program}
}

// built returns a function that builds a program and returns the command to run it.
func built(compiler ...string) func(*testing.T, string, string) []string {
	return func(t *testing.T, source, folder string) []string {
		t.Helper()
		program := filepath.Join(folder, "bot")
		runTool(t, append(slices.Clone(compiler), program, source)...)
		return []string{program}
	}
}

// runTool runs a command that must succeed.
func runTool(t *testing.T, command ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
}

// goStarter vets and builds the Go starter. It is a module of its own, which `go vet ./...` of
// this module skips.
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

// lineOfResult matches the line that a starter prints for each duel.
var lineOfResult = regexp.MustCompile(`(?m)^(won|lost|drawn)( against [\w-]+, \d:\d)?, http\S+/d/([0-9A-Z]{8})$`)

// TestStarters lets each starter play ranked duels on a real service against a bot of package
// client, and checks the duels.
func TestStarters(t *testing.T) {
	t.Parallel()
	for _, s := range slices.Concat(starters, onClients) {
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
	cmd.Env, cmd.Dir = append(os.Environ(), "ROSHAMBO_KEY="+key), t.TempDir() // it writes receipts.jsonl
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if n := refused.Load(); n > 0 {
		t.Errorf("%d requests were rejected: it ignores RateLimit", n)
	}
	lines := lineOfResult.FindAllStringSubmatch(string(out), -1)
	if len(lines) != starterDuels {
		t.Fatalf("the output is %q, want %d results", out, starterDuels)
	}
	for _, line := range lines {
		checkStarterDuel(t, opponent.Client, line[3], line[1])
		checkStarterReceipts(t, opponent.Client, line[3], filepath.Join(cmd.Dir, "receipts.jsonl"))
	}
}

// checkStarterReceipts requires that the starter has kept a receipt of each round, in the form that
// the verifier reads, and that they agree with the proof.
func checkStarterReceipts(t *testing.T, c *client.Client, code, file string) {
	t.Helper()
	receipts, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := client.ReadText(c.API.GetDuelProof(t.Context(), code))
	if err != nil {
		t.Fatal(err)
	}
	report := verify.Duel(proof, verify.Options{Receipts: receipts})
	if last := report.Checks[len(report.Checks)-1]; last.ID != "receipts" || last.Result != verify.Pass {
		t.Errorf("duel %s: %+v", code, report)
	}
	var duel verify.DuelProof
	if err := json.Unmarshal(proof, &duel); err != nil {
		t.Fatal(err)
	}
	for n := range strings.Count(duel.Transcript.Raw, `"n":`) {
		if !strings.Contains(string(receipts), fmt.Sprintf(`\"duel_id\":\"%s\",\"kind\":\"round\",\"n\":%d,`, code, n+1)) {
			t.Errorf("duel %s: no receipt of round %d", code, n+1)
		}
	}
}

// TestStartersWithoutReceipts checks that a starter reveals nothing to a house that does not sign the
// commitments.
func TestStartersWithoutReceipts(t *testing.T) {
	t.Parallel()
	for _, s := range slices.Concat(starters, onClients) {
		t.Run(s.file, func(t *testing.T) {
			t.Parallel()
			testUnsigned(t, s.command(t, filepath.Join(root(t), "starter", s.file), t.TempDir()))
		})
	}
}

// testUnsigned requires that the bot of a command reveals nothing to a house that does not sign the commitments.
func testUnsigned(t *testing.T, command []string) {
	t.Helper()
	server, err := serve(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.kill() })
	opponent := opponentAt(t, server.url)
	go func() { _ = opponent.Run(t.Context(), 1) }() // until the test ends
	key, err := newBot(server.url, "starter")
	if err != nil {
		t.Fatal(err)
	}
	front, revealed := unsigned(t, server.url)
	cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], front, "1")...)
	cmd.Env, cmd.Dir = append(os.Environ(), "ROSHAMBO_KEY="+key), t.TempDir()
	out, err := cmd.CombinedOutput()
	if _, failed := errors.AsType[*exec.ExitError](err); !failed || revealed.Load() > 0 ||
		!strings.Contains(string(out), "has not signed both commitments") {
		t.Errorf("%v, %d reveals: %s", err, revealed.Load(), out)
	}
}

// unsigned is a proxy that asks the service for no receipts. It counts the reveals.
func unsigned(t *testing.T, service string) (front string, revealed *atomic.Int64) {
	t.Helper()
	target, err := url.Parse(service)
	if err != nil {
		t.Fatal(err)
	}
	revealed = new(atomic.Int64)
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/reveal") {
			revealed.Add(1)
		}
		r.Header.Set("Prefer", strings.Replace(r.Header.Get("Prefer"), "receipt", "nothing", 1))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, revealed
}

// narrow is a proxy with a request limit that a duel would exceed at full speed. It counts the
// requests that it rejects.
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
		w.Header()["RateLimit-Policy"] = []string{fmt.Sprintf(`"ip";q=%d;w=1`, most)}
		w.Header()["RateLimit"] = []string{fmt.Sprintf(`"ip";r=%d;t=%d`, d.Remaining,
			int((d.Reset+time.Second-1)/time.Second))}
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

// checkStarterDuel requires that no round was forfeited, that the starter printed the right
// result, and that it used a new salt each time.
func checkStarterDuel(t *testing.T, c *client.Client, code, result string) {
	t.Helper()
	out, err := client.Read[api.GetDuelOut](c.API.GetDuel(t.Context(), code, nil))
	if err != nil {
		t.Fatal(err)
	}
	d := &out.Duel
	want := map[string]string{"won": "lost", "lost": "won", "drawn": "drawn"}[client.Result(d)] // the opponent's result
	if d.Status != api.DuelStatusFinished || d.Kind != "ranked" || result != want {
		t.Errorf("duel %s is %s, %s; the output is %s, want %s", code, d.Status, d.Kind, result, want)
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
			t.Errorf("duel %s, round %d: the salt %q is short or reused", code, r.Round, salt)
		}
		salts[salt] = true
	}
}

// opponentAt returns a bot that starters play against.
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
		return strategy.New("random", strategy.Seed{1}) // few ties, so duels are short
	}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const maxStarter = 195

// TestStartersAreShort limits the length of each starter: readers read it before they run it.
func TestStartersAreShort(t *testing.T) {
	t.Parallel()
	most := map[string]int{"sdk/bot.py": maxPage, "sdk/bot.mts": maxPage, "sdk/bot.go": maxPage}
	for _, s := range allStarters() {
		most[s.file] = maxStarter
	}
	for file, want := range most {
		if n := strings.Count(readDocument(t, "starter/"+file), "\n"); n > want {
			t.Errorf("starter/%s has %d lines, want at most %d", file, n, want)
		}
	}
}

// block matches a fenced block inside a list item in Markdown.
var block = regexp.MustCompile("(?s)\n   ```\n(.*?)\n   ```\n")

// TestStarterREADMEs runs the commands of each README from step 2 on, against a service started
// as in step 1, until ranked duels are played: twice in the same folder, like a returning
// reader.
func TestStarterREADMEs(t *testing.T) {
	t.Parallel()
	// All starters use one address and would share its limit.
	server, err := serve(t.Context(), t.TempDir(), "--house-bots")
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
					t.Errorf("the output is %q, want 3 results", out)
				}
			}
		})
	}
}

// starterSteps returns steps 2 and 3 of a starter's README, to get a key and to play, with url as
// the address of the service.
func starterSteps(t *testing.T, readme, url string) (getKey, play string) {
	t.Helper()
	getKey, plays := readmeSteps(t, readme, url)
	if len(plays) != 1 {
		t.Fatalf("%s has the steps %q, want one to play", readme, plays)
	}
	return getKey, plays[0]
}

// readmeSteps returns step 2 of a README, to get a key, and the ways to play of step 3.
func readmeSteps(t *testing.T, readme, url string) (getKey string, plays []string) {
	t.Helper()
	steps := block.FindAllStringSubmatch(readDocument(t, readme), -1)
	if len(steps) < 3 || steps[0][1] != "   go run ./cmd/roshambo serve" {
		t.Fatalf("%s has the steps %q, want service, key and play", readme, steps)
	}
	for _, step := range steps[2:] {
		plays = append(plays, step[1]+"\n")
	}
	return replaceAt(t, steps[1][1], "http://127.0.0.1:8080", url) + "\n", plays
}

// TestStartersREADME runs the lines of starter/README.md that create a key, twice: the second run
// creates another bot of the same guest. Without a service they must fail and leave no key.
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
	script := replaceAt(t, text, "http://127.0.0.1:8080", server.url)
	folder := likeRoot(t)
	keys := map[string]bool{}
	for range 2 {
		out := shell(t, folder, nil, script+`curl -s -H "Authorization: Bearer $ROSHAMBO_KEY" $URL/api/me`)
		key, me, _ := strings.Cut(out, "\n")
		if keys[key] || !strings.HasPrefix(key, "rsb_") || !strings.Contains(me, `"kind":"bot"`) {
			t.Fatalf("the new key is %q after %v, and /api/me returns %s", key, keys, me)
		}
		keys[key] = true
	}
	if bots := shell(t, folder, nil, "curl -s -b jar "+server.url+"/api/bots"); strings.Count(bots,
		`"username":"my-bot-`) != 2 {
		t.Errorf("the guest of jar has the bots %s, want two", bots)
	}
	_ = server.kill()
	// At a prompt, a failing pipe is not an error.
	if out, err := bash(t, folder, nil, "set +eo pipefail\n"+script).CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "no key was made") {
		t.Errorf("without a service: %v, %q, want a failure", err, out)
	}
}

// replaceAt replaces a text that the document must contain.
func replaceAt(t *testing.T, text, was, is string) string {
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

// likeRoot returns an empty folder with the tools that commands for the root of the repository
// need.
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

// bash returns a shell that runs a script in a folder.
func bash(t *testing.T, folder string, env []string, script string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", "set -eo pipefail\n"+script)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

// shell runs a script in a folder and returns its output.
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
