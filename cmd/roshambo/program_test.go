package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roshambo/client/lab"
)

// programs are the examples of docs/lab.md.
func programs() []starter {
	return []starter{
		{"program/bot.py", "python3", func(_ *testing.T, source, _ string) []string { return []string{"python3", source} }},
		{"program/bot.mts", "node", transpiled},
		{"program/bot.go", "go", func(t *testing.T, source, folder string) []string {
			t.Helper()
			runTool(t, "go", "vet", source)
			return built("go", "build", "-o")(t, source, folder)
		}},
		{"program/bot.rs", "rustc", built("rustc", "--edition", "2021", "-O", "-o")},
		{"program/Bot.java", "javac", others[2].command},
	}
}

// maxProgram is a page.
const maxProgram = 60

// TestPrograms plays each example whose tool is there against rock, whose duels it must win, twice with the same moves.
func TestPrograms(t *testing.T) {
	t.Parallel()
	for _, s := range programs() {
		source := filepath.Join(root(t), "starter", s.file)
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n > maxProgram {
			t.Errorf("starter/%s has %d lines, want at most %d", s.file, n, maxProgram)
		}
		if _, err := exec.LookPath(s.tool); err != nil {
			if t.Logf("%s: not played, %v", s.file, err); !slices.Contains(rareTools, s.tool) {
				t.Fail()
			}
			continue
		}
		t.Run(s.file, func(t *testing.T) {
			t.Parallel()
			command := strings.Join(s.command(t, source, t.TempDir()), " ")
			var replays [2][]byte
			for i := range replays {
				replays[i] = testProgram(t, command)
			}
			if !bytes.Equal(replays[0], replays[1]) {
				t.Errorf("the same seed gave\n%s\nand\n%s", replays[0], replays[1])
			}
		})
	}
}

// testProgram plays ten duels and returns the replays.
func testProgram(t *testing.T, command string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "replays.jsonl")
	cmd := exec.CommandContext(t.Context(), "roshambo", "lab", "rock", "--exec", command, "--duels", "10",
		"--exploit", "20", "--move-time", "10s", "--json", "--replays", file)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	var result lab.Result
	if err := json.Unmarshal(out, &result); err != nil {
		t.Fatal(err)
	}
	first := result.Standings[0]
	if first.Name != command || first.Failed != 0 || first.Score != 1 || first.Exploitability < 0.5 {
		t.Errorf("the result is %s, want all duels won by %s", out, command)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
