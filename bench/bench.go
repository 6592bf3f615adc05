package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"time"
)

// options select the measurements; each is a flag.
type options struct {
	Binary        string        `help:"The roshambo binary, a path or a name that is looked up." default:"roshambo"`
	Database      string        `help:"An empty PostgreSQL database to measure on; without it, SQLite in a temporary folder." placeholder:"URL"`
	Connections   int           `help:"Connections of the client." default:"32"`
	Duration      time.Duration `help:"Of each measurement." default:"10s"`
	Accounts      int           `help:"Accounts that play at the same time." default:"8000"`
	Transactions  int           `help:"Length of the chain that is verified." default:"200000"`
	Streams       int           `help:"Event streams that are open at the same time." default:"5000"`
	Boards        int           `help:"Accounts on the leaderboard that is read." default:"1000000"`
	Listings      int           `help:"Listings on the market that is read." default:"50000"`
	Entries       int           `help:"Ledger entries of the account whose portfolio is read." default:"10000"`
	Sizes         []int64       `help:"Lengths of the chains that are made to measure verification and the explorer; 5000000 takes minutes and 3 GB." default:"10000,100000,1000000" placeholder:"N"`
	Keep          string        `help:"Keep these chains, as data folders below this folder." placeholder:"FOLDER"`
	Only          []string      `help:"Steps to measure, by the names that are shown as they begin, with commas between; all unless named." placeholder:"STEP"`
	Compare       []string      `help:"Compare builds of the service instead of measuring one: the rows of the comparison on each, in turn. The last is what the ratios refer to, unless Nakama is." placeholder:"NAME=BINARY"`
	Nakama        string        `help:"Compare with this binary of Nakama too; needs --database." placeholder:"BINARY"`
	NakamaModules string        `help:"The folder with the module of bench/nakama, compiled." placeholder:"FOLDER"`
	Rounds        int           `help:"Of the comparison." default:"3"`
	Profile       string        `help:"Write CPU profiles of the server during authenticated reads, FILE.reads, and throws, FILE.1, FILE.2, one for each round, and of its memory after the load: FILE.heap. They distort the rate." placeholder:"FILE"`

	Out      io.Writer `kong:"-"` // receives the report, in Markdown
	Progress io.Writer `kong:"-"`
}

// bench is one run of the measurements.
type bench struct {
	options
	// bare is the reference server, server the measured one.
	bare, server *child
	// serve holds the flags of the server; other nodes use the same.
	serve []string
	// folder is the server's data folder.
	folder string
	// cluster is the server of Database if it runs on this machine; else nil.
	cluster *cluster
	report  report
	// thrown is the result of "throws", with which "throws beside logins" is compared.
	thrown measurement
}

// measure runs the measurements and writes the report. All servers have ended when it
// returns.
func measure(ctx context.Context, o options) (err error) {
	if o.Connections < 1 || o.Accounts < o.Connections || o.Transactions < 1 || o.Streams < 1 || o.Boards < 1 ||
		o.Listings < 1 || o.Entries < 1 || o.Duration <= 0 {
		return errors.New(
			"bench: connections, accounts (at least as many), transactions, streams, boards, listings, entries and duration must be positive")
	}
	if err := checkSizes(o.Sizes); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "roshambo-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	b := &bench{options: o, folder: folder}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if b.bare, err = start(ctx, self, "--bare"); err != nil {
		return err
	}
	defer b.bare.stop()
	flags := []string{"serve", "--house-bots=false", "--log", "json", "--listen", "127.0.0.1:0", "--rate-limit", "0",
		"--data", folder, "--trusted-proxies", "127.0.0.1"}
	if o.Profile != "" {
		flags = append(flags, "--admin-listen", "127.0.0.1:0")
	}
	b.serve = b.onDatabase(flags)
	if b.server, err = start(ctx, o.Binary, b.serve...); err != nil {
		return err
	}
	defer func() { b.server.stop() }() // the step "nodes" replaces b.server
	if err := b.findCluster(ctx); err != nil {
		return err
	}
	if err := b.steps(ctx); err != nil {
		return err
	}
	return b.report.write(o.Out, fmt.Sprintf("%d cores, %s, %s, %d connections, %v each",
		runtime.NumCPU(), runtime.Version(), b.engine(), o.Connections, o.Duration))
}

// steps runs the selected steps in order. Later steps rely on the data of earlier ones only
// where that is stated; so --only can select any of them.
func (b *bench) steps(ctx context.Context) error {
	steps := []step{
		{"memory after start", b.memoryAfterStart},
		{"bare handler", b.bareHandler},
		{"guests", b.guests},
		{"authenticated reads", b.me},
		// Repeated directly before the throws, which are compared with it: the load of the
		// machine may have changed.
		{"bare handler", b.bareHandler},
		{"throws", b.throws},
		{"throws beside logins", b.throwsBesideLogins},
		{"whole runs", b.wholeRuns},
		{"ledger calls", b.ledgerCalls},
		{"memory after load", b.memoryAfterLoad},
		{"ranked duels", b.rankedDuels},
		{"pairing", b.pairing},
		{"event streams", b.eventStreams},
		{"watched duel", b.watchedDuel},
		{"leaderboards", b.leaderboards},
		{"market", b.market},
		{"portfolio", b.portfolio},
		{"verification", b.verification},
		{"scale", b.scale},
		{"nodes", b.nodes},
	}
	for _, name := range b.Only {
		if !slices.ContainsFunc(steps, func(s step) bool { return s.name == name }) {
			return fmt.Errorf("bench: unknown step %q", name)
		}
	}
	for _, s := range steps {
		if len(b.Only) > 0 && !slices.Contains(b.Only, s.name) {
			continue
		}
		b.say("%s …", s.name)
		if err := s.do(ctx); err != nil {
			return fmt.Errorf("bench: %s: %w", s.name, err)
		}
	}
	return nil
}

// step is one measurement, named as in --only.
type step struct {
	name string
	do   func(context.Context) error
}

// cpu returns the processor time that the servers have used so far.
func (b *bench) cpu() (time.Duration, error) {
	bare, errBare := b.bare.cpu()
	server, errServer := b.server.cpu()
	return bare + server, errors.Join(errBare, errServer)
}

// say writes a line to the progress output.
func (b *bench) say(format string, args ...any) {
	// Progress is informational: an error must not end the run.
	_, _ = fmt.Fprintf(b.Progress, format+"\n", args...)
}

// memoryAfterStart reports the resident memory of an idle server.
func (b *bench) memoryAfterStart(context.Context) error {
	rss, _, err := b.server.memory()
	b.report.row("server's resident memory after start", "%.0f MB", float64(rss)/1e6)
	return err
}

// rest is the idle time between the two readings of memory after the load. The service
// returns memory to the system after some seconds without requests.
const rest = 6 * time.Second

// memoryAfterLoad reports the server's memory directly after the previous steps, and again
// after a rest.
func (b *bench) memoryAfterLoad(ctx context.Context) error {
	if err := b.untilSealed(ctx); err != nil {
		return err
	}
	atOnce, peak, err := b.server.memory()
	if err := errors.Join(err, b.heap(ctx)); err != nil {
		return err
	}
	select {
	case <-time.After(rest):
	case <-ctx.Done():
		return ctx.Err()
	}
	rested, _, err := b.server.memory()
	b.report.row("server's resident memory after the load", "%.0f MB, after %v of rest %.0f MB (peak %.0f MB)",
		float64(atOnce)/1e6, rest, float64(rested)/1e6, float64(peak)/1e6)
	return err
}

// bareHandler measures the reference server, with which all rates are compared.
func (b *bench) bareHandler(ctx context.Context) error {
	m, err := b.measure(ctx, func(ctx context.Context, w *worker) error {
		var out bareResponse
		return w.call(ctx, request{to: b.bare, method: "POST", path: "/", in: map[string]string{"move": "rock"}}, &out)
	})
	b.report.bare = m.rate()
	b.report.rate("bare net/http JSON handler", m)
	return err
}
