//go:build nightly

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The commands of docs/tutorial.md, in its order. The three that play are for the languages of tutorialFiles.
const (
	tutorialBuild = iota
	tutorialServe
	tutorialKey
	tutorialPython
	tutorialTypeScript
	tutorialGo
	tutorialVerify
	tutorialCup
	tutorialCommands
)

// tutorialFiles are the starters of the tutorial, in its order.
var tutorialFiles = []string{"python/bot.py", "typescript/bot.mts", "go/bot.go"}

// tutorialTime is the most that the test takes.
const tutorialTime = 15 * time.Minute

// diffBlock matches a change of a file in a document: lines that are there, and added ones with a plus sign.
var diffBlock = regexp.MustCompile("(?s)```diff\n(.*?)```")

// TestTutorial types each command of docs/tutorial.md in each of its languages, all at one service: from the build to a
// bot that plays while its cup is open.
func TestTutorial(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), tutorialTime)
	t.Cleanup(cancel) // after the languages
	d := readTutorial(t)
	build := openTerminal(ctx, t, root(t))
	build.types(t, replaceAt(t, d.commands[tutorialBuild], "-o roshambo ", "-o "+filepath.Join(d.folder, "roshambo")+" "))
	service := openTerminal(ctx, t, d.folder)
	// Other services may listen at the address of the document.
	service.types(t, "export ROSHAMBO_LISTEN="+strings.TrimPrefix(d.url, "http://"))
	service.starts(t, d.commands[tutorialServe])
	awaitAnswer(ctx, t, d.url+"/", func(page []byte) bool { return bytes.Contains(page, []byte("<html")) })
	for i, file := range tutorialFiles {
		t.Run(filepath.Dir(file), func(t *testing.T) {
			t.Parallel()
			d.follow(ctx, t, i)
		})
	}
}

// tutorial is docs/tutorial.md for a service at an address of its own.
type tutorial struct {
	folder, url string // of the service
	commands    []string
	changes     []string // of the starters
}

// readTutorial reads the commands of the document.
func readTutorial(t *testing.T) *tutorial {
	t.Helper()
	d := &tutorial{folder: t.TempDir(), url: "http://" + freeAddress(t)}
	text := readDocument(t, "docs/tutorial.md")
	for _, found := range shellBlock.FindAllStringSubmatch(text, -1) {
		d.commands = append(d.commands, strings.ReplaceAll(found[1], "http://127.0.0.1:8080", d.url))
	}
	for _, found := range diffBlock.FindAllStringSubmatch(text, -1) {
		d.changes = append(d.changes, found[1])
	}
	if len(d.commands) != tutorialCommands || len(d.changes) != len(tutorialFiles) {
		t.Fatalf("docs/tutorial.md has %d commands and %d changes, want %d and %d", len(d.commands), len(d.changes),
			tutorialCommands, len(tutorialFiles))
	}
	return d
}

// follow does what a reader does after the start of the service, in one of the languages.
func (d *tutorial) follow(ctx context.Context, t *testing.T, language int) {
	t.Helper()
	folder := t.TempDir() // for the folder of the source
	if err := os.CopyFS(filepath.Join(folder, "starter"), os.DirFS(filepath.Join(root(t), "starter"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(d.folder, "roshambo"), filepath.Join(folder, "roshambo")); err != nil {
		t.Fatal(err)
	}
	x := openTerminal(ctx, t, folder)
	x.types(t, "export PYTHONUNBUFFERED=1") // as into a terminal, though the test reads through a pipe
	x.types(t, d.commands[tutorialKey])
	steps := d.commands[tutorialPython+language]
	d.checkResults(ctx, t, x.types(t, steps))

	addLines(t, filepath.Join(folder, "my-bot", filepath.Base(tutorialFiles[language])), d.changes[language])
	lines := strings.Split(strings.TrimSpace(steps), "\n")
	play := lines[len(lines)-1] // "with the last line of step 3"
	last := d.checkResults(ctx, t, x.types(t, play))

	verify := d.commands[tutorialVerify]
	for { // the document says to repeat it while a block is being made
		out, status := x.answers(t, verify)
		if status == 0 && strings.HasSuffix(out, "\nVALID\n") && strings.Contains(out, "receipts agree with the proof") {
			break
		}
		if status != 3 || ctx.Err() != nil {
			t.Fatalf("the proof: exit status %d\n%s", status, out)
		}
		_, verify, _ = strings.Cut(d.commands[tutorialVerify], "\n") // "repeat the last two lines"
	}
	if code := x.types(t, "echo $CODE"); code != last+"\n" {
		t.Errorf("the duel of the proof is %q, the last one is %s", code, last)
	}

	cup := strings.TrimSpace(x.types(t, d.commands[tutorialCup]))
	number, found := strings.CutPrefix(cup, d.url+"/cups/")
	if own := x.types(t, `curl -s -w '\n' -H "Authorization: Bearer $ROSHAMBO_KEY" $URL/api/cups`); !found ||
		!strings.Contains(own, `"own":`+number+`,`) {
		t.Fatalf("the bot has joined %s, and is in\n%s", cup, own)
	}
	x.starts(t, replaceAt(t, play, " 3", " 1000")) // "with 1000 in place of 3"
	x.await(ctx, t, "a result before the cup", lineOfResult)
}

// addLines changes a file as a block of the document says, which must fit one place and add three lines.
func addLines(t *testing.T, file, change string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var was, is strings.Builder
	added := 0
	for line := range strings.Lines(change) {
		is.WriteString(line[1:])
		if line[0] == '+' {
			added++
		} else {
			was.WriteString(line[1:])
		}
	}
	if places := strings.Count(string(text), was.String()); places != 1 || added != 3 {
		t.Fatalf("the change adds %d lines and fits %d places of %s:\n%s", added, places, file, change)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), was.String(), is.String(), 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// checkResults requires that a starter has printed the results of three ranked duels, and returns the code of the last.
func (d *tutorial) checkResults(ctx context.Context, t *testing.T, out string) (last string) {
	t.Helper()
	results := lineOfResult.FindAllStringSubmatch(out, -1)
	if len(results) != 3 {
		t.Fatalf("the output is %q, want 3 results", out)
	}
	for _, result := range results {
		last = result[3]
		text, err := fetch(ctx, d.url+"/api/duels/"+last)
		if err != nil {
			t.Fatal(err)
		}
		var answer struct{ Duel struct{ Kind, Status string } }
		if err := json.Unmarshal(text, &answer); err != nil || answer.Duel.Kind != "ranked" ||
			answer.Duel.Status != "finished" {
			t.Errorf("error %v, the duel %s is %s", err, last, text)
		}
	}
	return last
}
