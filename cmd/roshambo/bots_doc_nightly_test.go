//go:build nightly

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBotsCommands types the commands of docs/bots.md: ten ranked duels of a bot, whose last one is verified with its
// receipts, and the tournaments.
func TestBotsCommands(t *testing.T) {
	t.Parallel()
	const document = "docs/bots.md"
	ctx, cancel := context.WithTimeout(t.Context(), guideTime)
	defer cancel()
	server, err := serve(ctx, t.TempDir(), "--house-bots")
	if err != nil {
		t.Fatal(err)
	}
	key, err := newBot(server.url, "typist")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	x := openTerminal(ctx, t, folder)
	bot := replaceAt(t, typed(t, document, "ROSHAMBO_KEY="), "rsb_…", key)
	out := x.types(t, replaceAt(t, bot, "http://127.0.0.1:8080", server.url)+" --receipts receipts.jsonl")
	duels := strings.Split(strings.TrimSpace(out), "\n")
	if len(duels) != 10 {
		t.Fatalf("the bot says %q, want ten duels", out)
	}
	code := duels[9][strings.LastIndex(duels[9], "/")+1:]
	verify := replaceAt(t, typed(t, document, "roshambo verify --receipts"), "http://127.0.0.1:8080", server.url)
	for {
		out, status := x.answers(t, replaceAt(t, verify, "CODE", code))
		if status == 0 {
			break
		}
		if status != 3 || ctx.Err() != nil { // 3 until the duel is in a block
			t.Fatalf("exit status %d: %s", status, out)
		}
	}
	if list := x.types(t, typed(t, document, "roshambo lab --list")); !strings.Contains(list, "iocaine") {
		t.Errorf("the strategies are %q", list)
	}
	x.types(t, typed(t, document, "roshambo lab iocaine"))
	if _, err := os.Stat(filepath.Join(folder, "duels.jsonl")); err != nil {
		t.Error(err)
	}
	x.types(t, typed(t, document, "roshambo lab   "))
}
