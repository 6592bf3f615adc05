package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary act as the command roshambo, for tests and scripts that start it
// as a process.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"roshambo": main})
}

// process is a running `roshambo serve`.
type process struct {
	cmd  *exec.Cmd
	url  string
	done chan struct{} // closed when the process has ended and err is set
	err  error

	mu    sync.Mutex // guards log
	log   bytes.Buffer
	grown chan struct{} // capacity 1: filled when the log has grown
}

// listening finds the server's address in its log, in text or JSON.
var listening = regexp.MustCompile(`url"?[=:]"?(http://[^\s"]+)`)

// servers counts the started servers.
var servers atomic.Uint32

// ownAddress returns a loopback address that no other server of this process uses, and hardly one of
// another process, so that a client of a killed server cannot reach another one that was given its
// port.
func ownAddress() string {
	n := servers.Add(1)
	return fmt.Sprintf("127.%d.%d.%d:0", 1+os.Getpid()%250, n/200, 1+n%200)
}

// serve starts a server on a free port, without house bots and limits of requests unless args enable them, and
// returns when it listens. The server is killed when ctx ends.
func serve(ctx context.Context, folder string, args ...string) (*process, error) {
	return serveWith(ctx, nil, folder, args...)
}

// serveWith is serve with further environment variables.
func serveWith(ctx context.Context, env []string, folder string, args ...string) (*process, error) {
	return serveProgram(ctx, "roshambo", env, folder, args...)
}

// serveProgram is serveWith for a program other than this one.
func serveProgram(ctx context.Context, program string, env []string, folder string, args ...string) (*process, error) {
	args = append([]string{"serve", "--listen", ownAddress(), "--data", folder, "--house-bots=false", "--rate-limit", "0"},
		args...)
	p := &process{cmd: exec.CommandContext(ctx, program, args...), done: make(chan struct{}),
		grown: make(chan struct{}, 1)}
	p.cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "ROSHAMBO_") })
	p.cmd.Env = append(p.cmd.Env, env...)
	output, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.done)
		for lines := bufio.NewScanner(output); lines.Scan(); {
			p.note(lines.Text())
		}
		p.err = p.cmd.Wait()
	}()
	found, err := p.await(listening)
	if err != nil {
		return nil, err
	}
	p.url = found[1]
	return p, nil
}

// note appends a line to the log and wakes await.
func (p *process) note(line string) {
	p.mu.Lock()
	p.log.WriteString(line + "\n")
	p.mu.Unlock()
	select {
	case p.grown <- struct{}{}:
	default:
	}
}

// await waits until the log matches and returns the submatches. Only one goroutine may wait at a
// time.
func (p *process) await(pattern *regexp.Regexp) ([]string, error) {
	for {
		if found := pattern.FindStringSubmatch(p.logged()); found != nil {
			return found, nil
		}
		select {
		case <-p.grown:
		case <-p.done:
			if found := pattern.FindStringSubmatch(p.logged()); found != nil {
				return found, nil
			}
			return nil, fmt.Errorf("the server ended before it logged %v: %w\n%s", pattern, p.err, p.logged())
		}
	}
}

// logged returns the log so far.
func (p *process) logged() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// signal sends a signal.
func (p *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// stop sends SIGTERM, waits, and returns the error of the process: nil for exit status 0.
func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	<-p.done
	return p.err
}

// kill sends SIGKILL. Compared with a power cut, data in the kernel's caches survives.
func (p *process) kill() error {
	if err := p.cmd.Process.Kill(); err != nil {
		return err
	}
	<-p.done
	return nil
}

// fetch downloads a text.
func fetch(ctx context.Context, url string) ([]byte, error) {
	body, err := openURL(ctx, url)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}
