//go:build nightly

package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// typescriptApp is a program's folder with the package in TypeScript, packed, and installed without a network.
type typescriptApp struct {
	folder string // with the examples and the blocks of the README, compiled into out
	pkg    string
}

// installTypeScript builds and packs a copy of sdk/typescript, so that other tests can build it meanwhile, installs
// the pack, and compiles the examples and the README's blocks against it, strictly.
func installTypeScript(t *testing.T) typescriptApp {
	t.Helper()
	folder := t.TempDir()
	app := typescriptApp{filepath.Join(folder, "app"), filepath.Join(folder, "app/node_modules/roshambo")}
	shell(t, folder, []string{"ROOT=" + root(t)}, `
mkdir -p copy/sdk app
cp -r $ROOT/sdk/typescript copy/sdk/
rm -rf copy/sdk/typescript/dist
ln -s $ROOT/web copy/web
cd copy/sdk/typescript
npm run --silent build
npm pack --silent --pack-destination ../../../app
cd ../../../app
echo '{"type": "module"}' >package.json
npm install --offline --no-audit --no-fund --loglevel=error ./roshambo-*.tgz
cp $ROOT/sdk/typescript/examples/*.ts $ROOT/starter/sdk/bot.mts .
`)
	for i, text := range readmeBlocks(t) {
		name := filepath.Join(app.folder, "readme"+string(rune('a'+i))+".ts")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shell(t, app.folder, []string{"MODULES=" + filepath.Join(root(t), "web/node_modules")}, `
node $MODULES/typescript/bin/tsc --strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --target es2022 \
  --module nodenext --typeRoots $MODULES/@types --types node --outDir out *.ts *.mts
`)
	return app
}

// readmeBlocks returns the programs in the README of the package.
func readmeBlocks(t *testing.T) []string {
	t.Helper()
	var blocks []string
	for _, block := range regexp.MustCompile("(?s)\n```ts\n(.*?)```\n").FindAllStringSubmatch(
		readDocument(t, "sdk/typescript/README.md"), -1) {
		blocks = append(blocks, block[1])
	}
	if len(blocks) == 0 {
		t.Fatal("the README has no programs")
	}
	return blocks
}

// program returns the command that runs a compiled program of the folder.
func (a typescriptApp) program(name string) []string {
	return []string{"node", filepath.Join(a.folder, "out", name)}
}

// bot returns the starter on the client, with the installed package.
func (a typescriptApp) bot() starter {
	return starter{"sdk/bot.mts", "node", func(*testing.T, string, string) []string {
		return a.program("bot.mjs")
	}}
}

// TestTypeScriptSDK uses the package in TypeScript as its users do: installed from its pack, in Node.js against a real
// service, and in Chromium.
func TestTypeScriptSDK(t *testing.T) {
	t.Parallel()
	app := installTypeScript(t)
	t.Run("a bot", func(t *testing.T) {
		t.Parallel()
		testStarter(t, startService(t), app.program("bot.mjs"))
	})
	t.Run("answers", func(t *testing.T) {
		t.Parallel()
		m := newMatch(t, app.bot())
		m.play(t)
		m.check(t)
		testRefused(t, m.command)
	})
	t.Run("without receipts", func(t *testing.T) {
		t.Parallel()
		testUnsigned(t, app.program("bot.mjs"))
	})
	t.Run("an interrupt", func(t *testing.T) {
		t.Parallel()
		testInterrupt(t, app)
	})
	t.Run("programs", func(t *testing.T) {
		t.Parallel()
		testTypeScriptPrograms(t, app)
	})
	t.Run("the starter's README", func(t *testing.T) {
		t.Parallel()
		testTypeScriptStarter(t, app)
	})
	t.Run("Chromium", func(t *testing.T) {
		t.Parallel()
		testTypeScriptPage(t, app)
	})
}

// startService starts a service for a test and returns its address.
func startService(t *testing.T, args ...string) string {
	t.Helper()
	server, err := serve(t.Context(), t.TempDir(), args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.kill() })
	return server.url
}

// testTypeScriptStarter runs the steps of starter/sdk/README.md for TypeScript, with the package that make sdk would build.
func testTypeScriptStarter(t *testing.T, app typescriptApp) {
	t.Helper()
	getKey, plays := readmeSteps(t, "starter/sdk/README.md", startService(t, "--house-bots"))
	play := replaceAt(t, plays[len(plays)-1], "   make sdk\n", "mkdir -p .cache/sdk\ncp $APP/roshambo-*.tgz .cache/sdk\n")
	out := shell(t, likeRoot(t), []string{"APP=" + app.folder}, getKey+play)
	if n := len(lineOfResult.FindAllString(out, -1)); n != 3 {
		t.Errorf("the output is %q, want 3 results", out)
	}
}

// testInterrupt requires that a bot that waits for an opponent leaves the queue when it is interrupted, and ends well.
func testInterrupt(t *testing.T, app typescriptApp) {
	t.Helper()
	service := startService(t)
	target, err := url.Parse(service)
	if err != nil {
		t.Fatal(err)
	}
	queued, left := make(chan struct{}), make(chan struct{})
	var first, last sync.Once
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) {} // the bot has ended its call
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/arena/queue":
			first.Do(func() { close(queued) })
		case "/api/arena/leave":
			last.Do(func() { close(left) })
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	command := app.program("bot.mjs")
	cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], front.URL, "1")...)
	cmd.Env, cmd.Dir = append(os.Environ(), "ROSHAMBO_KEY="+mustBot(t, service, "starter")), t.TempDir()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-queued
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the bot ends with %v", err)
	}
	select {
	case <-left:
	default:
		t.Error("the bot has not left the queue")
	}
}

// testTypeScriptPrograms runs the other examples and the programs in the README.
func testTypeScriptPrograms(t *testing.T, app typescriptApp) {
	t.Helper()
	const stated = "http://127.0.0.1:8080"
	service := startService(t, "--house-bots")
	env := []string{"ROSHAMBO_KEY=" + mustBot(t, service, "readme"), "URL=" + service}
	for _, c := range []struct{ name, want string }{
		{"guest.js", `(?m)^(won|lost|drawn), ` + regexp.QuoteMeta(service) + `/d/[0-9A-Z]{8}$`},
		{"house.js", `(?m)^pass  receipts[^$]*\nVALID$`},
		{"data.js", `^\{ rock: \d+, paper: \d+, scissors: \d+ \}\n$`},
	} {
		command := strings.Join(app.program(c.name), " ")
		if out := shell(t, t.TempDir(), env, command+" $URL"); !regexp.MustCompile(c.want).MatchString(out) {
			t.Errorf("%s prints %q, want %s", c.name, out, c.want)
		}
	}
	// The stream starts now, and a run makes its block.
	both := strings.Join(app.program("events.js"), " ") + " $URL & " + strings.Join(app.program("house.js"), " ") +
		" $URL >house.txt\nwait $!"
	if out := shell(t, t.TempDir(), env, both); !strings.Contains(out, "\nblock {") ||
		strings.Count(out, " transactions\n") != 5 {
		t.Errorf("events.js prints %q, want a block, and a list of five", out)
	}
	for i, text := range readmeBlocks(t) {
		name := filepath.Join(app.folder, "out", "readme"+string(rune('a'+i))+".js")
		compiled, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text, stated) {
			t.Fatalf("the program %q does not name %s", text, stated)
		}
		changed := strings.ReplaceAll(string(compiled), stated, service)
		if err := os.WriteFile(name, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s", shell(t, t.TempDir(), env, "node "+name))
	}
}

// testTypeScriptPage lets a page in Chromium use the package: with the session of a visitor at the page's own site,
// and with a bot's key at another one.
func testTypeScriptPage(t *testing.T, app typescriptApp) {
	t.Helper()
	service := startService(t)
	target, err := url.Parse(service)
	if err != nil {
		t.Fatal(err)
	}
	site := http.NewServeMux()
	site.Handle("/", httputil.NewSingleHostReverseProxy(target))
	site.Handle("/sdk/", http.StripPrefix("/sdk/", http.FileServer(http.Dir(filepath.Join(app.pkg, "dist")))))
	site.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>A page</title>"))
	})
	front := httptest.NewServer(site)
	t.Cleanup(front.Close)
	opponent := opponentAt(t, service)
	ended := make(chan error, 1)
	go func() { ended <- opponent.Run(t.Context(), 1) }()
	out := shell(t, t.TempDir(), []string{"NODE_PATH=" + filepath.Join(root(t), "web/node_modules")},
		strings.Join([]string{"node", filepath.Join(root(t), "cmd/roshambo/testdata/sdk_page.cjs"), front.URL, service}, " "))
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if want := `^\{"bots":2,"result":"(won|lost)","verdict":"(VALID|PENDING)","receipts":"pass","event":"ready"\}\n$`; !regexp.
		MustCompile(want).MatchString(out) {
		t.Errorf("the page reports %s, want %s", out, want)
	}
}
