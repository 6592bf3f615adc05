package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// lab builds and tests mutants.
type lab struct {
	options
	folder string // for binaries and overlays
	// timeout is the time limit of the measured package's own tests. Packages are measured one at
	// a time.
	timeout time.Duration
}

// verdict is the result of the tests for a mutant.
type verdict int

const (
	killed verdict = iota
	survived
	broken // it does not compile
)

// suite is a selection of tests of a package.
type suite struct {
	pkg, run string
	own      bool // of the mutated package itself
}

// dependants are tests of packages above that cover what a package's own tests cannot: the use of
// its parts.
var dependants = map[string][]suite{
	"internal/service/account":      {{pkg: "internal/server/httpapi", run: "Auth|Magic|Key|Session|Login|Guest"}},
	"internal/service/run":          {{pkg: "internal/server/httpapi", run: "TestARun|TestRun|TestEntr|TestFaults$|TestRace"}},
	"internal/service/duel":         {{pkg: "internal/server/httpapi", run: "Duel"}},
	"internal/service/arena":        {{pkg: "internal/server/httpapi", run: "Arena"}},
	"internal/service/market":       {{pkg: "internal/server/httpapi", run: "Market|Sale|Buyback"}},
	"internal/service/portfolio":    {{pkg: "internal/server/httpapi", run: "Portfolio"}},
	"internal/service/team":         {{pkg: "internal/server/httpapi", run: "Team"}},
	"internal/service/score":        {{pkg: "internal/server/httpapi", run: "Social|Leaderboard|Season"}},
	"internal/platform/idempotency": {{pkg: "internal/server/httpapi", run: "Repeat"}},
	"internal/platform/event":       {{pkg: "internal/server/httpapi", run: "Follow"}},
	"internal/ledger":               {{pkg: "internal/ledger/audit", run: ""}, {pkg: "internal/service/market", run: ""}, {pkg: "internal/service/portfolio", run: ""}},
}

// The time limit is a multiple of the time that the tests take without a mistake, and at least
// minTimeout. It detects mistakes that make tests hang.
const (
	timeoutFactor = 6
	minTimeout    = 15 * time.Second
)

// prepare builds and runs the unchanged package's tests: they must pass, and their time sets the
// timeout.
func (l *lab) prepare(ctx context.Context, pkg string) error {
	binary := filepath.Join(l.folder, "base")
	defer os.Remove(binary)
	own := suite{pkg: pkg, own: true}
	if compiles, output, err := l.build(ctx, own, "", binary); err != nil || !compiles {
		return errors.Join(err, fmt.Errorf("the tests of %s do not compile: %s", pkg, output))
	}
	l.timeout = l.limit
	start := time.Now()
	v, output, err := l.run(ctx, own, binary)
	if err == nil && v != survived {
		err = fmt.Errorf("the tests of %s fail as they are:\n%s", pkg, output)
	}
	l.timeout = min(l.limit, max(minTimeout, timeoutFactor*time.Since(start)))
	return err
}

// try plants a mutant and runs the tests. It writes only to a temporary folder.
func (l *lab) try(ctx context.Context, m *mutant, n int) (verdict, error) {
	folder := filepath.Join(l.folder, fmt.Sprintf("%s-%d", filepath.Base(m.pkg), n))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return broken, err
	}
	defer os.RemoveAll(folder)
	overlay, err := l.plant(m, folder)
	if err != nil {
		return broken, err
	}
	suites := []suite{{pkg: m.pkg, own: true}}
	if !l.own {
		suites = append(suites, dependants[m.pkg]...)
	}
	binary := filepath.Join(folder, "tests")
	for _, s := range suites {
		// A mutant that does not compile fails here with the package's own tests.
		if compiles, _, err := l.build(ctx, s, overlay, binary); err != nil || !compiles {
			return broken, err
		}
		if v, _, err := l.run(ctx, s, binary); err != nil || v != survived {
			return v, err
		}
	}
	return survived, nil
}

// plant writes the mutated file to folder and returns an overlay that replaces the original by
// it.
func (l *lab) plant(m *mutant, folder string) (overlay string, err error) {
	original := filepath.Join(l.root, m.file)
	text, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	planted := filepath.Join(folder, filepath.Base(m.file))
	text = bytes.Join([][]byte{text[:m.from], []byte(m.text), text[m.to:]}, nil)
	if err := os.WriteFile(planted, text, 0o600); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{original: planted}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(folder, "overlay.json")
	return overlay, os.WriteFile(overlay, list, 0o600)
}

// build builds tests with an overlay, or without for "". If they do not compile, it returns the
// compiler's output.
func (l *lab) build(ctx context.Context, s suite, overlay, binary string) (compiles bool, output string, err error) {
	args := []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", binary}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+s.pkg)...)
	cmd.Dir = l.root
	text, err := cmd.CombinedOutput()
	if _, ended := errors.AsType[*exec.ExitError](err); ended && ctx.Err() == nil {
		return false, string(text), nil
	}
	return err == nil, "", err
}

// memory limits the address space of the tests in KiB: an endless loop must not exhaust the
// machine.
const memory = 8 << 20

// run runs tests until the first one fails.
func (l *lab) run(ctx context.Context, s suite, binary string) (v verdict, output string, err error) {
	limit := l.limit
	if s.own {
		limit = l.timeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	script := fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, memory)
	cmd := exec.CommandContext(ctx, "sh", "-c", script, binary, "-test.short", "-test.v", "-test.failfast", "-test.paniconexit0", "-test.run", s.run)
	cmd.Dir = filepath.Join(l.root, s.pkg)
	cmd.Env = append(os.Environ(), "ROSHAMBO_SEED=1", "RAPID_SEED=1", "RAPID_SHRINKTIME=1ms", "RAPID_NOFAILFILE=true") // reproducible, and without files
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}                                                              // includes processes that the tests start
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return killed, "", err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return killed, "", err
	}
	output = firstFailure(out)
	if output != "" {
		cancel()
	}
	err = cmd.Wait()
	switch {
	case output == "" && err == nil:
		return survived, "", nil
	case output != "" || errors.Is(ctx.Err(), context.DeadlineExceeded):
		return killed, output, nil
	}
	if _, ended := errors.AsType[*exec.ExitError](err); ended && ctx.Err() == nil {
		return killed, err.Error(), nil
	}
	return killed, "", err
}

// firstFailure reads the output of tests until one has failed, and returns its last lines; "" if
// none has failed.
func firstFailure(out io.Reader) string {
	var last []string
	scan := bufio.NewScanner(out)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		line := scan.Text()
		last = append(last[max(0, len(last)-30):], line)
		if strings.HasPrefix(line, "--- FAIL") || strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") {
			return strings.Join(last, "\n")
		}
	}
	return ""
}
