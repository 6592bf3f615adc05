package program

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"roshambo/client/strategy"
	"roshambo/game"
)

// TestMain plays with the behaviour that the arguments name, as a program of these tests, or runs the tests.
func TestMain(m *testing.M) {
	if len(os.Args) < 3 || os.Args[1] != "play" {
		os.Exit(m.Run())
	}
	play := behaviours[os.Args[2]]
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var in request
		if err := json.Unmarshal(lines.Bytes(), &in); err != nil {
			panic(err)
		}
		if status := play(in, lines.Text()); status != goesOn {
			os.Exit(status)
		}
	}
}

// A behaviour answers a line. It returns the status with which the program ends, or goesOn.
type behaviour func(in request, line string) (status int)

const goesOn = -1

// plays is a behaviour that writes that to stdout.
func plays(text string) behaviour {
	return func(request, string) int {
		fmt.Println(text)
		return goesOn
	}
}

// fails plays rock until round 2.
func fails(then behaviour) behaviour {
	return func(in request, line string) int {
		if in.Round == 2 {
			return then(in, line)
		}
		return plays(`{"move":"rock"}`)(in, line)
	}
}

// waits is a behaviour that waits for the end of the input, which only the end of the player brings.
func waits(request, string) int {
	_, _ = io.Copy(io.Discard, os.Stdin)
	return goesOn
}

var behaviours = map[string]behaviour{
	"crash": fails(func(request, string) int {
		fmt.Fprint(os.Stderr, "Traceback\n\x1b[31mNo idea "+strings.Repeat("!", 1000)+"\n\n")
		return 3
	}),
	"quit":  fails(func(request, string) int { return 0 }),
	"late":  fails(waits),
	"long":  fails(plays(strings.Repeat("x", 1<<20))),
	"talk":  fails(plays("thinking…")),
	"well":  fails(plays(`{"move":"well"}`)),
	"twice": plays("{\"move\":\"rock\"}\n{\"move\":\"rock\"}"),
	"silent": fails(func(in request, line string) int {
		_ = os.Stdout.Close()
		return waits(in, line)
	}),
	"deaf": func(request, string) int { return goesOn },
	"echo": func(_ request, line string) int { // fails with what it sees
		for _, variable := range os.Environ() {
			if strings.Contains(variable, "rsb_secret") {
				line = variable
			}
		}
		fmt.Fprintln(os.Stderr, line)
		return 1
	},
	// fork leaves a process behind that holds the pipe of stderr and the file that an argument names.
	"fork": func(request, string) int {
		f, err := os.OpenFile(os.Args[3], os.O_WRONLY, 0)
		if err != nil {
			panic(err)
		}
		cmd := exec.Command("sleep", "600")
		cmd.Stderr, cmd.ExtraFiles = os.Stderr, []*os.File{f}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		return 1
	},
}

// play returns a player with that behaviour. Its first move has no limit that a busy machine misses.
func play(t *testing.T, name string) *Player {
	t.Helper()
	p, err := Parse("  "+os.Args[0]+"  play "+name, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if want := os.Args[0] + " play " + name; p.String() != want {
		t.Errorf("the name is %q, want %q", p, want)
	}
	p.firstTime, p.moveTime = time.Hour, time.Hour
	player := p.Player(strategy.Seed{1})
	t.Cleanup(player.Close)
	return player
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"crash":  "the program ended: exit status 3; its last line on stderr: [31mNo idea !!!",
		"quit":   "the program ended: exit status 0",
		"late":   "no move within 50ms",
		"long":   "its line is longer than 4096 bytes",
		"talk":   `it answered "thinking…", want a line such as {"move":"rock"}`,
		"well":   `it answered "{\"move\":\"well\"}", want a line`,
		"twice":  "it wrote more than one line for a move",
		"silent": "the program ended: signal: killed",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			player := play(t, name)
			if name == "late" {
				player.program.moveTime = 50 * time.Millisecond
			}
			// A program that failed starts again with the next move.
			for range 2 {
				move, err := player.Move(Turn{Opponent: "rock", Duel: "1", Round: 1})
				if err != nil || move != game.Rock {
					t.Fatalf("round 1: %v, %v, want rock", move, err)
				}
				_, err = player.Move(Turn{Opponent: "rock", Duel: "1", Round: 2})
				if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > len(os.Args[0])+maxSaid+100 {
					t.Fatalf("round 2: got %v, want %q", err, want)
				}
			}
		})
	}
}

// TestNoAnswer: the time limit also ends a program that never answers its first line.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	player := play(t, "deaf")
	player.program.firstTime = 50 * time.Millisecond
	if _, err := player.Move(Turn{}); err == nil || !strings.Contains(err.Error(), "no move within 50ms") {
		t.Errorf("got %v", err)
	}
}

// TestLine compares a request with the documented line, and requires that no key is in the environment.
func TestLine(t *testing.T) {
	t.Setenv("ROSHAMBO_KEY", "rsb_secret")
	t.Setenv("Roshambo_Key", "rsb_secret")
	var seen [2]string
	for i := range seen {
		_, err := play(t, "echo").Move(Turn{Opponent: "iocaine", Duel: "7", Round: 3, Rounds: []strategy.Round{
			{Mine: game.Rock, Theirs: game.Paper}, {Mine: game.Scissors, Theirs: game.Scissors},
		}})
		if err == nil {
			t.Fatal("no error")
		}
		_, seen[i], _ = strings.Cut(err.Error(), "on stderr: ")
	}
	const want = `{"opponent":"iocaine","duel":"7","round":3,"history":[{"mine":"rock","theirs":"paper"},` +
		`{"mine":"scissors","theirs":"scissors"}],"seed":"`
	if !strings.HasPrefix(seen[0], want) || len(seen[0]) != len(want)+len(`"}`)+32 || seen[0] != seen[1] {
		t.Errorf("got %q and %q, want twice %q and 32 digits", seen[0], seen[1], want)
	}
	text, err := os.ReadFile("../../docs/lab.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{want, `{"move":"rock"}`} {
		if !strings.Contains(string(text), line) {
			t.Errorf("docs/lab.md lacks %s", line)
		}
	}
}

// TestSeeds requires another seed for each move.
func TestSeeds(t *testing.T) {
	t.Parallel()
	player := play(t, "echo")
	seen := map[string]bool{}
	for range 3 {
		_, err := player.Move(Turn{})
		if err == nil || seen[err.Error()] {
			t.Errorf("got %v again", err)
			continue
		}
		seen[err.Error()] = true
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		" ":                  "the command is empty",
		`sh -c "echo x"`:     "put the command into a script",
		"no-such-program-xy": "executable file not found",
	} {
		if p, err := Parse(command, time.Second); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, %v, want %q", command, p, err, want)
		}
	}
	for _, d := range []time.Duration{0, -time.Second, time.Microsecond, 11 * time.Second} {
		if p, err := Parse("go", d); err == nil {
			t.Errorf("%v for a move: got %v, want an error", d, p)
		}
	}
}
