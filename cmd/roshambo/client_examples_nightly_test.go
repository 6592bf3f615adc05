//go:build nightly

package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestClientExamples runs the examples of package client against a real service.
func TestClientExamples(t *testing.T) {
	t.Parallel()
	service := startService(t, "--house-bots")
	env := []string{"ROSHAMBO_KEY=" + mustBot(t, service, "examples"), "URL=" + service}
	program := func(name string) string {
		source, folder := filepath.Join(root(t), "client/examples", name), t.TempDir()
		runTool(t, "go", "vet", source)
		return built("go", "build", "-o")(t, source, folder)[0]
	}
	house, events := program("house.go"), program("events.go")
	for command, want := range map[string]string{
		house:              `(?m)^pass  receipts[^$]*\nVALID$`,
		program("data.go"): `^map\[paper:\d+ rock:\d+ scissors:\d+\]\n$`,
	} {
		if out := shell(t, t.TempDir(), env, command+" $URL"); !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%s prints %q, want %s", command, out, want)
		}
	}
	// The stream starts now, and a run makes its block.
	if out := shell(t, t.TempDir(), env, events+" $URL & "+house+" $URL >house.txt\nwait $!"); !strings.Contains(out,
		"\nblock {") || strings.Count(out, " transactions\n") != 5 {
		t.Errorf("events.go prints %q, want a block, and a list of five", out)
	}
}
