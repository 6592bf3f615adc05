//go:build nightly

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

func init() {
	rareTools = nil // tools/install-deps --nightly
	starters = append(starters,
		starter{"typescript/bot.mts", "npx", func(_ *testing.T, source, _ string) []string {
			return []string{"npx", "--yes", "tsx", source}
		}},
		others[1], others[2],
	)
}

// TestStarterTypeScript runs the documented commands of the TypeScript starter on every version
// of Node.js in its README, from the npm registry: tsx on all of them, and node itself where it
// supports TypeScript.
func TestStarterTypeScript(t *testing.T) {
	t.Parallel()
	server, err := serve(t.Context(), t.TempDir(), "--house-bots")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.kill() })
	const readme = "starter/typescript/README.md"
	getKey, play := starterSteps(t, readme, server.url)
	bare := regexp.MustCompile("`(node starter/[^`]*)`").FindStringSubmatch(readDocument(t, readme))
	if bare == nil {
		t.Fatalf("%s does not document running it with Node.js alone", readme)
	}
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	for _, c := range []struct{ version, play string }{
		{"20.20.2", play}, {"22.23.3", play}, {"22.23.3", bare[1] + "\n"},
	} {
		t.Run(c.version+" "+strings.Fields(c.play)[0], func(t *testing.T) {
			t.Parallel()
			folder := likeRoot(t)
			node := "node-linux-" + arch
			shell(t, folder, nil, "npm install --prefix node --no-audit --no-fund --loglevel=error "+node+"@"+c.version)
			path := "PATH=" + filepath.Join(folder, "node/node_modules", node, "bin") + ":" + os.Getenv("PATH")
			out := shell(t, folder, []string{path}, "node --version\n"+getKey+c.play)
			if !strings.HasPrefix(out, "v"+c.version+"\n") || len(lineOfResult.FindAllString(out, -1)) != 3 {
				t.Errorf("the output is %q, want 3 results on Node.js %s", out, c.version)
			}
		})
	}
}

// TestGoStarterCopied runs the Go starter outside of this repository in another module, as its
// README describes.
func TestGoStarterCopied(t *testing.T) {
	t.Parallel()
	server, err := serve(t.Context(), t.TempDir(), "--house-bots")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.kill() })
	getKey, _ := starterSteps(t, "starter/go/README.md", server.url)
	command := regexp.MustCompile("`(go run \\. \\$URL 3)`").FindStringSubmatch(
		strings.ReplaceAll(readDocument(t, "starter/go/README.md"), "\n", " "))
	if command == nil {
		t.Fatal("starter/go/README.md does not document running a copy")
	}
	folder := likeRoot(t)
	out := shell(t, folder, []string{"GOFLAGS="}, `
mkdir -p other/bot
printf 'module other\n\ngo 1.18\n' >other/go.mod
cp starter/go/bot.go starter/go/go.mod other/bot
`+getKey+"cd other/bot\n"+command[1]+"\n")
	if n := len(lineOfResult.FindAllString(out, -1)); n != 3 {
		t.Errorf("the output is %q, want 3 results", out)
	}
}
