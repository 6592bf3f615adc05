package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/game"
)

// gameScript matches a script of docs/bots.md that plays a game, with its title.
var gameScript = regexp.MustCompile("(?s)```sh\n(# game: [^\n]+)\n(.*?)```")

// TestBotsDocument runs the games of docs/bots.md several times each, since their outcome is
// random, and compares the printed result with the service's.
func TestBotsDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "bots.md"))
	if err != nil {
		t.Fatal(err)
	}
	if rounds := fmt.Sprintf("After %d rounds without a winner the duel is a draw", game.MaxRounds); !strings.Contains(
		string(text), rounds) {
		t.Errorf("docs/bots.md lacks %q", rounds)
	}
	scripts := gameScript.FindAllStringSubmatch(string(text), -1)
	if len(scripts) != 2 {
		t.Fatalf("docs/bots.md has %d games, want one in each of the two forms", len(scripts))
	}
	server, err := serve(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.kill() })
	key, err := newBot(server.url, "scripted")
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(client.Options{URL: server.url, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	sent, folder := map[string]bool{}, t.TempDir() // the texts of all games, and where the scripts keep them
	for _, script := range scripts {
		for range 6 {
			cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script[2])
			cmd.Env, cmd.Dir = append(os.Environ(), "URL="+server.url, "KEY="+key), folder
			out, err := cmd.CombinedOutput()
			id, status, ok := strings.Cut(strings.TrimSpace(string(out)), " ")
			if err != nil || !ok {
				t.Fatalf("%s: %v\n%s", script[1], err, out)
			}
			run, err := client.Read[api.RunOut](c.API.GetRun(t.Context(), id))
			if err != nil {
				t.Fatalf("%s prints %q: %v", script[1], out, err)
			}
			if string(run.Run.Status) != status || status != "claimed" && status != "lost" {
				t.Errorf("%s prints %q, the run is %+v", script[1], out, run.Run)
			}
			texts := []string{run.Run.ClientSeed}
			for _, thrown := range run.Run.Throws {
				texts = append(texts, thrown.Entropy)
			}
			kept, err := os.ReadFile(filepath.Join(folder, "sent.txt"))
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range texts {
				if !strings.Contains(string(kept), `"`+text+`"`) {
					t.Errorf("%s does not keep the text %q", script[1], text)
				}
				if len(text) != 16 || sent[text] {
					t.Errorf("%s sends the text %q, want a new one of 16 digits", script[1], text)
				}
				sent[text] = true
			}
		}
	}
}
