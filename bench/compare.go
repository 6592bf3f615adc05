package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// comparison measures the same workloads on several servers in turn, with one load generator: each
// round measures one workload on every server before the next workload, so that a change of the
// machine's load meets all of them.
type comparison struct {
	options
	folder  string
	cluster *cluster
	rivals  []*rival
	lines   []string
	// profileTo is the file for a profile during the next measurement; "" for none.
	profileTo string
}

// fans is how many accounts are on the smaller leaderboard, and crowd on the larger one.
const fans, crowd = 64, 120_000

// workload is a row of the table.
type workload struct {
	what        string
	connections int
	do          func(c *comparison, r *rival, connections int) (result, error)
}

// workloads are the rows measured on empty databases.
var workloads = []workload{
	{"accounts of guests opened", 32, (*comparison).guests},
	{"the signed-in account read", 32, (*comparison).reads},
	{"one durable ledger call", 32, (*comparison).writes},
	{"whole games", 32, (*comparison).games},
	{"leaderboard, top 20 of the first 64 players and more", 32, (*comparison).boards},
	{"accounts of guests opened", 128, (*comparison).guests},
	{"whole games", 128, (*comparison).games},
	{"accounts of guests opened", 512, (*comparison).guests},
	{"whole games", 512, (*comparison).games},
}

// crowded is the row measured with a crowd on the leaderboard.
var crowded = workload{"leaderboard, top 20 of 120,000", 32, (*comparison).boards}

// compare measures all rows and writes the table.
func compare(ctx context.Context, o options) (err error) {
	if o.Connections < 1 || o.Rounds < 1 || o.Duration <= 0 {
		return errors.New("bench: rounds and duration must be positive")
	}
	c := &comparison{options: o}
	if c.folder, err = os.MkdirTemp("", "roshambo-compare-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(c.folder)) }()
	defer func() {
		for _, r := range c.rivals {
			if r.child != nil {
				r.child.stop()
			}
		}
	}()
	if err := c.startAll(ctx); err != nil {
		return err
	}
	if err := c.findCluster(ctx); err != nil {
		return err
	}
	// The rows measured before an error are of use.
	return errors.Join(c.measureAll(ctx), c.write())
}

// findCluster finds the process of the database, and says how durable it is.
func (c *comparison) findCluster(ctx context.Context) error {
	for _, r := range c.rivals {
		if _, ours := r.dialect.(roshambo); ours && r.database != "" { // its tables are known to store
			b := &bench{options: options{Database: r.database}}
			err := b.findCluster(ctx)
			c.cluster = b.cluster
			c.say("%s", strings.Join(b.report.lines, "\n"))
			return err
		}
	}
	return nil
}

// startAll starts the servers.
func (c *comparison) startAll(ctx context.Context) error {
	list := make([]rival, 0, len(c.Compare)+1)
	for _, text := range c.Compare {
		name, binary, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("bench: --compare %s is not NAME=BINARY", text)
		}
		list = append(list, rival{name: name, dialect: roshambo{}, binary: binary, admin: c.Profile != ""})
	}
	if c.Nakama != "" {
		if c.Database == "" {
			return errors.New("bench: --nakama needs --database")
		}
		list = append(list, rival{name: "Nakama", dialect: nakama{}, binary: c.Nakama, modules: c.NakamaModules})
	}
	for _, given := range list {
		r, err := c.newRival(ctx, given)
		if err != nil {
			return err
		}
		c.say("starting %s …", r.name)
		if err := r.start(ctx); err != nil {
			return err
		}
		c.rivals = append(c.rivals, r)
	}
	return nil
}

// measureAll measures every row, and memory in between.
func (c *comparison) measureAll(ctx context.Context) error {
	if err := c.memory("resident memory after start"); err != nil {
		return err
	}
	if err := c.gather(); err != nil {
		return err
	}
	for _, w := range workloads {
		if err := c.row(w); err != nil {
			return err
		}
	}
	if err := c.memory("resident memory after this load"); err != nil {
		return err
	}
	if len(c.Only) == 0 {
		if err := c.streams(ctx); err != nil {
			return err
		}
	}
	if !c.selected(crowded) {
		return nil
	}
	for _, r := range c.rivals {
		c.say("a crowd on the leaderboard of %s …", r.name)
		if err := r.crowd(ctx, crowd); err != nil {
			return err
		}
	}
	if err := c.gather(); err != nil {
		return err
	}
	return c.row(crowded)
}

// selected reports whether --only names a row, by its first words, or nothing.
func (c *comparison) selected(w workload) bool {
	return len(c.Only) == 0 || slices.ContainsFunc(c.Only, func(s string) bool { return strings.HasPrefix(w.what, s) })
}

// row measures one workload on every server, in each of Rounds rounds, and adds the medians to the
// table.
func (c *comparison) row(w workload) error {
	if !c.selected(w) {
		return nil
	}
	results := make([][]result, len(c.rivals))
	for round := range c.Rounds {
		for i, r := range c.rivals {
			c.say("%s, %d connections, round %d, %s …", w.what, w.connections, round+1, r.name)
			one, err := w.do(c, r, w.connections)
			if err != nil {
				return fmt.Errorf("bench: %s of %s: %w", w.what, r.name, err)
			}
			results[i] = append(results[i], one)
		}
	}
	if err := c.profile(w); err != nil {
		return err
	}
	cells, middle := []string{fmt.Sprintf("%s, %d connections", w.what, w.connections)}, make([]result, len(results))
	for i, all := range results {
		middle[i] = medians(all)
		cells = append(cells, middle[i].String())
	}
	for _, m := range middle[:len(middle)-1] {
		cells = append(cells, ratio(middle, m))
	}
	c.line(cells)
	return nil
}

// profile writes a processor profile of every build of this service during one more measurement of a
// workload, into the file that --profile names, with connections, first word and build appended.
func (c *comparison) profile(w workload) error {
	for _, r := range c.rivals {
		if c.Profile == "" || r.child.admin == "" {
			continue
		}
		word, _, _ := strings.Cut(w.what, " of")
		file := fmt.Sprintf("%s.%s.%d.%s", c.Profile, strings.ReplaceAll(word, " ", "-"), w.connections, r.name)
		c.profileTo = file
		_, err := w.do(c, r, w.connections)
		c.profileTo = ""
		if err != nil {
			return err
		}
	}
	return nil
}

// beginProfile profiles a server for the time of a measurement into profileTo, and sends the error.
func (c *comparison) beginProfile(r *rival) <-chan error {
	done := make(chan error, 1)
	if c.profileTo == "" {
		close(done)
		return done
	}
	seconds := fmt.Sprintf("profile?seconds=%d", max(1, int(c.Duration.Seconds())))
	go func() { done <- r.child.writeProfile(context.Background(), seconds, c.profileTo) }()
	return done
}

// ratio returns the rate of m in terms of the last server's.
func ratio(all []result, m result) string {
	return fmt.Sprintf("%.2f", m.rate/all[len(all)-1].rate)
}

// memory adds a row with the resident memory of every server.
func (c *comparison) memory(what string) error {
	cells := []string{what}
	for _, r := range c.rivals {
		now, _, err := r.child.memory()
		if err != nil {
			return err
		}
		cells = append(cells, fmt.Sprintf("%.0f MB", float64(now)/1e6))
	}
	c.line(append(cells, make([]string, len(c.rivals)-1)...)) // no ratios
	return nil
}

// closedStreams is how many event streams are open before memory is read again.
const closedStreams = 2000

// streams opens and closes event streams on every build of this service, and reports the memory after
// a rest, in which the service returns it to the system.
func (c *comparison) streams(ctx context.Context) error {
	for _, r := range c.rivals {
		if r.child.url == "" {
			continue // Nakama has no such streams
		}
		c.say("%d event streams of %s …", closedStreams, r.name)
		streams, err := openStreams(ctx, r.child, closedStreams)
		hangUp(streams)
		if err != nil {
			return err
		}
	}
	timer := time.NewTimer(rest)
	<-timer.C
	return c.memory(fmt.Sprintf("%v after %d event streams have closed (Nakama: without them)", rest, closedStreams))
}

// openStreams opens n streams one after the other. On error it still returns those that it opened.
func openStreams(ctx context.Context, to *child, n int) (streams []*stream, err error) {
	for range n {
		s, err := listen(ctx, to, "/api/events?topics=blocks")
		if err != nil {
			return streams, err
		}
		streams = append(streams, s)
	}
	return streams, nil
}

// line adds a row to the table.
func (c *comparison) line(cells []string) {
	c.lines = append(c.lines, "| "+strings.Join(cells, " | ")+" |")
}

// write writes the table.
func (c *comparison) write() error {
	engine := "SQLite"
	if c.Database != "" {
		engine = "PostgreSQL"
	}
	head, rule := "| measured |", "|---|"
	for _, r := range c.rivals {
		head, rule = head+" "+r.name+" |", rule+"---|"
	}
	last := c.rivals[len(c.rivals)-1].name
	for _, r := range c.rivals[:len(c.rivals)-1] {
		head, rule = head+" "+r.name+" : "+last+" |", rule+"---|"
	}
	_, err := fmt.Fprintf(c.Out, "%d cores, %s, %s; medians of %d rounds of %v\n\n%s\n%s\n%s\n", runtime.NumCPU(),
		runtime.Version(), engine, c.Rounds, c.Duration, head, rule, strings.Join(c.lines, "\n"))
	return err
}

// say writes a line to the progress output.
func (c *comparison) say(format string, args ...any) {
	_, _ = fmt.Fprintf(c.Progress, format+"\n", args...) // informational
}

// result is one measurement of a row.
type result struct {
	rate float64 // a second
	p99  time.Duration
	// cost and database are the processor time of the server and of the database, for each.
	cost, database time.Duration
}

func (r result) String() string {
	text := fmt.Sprintf("%.0f/s, p99 %.1f ms; %d", r.rate, float64(r.p99.Microseconds())/1000, r.cost.Microseconds())
	if r.database > 0 {
		text += fmt.Sprintf(" + %d", r.database.Microseconds())
	}
	return text + " µs"
}

// medians returns the median of each figure.
func medians(all []result) result {
	return result{
		rate: middle(all, func(r result) float64 { return r.rate }),
		p99:  middle(all, func(r result) time.Duration { return r.p99 }),
		cost: middle(all, func(r result) time.Duration { return r.cost }),
		database: middle(all, func(r result) time.Duration {
			return r.database
		}),
	}
}

// middle returns the median of one figure.
func middle[T float64 | time.Duration](all []result, figure func(result) T) T {
	values := make([]T, len(all))
	for i, r := range all {
		values[i] = figure(r)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// drive repeats do on n connections until Duration has passed, and then calls settle on one. do
// returns how many units it has completed; the latencies are those of its calls. The processor time
// includes what a server does until everything is settled.
func (c *comparison) drive(r *rival, n int, do func(w *wire, i int) (units int, err error)) (result, error) {
	wires, err := r.dialAll(n)
	defer hangUpWires(wires)
	if err != nil {
		return result{}, err
	}
	before, err := c.times(r)
	if err != nil {
		return result{}, err
	}
	profiled := c.beginProfile(r)
	units, errs := make([]int, n), make([]error, n)
	began := time.Now()
	var wait sync.WaitGroup
	for i, w := range wires {
		wait.Go(func() {
			for time.Since(began) < c.Duration && errs[i] == nil {
				var some int
				some, errs[i] = do(w, i)
				units[i] += some
			}
		})
	}
	wait.Wait()
	elapsed, sum := time.Since(began), 0
	var m measurement
	for _, w := range wires {
		m.latencies = append(m.latencies, w.latencies...)
	}
	if err := errors.Join(errors.Join(errs...), r.settle(wires[0]), <-profiled); err != nil {
		return result{}, err
	}
	after, err := c.times(r)
	for _, some := range units {
		sum += some
	}
	slices.Sort(m.latencies)
	each := time.Duration(max(sum, 1))
	return result{
		rate: float64(sum) / elapsed.Seconds(), p99: m.quantile(0.99), cost: (after.cpu - before.cpu) / each,
		database: (after.database - before.database) / each,
	}, err
}

// times returns the processor time that a server and the database have used so far.
func (c *comparison) times(r *rival) (m measurement, err error) {
	var errDatabase error
	m.cpu, err = r.child.cpu()
	m.database, errDatabase = c.cluster.cpu()
	return m, errors.Join(err, errDatabase)
}

// dialAll opens n connections. On error it still returns those that it opened.
func (r *rival) dialAll(n int) (wires []*wire, err error) {
	for range n {
		w, err := dial(r.address)
		if err != nil {
			return wires, err
		}
		wires = append(wires, w)
	}
	return wires, nil
}

// hangUpWires closes connections.
func hangUpWires(wires []*wire) {
	for _, w := range wires {
		w.close()
	}
}

// crew opens n accounts for each of a number of connections, before the measurement.
func (c *comparison) crew(r *rival, connections, n int) ([][]*caller, error) {
	wires, err := r.dialAll(min(connections, 64))
	defer hangUpWires(wires)
	if err != nil {
		return nil, err
	}
	crew, errs := make([][]*caller, connections), make([]error, len(wires))
	var wait sync.WaitGroup
	for part, w := range wires {
		wait.Go(func() {
			for i := part; i < connections; i += len(wires) {
				for range n {
					by, err := r.guest(w)
					if err != nil {
						errs[part] = err
						return
					}
					crew[i] = append(crew[i], by)
				}
			}
		})
	}
	wait.Wait()
	return crew, errors.Join(errs...)
}

// gather puts accounts onto the leaderboard of every server: each plays until it has won.
func (c *comparison) gather() error {
	for _, r := range c.rivals {
		crew, err := c.crew(r, fans, 1)
		if err != nil {
			return err
		}
		w, err := dial(r.address)
		if err != nil {
			return err
		}
		defer w.close()
		r.fans = nil
		for _, one := range crew {
			r.fans = append(r.fans, one[0])
			for won := false; !won; {
				if _, won, err = r.throw(w, one[0]); err != nil {
					return err
				}
			}
		}
		for rows := 0; rows < 20; { // the board follows the games
			if rows, err = r.board(w, r.fans[0], true); err != nil {
				return err
			}
		}
	}
	return nil
}

// guests measures the opening of accounts.
func (c *comparison) guests(r *rival, connections int) (result, error) {
	return c.drive(r, connections, func(w *wire, _ int) (int, error) {
		_, err := r.guest(w)
		return 1, err
	})
}

// reads measures the read of the caller's account.
func (c *comparison) reads(r *rival, connections int) (result, error) {
	crew, err := c.crew(r, connections, 1)
	if err != nil {
		return result{}, err
	}
	return c.drive(r, connections, func(w *wire, i int) (int, error) { return 1, r.read(w, crew[i][0]) })
}

// games measures whole games, which end with a loss or a prize.
func (c *comparison) games(r *rival, connections int) (result, error) {
	return c.inTurn(r, connections, func(w *wire, by *caller) (int, error) {
		over, _, err := r.throw(w, by)
		if over {
			return 1, err
		}
		return 0, err
	})
}

// writes measures calls that only write to the ledger.
func (c *comparison) writes(r *rival, connections int) (result, error) {
	return c.inTurn(r, connections, func(w *wire, by *caller) (int, error) { return 1, r.write(w, by) })
}

// inTurn lets the accounts of each connection make calls in turn. Accounts that can pay no more
// games are replaced.
func (c *comparison) inTurn(r *rival, connections int, do func(*wire, *caller) (int, error)) (result, error) {
	each := max(c.Accounts/connections, 1)
	crew, err := c.crew(r, connections, each)
	if err != nil {
		return result{}, err
	}
	turn := make([]int, connections)
	return c.drive(r, connections, func(w *wire, i int) (int, error) {
		turn[i]++
		by := crew[i][turn[i]%each]
		units, err := do(w, by)
		if refused, ok := errors.AsType[*statusError](err); ok && refused.status == 409 {
			fresh, err := r.guest(w)
			if err != nil {
				return 0, err
			}
			*by = *fresh
			return 0, nil
		}
		return units, err
	})
}

// boards measures the leaderboard, as accounts on it see it.
func (c *comparison) boards(r *rival, connections int) (result, error) {
	return c.drive(r, connections, func(w *wire, i int) (int, error) {
		_, err := r.board(w, r.fans[i%len(r.fans)], false)
		return 1, err
	})
}
