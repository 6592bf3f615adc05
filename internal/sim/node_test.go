package sim

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"roshambo/internal/app"
	"roshambo/internal/store"
	"roshambo/internal/store/pgtest"
)

// node is one of the service's nodes: a place where one life follows another. Its clock
// stands still unless the simulation turns it, so that what happens in a step happens at
// one time on each node.
type node struct {
	sim   *sim
	index int
	now   atomic.Int64 // Unix milliseconds
	plan  faultPlan
	wire  *pgtest.Wire // to the database; nil where that is a file
	log   logBook

	mu   sync.Mutex // guards life
	life *life      // nil while there is none
}

// life is a process that was started and has not ended: nothing in it outlives it.
type life struct {
	url     string
	client  *http.Client
	streams *http.Client  // for those who follow events
	dead    chan struct{} // closed by kill; what is answered from then on is never heard
	stop    context.CancelFunc
	ended   chan error // has one place
}

// clock returns the node's time.
func (n *node) clock() time.Time { return time.UnixMilli(n.now.Load()).UTC() }

// open starts the whole service on the simulation's database.
func (n *node) open(ctx context.Context) error {
	ready := make(chan string, 1)
	l := &life{dead: make(chan struct{}), ended: make(chan error, 1)}
	n.plan.begin(func() { n.kill(l) })
	c := app.Config{
		Listen: "127.0.0.1:0", Data: n.sim.folder, LogFormat: "text", LogLevel: slog.LevelInfo, Log: &n.log,
		Drain: patience, MailFrom: "house@example.org", Now: n.clock, Ready: func(address string) { ready <- address },
		Overrides: app.Overrides{
			SeedRand: n.sim.book, Faults: &store.Faults{Commit: n.plan.commit(l), Twice: n.plan.twice, ViewTwice: n.plan.twice},
		},
	}
	n.sim.engine(&c)
	if n.wire != nil {
		c.Database = n.wire.URL(databaseOf(c.Database))
	}
	ctx, l.stop = context.WithCancel(ctx)
	go func() { l.ended <- app.Serve(ctx, c) }()
	select {
	case address := <-ready:
		l.url = "http://" + address
	case err := <-l.ended:
		l.stop()
		return fmt.Errorf("node %d did not start: %w", n.index, err)
	}
	l.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32, DisableCompression: true, DialContext: dial}}
	l.streams = &http.Client{Transport: &http.Transport{DisableCompression: true}}
	n.mu.Lock()
	n.life = l
	n.mu.Unlock()
	return nil
}

// current returns the life that the node lives, or nil.
func (n *node) current() *life {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.life
}

// hangUp closes the connections to a node that nothing is under way on.
func (l *life) hangUp() {
	l.client.CloseIdleConnections()
	l.streams.CloseIdleConnections()
}

// kill ends a life at once: from here on it commits nothing, and nobody hears of it.
func (n *node) kill(l *life) {
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

func (l *life) over() bool {
	select {
	case <-l.dead:
		return true
	default:
		return false
	}
}

// bury waits until nothing of a killed life is left, so that another may begin.
func (n *node) bury() {
	n.mu.Lock()
	l := n.life
	n.life = nil
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
	l := n.life
	n.life = nil
	n.mu.Unlock()
	if l == nil {
		return nil
	}
	l.hangUp()
	l.stop()
	return <-l.ended
}

// faultPlan says how the commits of a node go.
type faultPlan struct {
	mu         sync.Mutex // guards what follows
	chance     *rand.Rand
	notStored  float64 // the share of commits that fail so
	stored     float64
	again      float64 // the share of closures that run twice
	killAfter  int     // commits until the node is killed; below 0 never
	killStored bool    // whether the last one is stored
	unheard    float64 // the share of commits whose answer is lost with the connection
	cut        float64 // the share of what is said on a connection that ends it half said
	late       float64 // the share of what is said to the database that it gets when who said it was hung up on
	kill       func()
	injected   int // faults so far
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

// commit decides how a commit of a life goes.
func (p *faultPlan) commit(l *life) func() store.Fault {
	return func() store.Fault {
		p.mu.Lock()
		defer p.mu.Unlock()
		if l.over() {
			return store.NotStored // a process that is gone stores nothing
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

// pass is the wire's: it decides what is passed on of what a node and its database say to
// each other. What ends a connection is never passed on whole, so that whoever used it
// learns of it at once, and not when nothing is broken any more.
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

// hold is the wire's as well: what gets to the server some time after who said it has been
// hung up on. If it was a COMMIT, that is carried out after its caller was told that nobody
// knows.
func (p *faultPlan) hold([]byte) (by time.Duration, late bool) {
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

// logBook keeps what a node logs.
type logBook struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

// Write adds to the log.
func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// take returns what was logged since the last call.
func (l *logBook) take() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := bytes.Clone(l.text.Bytes())
	l.text.Reset()
	return b
}
