package program

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
	"unicode"

	"roshambo/game"
)

// Limits of a program's output, in bytes.
const (
	maxLine = 4096
	maxSaid = 200
)

// stopTime is how long the end of a process may take to be reported after its group was killed: a program that has
// left its group can hold the pipe of its standard error.
const stopTime = time.Second

// process is a running program.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	lines  *bufio.Reader
	stderr lastLine
}

// start starts a program in a process group of its own.
func start(args []string) (*process, error) {
	p := &process{cmd: exec.Command(args[0], args[1:]...)} //nolint:noctx // stop and the time limits end it
	p.cmd.Env, p.cmd.Stderr, p.cmd.WaitDelay = environment(), &p.stderr, stopTime
	ownGroup(p.cmd)
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.lines = bufio.NewReaderSize(p.out, maxLine)
	return p, nil
}

// errEnded is the failure of a program that closed its output.
var errEnded = errors.New("the program ended")

// ask sends a request and reads the move, within a time limit for both.
func (p *process) ask(in request, limit time.Duration) (game.Move, error) {
	line, err := json.Marshal(in)
	if err != nil {
		return 0, err
	}
	if p.lines.Buffered() > 0 {
		return 0, errors.New("it wrote more than one line for a move")
	}
	// Without its group and the pipe, neither the write nor the read below can block.
	killed := make(chan struct{})
	late := time.AfterFunc(limit, func() {
		defer close(killed)
		killGroup(p.cmd)
		_ = p.out.Close()
	})
	_, errWrite := p.in.Write(append(line, '\n'))
	text, errRead := p.lines.ReadSlice('\n')
	switch {
	case !late.Stop():
		<-killed // before Wait frees the number of the group
		return 0, fmt.Errorf("no move within %v", limit)
	case errors.Is(errRead, bufio.ErrBufferFull):
		return 0, fmt.Errorf("its line is longer than %d bytes", maxLine)
	case errRead != nil || errWrite != nil:
		return 0, errEnded
	}
	return parse(text)
}

// parse reads the line of an answer.
func parse(text []byte) (game.Move, error) {
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return 0, malformed(text)
	}
	move, err := game.ParseMove(a.Move)
	if err != nil {
		return 0, malformed(text)
	}
	return move, nil
}

// malformed is the error of an answer that holds no move.
func malformed(text []byte) error {
	return fmt.Errorf(`it answered %q, want a line such as {"move":"rock"}`, printable(text))
}

// failed stops the process and adds its exit status and its last words to the reason.
func (p *process) failed(reason error) error {
	if errors.Is(reason, errEnded) {
		// The end of the output precedes the end of the process: give it the time to leave its own status.
		timer := time.AfterFunc(stopTime, func() { killGroup(p.cmd) })
		_ = p.cmd.Wait() // the status follows
		timer.Stop()
		reason = fmt.Errorf("%w: %s", reason, p.cmd.ProcessState)
	}
	p.stop()
	if said := p.stderr.String(); said != "" {
		return fmt.Errorf("%w; its last line on stderr: %s", reason, said)
	}
	return reason
}

// stop kills the process group and waits for the process.
func (p *process) stop() {
	killGroup(p.cmd)
	_ = p.in.Close()
	_ = p.out.Close()
	// The status of a killed process says nothing, and a second Wait only returns an error.
	_ = p.cmd.Wait()
}

// lastLine is a writer that keeps the last line that is not empty, and drops the rest.
type lastLine struct {
	mu         sync.Mutex // a process that outlives Wait may still write
	line, last []byte
}

// Write implements io.Writer.
func (l *lastLine) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := text; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		l.line = append(l.line, part[:min(len(part), maxSaid-len(l.line))]...)
		if ended {
			if len(bytes.TrimSpace(l.line)) > 0 {
				l.last = append(l.last[:0], l.line...)
			}
			l.line = l.line[:0]
		}
		rest = after
	}
	return len(text), nil
}

// String returns the line, without characters that control a terminal.
func (l *lastLine) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(bytes.TrimSpace(l.line)) > 0 {
		return printable(l.line)
	}
	return printable(l.last)
}

// printable returns at most maxSaid bytes of a text, without control characters: it goes to a terminal.
func printable(text []byte) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, string(text[:min(len(text), maxSaid)])))
}
