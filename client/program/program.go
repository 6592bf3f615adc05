// Package program plays with a program in any language: for each move it gets one line of JSON on its standard
// input and answers one on its standard output. docs/lab.md describes the lines.
//
//	p, err := program.Parse("python3 my.py", time.Second)
//	player := p.Player(seed)
//	defer player.Close()
//	move, err := player.Move(program.Turn{Opponent: "rock", Duel: "1", Round: 1})
//
// A program is not trusted to answer: an answer has a time limit and a maximum length, and all processes of its group
// are killed after a failure and at the end. It is trusted as any program that its user starts: it has the user's
// rights. Its environment lacks the variables of this service, such as the key of the bot.
package program

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"roshambo/client/strategy"
	"roshambo/game"
)

// Program is a command that plays, with its time limits.
type Program struct {
	command  string
	args     []string
	moveTime time.Duration
	// firstTime replaces moveTime for the first move of a process, which includes the start of an interpreter.
	firstTime time.Duration
}

// firstTime is well below the deadline of a step in the arena, which is 15 seconds.
const firstTime = 10 * time.Second

// Limits of a move's time in the arena and the lab.
const (
	minMoveTime = time.Millisecond
	maxMoveTime = firstTime
)

// Parse returns the program of a command: words between spaces, without quotes, variables or a shell. The first word
// is a file or a name in PATH. moveTime is from a millisecond to 10 seconds.
func Parse(command string, moveTime time.Duration) (*Program, error) {
	args := strings.Fields(command)
	if len(args) == 0 {
		return nil, errors.New("program: the command is empty")
	}
	if strings.ContainsAny(command, `'"`) {
		return nil, fmt.Errorf("program: %s has quotes, which no shell reads here: put the command into a script", command)
	}
	if moveTime < minMoveTime || moveTime > maxMoveTime {
		return nil, fmt.Errorf("program: %v for a move, want %v to %v", moveTime, minMoveTime, maxMoveTime)
	}
	if _, err := exec.LookPath(args[0]); err != nil {
		return nil, fmt.Errorf("program: %w", err)
	}
	return &Program{command: strings.Join(args, " "), args: args, moveTime: moveTime, firstTime: firstTime}, nil
}

// String returns the command with single spaces.
func (p *Program) String() string { return p.command }

// Turn is the state of a duel before a move, from the player's side.
type Turn struct {
	// Opponent is the opponent's name.
	Opponent string
	// Duel names the duel: a number in the lab, the code in the arena.
	Duel string
	// Round is the number of the round to play, from 1.
	Round int
	// Rounds are the rounds of this duel that both sides revealed, oldest first.
	Rounds []strategy.Round
}

// request is the line that the program gets for a move.
type request struct {
	Opponent string  `json:"opponent"`
	Duel     string  `json:"duel"`
	Round    int     `json:"round"`
	History  []round `json:"history"`
	// Seed is for random moves that a repeated tournament repeats: 32 hexadecimal digits, new for each move.
	Seed string `json:"seed"`
}

// round is a finished round in a request.
type round struct {
	Mine   string `json:"mine"`
	Theirs string `json:"theirs"`
}

// answer is the line with which the program answers.
type answer struct {
	Move string `json:"move"`
}

// Player is a running program, or one that starts with its next move. It must not be used concurrently.
type Player struct {
	program *Program
	seed    strategy.Seed
	moves   int
	process *process // nil before the first move and after a failure
}

// Player returns a player whose process starts with its first move.
func (p *Program) Player(seed strategy.Seed) *Player { return &Player{program: p, seed: seed} }

// Move asks the program for a move. After an error the process is gone, and the next call starts another one. The
// error states the reason and the last line of the program's standard error.
func (p *Player) Move(t Turn) (game.Move, error) {
	limit := p.program.moveTime
	if p.process == nil {
		started, err := start(p.program.args)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", p.program, err)
		}
		p.process, limit = started, p.program.firstTime
	}
	seed := p.seed.Derive(strconv.Itoa(p.moves))
	p.moves++
	in := request{
		Opponent: t.Opponent, Duel: t.Duel, Round: t.Round, History: []round{}, Seed: hex.EncodeToString(seed[:16]),
	}
	for _, r := range t.Rounds {
		in.History = append(in.History, round{r.Mine.String(), r.Theirs.String()})
	}
	move, err := p.process.ask(in, limit)
	if err != nil {
		err = fmt.Errorf("%s: %w", p.program, p.process.failed(err))
		p.process = nil
	}
	return move, err
}

// Close ends the process and all others of its group.
func (p *Player) Close() {
	if p.process != nil {
		p.process.stop()
		p.process = nil
	}
}

// environment returns the variables that a program gets: all but the variables of this service, which can
// hold a bot's key.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(strings.ToUpper(v), "ROSHAMBO_")
	})
}
