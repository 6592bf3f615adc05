package sim

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/internal/app"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/store"
	"roshambo/internal/store/pgtest"
	"roshambo/internal/store/storetest"
)

var (
	flagSeed  = flag.Uint64("sim.seed", 0, "seed of the simulation; 0 for that of all tests, see package testseed")
	flagSteps = flag.Int("sim.steps", 0, "steps of the simulation; 0 for those of a short one")
)

// Numbers of steps of a short simulation.
const (
	shortSteps  = 40
	briefSteps  = 20 // with -short
	startOfTime = 1_795_000_000_000
)

// waitTimeout bounds waits for what takes milliseconds on an idle machine, or a second between two
// blocks.
const waitTimeout = 4 * time.Minute

// sim is one simulation.
type sim struct {
	t      *testing.T
	seed   uint64
	rng    *rand.Rand // of the schedule; used between steps only
	folder string
	engine func(*app.Config) // sets the database
	nodes  []*node
	book   *seedBook
	vault  vault
	seq    atomic.Int64 // logical clock of the starts and ends of calls
	ctx    context.Context

	step   int
	latest int64 // the latest time of all nodes
	faulty bool  // a fault is set, or was a moment ago
	named  int
	plan   []string // the schedule so far

	broken sync.WaitGroup // interrupted calls in progress on a node

	mu      sync.Mutex // guards the fields below, and the hands of matches
	calls   []*call
	settled int // calls without further effect

	failMu   sync.Mutex // guards failures
	failures []string

	// The known state, between steps.
	players   []*player
	ended     []ended // ended sessions
	refused   int     // of ended: those that checkNewlyEnded has checked
	matches   []*match
	listings  []listing
	offers    []offered
	slugs     []string
	codes     []string
	old       []*action // may be delivered once more
	followers []*follower
	started   map[string][]*runView // by client seed
	audit     *audit
	checked   int // events in histories
	killed    int
	heardHash map[string]*call // answered transactions
	notes     map[string]*call // returned checkpoints
	cups      map[int64]*cupView
	cupOrder  []int64         // the numbers of cups, as they appeared
	decided   map[string]bool // by duel: games of cups whose result was compared
	results   []*result       // that operators tried to declare void
}

func newSim(t *testing.T, nodes int, engine func(*app.Config)) *sim {
	t.Helper()
	seed := *flagSeed
	if seed == 0 {
		seed = testseed.Seed(t)
	}
	s := &sim{
		t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 1)), folder: filepath.Join(t.TempDir(), "data"), engine: engine,
		vault: vault{all: map[string]*secret{}}, ctx: context.WithoutCancel(t.Context()), started: map[string][]*runView{},
		audit: newAudit(), cups: map[int64]*cupView{}, decided: map[string]bool{}, heardHash: map[string]*call{},
		notes: map[string]*call{}, latest: startOfTime,
	}
	var chance [32]byte
	binary.BigEndian.PutUint64(chance[:], seed)
	s.book = newSeedBook(chance)
	for i := range nodes {
		n := &node{sim: s, index: i}
		n.now.Store(startOfTime + int64(i)*1500) // all clocks differ
		n.plan.chance = rand.New(rand.NewPCG(seed, uint64(100+i)))
		n.plan.killAfter = -1
		if socket := socketOf(t, engine); socket != "" {
			n.wire = pgtest.NewProxy(t, socket, n.plan.pass, n.plan.delay)
		}
		s.nodes = append(s.nodes, n)
	}
	t.Logf("seed %d: repeat with -sim.seed=%d -sim.steps=%d", seed, seed, steps())
	return s
}

func steps() int {
	switch {
	case *flagSteps > 0:
		return *flagSteps
	case testing.Short():
		return briefSteps
	}
	return shortSteps
}

// fail records a failure.
func (s *sim) fail(format string, args ...any) {
	s.failMu.Lock()
	defer s.failMu.Unlock()
	s.failures = append(s.failures, fmt.Sprintf("step %d: ", s.step)+fmt.Sprintf(format, args...))
}

func (s *sim) failed() bool {
	s.failMu.Lock()
	defer s.failMu.Unlock()
	return len(s.failures) > 0
}

// run runs the simulation.
func (s *sim) run() {
	s.open()
	s.follow(nil)
	s.follow(nil)
	for s.step = 1; s.step <= steps() && !s.failed(); s.step++ {
		s.advanceClocks()
		s.injectFault()
		s.operate()
		s.repair()
		s.settle()
		s.checkNewlyEnded()
		s.checkState()
		s.check()
	}
	if !s.failed() {
		s.finish()
	}
	s.close()
}

// open starts all nodes.
func (s *sim) open() {
	for _, n := range s.nodes {
		s.reopen(n)
	}
}

// close stops all followers and nodes, and reports every failure.
func (s *sim) close() {
	for _, f := range s.followers {
		f.stop()
	}
	for _, n := range s.nodes {
		if err := n.drain(); err != nil && !s.failed() {
			s.fail("node %d ended with %v", n.index, err)
		}
		s.search("the log", n.log.take(), nil)
	}
	s.report()
}

// report prints the failures, and everything needed to reproduce them.
func (s *sim) report() {
	injected := s.killed
	for _, n := range s.nodes {
		injected += n.plan.count()
	}
	s.t.Logf("%d steps, %d calls, %d players, %d duels, %d faults, %d of them kills", s.step-1, len(s.calls),
		len(s.players), len(s.matches), injected, s.killed)
	s.t.Logf("heard to succeed: %v", s.succeeded())
	s.t.Logf("%d cups, %d of them played to the end, with %d games", len(s.cups),
		len(s.cupsOf("people", "finished"))+len(s.cupsOf("bots", "finished")), len(s.decided))
	s.t.Logf("%d results that operators acted on, %d of them void, %d restored", len(s.results),
		len(s.resultsThat(func(r *result) bool { return r.void })),
		len(s.resultsThat(func(r *result) bool { return r.restored })))
	if !s.failed() {
		return
	}
	for _, f := range s.failures[:min(len(s.failures), 5)] {
		s.t.Error(f)
	}
	for _, n := range s.nodes {
		s.t.Logf("node %d logged: %q", n.index, n.log.newestErrors(5))
	}
	var text strings.Builder
	for _, line := range s.plan {
		fmt.Fprintln(&text, line)
	}
	fmt.Fprintln(&text, "history:")
	for _, c := range s.calls {
		fmt.Fprintln(&text, c)
	}
	path := filepath.Join(s.t.ArtifactDir(), "history.txt")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		s.t.Error(err)
	}
	s.t.Logf("seed %d after %d steps; the last of the schedule:\n%s\nall of it and the history (kept with "+
		"-artifacts): %s", s.seed, s.step,
		strings.Join(s.plan[max(0, len(s.plan)-30):], "\n"), path)
}

// succeeded counts the successful calls by kind of action.
func (s *sim) succeeded() map[string]int {
	n := map[string]int{}
	for _, c := range s.calls {
		if c.ok() {
			n[c.what]++
		}
	}
	return n
}

// mostSkew bounds how far a clock goes back, and is behind the clocks of other nodes. Estimates
// of the database's clock, which these clocks replace, differ by much less.
const mostSkew = 20 * time.Second

// advanceClocks advances the clock of each node by its own amount.
func (s *sim) advanceClocks() {
	jump := pick(s.rng, []time.Duration{0, 10 * time.Millisecond, 250 * time.Millisecond, 260 * time.Millisecond,
		300 * time.Millisecond,
		time.Second, 2 * time.Second, 5 * time.Second})
	switch s.rng.IntN(60) {
	case 0, 1, 2:
		jump = 16 * time.Second
	case 3, 4:
		jump = 61 * time.Second
	case 5:
		jump = 11 * time.Minute
	case 6:
		jump = 4 * time.Hour
	case 7:
		if s.rng.IntN(2) == 0 {
			jump = 25 * time.Hour
		}
	}
	if len(s.cupsOf("people", "open")) > 0 && s.rng.IntN(6) == 0 {
		jump = 61 * time.Second // it starts
	}
	for _, n := range s.nodes {
		own := jump + time.Duration(s.rng.IntN(3))*time.Millisecond
		switch s.rng.IntN(40) {
		case 0:
			own -= time.Duration(s.rng.IntN(90)) * time.Second // backwards
		case 1:
			own += time.Duration(s.rng.IntN(30)) * time.Second
		}
		s.latest = max(s.latest, n.now.Add(own.Milliseconds()))
	}
	for _, n := range s.nodes {
		n.now.Store(max(n.now.Load(), s.latest-mostSkew.Milliseconds()))
	}
	s.note("clocks %+v: %s", jump, s.clocks())
}

func (s *sim) clocks() (text string) {
	for _, n := range s.nodes {
		text += " " + n.clock().Format("2006-01-02T15:04:05.000")
	}
	return text
}

// note adds to the schedule.
func (s *sim) note(format string, args ...any) {
	s.plan = append(s.plan, fmt.Sprintf("%d ", s.step)+fmt.Sprintf(format, args...))
}

// fault is a fault of a step.
type fault int

const (
	nothing fault = iota
	commitsFail
	killed
	restarted
	cutWire  // cuts connections to the database, mostly behind a COMMIT
	lateWire // the database receives messages after the node was cut off
)

// firstFaults are the faults of the first steps: every fault once, so that a short simulation has
// them all.
var firstFaults = []fault{nothing, commitsFail, lateWire, killed, cutWire, restarted}

// chooseFault chooses the fault of this step.
func (s *sim) chooseFault() fault {
	chance := s.rng.IntN(40)
	if s.step <= len(firstFaults) {
		return firstFaults[s.step-1]
	}
	switch {
	case chance < 8:
		return commitsFail
	case chance < 12:
		return killed
	case chance < 13:
		return restarted
	case chance < 17:
		return cutWire
	case chance < 21:
		return lateWire
	}
	return nothing
}

// injectFault sets the fault of this step.
func (s *sim) injectFault() {
	n, kind := s.nodes[s.rng.IntN(len(s.nodes))], s.chooseFault()
	again := float64(s.rng.IntN(2)) * 0.3
	for _, n := range s.nodes {
		n.plan.set(func(p *faultPlan) { p.again = again })
	}
	s.faulty = true
	switch {
	case kind == commitsFail:
		notStored, stored := 0.1+s.rng.Float64()*0.5, 0.1+s.rng.Float64()*0.3
		n.plan.set(func(p *faultPlan) { p.notStored, p.stored = notStored, stored })
		s.note("node %d: commits fail, %.2f not stored, %.2f stored", n.index, notStored, stored)
	case kind == killed:
		after, stored := s.rng.IntN(4), s.rng.IntN(2) == 0
		n.plan.set(func(p *faultPlan) { p.killAfter, p.killStored = after, stored })
		s.note("node %d: killed at commit %d, stored %t", n.index, after, stored)
	case kind == restarted:
		if err := n.drain(); err != nil {
			s.note("node %d: drained: %v", n.index, err)
		}
		s.reopen(n)
		s.note("node %d: stopped and started", n.index)
	case (kind == cutWire || kind == lateWire) && n.wire != nil:
		s.injectWireFaults(kind)
	default:
		s.faulty = false
	}
}

// injectWireFaults sets faults on the database connections of all nodes.
func (s *sim) injectWireFaults(kind fault) {
	unheard, cut, late := s.rng.Float64()*0.8, s.rng.Float64()*0.1*float64(s.rng.IntN(2)), 0.0
	if kind == lateWire {
		late = 0.02 + s.rng.Float64()*0.08
	}
	for _, n := range s.nodes {
		n.plan.set(func(p *faultPlan) { p.unheard, p.cut, p.late = unheard, cut, late })
	}
	s.note("database connections: %.2f of the answers to COMMIT and %.2f of all messages are lost; %.2f of the "+
		"messages to it are late", unheard, cut, late)
}

// reopen starts a node that has ended.
func (s *sim) reopen(n *node) {
	for began := time.Now(); ; {
		err := n.open(s.ctx)
		if err == nil {
			return
		}
		if !store.IsTransient(err) || time.Since(began) > waitTimeout {
			s.t.Fatal(err) // no further calls are possible
		}
	}
}

// operate runs several actions concurrently.
func (s *sim) operate() {
	var actions []*action
	for range 3 + s.rng.IntN(8) {
		d := s.nextAction()
		if s.rng.IntN(20) == 0 && len(s.old) > 0 {
			d = s.again()
		}
		actions = append(actions, d)
		s.note("%v", d)
		if d.method == "POST" && d.by != nil {
			s.old = append(s.old, d)
		}
	}
	end := func() {}
	if s.rng.IntN(3) == 0 {
		end = s.startVoid()
	}
	s.perform(actions)
	end()
}

// perform delivers requests concurrently, and then applies their answers.
func (s *sim) perform(actions []*action) {
	first := len(s.calls)
	var wait sync.WaitGroup
	for _, d := range actions {
		wait.Go(func() { s.deliver(d) })
	}
	wait.Wait()
	s.broken.Wait() // while the fault is still set
	s.applyAnswers(first)
}

// applyAnswers applies the successful answers to the calls from a number on.
func (s *sim) applyAnswers(first int) {
	s.mu.Lock()
	calls := s.calls[first:]
	s.mu.Unlock()
	for _, c := range calls {
		if c.ok() {
			s.apply(c)
		}
	}
}

// again delivers an old request once more. It omits keys older than a day, which the service may
// have deleted.
func (s *sim) again() *action {
	d := *s.old[max(0, len(s.old)-1-s.rng.IntN(60))]
	if s.latest-d.clock > (23 * time.Hour).Milliseconds() {
		d.key = ""
	}
	d.how = []delivery{{node: s.rng.IntN(len(s.nodes))}}
	return &d
}

// deliver sends the request of an action as planned.
func (s *sim) deliver(d *action) {
	var wait sync.WaitGroup
	for _, how := range d.how {
		if how.wait {
			wait.Wait()
		}
		wait.Go(func() { s.send(s.ctx, how, d.request, d.by, d) })
	}
	wait.Wait()
}

// planDeliveries plans the deliveries of an action's request, with or without a key.
func (s *sim) planDeliveries(d *action) []delivery {
	d.clock = s.latest
	node := func() int { return s.rng.IntN(len(s.nodes)) }
	one := delivery{node: node()}
	if d.method == "GET" {
		return []delivery{one}
	}
	if d.by != nil && s.rng.IntN(2) == 0 && d.kind != "register" && d.kind != "logout" && d.kind != "queue" {
		d.key = s.newWord("i")
	}
	other := delivery{node: node()}
	switch s.rng.IntN(20) {
	case 0, 1, 2:
		return []delivery{one, other}
	case 3, 4:
		one.lose, other.wait = true, true
		return []delivery{one, other}
	case 5:
		one.cut, other.wait = time.Duration(1+s.rng.IntN(3000))*time.Microsecond, true
		return []delivery{one, other}
	case 6:
		one.cut = time.Duration(1+s.rng.IntN(3000)) * time.Microsecond
	case 7:
		one.lose = true
	case 8:
		other.wait = true
		return []delivery{one, other, {node: node(), wait: true}}
	}
	return []delivery{one}
}

// repair ends the fault: from here on all nodes are up and sound.
func (s *sim) repair() {
	for _, n := range s.nodes {
		n.plan.set(func(p *faultPlan) {
			p.notStored, p.stored, p.killAfter, p.again, p.unheard, p.cut, p.late = 0, 0, -1, 0, 0, 0, 0
		})
		l := n.current()
		if l == nil || !l.over() {
			continue
		}
		s.killed++
		n.awaitEnd()
		s.search("the log", n.log.take(), nil)
		s.reopen(n)
	}
	s.faulty = false
}

// settle waits until no node and no database works on any call: a call with an unknown outcome has
// had its effect by then, or never has it.
func (s *sim) settle() {
	s.broken.Wait()
	for _, n := range s.nodes {
		if n.wire != nil {
			n.wire.Drain()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.seq.Add(1)
	for _, c := range s.calls[s.settled:] {
		if c.unknown() {
			c.back = now
		}
	}
	s.settled = len(s.calls)
}

// apply applies a successful answer.
func (s *sim) apply(c *call) {
	if d := c.action; d != nil && d.learn != nil {
		d.learn(c)
	}
}

// TestSimulation runs the whole service on one database, with every kind of operation and with
// faults.
func TestSimulation(t *testing.T) {
	t.Parallel()
	e := chosen(t)
	newSim(t, e.nodes, e.configure).run()
}

// engine is a database for the service.
type engine struct {
	nodes     int
	configure func(*app.Config)
}

// socketOf returns the folder of the socket of an engine's database, "" for a file.
func socketOf(t *testing.T, engine func(*app.Config)) string {
	t.Helper()
	var c app.Config
	if engine(&c); c.Database == "" {
		return ""
	}
	u, err := url.Parse(c.Database)
	if err != nil || !strings.HasPrefix(u.Query().Get("host"), "/") {
		t.Fatalf("the database is not reached by a socket: %s, %v", c.Database, err)
	}
	return u.Query().Get("host")
}

// databaseOf returns the name of the database in a URL.
func databaseOf(raw string) string {
	u, _ := url.Parse(raw) // socketOf did
	return strings.TrimPrefix(u.Path, "/")
}

// chosen returns the database of all tests. One node owns a SQLite file; two nodes share a
// PostgreSQL database.
func chosen(t *testing.T) engine {
	t.Helper()
	if !storetest.Postgres() {
		return engine{1, func(*app.Config) {}}
	}
	url := storetest.Blank(t).URL
	return engine{2, func(c *app.Config) { c.Database = url }}
}
