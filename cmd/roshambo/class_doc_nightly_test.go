//go:build nightly

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The commands of docs/class.md, in its order. The languages are three of them.
const (
	classBuild = iota
	classServe
	classHost
	classCup
	classPupil
	classPython
	classTypeScript
	classGo
	classStart
	classTable
	classVerify
	classCommands
)

const (
	classPupils = 20
	// classTime is the time that docs/class.md promises.
	classTime = 30 * time.Minute
)

// TestClassDocument types each command of docs/class.md, from the build to the prize: 20 pupils play with starters in
// three languages, no program forfeits a round, and the boards are without the house's bots.
func TestClassDocument(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), classTime)
	defer cancel()
	c := readClass(t)
	build := openTerminal(ctx, t, root(t))
	build.types(t, replaceAt(t, c.commands[classBuild], "-o roshambo ", "-o "+filepath.Join(c.folder, "roshambo")+" "))
	service, host := openTerminal(ctx, t, c.folder), openTerminal(ctx, t, c.folder)
	service.starts(t, c.commands[classServe])
	c.await(ctx, t, "/api/tiers", func(text []byte) bool { return bytes.Contains(text, []byte(`"class":true`)) })
	host.types(t, c.commands[classHost])
	if live := host.types(t, c.commands[classCup]); !strings.HasSuffix(live, "/cups/1/live\n") {
		t.Fatalf("the cup is at %q", live)
	}
	// A pupil has a computer each: here they share one, and its cache, into which only one at a time may install.
	runTool(t, "npx", "--yes", "tsx", "--version")
	pupils := make([]*terminal, classPupils)
	for i := range pupils {
		pupils[i] = openTerminal(ctx, t, likeRoot(t))
		pupils[i].types(t, c.commands[classPupil])
		pupils[i].starts(t, c.commands[classPython+i%3])
	}
	for i, p := range pupils {
		p.await(ctx, t, fmt.Sprintf("pupil %d has a result", i+1), lineOfResult)
	}
	host.types(t, c.commands[classStart])
	c.await(ctx, t, "/api/cups/1", func(text []byte) bool {
		var out struct{ Cup struct{ Status string } }
		if err := json.Unmarshal(text, &out); err != nil || out.Cup.Status == "cancelled" {
			t.Fatalf("the cup: error %v, %s", err, text)
		}
		return out.Cup.Status == "finished"
	})
	for i, p := range pupils {
		if p.ended() {
			t.Errorf("the program of pupil %d has ended:\n%s", i+1, p.said())
		}
	}
	c.checkTable(t, host.types(t, c.commands[classTable]))
	for { // the document says to repeat it while a block is being made
		out, status := host.answers(t, c.commands[classVerify])
		if status == 0 {
			break
		}
		if status != 3 || ctx.Err() != nil {
			t.Fatalf("the proofs: exit status %d\n%s", status, out)
		}
	}
	c.checkMoves(ctx, t)
	c.checkBoard(ctx, t)
}

// classDocument is docs/class.md for a service on this machine.
type classDocument struct {
	folder, url string
	commands    []string
}

// readClass reads the commands of the document, with an address on which nothing else listens.
func readClass(t *testing.T) *classDocument {
	t.Helper()
	address := freeAddress(t)
	c := &classDocument{folder: t.TempDir(), url: "http://" + address}
	for _, found := range shellBlock.FindAllStringSubmatch(readDocument(t, "docs/class.md"), -1) {
		c.commands = append(c.commands, strings.NewReplacer("192.168.1.20:8080", address, "0.0.0.0:8080", address).
			Replace(found[1]))
	}
	if len(c.commands) != classCommands {
		t.Fatalf("docs/class.md has %d commands, want %d", len(c.commands), classCommands)
	}
	return c
}

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", ownAddress())
	if err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	return listener.Addr().String()
}

// await reads a path of the service until done accepts the answer.
func (c *classDocument) await(ctx context.Context, t *testing.T, path string, done func(text []byte) bool) {
	t.Helper()
	awaitAnswer(ctx, t, c.url+path, done)
}

// awaitAnswer reads a URL until done accepts the answer.
func awaitAnswer(ctx context.Context, t *testing.T, url string, done func(text []byte) bool) {
	t.Helper()
	for {
		text, err := fetch(ctx, url)
		if err == nil && done(text) {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s: error %v, %s", url, err, text)
		case <-time.After(time.Second):
		}
	}
}

// checkTable requires that all pupils are in the table and none is out.
func (c *classDocument) checkTable(t *testing.T, table string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(rows) != 1+classPupils {
		t.Fatalf("error %v, the table is %s", err, table)
	}
	out := slices.Index(rows[0], "out")
	if rows[1][slices.Index(rows[0], "rank")] != "1" {
		t.Errorf("the winner is %q", rows[1])
	}
	for _, row := range rows[1:] {
		if row[out] != "false" {
			t.Errorf("out of the cup: %q", row)
		}
	}
}

// checkMoves requires that no program has forfeited a round of the cup.
func (c *classDocument) checkMoves(ctx context.Context, t *testing.T) {
	t.Helper()
	text, err := fetch(ctx, c.url+"/api/cups/1/moves.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	duels := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		var move struct {
			Duel    string
			Forfeit *string `json:"forfeited_by"`
		}
		if err := json.Unmarshal([]byte(line), &move); err != nil || move.Forfeit != nil {
			t.Errorf("error %v, a move: %s", err, line)
		}
		duels[move.Duel] = true
	}
	if want := 6 * classPupils / 2; len(duels) != want { // a Swiss cup of 17 to 32 has six rounds
		t.Errorf("%d duels, want %d", len(duels), want)
	}
}

// checkBoard requires that the board has the pupils' bots and none of the house.
func (c *classDocument) checkBoard(ctx context.Context, t *testing.T) {
	t.Helper()
	text, err := fetch(ctx, c.url+"/api/arena/leaderboard?limit=100")
	if err != nil {
		t.Fatal(err)
	}
	var board struct{ Rows []struct{ House bool } }
	if err := json.Unmarshal(text, &board); err != nil || len(board.Rows) == 0 {
		t.Fatalf("error %v, the board is %s", err, text)
	}
	for _, row := range board.Rows {
		if row.House {
			t.Errorf("the board has bots of the house: %s", text)
			break
		}
	}
}

// terminal is a shell that stays open, into which a test types commands.
type terminal struct {
	in    io.WriteCloser
	lines *bufio.Scanner

	mu   sync.Mutex // guards the fields below
	text []string   // what the command in the foreground has printed
	over bool       // it has ended
	more chan struct{}
}

// openTerminal opens a shell in a folder. It is killed with all that runs in it when the test ends.
func openTerminal(ctx context.Context, t *testing.T, folder string) *terminal {
	t.Helper()
	cmd := exec.CommandContext(ctx, "bash", "-o", "pipefail")
	cmd.Dir, cmd.SysProcAttr = folder, &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "ROSHAMBO_") })
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	cmd.Stderr = cmd.Stdout
	if errIn != nil || errOut != nil {
		t.Fatal(errIn, errOut)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // before Wait, so that the number is still its own
		_ = cmd.Wait()                                      // killed
	})
	return &terminal{in: in, lines: bufio.NewScanner(out), more: make(chan struct{}, 1)}
}

// endOfCommand matches the line that follows the output of a command, with its exit status.
var endOfCommand = regexp.MustCompile(`^<<(\d+)>>$`)

// types runs a command that must succeed, and returns its output.
func (x *terminal) types(t *testing.T, command string) string {
	t.Helper()
	out, status := x.answers(t, command)
	if status != 0 {
		t.Fatalf("exit status %d\n%s\n%s", status, command, out)
	}
	return out
}

// answers runs a command and returns its output, errors included, and its exit status.
func (x *terminal) answers(t *testing.T, command string) (out string, status int) {
	t.Helper()
	x.send(t, command)
	for x.lines.Scan() {
		end := endOfCommand.FindStringSubmatch(x.lines.Text())
		if end == nil {
			out += x.lines.Text() + "\n"
			continue
		}
		if _, err := fmt.Sscan(end[1], &status); err != nil {
			t.Fatal(err)
		}
		return out, status
	}
	t.Fatalf("the shell has ended, error %v\n%s\n%s", x.lines.Err(), command, out)
	return "", 0
}

// send types a command.
func (x *terminal) send(t *testing.T, command string) {
	t.Helper()
	if _, err := fmt.Fprintf(x.in, "%s\necho \"<<$?>>\"\n", strings.TrimSpace(command)); err != nil {
		t.Fatal(err)
	}
}

// starts runs a command that lasts, and keeps what it prints.
func (x *terminal) starts(t *testing.T, command string) {
	t.Helper()
	x.send(t, command)
	go func() {
		for ended := false; !ended; {
			ended = !x.lines.Scan() || endOfCommand.MatchString(x.lines.Text())
			x.mu.Lock()
			x.text, x.over = append(x.text, x.lines.Text()), ended
			x.mu.Unlock()
			select {
			case x.more <- struct{}{}:
			default:
			}
		}
	}()
}

// said returns what the lasting command has printed so far.
func (x *terminal) said() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return strings.Join(x.text, "\n")
}

// ended reports whether the lasting command has ended.
func (x *terminal) ended() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.over
}

// await waits until the lasting command has printed a line of a pattern.
func (x *terminal) await(ctx context.Context, t *testing.T, what string, pattern *regexp.Regexp) {
	t.Helper()
	for !pattern.MatchString(x.said()) {
		if x.ended() {
			t.Fatalf("%s: the command has ended:\n%s", what, x.said())
		}
		select {
		case <-x.more:
		case <-ctx.Done():
			t.Fatalf("%s: not in time:\n%s", what, x.said())
		}
	}
}
