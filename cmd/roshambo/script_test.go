package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the scripts in testdata, which use the command in a shell. Besides
// testscript's own commands they have the commands of the map commands.
func TestScripts(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("to their end", wholeScripts)
	testscript.Run(t, testscript.Params{
		Dir:  "testdata",
		Cmds: commands,
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", root)
			jar, err := cookiejar.New(nil)
			e.Values[visitKey{}] = &visit{listen: ownAddress(), client: &http.Client{Jar: jar}}
			return err
		},
	})
}

// wholeScripts requires that scripts run to their end: testscript's own commands take precedence,
// and its command stop would end a script as passed.
func wholeScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scripts, error %v", len(files), err)
	}
	early := regexp.MustCompile(`(?m)^\s*(\[.*\]\s*)*(stop|skip)\b`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := early.Find(text); found != nil {
			t.Errorf("%s stops early: %q", file, found)
		}
	}
}

// visit is the state of a script: a server and a browser.
type visit struct {
	listen string
	server *process
	client *http.Client
	csrf   string
}

type visitKey struct{}

func visitOf(ts *testscript.TestScript) *visit { return ts.Value(visitKey{}).(*visit) }

// commands are the additional commands of the scripts.
var commands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"status":  status,
	"serve":   serveScript,
	"end":     endScript,
	"kill-9":  killScript,
	"get":     func(ts *testscript.TestScript, neg bool, args []string) { call(ts, neg, "GET", args) },
	"post":    func(ts *testscript.TestScript, neg bool, args []string) { call(ts, neg, "POST", args) },
	"throw":   throwScript,
	"bot":     botScript,
	"replace": replaceScript,
	"value":   valueScript,
	"mode":    modeScript,
}

// status runs a program and requires an exit status: status 2 roshambo verify
func status(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if neg || err != nil || len(args) < 2 {
		ts.Fatalf("usage: status CODE PROGRAM ARGS…")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(*exec.ExitError) //nolint:errorlint // Exec returns it as it is
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// adminAddress finds the admin address in a server's log, and probeAddress the address of its probes.
var (
	adminAddress = regexp.MustCompile(`admin=(\S+)`)
	probeAddress = regexp.MustCompile(`probe=(\S+)`)
)

// serveScript starts a server: serve FOLDER OPTIONS… It sets URL and ADDRESS, ADMIN for a server with an admin
// address, and PROBE for one with an address for probes.
func serveScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: serve FOLDER OPTIONS…")
	}
	// Cookies are bound to an address, so all servers of a script use the same one.
	listen := []string{"--listen", visitOf(ts).listen}
	p, err := serve(context.Background(), ts.MkAbs(args[0]), append(listen, args[1:]...)...)
	ts.Check(err)
	ts.Defer(func() { _ = p.kill() }) // if the script did not end it
	visitOf(ts).server = p
	ts.Setenv("URL", p.url)
	ts.Setenv("ADDRESS", strings.TrimPrefix(p.url, "http://"))
	if found := adminAddress.FindStringSubmatch(p.logged()); found != nil {
		ts.Setenv("ADMIN", "http://"+found[1])
	}
	if found := probeAddress.FindStringSubmatch(p.logged()); found != nil {
		ts.Setenv("PROBE", found[1])
	}
}

// endScript sends SIGTERM, requires exit status 0, and writes the log to serve.log.
func endScript(ts *testscript.TestScript, _ bool, _ []string) {
	p := visitOf(ts).server
	ts.Check(p.stop())
	ts.Check(os.WriteFile(ts.MkAbs("serve.log"), []byte(p.logged()), 0o600))
}

// killScript sends SIGKILL.
func killScript(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(visitOf(ts).server.kill())
}

// call makes a request and writes the response body to a file: get PATH FILE, or post PATH BODY
// FILE. With ! the request must fail. It keeps the session and sends the CSRF token.
func call(ts *testscript.TestScript, neg bool, method string, args []string) {
	v, body := visitOf(ts), ""
	if method == http.MethodPost {
		body, args = args[1], []string{args[0], args[2]}
	}
	r, err := http.NewRequestWithContext(context.Background(), method, v.server.url+args[0], strings.NewReader(body))
	ts.Check(err)
	r.Header.Set("X-CSRF-Token", v.csrf)
	response, err := v.client.Do(r)
	ts.Check(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	ts.Check(err)
	if (response.StatusCode == http.StatusOK) == neg {
		ts.Fatalf("%s %s: %s: %s", method, args[0], response.Status, text)
	}
	if _, after, ok := strings.Cut(string(text), `"csrf_token":"`); ok {
		v.csrf, _, _ = strings.Cut(after, `"`)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), text, 0o600))
}

// throwScript starts a run with a client seed, throws once, and abandons the run unless it has
// ended: throw SEED. It sets RUN.
func throwScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: throw SEED")
	}
	call(ts, false, "POST", []string{"/api/runs", fmt.Sprintf(`{"client_seed":%q}`, args[0]), "run.json"})
	_, after, _ := strings.Cut(ts.ReadFile("run.json"), `"id":"`)
	id, _, _ := strings.Cut(after, `"`)
	ts.Setenv("RUN", id)
	call(ts, false, "POST", []string{"/api/runs/" + id + "/throw", `{"move":"rock"}`, "throw.json"})
	if !strings.Contains(ts.ReadFile("throw.json"), `"status":"lost"`) {
		call(ts, false, "POST", []string{"/api/runs/" + id + "/abandon", "", "run.json"})
	}
}

// botScript creates a bot, owned by a guest of its own: bot NAME. It sets KEY.
func botScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: bot NAME")
	}
	key, err := newBot(visitOf(ts).server.url, args[0])
	ts.Check(err)
	ts.Setenv("KEY", key)
}

// newBot creates a bot, owned by a guest of its own, and returns its key.
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

// replaceScript changes a file: replace FILE OLD NEW.
func replaceScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not contain %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, args[1], args[2])), 0o600))
}

// valueScript sets a variable to the first member of JSON with a name: value FILE MEMBER VARIABLE.
func valueScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: value FILE MEMBER VARIABLE")
	}
	member := regexp.MustCompile(`"` + regexp.QuoteMeta(args[1]) + `":"?([^",}]+)`)
	found := member.FindStringSubmatch(ts.ReadFile(args[0]))
	if found == nil {
		ts.Fatalf("%s has no member %s", args[0], args[1])
	}
	ts.Setenv(args[2], found[1])
}

// modeScript requires permissions of files: mode 600 FILES…
func modeScript(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args[1:] {
		info, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		if got := fmt.Sprintf("%o", info.Mode().Perm()); (got == args[0]) == neg {
			ts.Fatalf("%s has mode %s, want %s", name, got, args[0])
		}
	}
}
