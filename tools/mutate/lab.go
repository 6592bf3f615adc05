package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// lab builds and tests the mutants of one package. They share a test binary for each suite, which
// runs one of them at a time: compiling and linking take longer than most tests.
type lab struct {
	options
	pkg     string
	folder  string // for binaries and overlays
	overlay string // plants the mutants
	suites  []*suite
}

// verdict is the result of the tests for a mutant.
type verdict int

const (
	killed verdict = iota
	survived
)

// tests is a selection of tests of a package.
type tests struct{ pkg, run string }

// suite is a built selection of tests.
type suite struct {
	tests
	database string // the address of PostgreSQL; "" for SQLite
	binary   string
	timeout  time.Duration
	ready    func() error // builds binary and sets timeout, once
}

// database is the variable with the address of the PostgreSQL that tests use; without it they use
// SQLite.
const database = "ROSHAMBO_TEST_POSTGRES"

// dependants are tests of packages above that cover what a package's own tests cannot: the use of
// its parts.
var dependants = map[string][]tests{
	"internal/service/account": {{pkg: "internal/server/api", run: "Auth|Magic|Key|Session|Login|Guest"}},
	"internal/service/run": {{pkg: "internal/server/api",
		run: "TestARun|TestRun|TestRoundTrips|TestEntr|TestFaults$|TestRace"}},
	"internal/service/duel":         {{pkg: "internal/server/api", run: "Duel"}},
	"internal/service/arena":        {{pkg: "internal/server/api", run: "Arena"}},
	"internal/service/market":       {{pkg: "internal/server/api", run: "Market|Sale|Buyback"}},
	"internal/service/portfolio":    {{pkg: "internal/server/api", run: "Portfolio"}},
	"internal/service/team":         {{pkg: "internal/server/api", run: "Team"}},
	"internal/service/cup":          {{pkg: "internal/server/api", run: "Cup"}},
	"internal/service/operator":     {{pkg: "internal/app", run: "Operator"}},
	"internal/service/score":        {{pkg: "internal/server/api", run: "Social|Leaderboard|Season"}},
	"internal/platform/idempotency": {{pkg: "internal/server/api", run: "Repeat"}},
	"internal/platform/event":       {{pkg: "internal/server/api", run: "Follow"}},
	"internal/ledger/audit":         {{pkg: "internal/ledger", run: "Rollback"}},
	"internal/ledger": {{pkg: "internal/ledger/audit", run: ""}, {pkg: "internal/service/market", run: ""},
		{pkg: "internal/service/portfolio", run: ""}},
}

// The time limit is a multiple of the time that the tests take without a mistake, and at least
// minTimeout. It detects mistakes that make tests hang.
const (
	timeoutFactor = 6
	minTimeout    = 15 * time.Second
)

// newLab plants n mutants of a list in a package. In place of those that do not compile it takes
// the next ones. The package's own tests must pass without a mistake.
func newLab(ctx context.Context, o options, pkg, folder string, list []*mutant) (*lab, []*mutant, error) {
	l := &lab{options: o, pkg: pkg, folder: folder}
	planted, err := l.choose(ctx, list)
	if err != nil {
		return nil, nil, err
	}
	all := []tests{{pkg: pkg}}
	if !l.own {
		all = append(all, dependants[pkg]...)
	}
	var onPostgres []*suite // some code has an effect there alone
	for i, t := range all {
		binary := filepath.Join(folder, fmt.Sprintf("tests-%d", i))
		build := sync.OnceValue(func() error { return l.build(ctx, t.pkg, binary) })
		l.suites = append(l.suites, l.newSuite(ctx, suite{tests: t, binary: binary}, build))
		if l.postgres != "" {
			onPostgres = append(onPostgres, l.newSuite(ctx, suite{tests: t, database: l.postgres, binary: binary}, build))
		}
	}
	l.suites = append(l.suites, onPostgres...)
	return l, planted, l.suites[0].ready()
}

// newSuite returns a suite that is prepared when it is first needed.
func (l *lab) newSuite(ctx context.Context, s suite, build func() error) *suite {
	s.ready = sync.OnceValue(func() error {
		if err := build(); err != nil {
			return err
		}
		return l.prepare(ctx, &s)
	})
	return &s
}

// choose plants the first n mutants of a list that compile.
func (l *lab) choose(ctx context.Context, list []*mutant) (planted []*mutant, err error) {
	number := 0
	for {
		more := min(l.n-len(planted), len(list))
		for _, m := range list[:more] {
			number++
			m.number = number
			planted = append(planted, m)
		}
		list = list[more:]
		if len(planted) == 0 {
			return nil, nil
		}
		if l.overlay, err = plant(l.root, l.folder, planted); err != nil {
			return nil, err
		}
		// -e: all errors, not the first ten only.
		compiles, output, err := l.compile(ctx, "build", "-gcflags=-e")
		if err != nil || compiles {
			return planted, err
		}
		faulty := uncompiled(output)
		if len(faulty) == 0 {
			return nil, fmt.Errorf("%s does not compile with its mutants: %s", l.pkg, output)
		}
		planted = slices.DeleteFunc(planted, func(m *mutant) bool { return faulty[m.number] })
	}
}

// compile runs the compiler on the package with its mutants. If it fails, output says why.
func (l *lab) compile(ctx context.Context, args ...string) (compiles bool, output string, err error) {
	args = append(args, "-overlay", l.overlay)
	if args[0] == "build" {
		args = append(args, "./"+l.pkg)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = l.root
	text, err := cmd.CombinedOutput()
	if _, ended := errors.AsType[*exec.ExitError](err); ended && ctx.Err() == nil {
		return false, string(text), nil
	}
	return err == nil, "", err
}

// build builds the tests of a package with the mutants.
func (l *lab) build(ctx context.Context, pkg, binary string) error {
	compiles, output, err := l.compile(ctx, "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", binary, "./"+pkg)
	if err != nil || !compiles {
		return errors.Join(err, fmt.Errorf("the tests of %s do not compile: %s", pkg, output))
	}
	return nil
}

// prepare runs a suite without a mistake: it must pass, and its time sets its timeout.
func (l *lab) prepare(ctx context.Context, s *suite) error {
	s.timeout = l.limit
	start := time.Now()
	v, output, err := l.run(ctx, s, 0)
	if err != nil {
		return err
	}
	if v != survived {
		return fmt.Errorf("the tests of %s fail as they are:\n%s", s.pkg, output)
	}
	s.timeout = min(l.limit, max(minTimeout, timeoutFactor*time.Since(start)))
	return nil
}

// try runs the tests for a mutant.
func (l *lab) try(ctx context.Context, m *mutant) (verdict, error) {
	for _, s := range l.suites {
		if err := s.ready(); err != nil {
			return killed, err
		}
		if v, _, err := l.run(ctx, s, m.number); err != nil || v != survived {
			return v, err
		}
	}
	return survived, nil
}

// memory limits the address space of the tests in KiB: an endless loop must not exhaust the
// machine.
const memory = 8 << 20

// run runs tests with a mutant, or without for 0, until the first one fails.
func (l *lab) run(ctx context.Context, s *suite, number int) (v verdict, output string, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	script := fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, memory)
	cmd := exec.CommandContext(ctx, "sh", "-c", script, s.binary, "-test.short", "-test.v", "-test.failfast",
		"-test.paniconexit0", "-test.run", s.run)
	cmd.Dir = filepath.Join(l.root, s.pkg)
	// Reproducible, and without files.
	cmd.Env = append(os.Environ(), "ROSHAMBO_SEED=1", "RAPID_SEED=1", "RAPID_SHRINKTIME=1ms", "RAPID_NOFAILFILE=true",
		database+"="+s.database, chosen+"="+strconv.Itoa(number))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // includes processes that the tests start
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
		if strings.HasPrefix(line, "--- FAIL") || strings.HasPrefix(line, "panic:") ||
			strings.HasPrefix(line, "fatal error:") {
			return strings.Join(last, "\n")
		}
	}
	return ""
}
