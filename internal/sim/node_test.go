package sim

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"roshambo/internal/app"
	"roshambo/internal/store"
	"roshambo/internal/store/pgtest"
)

// node is one of the service's nodes: a sequence of processes. Its clock stands still within a
// step, so that everything in a step happens at one time on each node.
type node struct {
	sim   *sim
	index int
	now   atomic.Int64 // Unix milliseconds
	plan  faultPlan
	wire  *pgtest.Proxy // to the database; nil for a file
	log   logBook

	mu      sync.Mutex // guards process
	process *process   // nil while the node is down
}

// process is a running service. Nothing of it outlives it.
type process struct {
	url     string
	admin   string // the operators' address
	client  *http.Client
	streams *http.Client  // for followers
	dead    chan struct{} // closed by kill; later answers are dropped
	stop    context.CancelFunc
	ended   chan error // has capacity 1
}

// clock returns the node's time.
func (n *node) clock() time.Time { return time.UnixMilli(n.now.Load()).UTC() }

// open starts the whole service on the simulation's database.
func (n *node) open(ctx context.Context) error {
	ready, admin := make(chan string, 1), make(chan string, 1)
	l := &process{dead: make(chan struct{}), ended: make(chan error, 1)}
	n.plan.begin(func() { n.kill(l) })
	folder, err := n.folder()
	if err != nil {
		return fmt.Errorf("node %d: %w", n.index, err)
	}
	c := app.Config{
		Listen: "127.0.0.1:0", Data: folder, LogFormat: "text", LogLevel: slog.LevelInfo, Log: &n.log,
		Drain: waitTimeout, MailFrom: "house@example.org", Now: n.clock, Ready: func(address string) { ready <- address },
		AdminListen: "127.0.0.1:0", ReadyAdmin: func(address string) { admin <- address },
		Overrides: app.Overrides{
			SeedRand: n.sim.book, Faults: &store.Faults{Commit: n.plan.commit(l), Twice: n.plan.twice, ViewTwice: n.plan.twice},
		},
	}
	n.sim.engine(&c)
	if n.wire != nil {
		c.Database = n.wire.URL(databaseOf(c.Database)) + pgtest.Patient
	}
	ctx, l.stop = context.WithCancel(ctx)
	go func() { l.ended <- app.Serve(ctx, c) }()
	select {
	case address := <-ready:
		l.url, l.admin = "http://"+address, "http://"+<-admin
	case err := <-l.ended:
		l.stop()
		return fmt.Errorf("node %d did not start: %w", n.index, err)
	}
	l.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32, DisableCompression: true,
		DialContext: dial}}
	l.streams = &http.Client{Transport: &http.Transport{DisableCompression: true}}
	n.mu.Lock()
	n.process = l
	n.mu.Unlock()
	return nil
}

// folder returns the node's data folder. The first node has the simulation's folder; the others begin with the
// same keys and record of the signed log.
func (n *node) folder() (string, error) {
	if n.index == 0 {
		return n.sim.folder, nil
	}
	folder := fmt.Sprintf("%s-%d", n.sim.folder, n.index)
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	for _, name := range []string{"keys.json", "log-head.json"} {
		text, err := os.ReadFile(filepath.Join(n.sim.folder, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), text, 0o600)
		}
		if err != nil {
			return "", err
		}
	}
	return folder, nil
}

// current returns the running process, or nil.
func (n *node) current() *process {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.process
}

// hangUp closes idle connections to a node.
func (l *process) hangUp() {
	l.client.CloseIdleConnections()
	l.streams.CloseIdleConnections()
}

// kill ends a process at once: it commits nothing more, and its answers are dropped.
func (n *node) kill(l *process) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if l.over() {
		return
	}
	close(l.dead)
	if l.stop != nil {
		l.stop()
	}
}

func (l *process) over() bool {
	select {
	case <-l.dead:
		return true
	default:
		return false
	}
}

// awaitEnd waits until nothing of a killed process is left, so that another may start.
func (n *node) awaitEnd() {
	n.mu.Lock()
	l := n.process
	n.process = nil
	n.mu.Unlock()
	if l == nil {
		return
	}
	if err := <-l.ended; err != nil {
		n.sim.note("node %d: killed, and its last words were %v", n.index, err)
	}
	l.hangUp()
}

// drain stops the node as an operator does.
func (n *node) drain() error {
	n.mu.Lock()
	l := n.process
	n.process = nil
	n.mu.Unlock()
	if l == nil {
		return nil
	}
	l.hangUp()
	l.stop()
	return <-l.ended
}

// faultPlan decides the faults of a node's commits and connections.
type faultPlan struct {
	mu         sync.Mutex // guards the fields below
	chance     *rand.Rand
	notStored  float64 // the share of failing commits
	stored     float64
	again      float64 // the share of closures that run twice
	killAfter  int     // commits until the node is killed; below 0 is never
	killStored bool    // whether the last commit is stored
	unheard    float64 // the share of commits whose answer is lost with the connection
	cut        float64 // the share of messages that end their connection half sent
	late       float64 // the share of messages that reach the database after their connection was cut
	kill       func()
	injected   int // the number of faults so far
}

func (p *faultPlan) begin(kill func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kill, p.killAfter, p.notStored, p.stored, p.unheard, p.cut, p.late = kill, -1, 0, 0, 0, 0, 0
}

func (p *faultPlan) set(change func(*faultPlan)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

func (p *faultPlan) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.injected
}

// commit decides the fault of a commit.
func (p *faultPlan) commit(l *process) func() store.Fault {
	return func() store.Fault {
		p.mu.Lock()
		defer p.mu.Unlock()
		if l.over() {
			return store.NotStored // a dead process stores nothing
		}
		if p.killAfter == 0 {
			p.killAfter = -1
			p.injected++
			p.kill()
			if p.killStored {
				return store.Stored
			}
			return store.NotStored
		}
		if p.killAfter > 0 {
			p.killAfter--
		}
		switch f := p.chance.Float64(); {
		case f < p.notStored:
			p.injected++
			return store.NotStored
		case f < p.notStored+p.stored:
			p.injected++
			return store.Stored
		}
		return store.NoFault
	}
}

// pass implements the wire's filter: it decides which part of a message between a node and its
// database is passed on. A message that ends a connection is never passed on completely, so that
// its user sees the fault at once.
func (p *faultPlan) pass(up bool, said []byte) (through []byte, more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch f := p.chance.Float64(); {
	case !up && f < p.unheard && bytes.Contains(said, []byte("COMMIT\x00")):
		p.injected++
		return nil, false
	case f < p.cut:
		p.injected++
		return said[:p.chance.IntN(len(said))], false
	}
	return said, true
}

// delay implements the wire's delay: the server receives a message some time after its connection
// was cut. A COMMIT is then carried out after its caller was answered that the outcome is unknown.
func (p *faultPlan) delay([]byte) (by time.Duration, late bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.chance.Float64() >= p.late {
		return 0, false
	}
	p.injected++
	return time.Duration(p.chance.IntN(50)) * time.Millisecond, true
}

func (p *faultPlan) twice() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.chance.Float64() < p.again
}

// logBook records a node's log.
type logBook struct {
	mu     sync.Mutex // guards the fields below
	text   bytes.Buffer
	errors []string // lines of level ERROR
}

// Write adds a line to the log.
func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if bytes.Contains(p, []byte(" level=ERROR ")) {
		l.errors = append(l.errors, string(p))
	}
	return l.text.Write(p)
}

// newestErrors returns at most n of the logged errors, the newest last.
func (l *logBook) newestErrors(n int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.errors[max(0, len(l.errors)-n):])
}

// take returns the log since the last call.
func (l *logBook) take() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := bytes.Clone(l.text.Bytes())
	l.text.Reset()
	return b
}
