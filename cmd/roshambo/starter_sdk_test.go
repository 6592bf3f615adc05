package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// onClients are the starters on the clients that run from the source, in the order of starter/sdk/README.md. The one in
// TypeScript needs its package: TestTypeScriptSDK runs it.
var onClients = []starter{
	{"sdk/bot.py", "python3", func(t *testing.T, source, _ string) []string {
		t.Helper()
		return []string{"env", "PYTHONPATH=" + filepath.Join(root(t), "sdk/python/src"), pythonWithHTTPX(t), source}
	}},
	{"sdk/bot.go", "go", built("go", "build", "-o")},
}

// maxPage is a page.
const maxPage = 70

// pythonWithHTTPX returns a Python that has httpx: the first one, or Debian's if another one is before it on the path.
func pythonWithHTTPX(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), name, "-c", "import httpx").Run() == nil {
			return name
		}
	}
	t.Fatal("no Python here has httpx: install the Debian package python3-httpx (tools/install-deps does)")
	return ""
}

// TestClientStarterREADME runs the steps of starter/sdk/README.md, from no account to ranked duels, in the languages that
// need no package.
func TestClientStarterREADME(t *testing.T) {
	t.Parallel()
	server, err := serve(t.Context(), t.TempDir(), "--house-bots")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.kill() })
	getKey, plays := readmeSteps(t, "starter/sdk/README.md", server.url)
	programs := []string{"PYTHONPATH=sdk/python/src python3 starter/sdk/bot.py ", "go run ./starter/sdk "}
	for i, s := range onClients {
		t.Run(s.file, func(t *testing.T) {
			t.Parallel()
			command := s.command(t, filepath.Join(root(t), "starter", s.file), t.TempDir())
			play := replaceAt(t, plays[i], programs[i], strings.Join(command, " ")+" ") // for another folder
			out := shell(t, t.TempDir(), nil, getKey+play)
			if n := len(lineOfResult.FindAllString(out, -1)); n != 3 {
				t.Errorf("the output is %q, want 3 results", out)
			}
		})
	}
}

// wordsOfAMinute are what a slow reader reads in a minute: adults read 200 to 250 words of plain English.
const wordsOfAMinute = 200

// TestFirstDuelIsShortToRead: a minute of reading leads from nothing to a ranked duel. tools/first-duel measures how long
// the steps run.
func TestFirstDuelIsShortToRead(t *testing.T) {
	t.Parallel()
	readmes := []string{"starter/sdk/README.md"}
	for _, s := range allStarters() {
		readmes = append(readmes, "starter/"+filepath.Dir(s.file)+"/README.md")
	}
	for _, readme := range readmes {
		text := readDocument(t, readme)
		steps := block.FindAllStringIndex(text, -1)
		if steps == nil {
			t.Fatalf("%s has no steps", readme)
		}
		if n := len(strings.Fields(text[:steps[len(steps)-1][1]])); n > wordsOfAMinute {
			t.Errorf("%s has %d words until the first duel, want at most %d", readme, n, wordsOfAMinute)
		}
	}
}
