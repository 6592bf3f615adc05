//go:build nightly

package main

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"roshambo/internal/store/pgtest"
)

// typed returns the line of a document with a beginning, for a reader who has installed the program.
func typed(t *testing.T, document, beginning string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(beginning)+`.*$`).FindAllString(readDocument(t, document), -1)
	if len(found) != 1 {
		t.Fatalf("%s has %d lines that begin with %q, want one", document, len(found), beginning)
	}
	return strings.ReplaceAll(found[0], "go run ./cmd/roshambo ", "roshambo ")
}

// serves types a line that starts a service, in a folder and with an address of its own, and returns its URL once it
// answers.
func serves(ctx context.Context, t *testing.T, folder, line string) string {
	t.Helper()
	address, x := freeAddress(t), openTerminal(ctx, t, folder)
	x.types(t, "export ROSHAMBO_LISTEN="+address)
	x.starts(t, line)
	for {
		_, err := fetch(ctx, "http://"+address+"/api/chain/head")
		if err == nil {
			return "http://" + address
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s: %v\n%s", line, err, x.said())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// TestReadmeDocument types the commands of README.md that start a service, and a starter against the first one.
func TestReadmeDocument(t *testing.T) {
	t.Parallel()
	const readme = "README.md"
	ctx, cancel := context.WithTimeout(t.Context(), guideTime)
	defer cancel()
	folder := likeRoot(t)
	url := serves(ctx, t, folder, typed(t, readme, "go run ./cmd/roshambo serve   "))
	key, err := newBot(url, "reader")
	if err != nil {
		t.Fatal(err)
	}
	line := typed(t, readme, "ROSHAMBO_KEY=")
	out := openTerminal(ctx, t, folder).types(t,
		replaceAt(t, replaceAt(t, line, "rsb_…", key), "http://127.0.0.1:8080", url))
	if n := len(lineOfResult.FindAllString(out, -1)); n != 3 {
		t.Errorf("the output is %q, want 3 results", out)
	}
	demo := serves(ctx, t, t.TempDir(), typed(t, readme, "go run ./cmd/roshambo serve --demo"))
	if board, err := fetch(ctx, demo+"/api/leaderboard"); err != nil || !strings.Contains(string(board), `"rank":1,`) {
		t.Errorf("the board of the demo: error %v, %s", err, board)
	}

	cluster := pgtest.Start(t, pgtest.Fast)
	line = typed(t, readme, "go run ./cmd/roshambo serve --database")
	line = replaceAt(t, line, "postgres://…", "'"+pgtest.URL("postgres", cluster)+"'")
	line = replaceAt(t, replaceAt(t, line, "redis://…", startRedis(t)), "127.0.0.1:9090", "127.0.0.1:0")
	serves(ctx, t, t.TempDir(), line)
}
